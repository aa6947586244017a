#include "leeway/nn/detail/random_tensors.h"

#include <gtest/gtest.h>

#include "leeway/core/random.h"

namespace leeway::nn {
namespace {

// Row r of draw d is what Random(seed, purpose, d 2^24 + r) gives, whatever the length.
TEST(RandomTensors, NormalRowsAreThoseOfRandom) {
  for (const std::int64_t length : {1, 37}) {
    const torch::Tensor rows = normal_rows({5, length}, 7, stream("normals test"), 3);
    for (std::int64_t r = 0; r < 5; ++r) {
      Random random(7, stream("normals test"), std::uint64_t{3} << 24 | static_cast<std::uint64_t>(r));
      for (std::int64_t i = 0; i < length; ++i)
        EXPECT_EQ(rows.data_ptr<float>()[r * length + i], static_cast<float>(random.normal()));
    }
  }
}

TEST(RandomTensors, DropoutRowsAreThoseOfRandom) {
  for (const std::int64_t length : {1, 37}) {
    const torch::Tensor rows = dropout_rows({5, length}, .2, 7, stream("dropout test"), 3);
    for (std::int64_t r = 0; r < 5; ++r) {
      Random random(7, stream("dropout test"), std::uint64_t{3} << 24 | static_cast<std::uint64_t>(r));
      for (std::int64_t i = 0; i < length; ++i)
        EXPECT_EQ(rows.data_ptr<float>()[r * length + i], random.bits() * 0x1p-32 >= .2 ? 1.25f : 0.f);
    }
  }
}

}  // namespace
}  // namespace leeway::nn

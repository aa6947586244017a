#include "leeway/nn/detail/random_tensors.h"

#include <gtest/gtest.h>

#include "leeway/core/random.h"

namespace leeway::nn::random_tensors_test {

// Row r of draw d is what Random(seed, purpose, d 2^24 + r) gives, whatever the length.
TEST(RandomTensors, RowsAreThoseOfRandom) {
  for (const std::int64_t length : {1, 37}) {
    const torch::Tensor normals = normal_rows({5, length}, 7, stream("rows test"), 3),
                        dropouts = dropout_rows({5, length}, .2, 7, stream("rows test"), 3);
    for (std::int64_t r = 0; r < 5; ++r) {
      const std::uint64_t row = std::uint64_t{3} << 24 | static_cast<std::uint64_t>(r);
      Random normal(7, stream("rows test"), row), dropout(7, stream("rows test"), row);
      for (std::int64_t i = 0; i < length; ++i) {
        EXPECT_EQ(normals.data_ptr<float>()[r * length + i], static_cast<float>(normal.normal()));
        EXPECT_EQ(dropouts.data_ptr<float>()[r * length + i], dropout.bits() * 0x1p-32 >= .2 ? 1.25f : 0.f);
      }
    }
  }
}

}  // namespace leeway::nn::random_tensors_test

#include "leeway/nn/detail/random_tensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "leeway/core/random.h"

namespace leeway::nn {
namespace {

// Row r of draw d is what Random(seed, purpose, d 2^24 + r) gives, whatever the length.
TEST(RandomTensors, NormalRowsAreThoseOfRandom) {
  for (const std::int64_t length : {1, 2, 31, 127, 128, 129, 1000}) {
    const torch::Tensor rows = normal_rows({200, length}, 7, stream("normals test"), 3);
    for (std::int64_t r = 0; r < 200; ++r) {
      Random random(7, stream("normals test"), std::uint64_t{3} << 24 | static_cast<std::uint64_t>(r));
      const float* const found = rows.data_ptr<float>() + r * length;
      for (std::int64_t i = 0; i < length; i += 2) {
        const double first = random.normal(), second = random.normal(), pair = std::hypot(first, second);
        EXPECT_NEAR(found[i], first, 3e-7 * pair);
        if (i + 1 < length) {
          EXPECT_NEAR(found[i + 1], second, 3e-7 * pair);
        }
      }
    }
  }
}

TEST(RandomTensors, DropoutRowsAreThoseOfRandom) {
  for (const std::int64_t length : {1, 37, 255, 256, 257, 1000}) {
    const torch::Tensor rows = dropout_rows({5, length}, .2, 7, stream("dropout test"), 3);
    for (std::int64_t r = 0; r < 5; ++r) {
      Random random(7, stream("dropout test"), std::uint64_t{3} << 24 | static_cast<std::uint64_t>(r));
      for (std::int64_t i = 0; i < length; ++i)
        EXPECT_EQ(rows.data_ptr<float>()[r * length + i], random.bits() * 0x1p-32 >= .2 ? 1.25f : 0.f);
    }
  }
}

// The sum of the bits of a million normal numbers, whatever the instruction set.
TEST(RandomTensors, NormalRowsHaveTheSameBitsEverywhere) {
  const torch::Tensor rows = normal_rows({1000, 1000}, 7, stream("normals test"), 3);
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < rows.numel(); ++i)
    sum = sum * 31 + std::bit_cast<std::uint32_t>(rows.data_ptr<float>()[i]);
  EXPECT_EQ(sum, 3573399820090241858U);
}

}  // namespace
}  // namespace leeway::nn

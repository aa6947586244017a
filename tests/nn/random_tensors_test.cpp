#include "leeway/nn/train/random_tensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "leeway/core/random.h"

namespace leeway::nn {
namespace {

// Row r of draw d is what Random(seed, purpose, d 2^24 + r) gives, whatever the length.
TEST(RandomTensors, NormalRowsAreThoseOfRandom) {
  for (const std::int64_t length : {1, 2, 31, 32, 33, 1000}) {
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
  const torch::Tensor rows = dropout_rows({50, 37}, .2, 7, stream("dropout test"), 3);
  for (std::int64_t r = 0; r < 50; ++r) {
    Random random(7, stream("dropout test"), std::uint64_t{3} << 24 | static_cast<std::uint64_t>(r));
    for (std::int64_t i = 0; i < 37; ++i)
      EXPECT_EQ(rows[r][i].item<float>(), random.bits() * 0x1p-32 >= .2 ? 1.25f : 0.f);
  }
}

}  // namespace
}  // namespace leeway::nn

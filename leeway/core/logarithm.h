// The natural logarithm of a float strictly between 0 and 1, as loops over lanes want it: no call, no branch, no table.
//
// x = 2^e m with m in [sqrt(1/2), sqrt(2)): ln x = e ln 2 + 2 atanh((m - 1) / (m + 1)), the series of atanh to the ninth power. Choices are
// by bits, so that a compiler makes vectors of it. `rest` is 1 - x, which near 1 knows more of x than x itself.
// Accuracy: normal pairs made of it lie within 3e-7 of their length (tests/nn/random_tensors_test.cpp). The same bits wherever floats are IEEE's
// and products are not fused.
#pragma once

#include <bit>
#include <cstdint>
#include <numbers>

namespace leeway {

[[nodiscard]] inline float logarithm_below_one(float x, float rest) {
  constexpr std::int32_t root = 0x3f3504f3;  // the bits of sqrt(1/2)
  const auto bits = std::bit_cast<std::int32_t>(x), exponent = (bits - root) >> 23;
  const auto m = std::bit_cast<float>(bits - exponent * (1 << 23));
  const auto above = std::bit_cast<std::uint32_t>(m - 1), below = std::bit_cast<std::uint32_t>(-rest);
  const std::uint32_t near = 0U - static_cast<std::uint32_t>(exponent == 0);
  const float z = std::bit_cast<float>(above ^ ((above ^ below) & near)) / (m + 1), q = z * z;
  const float series = 1 + q * (1.f / 3 + q * (1.f / 5 + q * (1.f / 7 + q * (1.f / 9))));
  return static_cast<float>(exponent) * std::numbers::ln2_v<float> + 2 * z * series;
}

}  // namespace leeway

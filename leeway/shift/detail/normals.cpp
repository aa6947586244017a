// Compiled with -O3 and without errno: all but the drawing of words is vectors of four, whence choices by bits in place of
// branches.
#include "leeway/shift/detail/normals.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace leeway::shift {
namespace {

constexpr std::size_t pairs = 64;  // at a time

// Natural logarithm of a float strictly between 0 and 1 without calls, branches or tables. `rest` is 1 - x,
// which is more accurate than x near 1. x = 2^e m with m in [sqrt(1/2), sqrt(2)): ln x = e ln 2 + 2 atanh((m
// - 1) / (m + 1)), the series to the ninth power. Normal pairs made of it are within 3e-7 of their length.
// The same bits for all IEEE floats if products are not fused.
float logarithm_below_one(float x, float rest) {
  constexpr std::int32_t root = 0x3f3504f3;  // the bits of sqrt(1/2)
  const auto bits = std::bit_cast<std::int32_t>(x), exponent = (bits - root) >> 23;
  const auto m = std::bit_cast<float>(bits - exponent * (1 << 23));
  const auto above = std::bit_cast<std::uint32_t>(m - 1), below = std::bit_cast<std::uint32_t>(-rest);
  const std::uint32_t near = 0U - static_cast<std::uint32_t>(exponent == 0);
  const float z = std::bit_cast<float>(above ^ ((above ^ below) & near)) / (m + 1), q = z * z;
  const float series = 1 + q * (1.f / 3 + q * (1.f / 5 + q * (1.f / 7 + q * (1.f / 9))));
  return static_cast<float>(exponent) * std::numbers::ln2_v<float> + 2 * z * series;
}

}  // namespace

void draw_normals(Random& random, std::span<float> out) {
  std::array<std::uint32_t, pairs> first{}, second{};
  std::array<float, 2 * pairs> numbers{};
  for (std::size_t begin = 0; begin < out.size(); begin += numbers.size()) {
    const std::size_t count = std::min(numbers.size(), out.size() - begin);
    for (std::size_t i = 0; 2 * i < count; ++i) {
      first[i] = random.bits();
      second[i] = random.bits();
    }
    for (std::size_t i = 0; i < pairs; ++i) {
      // odd multiples of 2^-32, so between 0 and 1
      const auto word = static_cast<std::int32_t>(first[i] >> 1);
      const float u = (static_cast<float>(word) + .5f) * 0x1p-31f;
      const float rest = (static_cast<float>(0x7fffffff - word) + .5f) * 0x1p-31f;
      const float radius = std::sqrt(-2 * logarithm_below_one(u, rest));
      // an angle from -45 to 45 degrees; the lowest bits turn it to the other quarters
      const auto turned = static_cast<std::int32_t>(second[i] & ~3u);
      const float a = static_cast<float>(turned) * (0x1p-33f * std::numbers::pi_v<float>), q = a * a;
      const float sine = a * (1 - q * (1.f / 6 - q * (1.f / 120 - q * (1.f / 5040 - q * (1.f / 362880)))));
      const float cosine = 1 - q * (1.f / 2 - q * (1.f / 24 - q * (1.f / 720 - q * (1.f / 40320))));
      const auto sine_bits = std::bit_cast<std::uint32_t>(sine),
                 cosine_bits = std::bit_cast<std::uint32_t>(cosine);
      const std::uint32_t swapped = (sine_bits ^ cosine_bits) & (0u - (second[i] & 1u));
      const auto signed_radius =
          std::bit_cast<float>(std::bit_cast<std::uint32_t>(radius) ^ (second[i] & 2u) << 30);
      numbers[2 * i] = signed_radius * std::bit_cast<float>(cosine_bits ^ swapped);
      numbers[2 * i + 1] = signed_radius * std::bit_cast<float>(sine_bits ^ swapped);
    }
    std::copy_n(numbers.begin(), count, out.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

}  // namespace leeway::shift

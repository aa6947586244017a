// Numbers of two bytes, widened to float32 without loss.
#pragma once

#include <bit>
#include <cstdint>

namespace leeway {

// IEEE 754 binary16.
[[nodiscard]] inline float float_from_half(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16;
  const std::uint32_t exponent = half >> 10 & 0x1fu;
  const std::uint32_t mantissa = half & 0x3ffu;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;  // subnormal
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t widened = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | widened << 23 | mantissa << 13);
}

// bfloat16: the upper half of a float32.
[[nodiscard]] inline float float_from_bfloat16(std::uint16_t upper) {
  return std::bit_cast<float>(std::uint32_t{upper} << 16);
}

}  // namespace leeway

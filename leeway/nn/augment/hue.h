// Colours on the circle of hues. No LibTorch here.
#pragma once

#include <array>

namespace leeway::nn::augment {

// Red, green and blue, of any range, after `turn` of the circle, with the value and the saturation of HSV.
[[nodiscard]] std::array<double, 3> turned(const std::array<double, 3>& colour, double turn);

}  // namespace leeway::nn::augment

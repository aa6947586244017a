// Colours by value V = max(R, G, B), saturation S = (V - min(R, G, B)) / V and hue, in closed forms: with another value a colour is
// x V' / V, with another saturation V - (V - x) S' / S, channel by channel. Not part of the library's interface.
#pragma once

#include <algorithm>
#include <array>

namespace leeway::shift {

using Colour = std::array<double, 3>;  // red, green, blue in [0,1]

// V' = min(V + add, 1); black becomes grey.
[[nodiscard]] inline Colour with_value_added(const Colour& colour, double add) {
  const double value = std::max({colour[0], colour[1], colour[2]}), wanted = std::min(value + add, 1.);
  if (value == 0) return {wanted, wanted, wanted};
  const double factor = wanted / value;
  return {colour[0] * factor, colour[1] * factor, colour[2] * factor};
}

// S' = clip(mul S + add, 0, 1). Where S = 0 the hue counts as 0, which is red.
[[nodiscard]] inline Colour with_saturation(const Colour& colour, double mul, double add) {
  const double value = std::max({colour[0], colour[1], colour[2]});
  const double range = value - std::min({colour[0], colour[1], colour[2]});
  if (range == 0) {
    const double other = value * (1 - std::clamp(add, 0., 1.));
    return {value, other, other};
  }
  const double saturation = range / value, factor = std::clamp(saturation * mul + add, 0., 1.) / saturation;
  return {value - (value - colour[0]) * factor, value - (value - colour[1]) * factor,
          value - (value - colour[2]) * factor};
}

}  // namespace leeway::shift

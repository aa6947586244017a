// Gradient noise in the plane (Perlin, SIGGRAPH 1985, fade of SIGGRAPH 2002): 0 at integer points, smooth
// between.
//
// With slopes g at the four integer points around (x, y), the ramps g . (x - i, y - j) are mixed across, then
// down, by 6 t^5 - 15 t^4 + 10 t^3 of the distances from the left and upper point. Unit slopes give values
// within [-1, 1]. Cost: about 10 ns.
#pragma once

#include <array>
#include <cmath>

namespace leeway {

// slope(i, j) -> {across, down} at column i and row j, whole numbers of either sign that fit into an int.
template <class Number, class Slope>
[[nodiscard]] Number gradient_noise(Number x, Number y, const Slope& slope) {
  const Number left = std::floor(x), top = std::floor(y), u = x - left, v = y - top;
  const auto i = static_cast<int>(left), j = static_cast<int>(top);
  const auto ramp = [&](int across, int down) {
    const std::array<Number, 2> g = slope(i + across, j + down);
    return g[0] * (u - static_cast<Number>(across)) + g[1] * (v - static_cast<Number>(down));
  };
  const auto fade = [](Number t) { return t * t * t * (t * (t * 6 - 15) + 10); };
  const auto mix = [](Number a, Number b, Number t) { return a + t * (b - a); };
  const Number s = fade(u);
  return mix(mix(ramp(0, 0), ramp(1, 0), s), mix(ramp(0, 1), ramp(1, 1), s), fade(v));
}

}  // namespace leeway

// The geometry that attacks share: norms, projections and steps, one row at a time.
//
// Rows are spans of d float32 numbers; sums are float64. Deterministic. Cost: a few passes over the row; a sort
// for projections in l1 and l0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace leeway::attack {

// Norm of x' - x; l0 counts changed values, each channel of a pixel separately.
enum class Norm { linf, l2, l1, l0 };
inline constexpr Norm every_norm[] = {Norm::linf, Norm::l2, Norm::l1, Norm::l0};
[[nodiscard]] constexpr std::string_view name_of(Norm norm) {
  constexpr std::string_view names[] = {"linf", "l2", "l1", "l0"};
  return names[static_cast<std::size_t>(norm)];
}

// Dual norm, |g.u| <= |u| |g|. l0 has none: l2.
[[nodiscard]] constexpr Norm dual_of(Norm norm) {
  return norm == Norm::linf ? Norm::l1 : norm == Norm::l1 ? Norm::linf : Norm::l2;
}

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double farthest_value = 1e12;

// Range of values: pixels [0,1], or bounds whose squares fit in float32.
struct Box {
  double low = 0, high = 1;                   // of every feature, unless
  std::vector<double> lows = {}, highs = {};  // each of the d features has its own

  [[nodiscard]] double low_of(std::size_t j) const { return lows.empty() ? low : lows[j]; }
  [[nodiscard]] double high_of(std::size_t j) const { return highs.empty() ? high : highs[j]; }
  [[nodiscard]] bool unbounded(std::size_t j) const {
    return low_of(j) <= -farthest_value || high_of(j) >= farthest_value;
  }
  [[nodiscard]] bool unbounded() const;  // any feature
  [[nodiscard]] double side() const;     // the longest
  [[nodiscard]] float clip(std::size_t j, float value) const {
    const auto least = static_cast<float>(low_of(j)), most = static_cast<float>(high_of(j));
    return value < least ? least : value > most ? most : value;
  }
};
inline const Box anywhere{-farthest_value, farthest_value};

using Row = std::span<const float>;
using MutableRow = std::span<float>;

// Rows of equal width, (n,d) row-major.
struct Points {
  std::size_t n = 0, d = 0;
  std::vector<float> values = {};

  [[nodiscard]] static Points zeros(std::size_t n, std::size_t d) {
    return {n, d, std::vector<float>(n * d)};
  }
  [[nodiscard]] Row row(std::size_t i) const { return Row(values).subspan(i * d, d); }
  [[nodiscard]] MutableRow row(std::size_t i) { return MutableRow(values).subspan(i * d, d); }
};

[[nodiscard]] double norm_of(Row row, Norm norm);
[[nodiscard]] double distance(Row a, Row b, Norm norm);  // |a - b|
[[nodiscard]] bool is_zero(Row row);                     // every entry is exactly 0

// The values that features take. Empty: any.
struct Grid {
  std::vector<double> per_one =
      {};  // d; values are multiples of 1 / per_one: 255 pixels, 1 whole numbers, 0 any
  std::vector<std::vector<std::size_t>> one_hot =
      {};  // groups of features, of which one is 1 and the others 0

  [[nodiscard]] bool empty() const { return per_one.empty() && one_hot.empty(); }
};

// |a - b| of points of the grid, without the rounding of multiples to float32.
[[nodiscard]] double distance(Row a, Row b, Norm norm, const Grid& grid);

// Row `x`, in the box and in the ball around `clean`, becomes a point of the grid there: the nearest multiples,
// and of each group the largest value becomes 1. A multiple outside the box or ball gives way to the next one
// towards the clean value, and a group to the clean group; in l1 and l2 those that rounding moved farthest, until
// the rest fits. `clean` is on the grid. Points of the grid stay.
void snap(MutableRow x, Row clean, const Grid& grid, const Box& box, Norm norm, double radius = infinity);

// Replaces `move` by the point of {u: |u|_p <= radius, low <= x + u <= high} nearest to it in l2, exact up to
// float32 rounding; x in the box, radius at least 0, may be infinite. clip(v) is the nearest point of the box, b the
// room to the box on the side of v:
//   linf   clip(v, -r, r) inside the box
//   l2     clip(t v) with the largest t <= 1 of length at most r
//   l1     sign(v) min(max(|v| - c, 0), b) of length r, c >= 0 (Duchi et al., ICML 2008, has no box)
//   l0     clip(v) in the floor(r) coordinates with the largest v^2 - (v - clip(v))^2, 0 elsewhere
void project_move(MutableRow move, Row x, double radius, Norm norm, const Box& box);

// The t >= 0 for which min(t |direction|, room) has l2 length `radius`; infinity if |room| is shorter.
[[nodiscard]] double reach(Row direction, Row room, double radius);

// The shortest u with <normal, u> = rise and low <= x + u <= high, exact up to float32 rounding; the corner of
// the box nearest to that plane where the plane misses the box; 0 where normal is 0. x in the box, b its
// distance from the box along w = sign(rise) normal, t such that <w, u> = |rise|:
//   linf   sign(w) min(t, b)
//   l2     sign(w) min(t |w|, b)
//   l1     b in the coordinates with the largest |w|, a part of b in the last of them, 0 elsewhere
[[nodiscard]] std::vector<float> move_to_plane(Row x, Row normal, double rise, Norm norm, const Box& box);

// Distance from x to the farthest corner of the box, by the norm; infinity if the box is unbounded.
[[nodiscard]] double farthest_corner(Row x, Norm norm, const Box& box);

// Distance from x to the box along `direction`, coordinate by coordinate.
[[nodiscard]] std::vector<float> room_along(Row x, Row direction, const Box& box);

// The rows within eps of the clean rows in linf or l2, and inside the box.
//
// Projections are exact onto the intersection. In l2 the projection of y is clip(x + t (y - x)), with the
// largest t <= 1 whose distance from x is at most eps. A step of length a goes from z to clip(z + t g) at
// distance a: the other values make up for clipped ones. On a linear model these steps reach the worst case,
// from the center in one step. Returned rows lie in the ball, measured in float64 on the stored float32
// values.
class Ball {
 public:
  // clean in the box, which must outlive the ball; eps >= 0, finite
  Ball(const Points& clean, Norm norm, double eps, const Box& box = {});

  // Row i of `y` becomes the nearest one in the ball of row i.
  void project(std::size_t i, MutableRow y) const;

  // Steepest ascent of length `length` from row i along `gradient`, projected. A gradient of 0 moves nothing.
  void step(std::size_t i, MutableRow x, Row gradient, double length) const;

  // Uniform in every ball, then clipped: row i draws from Random(seed, stream, keys[i]).
  [[nodiscard]] Points random(std::uint64_t seed, std::uint32_t stream,
                              std::span<const std::uint64_t> keys) const;

 private:
  const Points& clean_;
  std::vector<float> low_, high_;  // of linf
  std::vector<double> radii_;      // of l2 projections, one a row: eps_ less what rounding may add
  Norm norm_;
  Box box_;
  double eps_;
};

}  // namespace leeway::attack

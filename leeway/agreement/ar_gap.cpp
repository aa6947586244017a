#include "leeway/agreement/ar_gap.h"

#include <algorithm>
#include <utility>

#include "leeway/core/error.h"

namespace leeway::agreement {
namespace {

constexpr double accuracy = 1e-9;  // of PA: the certified gap

struct Corner {
  double ratio, pa;
};

std::vector<Corner> corners_of(std::span<const RatioPoint> sweep) {
  std::vector<Corner> corners;
  for (const RatioPoint& point : sweep) corners.push_back({point.ratio, point.agreement.pa});
  std::ranges::stable_sort(corners, {}, &Corner::ratio);
  return corners;
}

std::optional<double> fall_to(const std::vector<Corner>& corners, double level) {
  if (corners.empty() || corners.front().pa < level - accuracy) return std::nullopt;
  if (corners.front().pa <= level) return corners.front().ratio;
  for (std::size_t i = 1; i < corners.size(); ++i) {
    const Corner &a = corners[i - 1], &b = corners[i];
    if (b.pa <= level) return a.ratio + (b.ratio - a.ratio) * (a.pa - level) / (a.pa - b.pa);
  }
  return std::nullopt;
}

// PA of both at the largest ratio that both hold.
std::pair<double, double> last_in_common(const std::vector<Corner>& one, const std::vector<Corner>& two) {
  for (auto a = one.rbegin(); a != one.rend(); ++a)
    for (const Corner& b : two)
      if (a->ratio == b.ratio) return {a->pa, b.pa};
  throw Error("ar_gap: expected sweeps with a ratio in common, found none");
}

}  // namespace

ArGap ar_gap(std::span<const RatioPoint> first, std::span<const RatioPoint> second) {
  auto plus = corners_of(first), minus = corners_of(second);
  const auto [first_pa, second_pa] = last_in_common(plus, minus);
  ArGap result;
  result.first_is_plus = first_pa >= second_pa;
  if (!result.first_is_plus) std::swap(plus, minus);
  for (const Corner& corner : plus) {
    ArGapPoint point{corner.pa, corner.ratio, fall_to(minus, corner.pa), std::nullopt};
    if (point.ratio_minus) point.gap = point.ratio_plus - *point.ratio_minus;
    result.points.push_back(point);
  }
  return result;
}

}  // namespace leeway::agreement

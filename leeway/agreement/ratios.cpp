#include "leeway/agreement/ratios.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "leeway/agreement/detail/matrix.h"
#include "leeway/core/error.h"

namespace leeway::agreement {
namespace {

std::vector<std::size_t> order_of(std::span<const double> norms, std::size_t n) {
  if (!norms.empty() && norms.size() != n)
    throw Error(fmt::format("ratio_sweep: norms: expected {} norms, found {}", n, norms.size()));
  for (std::size_t i = 0; i < norms.size(); ++i)
    if (!(norms[i] >= 0))
      throw Error(fmt::format("ratio_sweep: norms: expected at least 0, found {} at row {}", norms[i], i));
  std::vector<std::size_t> order = all_rows(n);
  if (norms.empty()) return order;
  std::ranges::sort(order, {}, [&](std::size_t row) { return norms[row]; });
  std::vector<double> tied(n);  // float32 rounds norms at one radius apart
  double first = -1;
  for (const std::size_t row : order)
    tied[row] = norms[row] <= first * (1 + 1e-6) ? first : (first = norms[row]);
  std::ranges::sort(order, {}, [&](std::size_t row) { return std::pair(tied[row], row); });
  return order;
}

// The clean set with those rows of the shifted one; both hold T.
template <class T>
Array mixture(const Array& clean, const Array& shifted, std::span<const std::size_t> rows) {
  const auto from = clean.view<T>(), to = shifted.view<T>();
  const std::size_t k = clean.shape[1];
  std::vector<T> values(from.begin(), from.end());
  for (const std::size_t row : rows) std::copy_n(to.data() + row * k, k, values.data() + row * k);
  return make_array(clean.shape, std::move(values));
}

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

std::vector<RatioPoint> ratio_sweep(const Array& clean, const Array& shifted, const Sweep& sweep) {
  const Options& options = sweep.options;
  for (const double ratio : sweep.ratios)
    if (!(ratio >= 0 && ratio <= 1))
      throw Error(fmt::format("ratio_sweep: ratios: expected 0 to 1, found {}", ratio));
  // The whole shift first: it checks both sets.
  const Agreement whole =
      sweep.whole ? *sweep.whole : posterior_agreement(clean, shifted, sweep.labels, options);
  const std::size_t n = whole.n;
  const std::vector<std::size_t> order = order_of(sweep.norms, n);
  const bool floats = clean.type == ElementType::f32 && shifted.type == ElementType::f32;
  const Array from = floats ? clean : make_array(clean.shape, to_f64(clean, options.clean_name));
  const Array to = floats ? shifted : make_array(shifted.shape, to_f64(shifted, options.shifted_name));

  std::vector<RatioPoint> points;
  const auto add = [&](RatioPoint point, const Array& mixed) {
    points.push_back(std::move(point));
    if (sweep.visit) sweep.visit(points.back(), mixed);
  };
  for (const double ratio : sweep.ratios) {
    if (options.progress != nullptr) {
      stop_if_asked(options.progress, "ratios stopped: nothing was written");
      options.progress->update("ratios", points.size(), sweep.ratios.size(),
                               fmt::format("ratio {:g}", ratio));
    }
    const auto count = static_cast<std::size_t>(std::lround(ratio * static_cast<double>(n)));
    if (count == n) {
      add({ratio, n, whole}, to);
      continue;
    }
    const std::span<const std::size_t> rows(order.data(), count);
    const Array mixed = floats ? mixture<float>(from, to, rows) : mixture<double>(from, to, rows);
    Agreement found = posterior_agreement(clean, mixed, sweep.labels, options);
    // A set beside itself: every pair agrees, whatever rows were drawn. Tied top classes alone leave something to chance.
    if (count == 0 && found.value == 0) found.pa_interval = {found.pa, found.pa};
    add({ratio, count, std::move(found)}, mixed);
  }
  return points;
}

ArGap ar_gap(std::span<const RatioPoint> first, std::span<const RatioPoint> second) {
  auto plus = corners_of(first), minus = corners_of(second);
  const auto [first_pa, second_pa] = last_in_common(plus, minus);
  ArGap result;
  result.first_is_plus = first_pa >= second_pa;
  if (!result.first_is_plus) std::swap(plus, minus);
  for (const Corner& corner : plus) {
    const auto ratio_plus = fall_to(plus, corner.pa);
    if (!ratio_plus) continue;
    ArGapPoint point{corner.pa, *ratio_plus, fall_to(minus, corner.pa), std::nullopt};
    if (point.ratio_minus) point.gap = point.ratio_plus - *point.ratio_minus;
    result.points.push_back(point);
  }
  std::ranges::stable_sort(result.points, {}, &ArGapPoint::ratio_plus);
  return result;
}

}  // namespace leeway::agreement

#include "leeway/tasks/assess/detail/auroc.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace leeway::assess {
namespace {

// Of scores: equal ones may differ so much by the order in which a softmax was summed.
constexpr double rounding = 1e-12;

}  // namespace

std::optional<Auroc> auroc(std::span<const double> scores, std::span<const std::int64_t> positive) {
  const std::size_t n = scores.size();
  Auroc found;
  std::vector<std::pair<double, std::uint32_t>> order(n);
  for (std::size_t i = 0; i < n; ++i) {
    order[i] = {scores[i], static_cast<std::uint32_t>(i)};
    found.positives += static_cast<std::size_t>(positive[i]);
  }
  found.negatives = n - found.positives;
  if (found.positives == 0 || found.negatives == 0) return std::nullopt;
  std::ranges::sort(order);
  const auto p = static_cast<double>(found.positives), m = static_cast<double>(found.negatives);
  // Of a block of ties: the share of the other class below it, and half of that in it.
  found.placements.resize(n);
  double positives_below = 0, negatives_below = 0, sum = 0;
  for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
    double positives_here = 0;
    const double last = order[begin].first + rounding * std::max(1., std::abs(order[begin].first));
    for (end = begin; end < n && order[end].first <= last; ++end)
      positives_here += static_cast<double>(positive[order[end].second]);
    const double negatives_here = static_cast<double>(end - begin) - positives_here;
    const double of_positive = (negatives_below + negatives_here / 2) / m,
                 of_negative = 1 - (positives_below + positives_here / 2) / p;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t row = order[i].second;
      found.placements[row] = positive[row] != 0 ? of_positive : of_negative;
    }
    sum += positives_here * of_positive;
    positives_below += positives_here, negatives_below += negatives_here;
  }
  found.value = sum / p;
  return found;
}

}  // namespace leeway::assess

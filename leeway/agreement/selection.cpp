#include "leeway/agreement/selection.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "leeway/agreement/decomposition.h"
#include "leeway/core/message.h"
#include "leeway/core/numbers.h"

namespace leeway::agreement {
namespace {

std::size_t highest(std::span<const Checkpoint> checkpoints,
                    const std::function<double(const Checkpoint&)>& value) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < checkpoints.size(); ++i)
    if (value(checkpoints[i]) > value(checkpoints[best])) best = i;
  return best;
}

}  // namespace

Checkpoint measure_checkpoint(const Rows& clean, const Rows& shifted, std::span<const std::int64_t> labels,
                              const Options& options) {
  Checkpoint checkpoint{posterior_agreement(clean, shifted, labels, options), {}, {}};
  if (labels.empty()) return checkpoint;
  const Agreement& found = checkpoint.agreement;
  const Decomposition groups = decompose(clean, shifted, labels, found.beta);
  std::size_t right = 0;
  for (const auto& group : groups.groups)
    if (group.name == "err" || group.name == "adv") right += group.n;  // y' = y
  checkpoint.accuracy = {static_cast<double>(right) / static_cast<double>(found.n),
                         clopper_pearson(right, found.n, options.level)};
  checkpoint.accuracy_shifted = {*found.afr_true, *found.afr_true_interval};
  return checkpoint;
}

Selection select_checkpoint(std::span<const Checkpoint> checkpoints) {
  if (checkpoints.empty()) refuse("select_checkpoint", "at least one checkpoint", "none");
  std::size_t labelled = 0;
  for (const Checkpoint& one : checkpoints) labelled += one.accuracy && one.accuracy_shifted;
  if (labelled != 0 && labelled != checkpoints.size())
    refuse("select_checkpoint", "labels for every checkpoint or for none",
           std::to_string(labelled) + " of " + std::to_string(checkpoints.size()));
  Selection selection;
  selection.pa = highest(checkpoints, [](const Checkpoint& one) { return one.agreement.pa; });
  if (labelled == 0) return selection;
  selection.accuracy = highest(checkpoints, [](const Checkpoint& one) { return one.accuracy->value; });
  selection.accuracy_shifted =
      highest(checkpoints, [](const Checkpoint& one) { return one.accuracy_shifted->value; });
  return selection;
}

Estimate pa_difference(const PairedAgreement& first, const PairedAgreement& second, double level) {
  const std::span<const double> a = first.per_row, b = second.per_row;
  if (a.empty() || a.size() != b.size())
    refuse("pa_difference", "the same number of rows, at least 1",
           std::to_string(a.size()) + " and " + std::to_string(b.size()));
  std::vector<double> differences(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) differences[i] = a[i] - b[i];
  const Mean difference = mean_and_error(differences);
  if (difference.n < 2) return {difference.mean, {-infinity, infinity}};
  const double z = normal_quantile(.5 * (1 + level));
  const double ra = z * mean_and_error(a).standard_error, rb = z * mean_and_error(b).standard_error;
  const double rd = z * difference.standard_error;
  const double correlation = ra > 0 && rb > 0 ? (ra * ra + rb * rb - rd * rd) / (2 * ra * rb) : 0;
  const auto side = [&](double of_first, double of_second) {
    const double common = correlation * std::min(ra, of_first) * std::min(rb, of_second);
    return std::sqrt(std::max(0., of_first * of_first + of_second * of_second - 2 * common));
  };
  const auto& [pa1, interval1] = first.pa;
  const auto& [pa2, interval2] = second.pa;
  return {difference.mean,
          {difference.mean - side(pa1 - interval1.low, interval2.high - pa2),
           difference.mean + side(interval1.high - pa1, pa2 - interval2.low)}};
}

}  // namespace leeway::agreement

#include "leeway/agreement/selection.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "leeway/agreement/decomposition.h"
#include "leeway/core/message.h"

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

Checkpoint measure_checkpoint(const Array& clean, const Array& shifted, std::span<const std::int64_t> labels,
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

Estimate pa_difference(std::span<const double> first, std::span<const double> second, double level) {
  if (first.empty() || first.size() != second.size())
    refuse("pa_difference", "the same number of rows, at least 1",
           std::to_string(first.size()) + " and " + std::to_string(second.size()));
  std::vector<double> differences(first.size());
  for (std::size_t i = 0; i < first.size(); ++i) differences[i] = first[i] - second[i];
  const Mean mean = mean_and_error(differences);
  if (mean.n < 2) {
    constexpr double everything = std::numeric_limits<double>::infinity();
    return {mean.mean, {-everything, everything}};
  }
  const double half = normal_quantile(.5 * (1 + level)) * mean.standard_error;
  return {mean.mean, {mean.mean - half, mean.mean + half}};
}

}  // namespace leeway::agreement

#include "leeway/agreement/confident_learning.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "leeway/agreement/detail/posterior.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"

namespace leeway::agreement {
namespace {

constexpr std::size_t confident_chunk_rows = 1024;

// use(row, p) for every row with a label, in parallel; use may change p.
template <class Use>
void each_posterior(const Rows& logits, std::span<const std::int64_t> labels, const Use& use) {
  parallel_chunks(labels.size(), confident_chunk_rows, [&](std::size_t begin, std::size_t end) {
    std::vector<double> p(logits.shape()[1]);
    for (std::size_t i = begin; i < end; ++i) {
      if (labels[i] < 0) continue;
      (void)prediction_of(logits, i, 1, p.data());
      use(i, p);
    }
  });
}

// t_j, infinite for a class that no row has as its label.
std::vector<double> thresholds_of(std::span<const double> self_confidence,
                                  std::span<const std::int64_t> labels, std::size_t k) {
  std::vector<double> sums(k), n(k);
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] >= 0)
      sums[static_cast<std::size_t>(labels[i])] += self_confidence[i],
          ++n[static_cast<std::size_t>(labels[i])];
  for (std::size_t j = 0; j < k; ++j)
    sums[j] = n[j] > 0 ? sums[j] / n[j] : std::numeric_limits<double>::infinity();
  return sums;
}

// The most probable class that reaches its threshold; k where none does.
std::size_t confident_class(std::span<const double> p, std::span<const double> thresholds) {
  std::size_t best = p.size();
  for (std::size_t j = 0; j < p.size(); ++j)
    if (p[j] >= thresholds[j] && (best == p.size() || p[j] > p[best])) best = j;
  return best;
}

void check_labels(const Rows& logits, std::span<const std::int64_t> labels) {
  const std::size_t n = logits.shape()[0], k = logits.shape()[1];
  constexpr const char* where = "confident learning";
  if (labels.size() != n) refuse(where, fmt::format("{} labels", n), labels.size());
  for (std::size_t i = 0; i < n; ++i)
    if (labels[i] >= static_cast<std::int64_t>(k))
      refuse(where, fmt::format("labels below {}", k), fmt::format("{} at row {}", labels[i], i));
  if (std::ranges::all_of(labels, [](std::int64_t label) { return label < 0; }))
    refuse(where, "rows with a label", "none");
}

}  // namespace

ConfidentLearning confident_learning(const Rows& logits, std::span<const std::int64_t> labels) {
  check_labels(logits, labels);
  const std::size_t n = labels.size(), k = logits.shape()[1];
  const double none = std::numeric_limits<double>::quiet_NaN();
  ConfidentLearning found;
  found.self_confidence.assign(n, none), found.margin.assign(n, none), found.suggested.assign(n, -1);
  each_posterior(logits, labels, [&](std::size_t i, std::vector<double>& p) {
    found.self_confidence[i] = std::exchange(p[static_cast<std::size_t>(labels[i])], -1);
    found.margin[i] = found.self_confidence[i] - *std::ranges::max_element(p);
  });
  const std::vector<double> thresholds = thresholds_of(found.self_confidence, labels, k);
  std::vector<std::size_t> confident(n, k);
  each_posterior(logits, labels, [&](std::size_t i, const std::vector<double>& p) {
    confident[i] = confident_class(p, thresholds);
  });
  std::vector<double> rows(k), counted(k), kept(k);  // by label; kept: C_ii
  for (std::size_t i = 0; i < n; ++i) {
    if (labels[i] < 0) continue;
    const auto label = static_cast<std::size_t>(labels[i]);
    ++found.n, ++rows[label];
    if (confident[i] == k) continue;
    ++counted[label];
    if (confident[i] == label)
      ++kept[label];
    else
      found.suggested[i] = static_cast<std::int64_t>(confident[i]), ++found.suspects;
  }
  for (std::size_t i = 0; i < k; ++i)
    if (counted[i] > 0)
      found.noise_rate += (1 - kept[i] / counted[i]) * rows[i] / static_cast<double>(found.n);
  return found;
}

}  // namespace leeway::agreement

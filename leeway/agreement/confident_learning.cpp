#include "leeway/agreement/confident_learning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "leeway/agreement/detail/posterior.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"

namespace leeway::agreement {
namespace {

constexpr std::size_t confident_chunk_rows = 1024;

struct ClassSums {
  std::vector<double> confidence, n;  // (k)
};

// t_j, infinite for a class that no row has as its label.
std::vector<double> thresholds_of(const Rows& logits, std::span<const std::int64_t> labels) {
  const std::size_t k = logits.shape()[1];
  const ClassSums sums = reduce_chunks<ClassSums>(
      labels.size(), confident_chunk_rows,
      [&](std::size_t begin, std::size_t end) {
        ClassSums s{std::vector<double>(k), std::vector<double>(k)};
        std::vector<double> p(k);
        for (std::size_t i = begin; i < end; ++i) {
          if (labels[i] < 0) continue;
          const auto label = static_cast<std::size_t>(labels[i]);
          (void)prediction_of(logits, i, 1, p.data());
          s.confidence[label] += p[label], ++s.n[label];
        }
        return s;
      },
      [](ClassSums a, const ClassSums& b) {
        for (std::size_t j = 0; j < a.n.size(); ++j) a.confidence[j] += b.confidence[j], a.n[j] += b.n[j];
        return a;
      });
  std::vector<double> thresholds;
  for (std::size_t j = 0; j < k; ++j)
    thresholds.push_back(sums.n[j] > 0 ? sums.confidence[j] / sums.n[j]
                                       : std::numeric_limits<double>::infinity());
  return thresholds;
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
  const std::vector<double> thresholds = thresholds_of(logits, labels);
  const double none = std::numeric_limits<double>::quiet_NaN();
  ConfidentLearning found;
  found.self_confidence.assign(n, none), found.margin.assign(n, none), found.suggested.assign(n, -1);
  std::vector<std::size_t> confident(n, k);
  parallel_chunks(n, confident_chunk_rows, [&](std::size_t begin, std::size_t end) {
    std::vector<double> p(k);
    for (std::size_t i = begin; i < end; ++i) {
      if (labels[i] < 0) continue;
      const auto label = static_cast<std::size_t>(labels[i]);
      (void)prediction_of(logits, i, 1, p.data());
      confident[i] = confident_class(p, thresholds);
      found.self_confidence[i] = p[label];
      p[label] = -1;
      found.margin[i] = found.self_confidence[i] - *std::ranges::max_element(p);
    }
  });
  std::vector<double> rows(k), counted(k);
  found.joint.assign(k * k, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (labels[i] < 0) continue;
    const auto label = static_cast<std::size_t>(labels[i]);
    ++found.n, ++rows[label];
    if (confident[i] == k) continue;
    ++counted[label], ++found.joint[label * k + confident[i]];
    if (confident[i] != label) found.suggested[i] = static_cast<std::int64_t>(confident[i]), ++found.suspects;
  }
  double kept = 0;
  for (std::size_t i = 0; i < k; ++i) {
    const double scale = rows[i] / (counted[i] > 0 ? counted[i] : 1) / static_cast<double>(found.n);
    if (counted[i] == 0) found.joint[i * k + i] = 1;
    for (std::size_t j = 0; j < k; ++j) found.joint[i * k + j] *= scale;
    kept += found.joint[i * k + i];
  }
  found.noise_rate = std::max(0., 1 - kept);
  return found;
}

}  // namespace leeway::agreement

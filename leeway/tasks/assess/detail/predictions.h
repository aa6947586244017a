// Predicted class and confidence of each row.
//
// Class: argmax of the logits, ties to the lowest. Confidence: the largest softmax probability at inverse
// temperature 1, 1 / sum_j exp(F_j - max F), in [1/k, 1], in float64 for any type of logits. Errors (Error):
// a logit that is NaN or infinite (file, row, class). Cost: one pass, at most one exponential a logit. Same
// bits for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"

namespace leeway::assess {

inline constexpr double leaf_rows = 4;

struct Predictions {
  std::vector<std::int32_t> classes;
  std::vector<double> confidences;
  double mean_confidence = 0;
  double saturated_share = 0;  // of rows whose confidence exceeds 1 - 1e-6
  double repeated_share =
      0;  // of rows that repeat another row's logits exactly; estimated from 65536 rows beyond that
  bool few_patterns =
      false;  // repeated outputs occur `leaf_rows` times on average, as those of tree ensembles do
  bool constant = false;  // all rows have the same logits, and there are at least two
};

// The finalizer of SplitMix64: every bit of the input reaches every bit of the result.
[[nodiscard]] constexpr std::uint64_t mixed_bits(std::uint64_t h) {
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return h ^ (h >> 31);
}

[[nodiscard]] Predictions predict(const Array& logits, std::string_view name);

inline constexpr std::size_t confidence_bins = 20;  // of equal width over [0,1]
[[nodiscard]] std::vector<double> confidence_edges();

// Counts for the bins [j/20, (j+1)/20); the last one holds 1, too. Confidences lie in [0,1].
[[nodiscard]] std::vector<std::size_t> confidence_histogram(std::span<const double> confidences);

// Number and share of rows with each of k codes, such as predicted classes.
[[nodiscard]] std::vector<std::size_t> code_counts(std::span<const std::int32_t> codes, std::size_t k);
[[nodiscard]] std::vector<double> class_shares(std::span<const std::int32_t> classes, std::size_t k);

}  // namespace leeway::assess

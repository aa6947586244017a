// Probabilities of an outputs file as logarithms.
#pragma once

#include <cstddef>
#include <string_view>

#include "leeway/core/array.h"

namespace leeway {

// What log 0 counts as, whatever the type of the file: the logarithm of the smallest normal float64, 2.2e-308.
// No positive probability of a smaller type is below it, so order is kept.
inline constexpr double log_of_zero = -708.3964185322641;

struct LogProbabilities {
  Array logits;           // (n,k) float64
  std::size_t zeros = 0;  // entries that were exactly 0
  int decimals = 0;       // where rows were divided by their sums: those that all entries are rounded to
  double least_sum = 1, most_sum = 1;  // of these rows
};

// log p, at least log_of_zero. `probs` is (n,k), float32 or float64. Error (named `where`, with its
// row) for an entry outside [0,1.001] or NaN, or a sum farther than 1e-3 from 1. If all entries are rounded
// to two to four decimals, sums may deviate by half a unit of the last decimal per class, at most .1; every
// row is then divided by its sum. Parallel over rows.
[[nodiscard]] LogProbabilities log_probabilities(const Array& probs, std::string_view where);

// Whether every row is a distribution by the test of log_probabilities. Rows with NaN or infinite entries are
// skipped, so that log_probabilities reports them; false without any other row. Stops at the first row that
// fails.
[[nodiscard]] bool are_probabilities(const Array& scores);

// The same of rows that log_probabilities divides by their sums.
[[nodiscard]] bool are_rounded_probabilities(const Array& scores);

// Error (named `where`) where every row divided by 100 is a distribution.
void refuse_percentages(const Array& scores, std::string_view where);

}  // namespace leeway

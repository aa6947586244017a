// Probabilities of an outputs file as logarithms.
#pragma once

#include <cstddef>
#include <string_view>

#include "leeway/core/array.h"

namespace leeway {

struct LogProbabilities {
  Array logits;           // (n,k) float64
  std::size_t zeros = 0;  // entries that were exactly 0
  int decimals = 0;       // where rows were divided by their sums: those that all entries are rounded to
  double least_sum = 1, most_sum = 1;  // of these rows
};

// log p, and log `smallest` for p = 0. `probs` is (n,k), float32 or float64. Error (named `where`, with its
// row) for a row with an entry outside [0,1] or NaN, or whose sum is farther than 1e-3 from 1; entries up
// to 1.001 count as rounding. Where all entries are rounded to two, three or four decimals, sums may be off by half a unit of
// the last for each class, .1 at most: then every row is divided by its sum. In parallel over rows.
[[nodiscard]] LogProbabilities log_probabilities(const Array& probs, double smallest, std::string_view where);

// Whether every row is a distribution by the test of log_probabilities. Rows with NaN or infinite entries say nothing,
// so that log_probabilities names them; without any other row the answer is no. Logits are found out by one of the
// first rows, and no more of them is read.
[[nodiscard]] bool are_probabilities(const Array& scores);

// The same of rows that log_probabilities divides by their sums.
[[nodiscard]] bool are_rounded_probabilities(const Array& scores);

// The smallest normal number of the type that the file holds (float16 for Array::from_half; float64 for
// integers).
[[nodiscard]] double smallest_normal(const Array& array);

}  // namespace leeway

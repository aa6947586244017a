// The temperature that calibrates a classifier on labeled outputs (Guo et al. 2017).
//
//   minimize over t >= 0   L(t) = (1/n) sum_i [ log sum_j exp(t F_ij) - t F_iy ],   y the label of row i
// t is the inverse temperature: L is convex in t (not in 1/t or log t). Its slope rises from
//   L'(0) = mean (average_j F_ij - F_iy)   to   L'(inf) = mean (max_j F_ij - F_iy) >= 0.
// If L'(0) >= 0, chance is better than the logits and t = 0. If L'(inf) = 0 (every label has its row's
// largest logit, ties included), t is infinite. Otherwise bracketed Newton finds the root of L'.
// Shapes: logits (n,k), float32 or float64, checked (sample.h); labels (n), 0..k-1; `rows`: the rows to use,
// repeats allowed. Errors: none. Cost: 5 to 10 evaluations of n k exponentials; large sets start from the
// root of a subset. Deterministic for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "leeway/core/rows.h"

namespace leeway::error_bound {

struct Temperature {
  double inverse = 1;           // t; 0 and infinity are legal
  double error = 0;             // |t - the minimiser| is at most this, rounding of L' included
  std::size_t evaluations = 0;  // of L' on all rows
};

struct TemperatureOptions {
  double tolerance = 1e-12;             // of t, relative
  double start = 0;                     // near t, where it is known; 0: it is not
  std::span<const std::size_t> rows{};  // empty: all
};

[[nodiscard]] Temperature fit_temperature(const Rows& logits, std::span<const std::int64_t> labels,
                                          const TemperatureOptions& options = {});

}  // namespace leeway::error_bound

// Model selection: which of several checkpoints posterior agreement (PA) on a validation pair chooses, beside the
// one that accuracy chooses (paper 001, section 3.6; paper 000, section 5: early stopping by PA).
//
// Every checkpoint was run on the same n validation samples, clean and shifted. The choice is the highest value;
// ties go to the earliest. Whether two choices differ in more than noise is said by the paired difference
//
//   d = mean_i (a_i(beta1*) - b_i(beta2*)) = PA1 - PA2,   d +- z s_d / sqrt(n)
//
// with a_i, b_i the agreement of sample i under each checkpoint at its own beta* (agreement.h) and s_d the sample
// standard deviation of the n differences: the delta method, as for PA itself. The interval is of these two
// checkpoints; that one of them was chosen as the best of several is not in it.
//
// Errors (Error): as posterior_agreement; no checkpoints, checkpoints of which only some have labels; rows that
// differ in number, less than 1 row. Cost: measure: one agreement and, with labels, two passes. Deterministic for
// any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "leeway/agreement/agreement.h"
#include "leeway/core/array.h"
#include "leeway/core/statistics.h"

namespace leeway::agreement {

struct Estimate {
  double value = 0;
  Interval interval;
};

struct Checkpoint {
  Agreement agreement;
  std::optional<Estimate> accuracy, accuracy_shifted;  // with labels; Clopper-Pearson
};

// `labels` may be empty. The level of all intervals is options.level.
[[nodiscard]] Checkpoint measure_checkpoint(const Array& clean, const Array& shifted,
                                            std::span<const std::int64_t> labels = {},
                                            const Options& options = {});

// Indices of checkpoints.
struct Selection {
  std::size_t pa = 0;
  std::optional<std::size_t> accuracy, accuracy_shifted;  // with labels
};
[[nodiscard]] Selection select_checkpoint(std::span<const Checkpoint> checkpoints);

// PA of the first minus PA of the second, from agreement_per_row of each at its beta*, over the same samples in one
// order. One row says nothing: the interval is then everything.
[[nodiscard]] Estimate pa_difference(std::span<const double> first, std::span<const double> second,
                                     double level = .95);

}  // namespace leeway::agreement

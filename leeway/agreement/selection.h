// Model selection: which of several checkpoints posterior agreement (PA) on a validation pair chooses, beside the
// one that accuracy chooses (Jiménez Rodríguez 2024, section 3.6.3: "at the epoch level"; Carvalho et al. 2025,
// section 4.2, table 1).
//
// Every checkpoint was run on the same n validation samples, clean and shifted. The choice is the highest value;
// ties go to the earliest. Whether two choices differ in more than noise is said by the interval of the difference
//
//   d = mean_i (a_i(beta1*) - b_i(beta2*)) = PA1 - PA2
//   low = d - sqrt(l1^2 + u2^2 - 2 r1 r2),   high = d + sqrt(u1^2 + l2^2 - 2 r1 r2)
//
// with l and u the lengths of the two sides of each PA's own interval, which also counts pairs that were not drawn
// (agreement.h), and r1 r2 = z^2 cov(a, b) / n: what the samples that both checkpoints saw have in common, each r
// at most as long as the side beside it. (Zou and Donner, Statistics in Medicine 27, 2008: intervals of a difference
// from those of its terms.) Where the two intervals are PA +- z s / sqrt(n) this is d +- z s_d / sqrt(n), s_d the
// standard deviation of the n differences: the delta method. Where no pair disagrees under either checkpoint, the
// interval has the lengths of the two sides. It is of these two checkpoints; that one of them was chosen as the best of
// several is not in it.
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
#include "leeway/core/rows.h"
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
[[nodiscard]] Checkpoint measure_checkpoint(const Rows& clean, const Rows& shifted,
                                            std::span<const std::int64_t> labels = {},
                                            const Options& options = {});

// Indices of checkpoints.
struct Selection {
  std::size_t pa = 0;
  std::optional<std::size_t> accuracy, accuracy_shifted;  // with labels
};
[[nodiscard]] Selection select_checkpoint(std::span<const Checkpoint> checkpoints);

// A checkpoint's PA and agreement_per_row of it at its beta*.
struct PairedAgreement {
  Estimate pa;
  std::span<const double> per_row;
};

// PA of the first minus PA of the second, over the same samples in one order; `level` is that of the two intervals. One
// row says nothing: the interval is then everything.
[[nodiscard]] Estimate pa_difference(const PairedAgreement& first, const PairedAgreement& second,
                                     double level = .95);

}  // namespace leeway::agreement

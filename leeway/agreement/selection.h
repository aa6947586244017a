// Model selection: the checkpoint with the highest posterior agreement (PA) on a validation pair, and the
// checkpoint with the highest accuracy (Jiménez Rodríguez 2024, section 3.6.3; Carvalho et al. 2025, section
// 4.2, table 1).
//
// All checkpoints use the same n validation samples, clean and shifted; ties go to the earliest. The interval
// of the difference shows whether two choices differ by more than noise:
//   d = mean_i (a_i(beta1*) - b_i(beta2*)) = PA1 - PA2
//   low = d - sqrt(l1^2 + u2^2 - 2 r1 r2),   high = d + sqrt(u1^2 + l2^2 - 2 r1 r2)
// with l and u the lower and upper side lengths of each PA's interval, which accounts for pairs not drawn
// (agreement.h), and r1 r2 = z^2 cov(a, b) / n the common part of the two samples' noise, each r at most as
// long as its side. (Zou and Donner, Statistics in Medicine 27, 2008.) If both intervals are PA +- z s /
// sqrt(n), this is the delta method d +- z s_d / sqrt(n), s_d their standard deviation over samples. If no
// pair disagrees under either checkpoint, its sides are those of the two intervals. The interval does not
// account for having chosen the best of several.
// Errors (Error): as posterior_agreement; no checkpoints, labels for only some checkpoints, different numbers
// of rows, no rows. Cost: one agreement per checkpoint and, with labels, two passes. Deterministic for any
// number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "leeway/agreement/agreement.h"
#include "leeway/core/rows.h"
#include "leeway/core/statistics.h"

namespace leeway::agreement {

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

// First minus second PA, for the same samples in the same order; `level` is that of both intervals.
// For one row the interval is unbounded.
[[nodiscard]] Estimate pa_difference(const PairedAgreement& first, const PairedAgreement& second,
                                     double level = .95);

}  // namespace leeway::agreement

// Which disagreement loss finds the larger discrepancy D, by paired tests (Rosenfeld and Garg 2023, appendix B).
//
// On one target: of each loss the critic with the largest D on the training rows. On the held-out rows two D differ
// by the mean of x over the source minus that over the target, x = 1, 0 or -1 where the first critic agrees more,
// as much, or less. Normal interval and test of this difference, after one row of 1 and one of -1 are added to
// both sets (Bonett and Price 2012 do so for one set); for a single D, rows of 1 and 0.
// On several targets: Student's paired t-test of D, one pair for each target, as in the paper.
// p-values are two-sided; Holm's method adjusts them over all pairs of losses. Few pairs, or differences that do
// not vary between targets, give no p-value.
// Errors (Error): a level outside (0,1). Cost: one pass. Deterministic.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "leeway/core/statistics.h"
#include "leeway/error_bound/dis2.h"

namespace leeway::error_bound {

struct LossResult {
  std::string loss;
  std::optional<double> training_discrepancy;  // on one target
  double discrepancy = 0;                      // on held-out rows; the mean over several targets
  std::optional<Interval> interval;
};

struct LossTest {
  std::string loss, other;
  double difference = 0;  // D of `loss` less that of `other`
  std::optional<Interval> interval;
  std::optional<double> p, p_adjusted;
};

struct LossComparison {
  std::size_t n = 0;  // pairs: held-out rows, or targets
  std::vector<LossResult> losses;
  std::vector<LossTest> tests;  // of all pairs of losses
};

// `found`: of each of `losses` (dis2.h), with the same seed, holdout > 0 and keep_rows.
[[nodiscard]] LossComparison compare_losses(std::span<const Dis2> found, double level = .95);

struct LossShifts {
  std::string loss;
  std::vector<double> discrepancies;  // of every target
};
// At least one target, the same ones for each loss.
[[nodiscard]] LossComparison compare_losses(std::span<const LossShifts> found, double level = .95);

}  // namespace leeway::error_bound

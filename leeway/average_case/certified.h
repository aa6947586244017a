// Certified l2 radius of predictions under Gaussian noise, from the draws of Monte Carlo.
//
//   R = sigma Phi^-1(p_low) if p_low > 1/2; otherwise the row abstains: R = 0
// p_low is the one-sided lower Clopper-Pearson bound, of level 1 - alpha, of p = P(argmax f(x + e) = t)
// (Cohen, Rosenfeld and Kolter 2019, theorem 1 and section 3.2). The smoothed classifier, whose class at x' is
// the most probable class of f(x' + e), then has class t wherever |x' - x| < R. For each row, this fails with
// probability alpha at most.
//
// t is the clean prediction, fixed before the draws. So the bound needs no selection sample, and a row whose
// smoothed class is another one abstains. With a width, mc looks at a row L times at most; p_low then has
// level 1 - alpha / L. There is no radius for other noise, nor for a covariance.
// Errors (Error): alpha outside (0, 1/2). Deterministic; no passes of the classifier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "leeway/average_case/average_case.h"
#include "leeway/core/statistics.h"

namespace leeway::average_case {

// R of a row that kept its prediction in `kept` of `draws` draws.
[[nodiscard]] double certified_radius(std::size_t kept, std::size_t draws, double sigma, double alpha);
// R of every row of mc under Gaussian noise; empty for other methods. average_case() calls it.
[[nodiscard]] std::vector<double> certified_radii(const Column& column, const AverageCaseOptions& options);

// Shares of rows with R of at least `radius`, with their Clopper-Pearson intervals.
struct CertifiedPoint {
  double radius = 0;
  Estimate share;                    // right or wrong
  std::optional<Estimate> accuracy;  // whose class is the label
};

// From radius 0 to the largest that the draws can certify, in 20 equal steps; radius 0 alone if that is 0.
struct CertifiedCurve {
  double sigma = 0;
  Estimate abstained;
  std::vector<CertifiedPoint> points;
};
// One for each column with radii and a sigma above 0. `labels`: (n).
[[nodiscard]] std::vector<CertifiedCurve> certified_curves(
    const AverageCase& cases, const std::optional<std::vector<std::int64_t>>& labels,
    const AverageCaseOptions& options);

}  // namespace leeway::average_case

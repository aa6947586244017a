// Scores of rows (confidence.h) near a fitted inverse temperature, for bootstrap replicates.
//
// What a row contributes to an estimate is a smooth function of t: a polynomial through its values at 8 Chebyshev nodes
// within 10% (or, where t varies more, 25%) of the fitted t is right to 1e-8 (1e-5). A replicate then costs a few products per
// row instead of exponentials of all k classes, and so does its temperature, since the slope of temperature.h is
//   sum_i (negative entropy_i - log confidence_i) / t - z_iy,   z the logits minus their row's maximum.
// Shapes: logits (n,k), checked (sample.h); labels (n), of the source. Cost: 8 times n k exponentials, and 24 numbers a row.
// Deterministic for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "leeway/core/rows.h"
#include "leeway/error_bound/confidence.h"
#include "leeway/error_bound/sample.h"

namespace leeway::error_bound {

// Weights of values at nodes, for the value of their polynomial at t.
class Interpolation {
 public:
  explicit Interpolation(double t) : nodes_{t} {}  // at t alone
  Interpolation(double low, double high);

  [[nodiscard]] const std::vector<double>& nodes() const { return nodes_; }
  [[nodiscard]] std::vector<double> weights(double t) const;

 private:
  std::vector<double> nodes_;
};

class NearScores {
 public:
  NearScores(const Rows& logits, const Interpolation& nodes);

  // `rows` may repeat.
  [[nodiscard]] Scores at(double t, std::span<const std::size_t> rows) const;

 private:
  friend class NearEstimates;
  struct Values {
    double confidence, negative_entropy, log_odds;
  };
  Interpolation nodes_;
  std::vector<Values> values_;  // (n, nodes)
  std::vector<double> margin_;
  std::vector<std::int32_t> predicted_;
};

// Both sets near the source's temperature.
class NearEstimates {
 public:
  // `t`: the fitted one. None where resamples move it too far, where it is 0 or infinite, or where the sets are so large that
  // their scores would fill memory. `scaled`: false: t is fixed.
  static std::optional<NearEstimates> at(const Sample& source, const Sample& target, double t, bool scaled);

  // The temperature of these source rows; none: not near.
  [[nodiscard]] std::optional<double> temperature(std::span<const std::size_t> rows) const;

  [[nodiscard]] const NearScores& source() const { return source_; }
  [[nodiscard]] const NearScores& target() const { return target_; }

 private:
  NearEstimates(const Sample& source, const Sample& target, const Interpolation& nodes);

  // Standard deviation of the fitted t over resamples.
  [[nodiscard]] double deviation(double t) const;

  Interpolation nodes_;
  NearScores source_, target_;
  std::vector<double> slopes_;  // (n_S, nodes)
};

}  // namespace leeway::error_bound

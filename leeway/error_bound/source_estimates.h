// Estimates of the error on many targets of one source, whose temperature is fitted and whose scores are made once.
//
// The same numbers as estimate_error (estimator.h) without intervals. `target_rows`: some rows of the target, with
// repeats; empty: all. The source must outlive the object. Errors (Error): those of estimate_error. Cost of a target:
// its own n k exponentials and transport, a copy of the source's scores, selection for atc. estimate() may be called
// from several threads.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "leeway/error_bound/estimator.h"

namespace leeway::error_bound {

class SourceEstimates {
 public:
  explicit SourceEstimates(const Sample& source);

  // All estimators, in their order.
  [[nodiscard]] std::vector<Estimate> estimate(const Sample& target,
                                               std::span<const std::size_t> target_rows = {}) const;
  // One of them.
  [[nodiscard]] double error(const Estimator& method, const Sample& target,
                             std::span<const std::size_t> target_rows = {}) const;
  [[nodiscard]] double source_error() const { return 1 - known_.source_accuracy; }

 private:
  [[nodiscard]] Evidence evidence(const Sample& target, bool transport,
                                  std::span<const std::size_t> target_rows) const;

  const Sample* source_;
  double inverse_temperature_;
  Evidence known_;  // of the source
};

}  // namespace leeway::error_bound

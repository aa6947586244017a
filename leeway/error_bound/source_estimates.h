// Error estimates for many targets of one source; temperature and source scores are computed once.
//
// Same numbers as estimate_error (estimator.h), without intervals. `target_rows`: rows of the target, repeats
// allowed; empty: all. The source must outlive the object. Errors (Error): those of estimate_error. Cost per
// target: n k exponentials, transport, a copy of the source's scores, selection for atc. Thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "leeway/error_bound/estimator.h"

namespace leeway::error_bound {

class SourceEstimates {
 public:
  explicit SourceEstimates(const Sample& source);

  // Those of answer_estimators, in their order.
  [[nodiscard]] std::vector<Estimate> estimate(const Sample& target,
                                               std::span<const std::size_t> target_rows = {}) const;
  // One of them.
  [[nodiscard]] double error(const Estimator& method, const Sample& target,
                             std::span<const std::size_t> target_rows = {}) const;
  [[nodiscard]] double source_error() const { return 1 - known_.source_accuracy; }

 private:
  [[nodiscard]] Evidence evidence(const Sample& target, bool transport,
                                  std::span<const std::size_t> target_rows) const;

  [[nodiscard]] SelfTransport self(std::size_t target_rows) const;

  const Sample* source_;
  double inverse_temperature_;
  Evidence known_;  // of the source
  mutable std::mutex mutex_;
  mutable std::map<std::size_t, SelfTransport> selves_;  // by the target's rows
};

}  // namespace leeway::error_bound

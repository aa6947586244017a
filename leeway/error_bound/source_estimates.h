// The combined answer for many targets of one source; temperature, scores and profile of the source are computed once.
//
// Same numbers as estimate_error (estimator.h). `target_rows`: rows of a target that was checked, repeats allowed; empty: all. The source
// must outlive the object. Errors (Error): those of estimate_error; chosen rows are not checked again. Cost per target: n k
// exponentials, transport, movement.h. Thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <span>

#include "leeway/error_bound/combined.h"
#include "leeway/error_bound/sample.h"

namespace leeway::error_bound {

class SourceEstimates {
 public:
  explicit SourceEstimates(const Sample& source);

  [[nodiscard]] CombinedAnswer answer(const Sample& target,
                                      std::span<const std::size_t> target_rows = {}) const;
  [[nodiscard]] double source_error() const { return 1 - known_.source_accuracy; }

 private:
  [[nodiscard]] SelfTransport self(std::size_t target_rows) const;

  const Sample* source_;
  double inverse_temperature_;
  Evidence known_;  // of the source
  mutable std::mutex mutex_;
  mutable std::map<std::size_t, SelfTransport> selves_;  // by the target's rows
};

}  // namespace leeway::error_bound

#include "leeway/error_bound/source_estimates.h"

#include <algorithm>

#include "leeway/error_bound/detail/temperature.h"

namespace leeway::error_bound {

SourceEstimates::SourceEstimates(const Sample& source) : source_(&source) {
  check(source, source);
  inverse_temperature_ = fit_temperature(source.logits, source.labels).inverse;
  known_ = collect_source(source, {inverse_temperature_});
}

Evidence SourceEstimates::evidence(const Sample& target, bool transport,
                                   std::span<const std::size_t> target_rows) const {
  Evidence evidence = known_;
  const std::size_t n = target_rows.empty() ? target.n() : target_rows.size();
  add_target(evidence, *source_, target,
             {inverse_temperature_, transport, transport ? self(n) : SelfTransport{}, {}, target_rows});
  return evidence;
}

SelfTransport SourceEstimates::self(std::size_t target_rows) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = selves_.find(target_rows); known != selves_.end()) return known->second;
  }
  const SelfTransport found = self_transport(*source_, inverse_temperature_, target_rows);
  const std::lock_guard lock(mutex_);
  return selves_.emplace(target_rows, found).first->second;
}

std::vector<Estimate> SourceEstimates::estimate(const Sample& target,
                                                std::span<const std::size_t> target_rows) const {
  check(*source_, target);
  const Evidence found = evidence(target, true, target_rows);
  std::vector<Estimate> estimates;
  for (const Estimator& method : answer_estimators())
    estimates.push_back({&method, std::clamp(method.error(found), 0., 1.), {}});
  return estimates;
}

double SourceEstimates::error(const Estimator& method, const Sample& target,
                              std::span<const std::size_t> target_rows) const {
  return std::clamp(method.error(evidence(target, method.transport, target_rows)), 0., 1.);
}

}  // namespace leeway::error_bound

#include "leeway/error_bound/source_estimates.h"

#include <algorithm>

#include "leeway/error_bound/detail/temperature.h"

namespace leeway::error_bound {

SourceEstimates::SourceEstimates(const Sample& source) : source_(&source) {
  check(source, source);
  inverse_temperature_ = fit_temperature(source.logits, source.labels).inverse;
  known_ = collect_source(source, {inverse_temperature_, false, {}, {}});
}

Evidence SourceEstimates::evidence(const Sample& target, bool transport,
                                   std::span<const std::size_t> target_rows) const {
  Evidence evidence = known_;
  add_target(evidence, target, {inverse_temperature_, transport, {}, target_rows});
  return evidence;
}

std::vector<Estimate> SourceEstimates::estimate(const Sample& target,
                                                std::span<const std::size_t> target_rows) const {
  check(*source_, target);
  const Evidence found = evidence(target, true, target_rows);
  std::vector<Estimate> estimates;
  for (const Estimator& method : estimators())
    estimates.push_back({&method, std::clamp(method.error(found), 0., 1.), {}});
  return estimates;
}

double SourceEstimates::error(const Estimator& method, const Sample& target,
                              std::span<const std::size_t> target_rows) const {
  return std::clamp(method.error(evidence(target, method.transport, target_rows)), 0., 1.);
}

}  // namespace leeway::error_bound

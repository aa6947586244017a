#include "leeway/error_bound/source_estimates.h"

#include "leeway/error_bound/detail/temperature.h"

namespace leeway::error_bound {

SourceEstimates::SourceEstimates(const Sample& source) : source_(&source) {
  check(source, source);
  inverse_temperature_ = fit_temperature(source.logits, source.labels).inverse;
  known_ = collect_source(source, {.inverse_temperature = inverse_temperature_, .movement = true});
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

CombinedAnswer SourceEstimates::answer(const Sample& target, std::span<const std::size_t> target_rows) const {
  if (target_rows.empty()) check(*source_, target);
  Evidence evidence = known_;
  add_target(evidence, *source_, target,
             {.inverse_temperature = inverse_temperature_,
              .transport = true,
              .self = self(target_rows.empty() ? target.n() : target_rows.size()),
              .target_rows = target_rows});
  return combined_answer(evidence);
}

}  // namespace leeway::error_bound

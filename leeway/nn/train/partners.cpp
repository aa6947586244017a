#include "leeway/nn/train/partners.h"

#include <algorithm>
#include <map>
#include <utility>

namespace leeway::nn {
namespace {

bool belong(std::int64_t label, std::int32_t environment, std::int64_t other_label,
            std::int32_t other_environment, bool same_label) {
  return (label == other_label) == same_label && (environment == other_environment) != same_label;
}

}  // namespace

Partners::Partners(std::span<const std::int64_t> rows, const std::vector<std::int64_t>& labels,
                   const std::vector<std::int32_t>& environments) {
  std::map<std::pair<std::int64_t, std::int32_t>, std::vector<std::int64_t>> pools;
  for (const std::int64_t row : rows) {
    const auto at = static_cast<std::size_t>(row);
    pools[{labels[at], environments[at]}].push_back(row);
  }
  for (auto& [key, members] : pools) pools_.push_back({key.first, key.second, std::move(members)});
}

bool Partners::any(bool same_label) const {
  return std::ranges::any_of(pools_, [&](const Pool& a) {
    return std::ranges::any_of(pools_, [&](const Pool& b) {
      return belong(a.label, a.environment, b.label, b.environment, same_label);
    });
  });
}

std::optional<std::int64_t> Partners::draw(std::int64_t label, std::int32_t environment, bool same_label,
                                           Random& random) const {
  std::vector<const Pool*> fit;
  for (const Pool& pool : pools_)
    if (belong(label, environment, pool.label, pool.environment, same_label)) fit.push_back(&pool);
  if (fit.empty()) return std::nullopt;
  const Pool& pool = *fit[random.below(fit.size())];
  return pool.rows[random.below(pool.rows.size())];
}

}  // namespace leeway::nn

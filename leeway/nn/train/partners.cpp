#include "leeway/nn/train/partners.h"

#include <algorithm>
#include <stdexcept>

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

std::int64_t Partners::draw_of_label(std::int64_t label, Random& random) const {
  std::size_t count = 0;
  for (const Pool& pool : pools_) count += pool.label == label ? pool.rows.size() : 0;
  std::size_t place = random.below(count);
  for (const Pool& pool : pools_) {
    if (pool.label != label) continue;
    if (place < pool.rows.size()) return pool.rows[place];
    place -= pool.rows.size();
  }
  throw std::logic_error("partners: expected a row of the label");
}

BatchPairs pairs_of_batch(std::span<const std::int64_t> labels, std::span<const std::int32_t> environments,
                          bool same_label, Random& random) {
  std::map<std::int64_t, std::map<std::int64_t, std::vector<std::int64_t>>>
      cells;  // what is alike, what differs
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::int64_t label = labels[i], environment = environments[i];
    cells[same_label ? label : environment][same_label ? environment : label].push_back(
        static_cast<std::int64_t>(i));
  }
  BatchPairs pairs;
  for (auto& item : cells) {
    auto& left = item.second;
    while (left.size() > 1) {
      const auto rarest =
          std::ranges::min_element(left, {}, [](const auto& cell) { return cell.second.size(); });
      const std::vector<std::int64_t> own = rarest->second;
      left.erase(rarest);
      std::vector<std::int64_t> others;
      for (const auto& cell : left) others.insert(others.end(), cell.second.begin(), cell.second.end());
      shuffle(others, random);
      others.resize(own.size());
      pairs.first.insert(pairs.first.end(), own.begin(), own.end());
      pairs.second.insert(pairs.second.end(), others.begin(), others.end());
      for (auto& cell : left)
        std::erase_if(cell.second, [&](std::int64_t row) { return std::ranges::count(others, row) > 0; });
      std::erase_if(left, [](const auto& cell) { return cell.second.empty(); });
    }
  }
  return pairs;
}

}  // namespace leeway::nn

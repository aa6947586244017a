#include "leeway/sweep/detail/fold.h"

#include <algorithm>

#include "leeway/core/statistics.h"

namespace leeway::sweep::detail {
namespace {

constexpr double least_error = 1e-9;  // below it is rounding

std::size_t seeds_of(const Item& item) {
  return static_cast<std::size_t>(
      std::ranges::count_if(item.by_seed, [](const auto& v) { return v.has_value(); }));
}

std::vector<std::size_t> common_seeds(const std::vector<Item>& items,
                                      const std::vector<std::size_t>& chosen) {
  std::vector<std::size_t> seeds;
  for (std::size_t seed = 0; !chosen.empty() && seed < items[chosen[0]].by_seed.size(); ++seed)
    if (std::ranges::all_of(chosen, [&](std::size_t i) { return items[i].by_seed[seed].has_value(); }))
      seeds.push_back(seed);
  return seeds;
}

Measured with_interval(const std::vector<double>& values, record::Range range, double level) {
  Measured mean{mean_and_error(values).mean, {}, {}};
  if (values.size() < 2) return mean;
  if (mean_and_error(values).standard_error < least_error) return mean;
  const Interval interval = student_interval(values, level);
  mean.low = std::max(range.least, interval.low), mean.high = std::min(range.most, interval.high);
  return mean;
}

std::string reason_of(const std::vector<Item>& items) {
  for (const Item& item : items)
    if (!item.missing.empty()) return item.missing;
  return "no matching run in the table";
}

record::SweepMean mean_over(const std::vector<Item>& items, record::Range range, double level,
                            bool over_items) {
  const Complete all = complete_of(items);
  record::SweepMean mean;
  mean.seeds = all.seeds.size(), mean.runs = all.seeds.size() * all.items.size();
  mean.left_out = items.size() - all.items.size();
  if (mean.runs == 0) {
    mean.missing = reason_of(items), mean.left_out = 0;
    return mean;
  }
  const auto value = [&](std::size_t item, std::size_t seed) -> const Value& {
    return *items[item].by_seed[seed];
  };
  std::vector<double> values;
  for (const std::size_t seed : all.seeds) {
    double sum = 0;
    for (const std::size_t item : all.items) sum += value(item, seed).y;
    values.push_back(sum / static_cast<double>(all.items.size()));
  }
  mean.mean = with_interval(values, range, level);
  if (all.seeds.size() > 1) {
    mean.basis = mean.mean.low ? "seeds" : "none";
  } else if (all.items.size() > 1 && over_items) {
    values.clear();
    for (const std::size_t item : all.items) values.push_back(value(item, all.seeds[0]).y);
    mean.mean = with_interval(values, range, level);
    mean.basis = mean.mean.low ? "cases" : "none";
  } else if (const Value& one = value(all.items[0], all.seeds[0]);
             all.items.size() == 1 && one.low && one.high) {
    mean.mean.low = one.low, mean.mean.high = one.high, mean.basis = "record";
  }
  return mean;
}

}  // namespace

Complete complete_of(const std::vector<Item>& items) {
  Complete all;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (seeds_of(items[i]) > 0) all.items.push_back(i);
  for (all.seeds = common_seeds(items, all.items); all.seeds.empty() && !all.items.empty();
       all.seeds = common_seeds(items, all.items)) {
    auto fewest = all.items.begin();
    for (auto at = fewest; at != all.items.end(); ++at)
      if (seeds_of(items[*at]) <= seeds_of(items[*fewest])) fewest = at;
    all.items.erase(fewest);
  }
  return all;
}

record::SweepMean mean_of(const std::vector<Item>& items, record::Range range, double level) {
  return mean_over(items, range, level, true);
}

record::SweepMean mean_of_algorithms(const std::vector<Item>& items, record::Range range, double level) {
  return mean_over(items, range, level, false);
}

Item difference(const Item& a, const Item& b) {
  Item item{std::vector<std::optional<Value>>(a.by_seed.size()), a.missing.empty() ? b.missing : a.missing};
  for (std::size_t seed = 0; seed < a.by_seed.size(); ++seed)
    if (a.by_seed[seed] && b.by_seed[seed])
      item.by_seed[seed] = Value{a.by_seed[seed]->y - b.by_seed[seed]->y};
  return item;
}

}  // namespace leeway::sweep::detail

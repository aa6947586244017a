#include "leeway/sweep/detail/fold.h"

#include <algorithm>
#include <cmath>

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

Measured with_interval(const std::vector<double>& values, Range range, double level) {
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

tasks::SweepMean mean_over(const std::vector<Item>& items, Range range, double level, bool over_items) {
  const Complete all = complete_of(items);
  tasks::SweepMean mean;
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

constexpr double least_rank_error = 1e-9;  // below it is rounding: all are alike

struct Comparison {
  std::size_t item = 0, seed = 0;
};

// Items and seeds that all of these algorithms have.
std::vector<Comparison> common(const std::vector<std::vector<Item>>& table,
                               const std::vector<std::size_t>& algorithms) {
  std::vector<Comparison> all;
  if (algorithms.empty()) return all;
  const std::vector<Item>& first = table[algorithms[0]];
  for (std::size_t item = 0; item < first.size(); ++item)
    for (std::size_t seed = 0; seed < first[item].by_seed.size(); ++seed)
      if (std::ranges::all_of(algorithms,
                              [&](std::size_t a) { return table[a][item].by_seed[seed].has_value(); }))
        all.push_back({item, seed});
  return all;
}

std::size_t values_of(const std::vector<Item>& items) {
  std::size_t n = 0;
  for (const Item& item : items)
    for (const auto& value : item.by_seed) n += value.has_value() ? 1 : 0;
  return n;
}

// Ranks from 1, equal values sharing the mean of theirs.
std::vector<double> ranks_among(const std::vector<double>& values, bool higher_is_better) {
  std::vector<double> ranks;
  for (const double value : values) {
    std::size_t better = 0, equal = 0;
    for (const double other : values) {
      better += (higher_is_better ? other > value : other < value) ? 1 : 0;
      equal += other == value ? 1 : 0;
    }
    ranks.push_back(static_cast<double>(better) + .5 * static_cast<double>(equal + 1));
  }
  return ranks;
}

// Sums by case; of one case its comparisons.
struct Sums {
  std::vector<double> ranks, counts;
};

// Student's interval over cases of the log odds of the mean rank, a ratio of sums, between 1 and `algorithms`: ranks
// near an end are skewed, and the plain interval misses too often there (docs/studies/ranks.md).
Measured with_interval(const Sums& sums, double level, std::size_t algorithms) {
  const std::size_t n = sums.ranks.size();
  double ranks = 0, counts = 0;
  for (std::size_t i = 0; i < n; ++i) ranks += sums.ranks[i], counts += sums.counts[i];
  Measured rank{ranks / counts, {}, {}};
  std::vector<double> influence(n);
  for (std::size_t i = 0; i < n; ++i)
    influence[i] =
        *rank.value + (sums.ranks[i] - *rank.value * sums.counts[i]) * static_cast<double>(n) / counts;
  if (n < 2 || mean_and_error(influence).standard_error < least_rank_error) return rank;
  const Interval interval = student_interval(influence, level);
  const double below = *rank.value - 1, above = static_cast<double>(algorithms) - *rank.value,
               step = (interval.high - interval.low) / 2 * (below + above) / (below * above);
  const auto moved = [&](double by) {
    const double odds = below / above * std::exp(by);
    return 1 + (below + above) * odds / (1 + odds);
  };
  rank.low = moved(-step), rank.high = moved(std::min(step, 500.));
  return rank;
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

tasks::SweepMean mean_of(const std::vector<Item>& items, Range range, double level) {
  return mean_over(items, range, level, true);
}

tasks::SweepMean mean_of_algorithms(const std::vector<Item>& items, Range range, double level) {
  return mean_over(items, range, level, false);
}

Item difference(const Item& a, const Item& b) {
  Item item{std::vector<std::optional<Value>>(a.by_seed.size()), a.missing.empty() ? b.missing : a.missing};
  for (std::size_t seed = 0; seed < a.by_seed.size(); ++seed)
    if (a.by_seed[seed] && b.by_seed[seed])
      item.by_seed[seed] = Value{a.by_seed[seed]->y - b.by_seed[seed]->y};
  return item;
}

std::vector<Ranked> ranks_of(const std::vector<std::vector<Item>>& table, const RankOptions& options) {
  std::vector<std::size_t> algorithms;
  for (std::size_t a = 0; a < table.size(); ++a)
    if (values_of(table[a]) > 0) algorithms.push_back(a);
  std::vector<Comparison> comparisons = common(table, algorithms);
  while (comparisons.empty() && algorithms.size() > 1) {
    auto fewest = algorithms.begin();
    for (auto at = fewest; at != algorithms.end(); ++at)
      if (values_of(table[*at]) <= values_of(table[*fewest])) fewest = at;
    algorithms.erase(fewest);
    comparisons = common(table, algorithms);
  }
  if (algorithms.size() < 2) return {};

  std::vector<Ranked> ranked(algorithms.size());
  std::vector<Sums> sums(algorithms.size());
  std::vector<std::vector<Item>> kept(algorithms.size());
  const bool one_item = comparisons.front().item == comparisons.back().item;
  std::size_t cases = 0, before = static_cast<std::size_t>(-1);
  for (const auto& [item, seed] : comparisons) {
    const bool fresh = item != before;
    cases += fresh ? 1 : 0, before = item;
    std::vector<double> values;
    for (const std::size_t a : algorithms) values.push_back(table[a][item].by_seed[seed]->y);
    const std::vector<double> ranks = ranks_among(values, options.higher_is_better);
    const double first = *std::ranges::min_element(ranks);
    for (std::size_t i = 0; i < algorithms.size(); ++i) {
      if (fresh || one_item) sums[i].ranks.push_back(0), sums[i].counts.push_back(0);
      sums[i].ranks.back() += ranks[i], sums[i].counts.back() += 1;
      ranked[i].rank.best += ranks[i] == first ? 1 : 0;
      if (fresh)
        kept[i].push_back({std::vector<std::optional<Value>>(table[algorithms[i]][item].by_seed.size())});
      kept[i].back().by_seed[seed] = table[algorithms[i]][item].by_seed[seed];
    }
  }
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    ranked[i].algorithm = algorithms[i];
    tasks::SweepRank& rank = ranked[i].rank;
    rank.rank = with_interval(sums[i], options.level, algorithms.size());
    rank.cases = cases, rank.comparisons = comparisons.size();
    rank.best /= static_cast<double>(comparisons.size());
    rank.value = mean_of(kept[i], options.range, options.level);
  }
  std::ranges::stable_sort(ranked, {}, [](const Ranked& one) { return *one.rank.rank.value; });
  return ranked;
}

}  // namespace leeway::sweep::detail

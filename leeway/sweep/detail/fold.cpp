#include "leeway/sweep/detail/fold.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "leeway/core/statistics.h"

namespace leeway::sweep::detail {
namespace {

constexpr double least_error = 1e-9;  // below it is rounding

std::size_t seeds_of(const Item& item) {
  return static_cast<std::size_t>(
      std::ranges::count_if(item.by_seed, [](const auto& v) { return v.has_value(); }));
}

// Indices of the items and seeds of which all combinations are there.
struct Complete {
  std::vector<std::size_t> items, seeds;
};

Complete complete_of(const std::vector<Item>& items) {
  Complete all;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (seeds_of(items[i]) > 0) all.items.push_back(i);
  while (!all.items.empty()) {
    for (std::size_t seed = 0; seed < items[all.items[0]].by_seed.size(); ++seed)
      if (std::ranges::all_of(all.items, [&](std::size_t i) { return items[i].by_seed[seed].has_value(); }))
        all.seeds.push_back(seed);
    if (!all.seeds.empty()) break;
    auto fewest = all.items.begin();
    for (auto at = fewest; at != all.items.end(); ++at)
      if (seeds_of(items[*at]) <= seeds_of(items[*fewest])) fewest = at;
    all.items.erase(fewest);
  }
  return all;
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
  if (n < 2 || mean_and_error(influence).standard_error < least_error) return rank;
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

tasks::SweepMean mean_of(const std::vector<Item>& items, Range range, double level, Of of) {
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
  } else if (all.items.size() > 1 && of == Of::one_algorithm) {
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

std::vector<Item> differences(const std::vector<Item>& a, const std::vector<Item>& b) {
  std::vector<Item> all;
  for (std::size_t i = 0; i < a.size(); ++i) {
    Item& item = all.emplace_back();
    item.by_seed.resize(a[i].by_seed.size());
    item.missing = a[i].missing.empty() ? b[i].missing : a[i].missing;
    for (std::size_t seed = 0; seed < item.by_seed.size(); ++seed)
      if (const auto& x = a[i].by_seed[seed], &y = b[i].by_seed[seed]; x && y)
        item.by_seed[seed] = Value{x->y - y->y};
  }
  return all;
}

std::vector<Ranked> ranks_of(const std::vector<std::vector<Item>>& table, bool higher_is_better, double level,
                             Range range) {
  std::vector<Item> by_algorithm(table.size());  // the seeds of all its items
  for (std::size_t a = 0; a < table.size(); ++a)
    for (const Item& item : table[a])
      by_algorithm[a].by_seed.insert(by_algorithm[a].by_seed.end(), item.by_seed.begin(), item.by_seed.end());
  const auto [algorithms, comparisons] = complete_of(by_algorithm);
  if (algorithms.size() < 2) return {};

  const std::size_t seeds = table.front().front().by_seed.size();
  std::vector<Ranked> ranked(algorithms.size());
  std::vector<Sums> sums(algorithms.size());
  std::vector<std::vector<Item>> kept(algorithms.size());
  const bool one_item = comparisons.front() / seeds == comparisons.back() / seeds;
  std::size_t cases = 0, before = static_cast<std::size_t>(-1);
  for (const std::size_t comparison : comparisons) {
    const std::size_t item = comparison / seeds;
    const bool fresh = item != std::exchange(before, item);
    cases += fresh ? 1 : 0;
    std::vector<double> values;
    for (const std::size_t a : algorithms) values.push_back(by_algorithm[a].by_seed[comparison]->y);
    const std::vector<double> ranks = ranks_among(values, higher_is_better);
    const double first = *std::ranges::min_element(ranks);
    for (std::size_t i = 0; i < algorithms.size(); ++i) {
      if (fresh || one_item) sums[i].ranks.push_back(0), sums[i].counts.push_back(0);
      sums[i].ranks.back() += ranks[i], sums[i].counts.back() += 1;
      ranked[i].rank.best += ranks[i] == first ? 1 : 0;
      if (fresh) kept[i].push_back({std::vector<std::optional<Value>>(seeds)});
      kept[i].back().by_seed[comparison % seeds] = by_algorithm[algorithms[i]].by_seed[comparison];
    }
  }
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    ranked[i].algorithm = algorithms[i];
    tasks::SweepRank& rank = ranked[i].rank;
    rank.rank = with_interval(sums[i], level, algorithms.size());
    rank.cases = cases, rank.comparisons = comparisons.size();
    rank.best /= static_cast<double>(comparisons.size());
    rank.value = mean_of(kept[i], range, level);
  }
  std::ranges::stable_sort(ranked, {}, [](const Ranked& one) { return *one.rank.rank.value; });
  return ranked;
}

}  // namespace leeway::sweep::detail

#include "leeway/sweep/detail/ways.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "leeway/sweep/detail/curves.h"
#include "leeway/sweep/roles.h"

namespace leeway::sweep::detail {
namespace {

constexpr const char* oracle = "oracle";

// One way: its name, and what it gets of an algorithm from a start, by case and setting.
struct Way {
  std::string name;
  std::function<std::vector<Item>(std::size_t algorithm, std::size_t start)> items;
};

std::vector<Item> items_of(const Runs& runs, const Tuning& tuning, std::size_t algorithm, std::size_t start,
                           std::size_t select) {
  std::vector<Item> items;
  for (const Group& place : tuning.places(algorithm, start, runs.selected))
    items.push_back(tuning.item(algorithm, place.shift, place.setting, start, select));
  return items;
}

class Comparing {
 public:
  Comparing(const Runs& runs, const WayOptions& options) : runs_(runs), options_(options) {}

  void compare(const std::string& chooses, const std::vector<Way>& ways,
               const std::vector<std::size_t>& algorithms) {
    for (std::size_t start = 0; start < runs_.starts.size(); ++start) {
      std::vector<std::vector<Item>> all(ways.size());
      for (const std::size_t a : algorithms) {
        std::vector<std::vector<Item>> lists;
        for (const Way& way : ways) lists.push_back(way.items(a, start));
        keep_common(lists);
        for (std::size_t w = 0; w < ways.size(); ++w)
          all[w].insert(all[w].end(), lists[w].begin(), lists[w].end());
        add(chooses, ways, runs_.algorithms[a], start, lists);
      }
      if (algorithms.size() > 1) add(chooses, ways, "", start, all);
    }
  }
  [[nodiscard]] std::vector<record::SweepWay> rows() { return std::move(rows_); }

 private:
  void add(const std::string& chooses, const std::vector<Way>& ways, const std::string& algorithm,
           std::size_t start, const std::vector<std::vector<Item>>& lists) {
    const record::Range change = runs_.roles.is_share ? record::from_to(-1, 1) : record::Range{};
    for (std::size_t w = 0; w < ways.size(); ++w) {
      record::SweepWay row{chooses, ways[w].name, algorithm, runs_.starts[start], {}, {}};
      const auto fold = algorithm.empty() ? mean_of_algorithms : mean_of;
      row.value = fold(lists[w], options_.range, options_.level);
      std::vector<Item> changes;
      for (std::size_t i = 0; i < lists[w].size(); ++i)
        changes.push_back(difference(lists[w][i], lists[0][i]));
      row.change = fold(changes, change, options_.level);
      rows_.push_back(std::move(row));
    }
  }

  const Runs& runs_;
  const WayOptions& options_;
  std::vector<record::SweepWay> rows_;
};

// The better of several by the measure, seed by seed.
std::vector<Item> best_of(const std::vector<std::vector<Item>>& lists, bool higher_is_better) {
  std::vector<Item> best = lists.front();
  for (const std::vector<Item>& list : lists)
    for (std::size_t i = 0; i < best.size(); ++i)
      for (std::size_t seed = 0; seed < best[i].by_seed.size(); ++seed) {
        auto& kept = best[i].by_seed[seed];
        const auto& other = list[i].by_seed[seed];
        if (other && (!kept || (higher_is_better ? other->y > kept->y : other->y < kept->y))) kept = other;
      }
  return best;
}

// Test accuracy at the epoch that each criterion would have kept, and that of the best epoch. Of criteria that all runs have.
std::vector<Way> epoch_ways(const Runs& runs, const Tuning& tuning) {
  const std::vector<std::string>& columns = runs.roles.curves;
  const auto found = std::ranges::find(columns, test_curve);
  if (found == columns.end()) return {};
  const auto test = static_cast<std::size_t>(found - columns.begin());
  const auto way = [&runs, &tuning, test](const std::string& name, std::size_t criterion) {
    return Way{name, [&runs, &tuning, test, criterion](std::size_t a, std::size_t start) {
                 std::vector<Item> items;
                 for (const Group& place : tuning.places(a, start, runs.selected))
                   items.push_back(tuning.item(place, [&](const Run& run) {
                     const auto best = highest(run.curves[criterion]);
                     return best && *best < run.curves[test].size() && std::isfinite(run.curves[test][*best])
                                ? std::optional(Value{run.curves[test][*best]})
                                : std::nullopt;
                   }));
                 return items;
               }};
  };
  std::vector<Way> ways;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (i != test && std::ranges::all_of(runs.all, [&](const Run& run) {
          return run.curves[test].empty() || !run.curves[i].empty();
        }))
      ways.push_back(way(columns[i], i));
  if (!ways.empty()) ways.push_back(way(oracle, test));
  return ways;
}

}  // namespace

void keep_common(std::vector<std::vector<Item>>& lists) {
  if (lists.empty()) return;
  for (std::size_t i = 0; i < lists.front().size(); ++i)
    for (std::size_t seed = 0; seed < lists.front()[i].by_seed.size(); ++seed)
      if (!std::ranges::all_of(lists, [&](const auto& list) { return list[i].by_seed[seed].has_value(); }))
        for (auto& list : lists) list[i].by_seed[seed].reset();
}

std::vector<record::SweepWay> ways_of(const Runs& runs, const Tuning& tuning, const WayOptions& options) {
  Comparing comparing(runs, options);
  std::vector<std::size_t> tuned, all;
  for (std::size_t a = 0; a < runs.algorithms.size(); ++a) {
    all.push_back(a);
    if (tuning.has_choice(a)) tuned.push_back(a);
  }
  if (!tuned.empty()) {
    std::vector<Tuning> tunings;
    tunings.reserve(runs.roles.criteria.size() + 1);
    std::vector<Way> ways{{runs.roles.validation, [&](std::size_t a, std::size_t start) {
                             return items_of(runs, tuning, a, start, runs.selected);
                           }}};
    const auto add = [&](const std::string& name, Criterion criterion) {
      const Tuning& other = tunings.emplace_back(runs, std::move(criterion), options.by_case);
      ways.push_back({name, [&runs, &other](std::size_t a, std::size_t start) {
                        return items_of(runs, other, a, start, runs.selected);
                      }});
    };
    for (std::size_t i = 0; i < runs.roles.criteria.size(); ++i)
      add(runs.roles.criteria[i],
          {[i](const Run& run) { return run.criteria[i]; }, !lower_is_better(runs.roles.criteria[i])});
    add(oracle, {[](const Run& run) { return run.y; }, runs.roles.higher_is_better});
    comparing.compare("hyper-parameters", ways, tuned);
  }
  if (runs.selects.size() > 1) {
    std::vector<std::size_t> order{runs.selected};
    for (std::size_t s = 0; s < runs.selects.size(); ++s)
      if (s != runs.selected) order.push_back(s);
    std::vector<Way> ways;
    for (const std::size_t select : order)
      ways.push_back({runs.selects[select], [&runs, &tuning, select](std::size_t a, std::size_t start) {
                        return items_of(runs, tuning, a, start, select);
                      }});
    ways.push_back({oracle, [&](std::size_t a, std::size_t start) {
                      std::vector<std::vector<Item>> lists;
                      for (const std::size_t select : order)
                        lists.push_back(items_of(runs, tuning, a, start, select));
                      return best_of(lists, runs.roles.higher_is_better);
                    }});
    comparing.compare("checkpoint", ways, all);
  }
  if (const std::vector<Way> ways = epoch_ways(runs, tuning); !ways.empty())
    comparing.compare("epoch", ways, all);
  return comparing.rows();
}

}  // namespace leeway::sweep::detail

#include "leeway/sweep/detail/tuning.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "leeway/sweep/roles.h"

namespace leeway::sweep::detail {
namespace {

constexpr std::size_t any = static_cast<std::size_t>(-1);

using Place = std::tuple<std::size_t, std::size_t, std::size_t>;  // case, setting, seed
using Scores = std::map<std::size_t, std::map<Place, double>>;    // of a combination

// Where the most combinations have a value.
std::vector<Place> grid_of(const Scores& scores) {
  std::map<Place, std::size_t> counts;
  for (const auto& [hyper, by_place] : scores)
    for (const auto& [place, value] : by_place) ++counts[place];
  std::size_t most = 0;
  for (const auto& [place, count] : counts) most = std::max(most, count);
  std::vector<Place> grid;
  for (const auto& [place, count] : counts)
    if (count == most) grid.push_back(place);
  return grid;
}

// The mean over the grid of every combination that has a value everywhere in it.
std::map<std::size_t, double> means_over(const Scores& scores, const std::vector<Place>& grid) {
  std::map<std::size_t, double> means;
  for (const auto& [hyper, by_place] : scores) {
    double sum = 0;
    const bool all = std::ranges::all_of(grid, [&, &at = by_place](const Place& place) {
      const auto found = at.find(place);
      if (found != at.end()) sum += found->second;
      return found != at.end();
    });
    if (all) means[hyper] = sum / static_cast<double>(grid.size());
  }
  return means;
}

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

// Ways of choosing side by side, each algorithm and then all of them.
void compare(const Runs& runs, const WayOptions& options, const std::string& chooses,
             const std::vector<Way>& ways, const std::vector<std::size_t>& algorithms,
             std::vector<tasks::SweepWay>& rows) {
  const Range change = runs.roles.is_share ? from_to(-1, 1) : Range{};
  const auto add = [&](const std::string& algorithm, std::size_t start,
                       const std::vector<std::vector<Item>>& lists) {
    const auto fold = algorithm.empty() ? mean_of_algorithms : mean_of;
    for (std::size_t w = 0; w < ways.size(); ++w) {
      std::vector<Item> changes;
      for (std::size_t i = 0; i < lists[w].size(); ++i)
        changes.push_back(difference(lists[w][i], lists[0][i]));
      rows.push_back({chooses, ways[w].name, algorithm, runs.starts[start],
                      fold(lists[w], options.range, options.level), fold(changes, change, options.level)});
    }
  };
  for (std::size_t start = 0; start < runs.starts.size(); ++start) {
    std::vector<std::vector<Item>> all(ways.size());
    for (const std::size_t a : algorithms) {
      std::vector<std::vector<Item>> lists;
      for (const Way& way : ways) lists.push_back(way.items(a, start));
      keep_common(lists);
      for (std::size_t w = 0; w < ways.size(); ++w)
        all[w].insert(all[w].end(), lists[w].begin(), lists[w].end());
      add(runs.algorithms[a], start, lists);
    }
    if (algorithms.size() > 1) add("", start, all);
  }
}

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

// The index of the highest value, the first of equal ones; nothing where none is a number.
std::optional<std::size_t> highest(std::span<const double> series) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < series.size(); ++i)
    if (!std::isnan(series[i]) && (!best || series[i] > series[*best])) best = i;
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

constexpr std::size_t most_points = 50;

// Indices 0..n-1, or some of them at equal distances.
std::vector<std::size_t> told(std::size_t n) {
  const std::size_t count = std::min(n, most_points);
  std::vector<std::size_t> indices(count);
  for (std::size_t i = 0; i < count; ++i)
    indices[i] = count == 1 ? 0 : (i * (n - 1) + (count - 1) / 2) / (count - 1);
  return indices;
}

// Epochs that all runs have; 0 where none has the column.
std::size_t length_of(const Tuning& tuning, const std::vector<Group>& places, std::size_t column) {
  std::size_t shortest = std::numeric_limits<std::size_t>::max();
  for (const Group& place : places)
    (void)tuning.item(place, [&](const Run& run) {
      if (!run.curves[column].empty()) shortest = std::min(shortest, run.curves[column].size());
      return std::optional<Value>();
    });
  return shortest == std::numeric_limits<std::size_t>::max() ? 0 : shortest;
}

}  // namespace

Tuning::Tuning(const Runs& runs, Criterion criterion, bool by_case)
    : runs_(runs), criterion_(std::move(criterion)), by_case_(by_case) {
  std::map<Group, std::vector<const Run*>> groups;
  for (const Run& run : runs.all) {
    groups[group_of(run)].push_back(&run);
    places_[{run.algorithm, run.start, run.select, run.shift, run.setting}].push_back(&run);
  }
  for (const auto& [group, members] : groups) choose(group, members);
}

Group Tuning::group_of(const Run& run) const {
  return {run.algorithm, run.start, run.select, by_case_ ? run.shift : any, by_case_ ? run.setting : any};
}

bool Tuning::has_choice(std::optional<std::size_t> algorithm) const {
  return std::ranges::any_of(combinations_, [&](const auto& group) {
    return group.second > 1 && (!algorithm || group.first.algorithm == *algorithm);
  });
}

void Tuning::choose(const Group& group, const std::vector<const Run*>& runs) {
  std::set<std::size_t> hypers;
  Scores scores;
  for (const Run* run : runs) {
    hypers.insert(run->hyper);
    if (const auto value = criterion_.value(*run))
      scores[run->hyper][{run->shift, run->setting, run->seed}] = *value;
  }
  combinations_[group] = hypers.size();
  if (hypers.size() == 1) {
    chosen_[group] = {*hypers.begin(), {}, {}, 1, 0, {}};
    return;
  }
  if (scores.empty()) return;
  std::vector<Place> grid = grid_of(scores);
  std::map<std::size_t, double> means = means_over(scores, grid);
  if (means.empty()) grid.resize(1), means = means_over(scores, grid);
  const auto worse = [&](double a, double b) { return criterion_.higher_is_better ? a < b : a > b; };
  Chosen best;
  for (const auto& [hyper, mean] : means)
    if (!best.value || worse(*best.value, mean)) best.hyper = hyper, best.value = mean;
  for (const auto& [hyper, mean] : means) {
    const double behind = criterion_.higher_is_better ? *best.value - mean : mean - *best.value;
    if (hyper != best.hyper && (!best.margin || behind < *best.margin)) best.margin = behind;
  }
  best.candidates = means.size(), best.left_out = hypers.size() - means.size();
  std::set<std::size_t> seeds;
  for (const auto& [shift, setting, seed] : grid) seeds.insert(seed);
  best.seeds.assign(seeds.begin(), seeds.end());
  chosen_[group] = std::move(best);
}

bool Tuning::expected(std::size_t algorithm, std::size_t shift, std::size_t setting, std::size_t start,
                      std::size_t select) const {
  return places_.contains({algorithm, start, select, shift, setting});
}

std::vector<Group> Tuning::places(std::size_t algorithm, std::size_t start, std::size_t select) const {
  std::vector<Group> all;
  for (std::size_t c = 0; c < runs_.shifts.size(); ++c)
    for (std::size_t setting = 0; setting < runs_.settings.size(); ++setting)
      if (expected(algorithm, c, setting, start, select))
        all.push_back({algorithm, start, select, c, setting});
  return all;
}

Item Tuning::item(std::size_t algorithm, std::size_t shift, std::size_t setting, std::size_t start,
                  std::size_t select) const {
  return item({algorithm, start, select, shift, setting}, [](const Run& run) {
    return run.y ? std::optional(Value{*run.y, run.low, run.high}) : std::nullopt;
  });
}

Item Tuning::item(const Group& at, const std::function<std::optional<Value>(const Run&)>& value) const {
  Item item{std::vector<std::optional<Value>>(runs_.seeds.size())};
  const auto place = places_.find(at);
  if (place == places_.end()) {
    item.missing = "no matching run in the table";
    return item;
  }
  const auto chosen = chosen_.find(group_of(*place->second.front()));
  if (chosen == chosen_.end()) {
    item.missing = "no run has a value to select hyperparameters by";
    for (const Run* run : place->second)
      if (!run->missing.empty()) item.missing = run->missing;
    return item;
  }
  for (const Run* run : place->second) {
    if (run->hyper != chosen->second.hyper) continue;
    item.by_seed[run->seed] = value(*run);
    if (!item.by_seed[run->seed]) item.missing = run->missing;
  }
  if (item.missing.empty()) item.missing = "no run with the selected hyperparameters";
  return item;
}

void keep_common(std::vector<std::vector<Item>>& lists) {
  if (lists.empty()) return;
  for (std::size_t i = 0; i < lists.front().size(); ++i)
    for (std::size_t seed = 0; seed < lists.front()[i].by_seed.size(); ++seed)
      if (!std::ranges::all_of(lists, [&](const auto& list) { return list[i].by_seed[seed].has_value(); }))
        for (auto& list : lists) list[i].by_seed[seed].reset();
}

std::vector<tasks::SweepWay> ways_of(const Runs& runs, const Tuning& tuning, const WayOptions& options) {
  std::vector<tasks::SweepWay> rows;
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
    compare(runs, options, "hyper-parameters", ways, tuned, rows);
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
    compare(runs, options, "checkpoint", ways, all, rows);
  }
  if (const std::vector<Way> ways = epoch_ways(runs, tuning); !ways.empty())
    compare(runs, options, "epoch", ways, all, rows);
  return rows;
}

std::vector<tasks::SweepCurve> curves_of(const Runs& runs, const Tuning& tuning, double level) {
  std::vector<tasks::SweepCurve> curves;
  const auto add = [&](const std::string& algorithm, std::size_t start, std::size_t column,
                       const std::vector<Group>& places) {
    const bool share = runs.roles.curves[column].find("accuracy") != std::string::npos;
    const auto fold = algorithm.empty() ? mean_of_algorithms : mean_of;
    tasks::SweepCurve curve{algorithm, runs.starts[start], runs.roles.curves[column], {}};
    for (const std::size_t epoch : told(length_of(tuning, places, column))) {
      std::vector<Item> items;
      for (const Group& place : places)
        items.push_back(tuning.item(place, [&](const Run& run) {
          const std::vector<double>& series = run.curves[column];
          return epoch < series.size() && std::isfinite(series[epoch]) ? std::optional(Value{series[epoch]})
                                                                       : std::nullopt;
        }));
      curve.points.push_back({epoch + 1, fold(items, share ? a_share : Range{}, level)});
    }
    if (!curve.points.empty()) curves.push_back(std::move(curve));
  };
  for (std::size_t start = 0; start < runs.starts.size(); ++start)
    for (std::size_t column = 0; column < runs.roles.curves.size(); ++column) {
      std::vector<Group> every;
      for (std::size_t a = 0; a < runs.algorithms.size(); ++a) {
        const std::vector<Group> places = tuning.places(a, start, runs.selected);
        every.insert(every.end(), places.begin(), places.end());
        add(runs.algorithms[a], start, column, places);
      }
      if (runs.algorithms.size() > 1) add("", start, column, every);
    }
  return curves;
}

}  // namespace leeway::sweep::detail

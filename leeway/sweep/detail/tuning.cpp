#include "leeway/sweep/detail/tuning.h"

#include <algorithm>
#include <cmath>
#include <deque>
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

// One way of choosing: the runs that a tuning selects among those of a checkpoint, and what counts of them.
// Without a tuning, the best by the measure of all ways before it, seed by seed.
struct Way {
  std::string name;
  const Tuning* tuning = nullptr;
  std::size_t select = 0;
  ValueOf value = value_of;
};

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

// What each way gets of an algorithm, by case and setting, over the seeds that all ways have.
std::vector<std::vector<Item>> items_of(const Runs& runs, const std::vector<Way>& ways,
                                        const std::vector<Group>& places) {
  std::vector<std::vector<Item>> lists;
  for (const Way& way : ways) {
    std::vector<Item> list;
    if (way.tuning == nullptr) list = best_of(lists, runs.roles.higher_is_better);
    for (Group place : way.tuning == nullptr ? std::vector<Group>() : places) {
      place.select = way.select;
      list.push_back(way.tuning->item(place, way.value));
    }
    lists.push_back(std::move(list));
  }
  keep_common(lists);
  return lists;
}

std::optional<Value> value_at(const std::vector<double>& series, std::size_t epoch) {
  return epoch < series.size() && std::isfinite(series[epoch]) ? std::optional(Value{series[epoch]})
                                                               : std::nullopt;
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
  const std::size_t test = std::ranges::find(columns, test_curve) - columns.begin();
  std::vector<Way> ways;
  const auto add = [&](const std::string& name, std::size_t criterion) {
    ways.push_back({name, &tuning, runs.selected, [test, criterion](const Run& run) {
                      const auto best = highest(run.curves[criterion]);
                      return best ? value_at(run.curves[test], *best) : std::nullopt;
                    }});
  };
  for (std::size_t i = 0; test < columns.size() && i < columns.size(); ++i)
    if (i != test && std::ranges::all_of(runs.all, [&](const Run& run) {
          return run.curves[test].empty() || !run.curves[i].empty();
        }))
      add(columns[i], i);
  if (!ways.empty()) add(oracle, test);
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
  std::size_t shortest = 0;
  for (const Group& place : places)
    (void)tuning.item(place, [&](const Run& run) {
      const std::size_t length = run.curves[column].size();
      if (length > 0) shortest = shortest == 0 ? length : std::min(shortest, length);
      return std::optional<Value>();
    });
  return shortest;
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
  return std::ranges::any_of(chosen_, [&](const auto& group) {
    return group.second.combinations() > 1 && (!algorithm || group.first.algorithm == *algorithm);
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
  Chosen& best = chosen_[group];
  best.hyper = *hypers.begin(), best.candidates = 1;
  if (hypers.size() == 1) return;
  best.candidates = 0, best.left_out = hypers.size();
  if (scores.empty()) return;
  std::vector<Place> grid = grid_of(scores);
  std::map<std::size_t, double> means = means_over(scores, grid);
  if (means.empty()) grid.resize(1), means = means_over(scores, grid);
  const auto worse = [&](double a, double b) { return criterion_.higher_is_better ? a < b : a > b; };
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
}

std::vector<Group> Tuning::places(std::size_t algorithm, std::size_t start, std::size_t select) const {
  std::vector<Group> all;
  const auto end = places_.lower_bound({algorithm, start, select + 1, 0, 0});
  for (auto at = places_.lower_bound({algorithm, start, select, 0, 0}); at != end; ++at)
    all.push_back(at->first);
  return all;
}

Item Tuning::item(const Group& at, const ValueOf& value) const {
  Item item{std::vector<std::optional<Value>>(runs_.seeds.size())};
  const auto place = places_.find(at);
  if (place == places_.end()) {
    item.missing = "no matching run in the table";
    return item;
  }
  const Chosen& chosen = chosen_.at(group_of(*place->second.front()));
  if (chosen.candidates == 0) {
    item.missing = "no run has a value to select hyperparameters by";
    for (const Run* run : place->second)
      if (!run->missing.empty()) item.missing = run->missing;
    return item;
  }
  for (const Run* run : place->second) {
    if (run->hyper != chosen.hyper) continue;
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

std::vector<tasks::SweepWay> ways_of(const Runs& runs, const Tuning& tuning,
                                     const tasks::SweepReportOptions& options) {
  std::vector<tasks::SweepWay> rows;
  // Ways side by side, each algorithm and then all of them.
  const auto compare = [&](const std::string& chooses, const std::vector<Way>& ways, bool tuned) {
    for (std::size_t start = 0; start < runs.starts.size(); ++start) {
      const auto add = [&](const std::string& algorithm, const std::vector<std::vector<Item>>& lists) {
        const Of of = algorithm.empty() ? Of::all_algorithms : Of::one_algorithm;
        for (std::size_t w = 0; w < ways.size(); ++w)
          rows.push_back({chooses, ways[w].name, algorithm, runs.starts[start],
                          mean_of(lists[w], runs.value_range(), options.level, of),
                          mean_of(differences(lists[w], lists[0]), runs.change_range(), options.level, of)});
      };
      std::vector<std::vector<Item>> all(ways.size());
      std::size_t algorithms = 0;
      for (std::size_t a = 0; a < runs.algorithms.size(); ++a) {
        if (tuned && !tuning.has_choice(a)) continue;
        const auto lists = items_of(runs, ways, tuning.places(a, start, runs.selected));
        for (std::size_t w = 0; w < ways.size(); ++w)
          all[w].insert(all[w].end(), lists[w].begin(), lists[w].end());
        add(runs.algorithms[a], lists);
        ++algorithms;
      }
      if (algorithms > 1) add("", all);
    }
  };
  if (tuning.has_choice()) {
    std::deque<Tuning> tunings;
    std::vector<Way> ways{{runs.roles.validation, &tuning, runs.selected}};
    const auto add = [&](const std::string& name, Criterion criterion) {
      ways.push_back(
          {name, &tunings.emplace_back(runs, std::move(criterion), options.tune == "case"), runs.selected});
    };
    for (std::size_t i = 0; i < runs.roles.criteria.size(); ++i)
      add(runs.roles.criteria[i],
          {[i](const Run& run) { return run.criteria[i]; }, !lower_is_better(runs.roles.criteria[i])});
    add(oracle, {[](const Run& run) { return run.y; }, runs.roles.higher_is_better});
    compare("hyper-parameters", ways, true);
  }
  if (runs.selects.size() > 1) {
    std::vector<Way> ways{{runs.selects[runs.selected], &tuning, runs.selected}};
    for (std::size_t s = 0; s < runs.selects.size(); ++s)
      if (s != runs.selected) ways.push_back({runs.selects[s], &tuning, s});
    ways.push_back({oracle});
    compare("checkpoint", ways, false);
  }
  if (const std::vector<Way> ways = epoch_ways(runs, tuning); !ways.empty()) compare("epoch", ways, false);
  return rows;
}

std::vector<tasks::SweepCurve> curves_of(const Runs& runs, const Tuning& tuning, double level) {
  std::vector<tasks::SweepCurve> curves;
  const auto add = [&](const std::string& algorithm, std::size_t start, std::size_t column,
                       const std::vector<Group>& places) {
    const bool share = runs.roles.curves[column].find("accuracy") != std::string::npos;
    tasks::SweepCurve curve{algorithm, runs.starts[start], runs.roles.curves[column], {}};
    for (const std::size_t epoch : told(length_of(tuning, places, column))) {
      std::vector<Item> items;
      for (const Group& place : places)
        items.push_back(
            tuning.item(place, [&](const Run& run) { return value_at(run.curves[column], epoch); }));
      curve.points.push_back(
          {epoch + 1, mean_of(items, share ? a_share : Range{}, level,
                              algorithm.empty() ? Of::all_algorithms : Of::one_algorithm)});
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

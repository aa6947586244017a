#include "leeway/sweep/detail/tuning.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

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

}  // namespace leeway::sweep::detail

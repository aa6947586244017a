#include "leeway/sweep/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "leeway/core/message.h"
#include "leeway/sweep/detail/fold.h"
#include "leeway/sweep/detail/runs.h"
#include "leeway/sweep/detail/tuning.h"
#include "leeway/sweep/roles.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::sweep {
namespace {

using detail::Group;
using detail::Item;
using detail::Of;
using detail::Run;

class Analysis {
 public:
  Analysis(const RunTable& table, const tasks::SweepReportOptions& options)
      : runs_(detail::runs_of(table, options)),
        options_(options),
        tuning_(runs_, {&Run::validation, !lower_is_better(runs_.roles.validation)}, options.tune == "case") {
    require_runs(table);
  }

  tasks::SweepReport report() {
    record_.options = options_, record_.roles = runs_.roles;
    record_.algorithms = runs_.algorithms, record_.cases = runs_.shifts;
    record_.settings = runs_.places, record_.starts = runs_.starts, record_.seeds = runs_.seeds;
    note_missing();
    for (std::size_t start = 0; start < runs_.starts.size(); ++start) {
      add_cells(start);
      add_changes(start);
      add_case_means(start);
      add_concurrency(start);
      add_ranks(start);
    }
    add_starts();
    add_choices();
    record_.ways = detail::ways_of(runs_, tuning_, options_);
    record_.curves = detail::curves_of(runs_, tuning_, options_.level);
    return std::move(record_);
  }

 private:
  void require_runs(const RunTable& table) const {
    if (std::ranges::none_of(runs_.all, [](const Run& run) { return run.y.has_value(); }))
      refuse(table.name(), fmt::format("a value of {}", runs_.roles.measure), "none");
    if (!runs_.roles.validation.empty() || !tuning_.has_choice()) return;
    refuse(
        "--validation",
        fmt::format(
            "a column to select {} by, or these columns listed in --algorithm, --case, --repeats or --over",
            fmt::join(runs_.roles.hyperparameters, ", ")),
        "none");
  }

  [[nodiscard]] tasks::SweepMean mean(const std::vector<Item>& items, Of of = Of::one_algorithm) const {
    return mean_of(items, runs_.value_range(), options_.level, of);
  }
  [[nodiscard]] tasks::SweepMean change(const std::vector<Item>& items, const std::vector<Item>& reference,
                                        Of of = Of::one_algorithm) const {
    return mean_of(differences(items, reference), runs_.change_range(), options_.level, of);
  }

  // The cases and settings where the algorithm was to be run and that a condition holds for.
  template <class Holds>
  [[nodiscard]] std::vector<Group> places(std::size_t a, std::size_t start, const Holds& holds) const {
    std::vector<Group> all = tuning_.places(a, start, runs_.selected);
    std::erase_if(all, [&](const Group& place) { return !holds(place); });
    return all;
  }
  [[nodiscard]] std::vector<Item> items(const std::vector<Group>& places) const {
    std::vector<Item> all;
    for (const Group& place : places) all.push_back(tuning_.item(place));
    return all;
  }
  // Of all algorithms.
  template <class Holds>
  [[nodiscard]] std::vector<Item> all_items(std::size_t start, const Holds& holds) const {
    std::vector<Item> all;
    for (std::size_t a = 0; a < runs_.algorithms.size(); ++a)
      std::ranges::move(items(places(a, start, holds)), std::back_inserter(all));
    return all;
  }

  void note_missing() {
    for (const Run& run : runs_.all) {
      if (run.y) ++record_.runs;
      if (run.missing.empty()) continue;
      auto known = std::ranges::find(record_.missing, run.missing, &tasks::SweepMissing::reason);
      if (known == record_.missing.end())
        known = record_.missing.insert(known, {run.missing, words_of(runs_, run), 0});
      ++known->runs;
    }
    std::ranges::stable_sort(record_.missing, std::ranges::greater(), &tasks::SweepMissing::runs);
  }

  void add_cells(std::size_t start) {
    std::vector<std::optional<std::size_t>> settings{std::nullopt};
    for (std::size_t place = 0; runs_.places.size() > 1 && place < runs_.places.size(); ++place)
      settings.emplace_back(place);
    for (const auto& setting : settings)
      for (std::size_t a = 0; a < runs_.algorithms.size(); ++a)
        for (std::size_t c = 0; c < runs_.shifts.size(); ++c) {
          const auto holds = [&](const Group& at) {
            return at.shift == c && (!setting || runs_.place_of[at.setting] == *setting);
          };
          record_.results.push_back({runs_.algorithms[a], runs_.shifts[c].name,
                                     setting ? runs_.places[*setting] : "", runs_.starts[start],
                                     mean(items(places(a, start, holds)))});
        }
  }

  void add_changes(std::size_t start) {
    for (std::size_t a = 0; a < runs_.algorithms.size(); ++a) {
      if (a == runs_.baseline) continue;
      const auto add = [&](const std::string& name, std::optional<std::size_t> c) {
        std::vector<Group> of = places(a, start, [&](const Group& at) {
          return (!c || at.shift == *c) && tuning_.expected(baseline(at));
        });
        std::vector<Group> reference;
        std::ranges::transform(of, std::back_inserter(reference),
                               [&](const Group& at) { return baseline(at); });
        record_.changes.push_back(
            {runs_.algorithms[a], name, runs_.starts[start], change(items(of), items(reference))});
      };
      add("", {});
      for (std::size_t c = 0; c < runs_.shifts.size(); ++c) add(runs_.shifts[c].name, c);
    }
  }
  [[nodiscard]] Group baseline(Group place) const {
    place.algorithm = runs_.baseline;
    return place;
  }

  void add_case_means(std::size_t start) {
    for (std::size_t c = 0; c < runs_.shifts.size(); ++c) {
      const auto holds = [&](const Group& at) { return at.shift == c; };
      std::size_t algorithms = 0;
      for (std::size_t a = 0; a < runs_.algorithms.size(); ++a)
        algorithms += places(a, start, holds).empty() ? 0 : 1;
      record_.case_means.push_back({runs_.shifts[c].name, runs_.starts[start], algorithms,
                                    mean(all_items(start, holds), Of::all_algorithms)});
    }
  }

  void add_concurrency(std::size_t start) {
    std::map<std::size_t, std::size_t> counts;  // cases by their number of shifts
    for (const tasks::SweepShift& shift : runs_.shifts)
      if (shift.concurrent) ++counts[*shift.concurrent];
    if (counts.size() < 2) return;
    for (const auto& [count, cases] : counts) {
      const auto holds = [&, &count = count](const Group& at) {
        return runs_.shifts[at.shift].concurrent == count;
      };
      for (std::size_t a = 0; a < runs_.algorithms.size(); ++a)
        record_.concurrency.push_back(
            {runs_.algorithms[a], runs_.starts[start], count, cases, mean(items(places(a, start, holds)))});
      record_.concurrency.push_back(
          {"", runs_.starts[start], count, cases, mean(all_items(start, holds), Of::all_algorithms)});
    }
  }

  void add_ranks(std::size_t start) {
    if (runs_.algorithms.size() < 2) return;
    std::vector<std::vector<Item>> table(runs_.algorithms.size());
    for (std::size_t a = 0; a < table.size(); ++a)
      for (std::size_t c = 0; c < runs_.shifts.size(); ++c)
        for (std::size_t setting = 0; setting < runs_.settings.size(); ++setting)
          table[a].push_back(tuning_.item({a, start, runs_.selected, c, setting}));
    for (const auto& [algorithm, ranked] :
         detail::ranks_of(table, runs_.roles.higher_is_better, options_.level, runs_.value_range())) {
      tasks::SweepRank& rank = record_.ranks.emplace_back(ranked);
      rank.algorithm = runs_.algorithms[algorithm], rank.start = runs_.starts[start];
    }
  }

  void add_starts() {
    if (runs_.roles.start.empty()) return;
    std::vector<std::vector<Item>> all(runs_.starts.size());
    const auto add = [&](const std::string& algorithm, const std::vector<std::vector<Item>>& by_start,
                         Of of) {
      for (std::size_t start = 0; start < by_start.size(); ++start)
        record_.scratch.push_back({algorithm, runs_.starts[start], mean(by_start[start], of),
                                   change(by_start[start], by_start[0], of)});
    };
    for (std::size_t a = 0; a < runs_.algorithms.size(); ++a) {
      std::vector<std::vector<Item>> by_start(runs_.starts.size());
      for (Group place : tuning_.places(a, 0, runs_.selected))
        for (place.start = 0; place.start < by_start.size(); ++place.start)
          by_start[place.start].push_back(tuning_.item(place));
      detail::keep_common(by_start);
      add(runs_.algorithms[a], by_start, Of::one_algorithm);
      for (std::size_t start = 0; start < by_start.size(); ++start)
        std::ranges::move(by_start[start], std::back_inserter(all[start]));
    }
    add("", all, Of::all_algorithms);
  }

  void add_choices() {
    for (const auto& [group, chosen] : tuning_.chosen()) {
      if (group.select != runs_.selected || chosen.candidates == 0 || chosen.combinations() < 2) continue;
      tasks::SweepChoice& choice = record_.choices.emplace_back();
      choice.algorithm = runs_.algorithms[group.algorithm], choice.start = runs_.starts[group.start];
      if (group.shift < runs_.shifts.size()) choice.shift = runs_.shifts[group.shift].name;
      if (group.setting < runs_.settings.size()) choice.setting = runs_.settings[group.setting];
      choice.chosen = runs_.hypers[chosen.hyper];
      choice.validation = chosen.value, choice.margin = chosen.margin;
      choice.candidates = chosen.candidates, choice.left_out = chosen.left_out;
      for (const std::size_t seed : chosen.seeds) choice.seeds.push_back(runs_.seeds[seed]);
    }
  }

  const detail::Runs runs_;
  const tasks::SweepReportOptions& options_;
  const detail::Tuning tuning_;
  tasks::SweepReport record_;
};

}  // namespace

tasks::SweepReport report_of(const RunTable& table, const tasks::SweepReportOptions& options,
                             std::uint64_t seed) {
  return tasks::TaskClock().finished(Analysis(table, options).report(), seed);
}

}  // namespace leeway::sweep

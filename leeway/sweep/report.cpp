#include "leeway/sweep/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "leeway/core/instruction_set.h"
#include "leeway/core/message.h"
#include "leeway/sweep/detail/fold.h"
#include "leeway/sweep/detail/runs.h"
#include "leeway/sweep/detail/tuning.h"
#include "leeway/sweep/roles.h"

namespace leeway::sweep {
namespace {

using detail::Item;
using detail::Run;
using detail::Runs;
using detail::Tuning;

detail::Criterion validation_of(const Runs& runs) {
  return {[](const Run& run) { return run.validation; }, !lower_is_better(runs.roles.validation)};
}

class Analysis {
 public:
  Analysis(const RunTable& table, const tasks::SweepReportOptions& options, std::uint64_t seed)
      : runs_(detail::runs_of(table, options)),
        options_(options),
        seed_(seed),
        tuning_(runs_, validation_of(runs_), options.tune == "case") {
    require_runs(table);
  }

  tasks::SweepReport report() {
    record_.envelope.seed = seed_;
    record_.envelope.instruction_set = name_of(instruction_set);
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
    record_.ways = detail::ways_of(runs_, tuning_, {options_.tune == "case", options_.level, value_range()});
    record_.curves = detail::curves_of(runs_, tuning_, options_.level);
    record_.envelope.headline = headline_of(record_);
    record_.envelope.findings = findings_of(record_);
    return std::move(record_);
  }

 private:
  void require_runs(const RunTable& table) const {
    if (std::ranges::none_of(runs_.all, [](const Run& run) { return run.y.has_value(); }))
      refuse(table.name(), fmt::format("a value of {}", runs_.roles.measure), "none");
    if (!runs_.roles.validation.empty() || !tuning_.has_choice()) return;
    refuse("--validation",
           fmt::format("a column to select {} by, or these in --algorithm, --case, --repeats or --over",
                       fmt::join(runs_.roles.hyperparameters, ", ")),
           "none");
  }

  [[nodiscard]] Range value_range() const { return runs_.roles.is_share ? a_share : Range{}; }
  [[nodiscard]] Range change_range() const { return runs_.roles.is_share ? from_to(-1, 1) : Range{}; }
  [[nodiscard]] tasks::SweepMean mean(const std::vector<Item>& items) const {
    return mean_of(items, value_range(), options_.level);
  }
  [[nodiscard]] tasks::SweepMean change(const std::vector<Item>& items) const {
    return mean_of(items, change_range(), options_.level);
  }
  [[nodiscard]] tasks::SweepMean mean_of_all(const std::vector<Item>& items) const {
    return mean_of_algorithms(items, value_range(), options_.level);
  }

  [[nodiscard]] bool expected(std::size_t a, std::size_t c, std::size_t setting, std::size_t start) const {
    return tuning_.expected(a, c, setting, start, runs_.selected);
  }
  [[nodiscard]] Item item(std::size_t a, std::size_t c, std::size_t setting, std::size_t start) const {
    return tuning_.item(a, c, setting, start, runs_.selected);
  }
  // Of the cases, in every setting, or those of one place, where the algorithm was to be run.
  [[nodiscard]] std::vector<Item> items(std::size_t a, const std::vector<std::size_t>& cases,
                                        std::size_t start, std::optional<std::size_t> place = {}) const {
    std::vector<Item> all;
    for (const std::size_t c : cases)
      for (std::size_t setting = 0; setting < runs_.settings.size(); ++setting)
        if ((!place || runs_.place_of[setting] == *place) && expected(a, c, setting, start))
          all.push_back(item(a, c, setting, start));
    return all;
  }
  [[nodiscard]] std::vector<Item> differences(std::size_t a, const std::vector<std::size_t>& cases,
                                              std::size_t start) const {
    std::vector<Item> all;
    for (const std::size_t c : cases)
      for (std::size_t setting = 0; setting < runs_.settings.size(); ++setting)
        if (expected(a, c, setting, start) && expected(runs_.baseline, c, setting, start))
          all.push_back(difference(item(a, c, setting, start), item(runs_.baseline, c, setting, start)));
    return all;
  }

  [[nodiscard]] std::vector<std::size_t> all_cases() const {
    std::vector<std::size_t> cases(runs_.shifts.size());
    for (std::size_t c = 0; c < cases.size(); ++c) cases[c] = c;
    return cases;
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
    std::vector<std::optional<std::size_t>> places{std::nullopt};
    for (std::size_t place = 0; runs_.places.size() > 1 && place < runs_.places.size(); ++place)
      places.emplace_back(place);
    for (const auto& place : places)
      for (std::size_t a = 0; a < runs_.algorithms.size(); ++a)
        for (std::size_t c = 0; c < runs_.shifts.size(); ++c)
          record_.results.push_back({runs_.algorithms[a], runs_.shifts[c].name,
                                     place ? runs_.places[*place] : "", runs_.starts[start],
                                     mean(items(a, {c}, start, place))});
  }

  void add_changes(std::size_t start) {
    if (runs_.algorithms.size() < 2) return;
    for (std::size_t a = 0; a < runs_.algorithms.size(); ++a) {
      if (a == runs_.baseline) continue;
      const auto add = [&](const std::string& name, const std::vector<std::size_t>& cases) {
        record_.changes.push_back(
            {runs_.algorithms[a], name, runs_.starts[start], change(differences(a, cases, start))});
      };
      add("", all_cases());
      for (const std::size_t c : all_cases()) add(runs_.shifts[c].name, {c});
    }
  }

  void add_case_means(std::size_t start) {
    for (std::size_t c = 0; c < runs_.shifts.size(); ++c) {
      std::vector<Item> all;
      std::size_t algorithms = 0;
      for (std::size_t a = 0; a < runs_.algorithms.size(); ++a) {
        std::vector<Item> of = items(a, {c}, start);
        algorithms += of.empty() ? 0 : 1;
        std::ranges::move(of, std::back_inserter(all));
      }
      record_.case_means.push_back({runs_.shifts[c].name, runs_.starts[start], algorithms, mean_of_all(all)});
    }
  }

  void add_concurrency(std::size_t start) {
    std::map<std::size_t, std::vector<std::size_t>> by_count;
    for (std::size_t c = 0; c < runs_.shifts.size(); ++c)
      if (runs_.shifts[c].concurrent) by_count[*runs_.shifts[c].concurrent].push_back(c);
    if (by_count.size() < 2) return;
    for (const auto& [count, cases] : by_count) {
      std::vector<Item> all;
      for (std::size_t a = 0; a < runs_.algorithms.size(); ++a) {
        std::vector<Item> of = items(a, cases, start);
        record_.concurrency.push_back(
            {runs_.algorithms[a], runs_.starts[start], count, cases.size(), mean(of)});
        std::ranges::move(of, std::back_inserter(all));
      }
      record_.concurrency.push_back({"", runs_.starts[start], count, cases.size(), mean_of_all(all)});
    }
  }

  void add_ranks(std::size_t start) {
    if (runs_.algorithms.size() < 2) return;
    std::vector<std::vector<Item>> table(runs_.algorithms.size());
    for (std::size_t a = 0; a < table.size(); ++a)
      for (const std::size_t c : all_cases())
        for (std::size_t setting = 0; setting < runs_.settings.size(); ++setting)
          table[a].push_back(item(a, c, setting, start));
    const auto ranked =
        detail::ranks_of(table, {runs_.roles.higher_is_better, options_.level, value_range()});
    for (const detail::Ranked& one : ranked) {
      tasks::SweepRank rank = one.rank;
      rank.algorithm = runs_.algorithms[one.algorithm], rank.start = runs_.starts[start];
      record_.ranks.push_back(std::move(rank));
    }
  }

  void add_starts() {
    if (runs_.roles.start.empty()) return;
    std::vector<std::vector<Item>> all(runs_.starts.size());
    for (std::size_t a = 0; a <= runs_.algorithms.size(); ++a) {
      const bool every = a == runs_.algorithms.size();
      std::vector<std::vector<Item>> by_start(runs_.starts.size());
      for (const std::size_t c : all_cases())
        for (std::size_t setting = 0; !every && setting < runs_.settings.size(); ++setting)
          if (expected(a, c, setting, 0))
            for (std::size_t start = 0; start < by_start.size(); ++start)
              by_start[start].push_back(item(a, c, setting, start));
      detail::keep_common(by_start);
      for (std::size_t start = 0; start < by_start.size(); ++start) {
        const std::vector<Item>& here = every ? all[start] : by_start[start];
        const std::vector<Item>& scratch = every ? all[0] : by_start[0];
        tasks::SweepStart& row = record_.scratch.emplace_back();
        row.algorithm = every ? "" : runs_.algorithms[a], row.start = runs_.starts[start];
        row.value = every ? mean_of_all(here) : mean(here);
        std::vector<Item> changes;
        for (std::size_t i = 0; i < here.size(); ++i) changes.push_back(difference(here[i], scratch[i]));
        row.change = every ? mean_of_algorithms(changes, change_range(), options_.level) : change(changes);
        if (!every) all[start].insert(all[start].end(), by_start[start].begin(), by_start[start].end());
      }
    }
  }

  void add_choices() {
    for (const auto& [group, chosen] : tuning_.chosen()) {
      if (group.select != runs_.selected || chosen.candidates + chosen.left_out < 2) continue;
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

  const Runs runs_;
  const tasks::SweepReportOptions& options_;
  const std::uint64_t seed_;
  const Tuning tuning_;
  tasks::SweepReport record_;
};

}  // namespace

tasks::SweepReport report_of(const RunTable& table, const tasks::SweepReportOptions& options,
                             std::uint64_t seed) {
  return Analysis(table, options, seed).report();
}

}  // namespace leeway::sweep

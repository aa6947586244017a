#include "leeway/sweep/detail/runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "leeway/core/message.h"
#include "leeway/describe/number_list.h"
#include "leeway/io/csv.h"
#include "leeway/sweep/roles.h"

namespace leeway::sweep::detail {
namespace {

using RunsNames = std::vector<std::string>;

// The number of a label, a new one where it is new.
std::size_t number_of(RunsNames& labels, const std::string& label) {
  append_new(labels, label);
  return static_cast<std::size_t>(std::ranges::find(labels, label) - labels.begin());
}

bool is_no_shift(const std::string& name) {
  const std::string word = lower_case(name);
  return word == "uniform" || word == "none" || word == "clean" || word == "iid" || word == "identity";
}

class Reading {
 public:
  Reading(const RunTable& table, const tasks::SweepReportOptions& options)
      : table_(table), options_(options) {
    runs_.roles = roles_of(table, options);
    const std::size_t rows = table.rows() + table.missing.size();
    for (kinds_ = true; kinds_ && row_ < rows; ++row_) kinds_ = kind().has_value();
    for (row_ = 0; row_ < rows; ++row_) add();
    order_cases();
    find_values();
    refuse_twins();
  }
  [[nodiscard]] Runs runs() { return std::move(runs_); }

 private:
  // Of the row at hand; the runs without a record are behind those of the table.
  [[nodiscard]] std::string value(const std::string& column) const {
    if (row_ < table_.rows()) return table_.has(column) ? std::string(table_.column(column)[row_]) : "";
    const auto& axes = table_.missing[row_ - table_.rows()].axes;
    const auto found = axes.find(column);
    return found == axes.end() ? "" : found->second;
  }

  [[nodiscard]] std::optional<double> number(const std::string& column) const {
    const auto number = parse_number(value(column));
    return number && std::isfinite(*number) ? number : std::nullopt;
  }

  // "erm, randaugment"; what is empty or none is left out.
  [[nodiscard]] std::string label(const RunsNames& columns) const {
    RunsNames parts;
    for (const std::string& column : columns)
      if (std::string part = value(column); !part.empty() && part != "none") parts.push_back(std::move(part));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  // Cases of conds draw go by their kind; which attributes have it is a setting.
  [[nodiscard]] std::optional<CaseName> kind() const {
    std::map<std::string, std::string> values;
    for (const std::string& column : runs_.roles.cases) values[column] = value(column);
    return case_name(values);
  }

  // The most that a column tells: a second one may tell their attributes.
  [[nodiscard]] std::size_t shifts() const {
    std::size_t most = 0;
    for (const std::string& column : runs_.roles.cases)
      if (const std::string one = value(column); !one.empty() && !is_no_shift(one))
        most = std::max(most, 1 + static_cast<std::size_t>(std::ranges::count(one, '+')));
    return most;
  }

  void add() {
    const tasks::SweepRoles& roles = runs_.roles;
    Run run;
    run.algorithm = number_of(runs_.algorithms, or_else(label(roles.algorithm), roles.algorithm, "all runs"));
    std::string shift = or_else(label(roles.cases), roles.cases, "all"), setting = label(roles.over);
    std::optional<std::size_t> concurrent;
    if (kinds_) {
      const CaseName name = kind().value();
      shift = name.kind, concurrent = name.concurrent;
      if (!name.assignment.empty()) setting += (setting.empty() ? "" : ", ") + name.assignment;
    } else if (!roles.cases.empty()) {
      concurrent = shifts();
    }
    if (!roles.concurrent.empty()) {
      const auto given = number(roles.concurrent);
      concurrent = given && *given >= 0 && *given < 1e6 ? std::optional(static_cast<std::size_t>(*given))
                                                        : std::nullopt;
    }
    run.shift = number_of(shift_names_, shift);
    if (run.shift == runs_.shifts.size()) runs_.shifts.push_back({shift, concurrent});
    const std::size_t place = number_of(runs_.places, label(roles.over));
    run.setting = number_of(runs_.settings, setting);
    if (run.setting == runs_.place_of.size()) runs_.place_of.push_back(place);
    run.start =
        number_of(runs_.starts, roles.start.empty() ? "" : or_else(value(roles.start), {}, "scratch"));
    run.select = number_of(runs_.selects, roles.select.empty() ? "" : value(roles.select));
    run.seed = number_of(runs_.seeds, label(roles.repeats));
    std::map<std::string, std::string> hyper;
    for (const std::string& column : roles.hyperparameters) hyper[column] = value(column);
    const auto known = std::ranges::find(runs_.hypers, hyper);
    run.hyper = static_cast<std::size_t>(known - runs_.hypers.begin());
    if (known == runs_.hypers.end()) runs_.hypers.push_back(std::move(hyper));
    add_numbers(run);
    runs_.all.push_back(std::move(run));
  }

  void add_numbers(Run& run) const {
    const tasks::SweepRoles& roles = runs_.roles;
    run.y = number(roles.measure);
    if (row_ >= table_.rows()) {
      run.missing = table_.missing[row_ - table_.rows()].reason;
      run.criteria.resize(roles.criteria.size()), run.curves.resize(roles.curves.size());
      return;
    }
    const std::string text = value(roles.measure);
    if (!text.empty() && !parse_number(text))
      refuse(table_.name(), fmt::format("numbers in column {}", roles.measure),
             fmt::format("{} in row {}", in_quotes(text), row_));
    if (!run.y) run.missing = fmt::format("its record has no {}", roles.measure);
    run.low = number(roles.measure + "_low"), run.high = number(roles.measure + "_high");
    if (!roles.validation.empty()) run.validation = number(roles.validation);
    for (const std::string& column : roles.criteria) run.criteria.push_back(number(column));
    for (const std::string& column : roles.curves) run.curves.push_back(series(column));
  }

  // Numbers separated by spaces.
  [[nodiscard]] std::vector<double> series(const std::string& column) const {
    const std::string text = value(column);
    std::vector<double> values;
    if (text.empty()) return values;
    for (const std::string& word : split(text, ' ')) {
      const auto number = parse_number(word);
      if (!number)
        refuse(table_.name(), fmt::format("numbers separated by spaces in column {}", column),
               fmt::format("{} in row {}", in_quotes(word), row_));
      values.push_back(*number);
    }
    return values;
  }

  static std::string or_else(std::string label, const RunsNames& columns, const std::string& word) {
    if (!label.empty()) return label;
    return columns.empty() ? word : "none";
  }

  // Fewer shifts first.
  void order_cases() {
    std::ranges::stable_sort(runs_.shifts, {},
                             [](const tasks::SweepShift& shift) { return shift.concurrent.value_or(0); });
    for (Run& run : runs_.all)
      run.shift = std::ranges::find(runs_.shifts, shift_names_[run.shift], &tasks::SweepShift::name) -
                  runs_.shifts.begin();
  }

  void find_values() {
    tasks::SweepRoles& roles = runs_.roles;
    const RunsNames& algorithms = runs_.algorithms;
    if (!options_.baseline.empty()) {
      runs_.baseline = index_of_name(options_.baseline, algorithms, "--baseline");
    } else if (const auto erm = std::ranges::find(algorithms, "erm"); erm != algorithms.end()) {
      runs_.baseline = static_cast<std::size_t>(erm - algorithms.begin());
    }
    if (algorithms.size() > 1) roles.baseline = algorithms[runs_.baseline];
    if (!roles.start.empty()) scratch_first();
    if (roles.select.empty()) return;
    const auto accuracy = std::ranges::find(runs_.selects, "accuracy");
    runs_.selected =
        accuracy == runs_.selects.end() ? 0 : static_cast<std::size_t>(accuracy - runs_.selects.begin());
    roles.selected = runs_.selects[runs_.selected];
  }

  void scratch_first() {
    std::size_t first = 0;
    if (!options_.scratch.empty()) {
      first = index_of_name(options_.scratch, runs_.starts, "--scratch");
    } else {
      for (std::size_t i = runs_.starts.size(); i-- > 0;)
        for (const char* word : {"scratch", "none", "random", "false"})
          if (lower_case(runs_.starts[i]) == word) first = i;
    }
    std::swap(runs_.starts[0], runs_.starts[first]);
    for (Run& run : runs_.all) run.start = run.start == 0 ? first : run.start == first ? 0 : run.start;
    runs_.roles.scratch = runs_.starts[0];
  }

  void refuse_twins() const {
    std::set<std::array<std::size_t, 7>> seen;
    for (const Run& run : runs_.all)
      if (!seen.insert({run.algorithm, run.shift, run.setting, run.start, run.select, run.seed, run.hyper})
               .second)
        refuse(table_.name(),
               "rows that differ in algorithm, case, setting, seed or hyperparameter; name further columns "
               "with --case or --over",
               fmt::format("two rows of {}", words_of(runs_, run)));
  }

  const RunTable& table_;
  const tasks::SweepReportOptions& options_;
  std::size_t row_ = 0;
  RunsNames shift_names_;
  bool kinds_ = false;
  Runs runs_;
};

}  // namespace

Runs runs_of(const RunTable& table, const tasks::SweepReportOptions& options) {
  return Reading(table, options).runs();
}

std::string words_of(const Runs& runs, const Run& run) {
  RunsNames words{runs.algorithms[run.algorithm]};
  const auto add = [&](const RunsNames& labels, std::size_t i, const char* what) {
    if (labels.size() > 1) words.push_back(what + (labels[i].empty() ? "none" : labels[i]));
  };
  if (runs.shifts.size() > 1) words.push_back(runs.shifts[run.shift].name);
  add(runs.settings, run.setting, "");
  add(runs.starts, run.start, "");
  add(runs.selects, run.select, "chosen by ");
  add(runs.seeds, run.seed, "seed ");
  if (!runs.hypers[run.hyper].empty()) words.push_back(tasks::chosen_text(runs.hypers[run.hyper]));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace leeway::sweep::detail

#include "leeway/sweep/detail/runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "leeway/core/csv.h"
#include "leeway/core/message.h"
#include "leeway/sweep/roles.h"

namespace leeway::sweep::detail {
namespace {

using RunsNames = std::vector<std::string>;
using Row = std::map<std::string, std::string>;  // by column

// The number of a label, a new one where it is new.
std::size_t number_of(RunsNames& labels, const std::string& label) {
  const auto found = std::ranges::find(labels, label);
  if (found != labels.end()) return static_cast<std::size_t>(found - labels.begin());
  labels.push_back(label);
  return labels.size() - 1;
}

std::string value_in(const Row& row, const std::string& column) {
  const auto found = row.find(column);
  return found == row.end() ? "" : found->second;
}

// "erm, randaugment"; what is empty or none is left out.
std::string label_of(const Row& row, const RunsNames& columns) {
  RunsNames parts;
  for (const std::string& column : columns)
    if (const std::string value = value_in(row, column); !value.empty() && value != "none")
      parts.push_back(value);
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Cases of conds draw go by their kind; which attributes have it is a setting.
std::optional<CaseName> kind_of(const Row& row, const RunsNames& columns) {
  Row values;
  for (const std::string& column : columns) values[column] = value_in(row, column);
  if (auto name = case_name(values)) return name;
  return columns.size() == 1 ? case_name(values.at(columns.front())) : std::nullopt;
}

bool is_no_shift(const std::string& name) {
  const std::string word = lower_case(name);
  return word == "uniform" || word == "none" || word == "clean" || word == "iid" || word == "identity";
}

// The most that a column tells: a second one may tell their attributes.
std::size_t shifts_in(const Row& row, const RunsNames& columns) {
  std::size_t most = 0;
  for (const std::string& column : columns)
    if (const std::string value = value_in(row, column); !value.empty() && !is_no_shift(value))
      most = std::max(most, 1 + static_cast<std::size_t>(std::ranges::count(value, '+')));
  return most;
}

std::optional<double> number_in(const Row& row, const std::string& column) {
  const auto number = parse_number(value_in(row, column));
  return number && std::isfinite(*number) ? number : std::nullopt;
}

class Reading {
 public:
  Reading(const RunTable& table, const tasks::SweepReportOptions& options)
      : table_(table), options_(options) {
    runs_.roles = roles_of(table, options);
    read_rows();
    kinds_ = std::ranges::all_of(rows_,
                                 [&](const Row& row) { return kind_of(row, runs_.roles.cases).has_value(); });
    for (std::size_t i = 0; i < rows_.size(); ++i) add(rows_[i], i);
    order_cases();
    find_values();
    refuse_twins();
  }
  [[nodiscard]] Runs runs() { return std::move(runs_); }

 private:
  void read_rows() {
    const tasks::SweepRoles& roles = runs_.roles;
    RunsNames columns{roles.measure};
    for (const RunsNames* names : {&roles.algorithm, &roles.cases, &roles.repeats, &roles.over,
                                   &roles.hyperparameters, &roles.criteria, &roles.curves})
      columns.insert(columns.end(), names->begin(), names->end());
    for (const std::string* name : {&roles.start, &roles.select, &roles.concurrent, &roles.validation})
      if (!name->empty()) columns.push_back(*name);
    for (const char* end : {"_low", "_high"})
      if (table_.has(roles.measure + end)) columns.push_back(roles.measure + end);
    const auto fields = table_.read(columns);
    rows_.resize(table_.rows());
    for (const auto& [column, values] : fields)
      for (std::size_t i = 0; i < values.size(); ++i) rows_[i][column] = values[i];
    for (const MissingRun& run : table_.missing) rows_.push_back(run.axes);
  }

  void add(const Row& row, std::size_t number) {
    const tasks::SweepRoles& roles = runs_.roles;
    Run run;
    run.algorithm =
        number_of(runs_.algorithms, or_else(label_of(row, roles.algorithm), roles.algorithm, "all runs"));
    std::string shift = or_else(label_of(row, roles.cases), roles.cases, "all"),
                setting = label_of(row, roles.over);
    std::optional<std::size_t> concurrent;
    if (kinds_) {
      const CaseName name = kind_of(row, roles.cases).value();
      shift = name.kind, concurrent = name.concurrent;
      if (!name.assignment.empty()) setting += (setting.empty() ? "" : ", ") + name.assignment;
    } else if (!roles.cases.empty()) {
      concurrent = shifts_in(row, roles.cases);
    }
    if (!roles.concurrent.empty()) {
      const auto given = number_in(row, roles.concurrent);
      concurrent = given && *given >= 0 && *given < 1e6 ? std::optional(static_cast<std::size_t>(*given))
                                                        : std::nullopt;
    }
    run.shift = number_of(shift_names_, shift);
    if (run.shift == runs_.shifts.size()) runs_.shifts.push_back({shift, concurrent});
    const std::size_t place = number_of(runs_.places, label_of(row, roles.over));
    run.setting = number_of(runs_.settings, setting);
    if (run.setting == runs_.place_of.size()) runs_.place_of.push_back(place);
    run.start = number_of(runs_.starts,
                          roles.start.empty() ? "" : or_else(value_in(row, roles.start), {}, "scratch"));
    run.select = number_of(runs_.selects, roles.select.empty() ? "" : value_in(row, roles.select));
    run.seed = number_of(runs_.seeds, label_of(row, roles.repeats));
    Row hyper;
    for (const std::string& column : roles.hyperparameters) hyper[column] = value_in(row, column);
    const auto known = std::ranges::find(runs_.hypers, hyper);
    run.hyper = static_cast<std::size_t>(known - runs_.hypers.begin());
    if (known == runs_.hypers.end()) runs_.hypers.push_back(std::move(hyper));
    add_numbers(run, row, number);
    runs_.all.push_back(std::move(run));
  }

  void add_numbers(Run& run, const Row& row, std::size_t number) const {
    const tasks::SweepRoles& roles = runs_.roles;
    run.y = number_in(row, roles.measure);
    if (number >= table_.rows()) {
      run.missing = table_.missing[number - table_.rows()].reason;
      run.criteria.resize(roles.criteria.size()), run.curves.resize(roles.curves.size());
      return;
    }
    const std::string text = value_in(row, roles.measure);
    if (!text.empty() && !parse_number(text))
      refuse(table_.name(), fmt::format("numbers in column {}", roles.measure),
             fmt::format("{} in row {}", in_quotes(text), number));
    if (!run.y) run.missing = fmt::format("its record has no {}", roles.measure);
    run.low = number_in(row, roles.measure + "_low"), run.high = number_in(row, roles.measure + "_high");
    if (!roles.validation.empty()) run.validation = number_in(row, roles.validation);
    for (const std::string& column : roles.criteria) run.criteria.push_back(number_in(row, column));
    for (const std::string& column : roles.curves) run.curves.push_back(series_in(row, column, number));
  }

  // Numbers separated by spaces.
  [[nodiscard]] std::vector<double> series_in(const Row& row, const std::string& column,
                                              std::size_t number) const {
    const std::string text = value_in(row, column);
    std::vector<double> series;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(' ', at), text.size());
      const auto value = parse_number(text.substr(at, end - at));
      if (!value)
        refuse(table_.name(), fmt::format("numbers separated by spaces in column {}", column),
               fmt::format("{} in row {}", in_quotes(text.substr(at, end - at)), number));
      series.push_back(*value);
      at = end + 1;
    }
    return series;
  }

  static std::string or_else(std::string label, const RunsNames& columns, const std::string& word) {
    if (!label.empty()) return label;
    return columns.empty() ? word : "none";
  }

  // Fewer shifts first.
  void order_cases() {
    std::vector<std::size_t> order(runs_.shifts.size()), place(order.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {},
                             [&](std::size_t i) { return runs_.shifts[i].concurrent.value_or(0); });
    std::vector<tasks::SweepShift> sorted;
    for (std::size_t i = 0; i < order.size(); ++i)
      sorted.push_back(runs_.shifts[order[i]]), place[order[i]] = i;
    runs_.shifts = std::move(sorted);
    for (Run& run : runs_.all) run.shift = place[run.shift];
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
  std::vector<Row> rows_;
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
  for (const auto& [column, value] : runs.hypers[run.hyper])
    words.push_back(
        fmt::format("{} {}", column.substr(column.rfind('.') + 1), value.empty() ? "none" : value));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace leeway::sweep::detail

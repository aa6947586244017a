#include "leeway/error_bound/evaluation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "leeway/core/contingency.h"
#include "leeway/core/message.h"
#include "leeway/io/csv.h"

namespace leeway::error_bound {
namespace {

void check(std::span<const Shift> shifts) {
  if (shifts.empty()) throw Error("evaluation: expected at least 1 shift, found none");
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    const auto [bad, what] = !(shifts[i].truth >= 0 && shifts[i].truth <= 1)
                                 ? std::pair{shifts[i].truth, "truth"}
                                 : std::pair{shifts[i].predicted, "prediction"};
    if (!(bad >= 0 && bad <= 1))
      throw Error(fmt::format("evaluation: expected a {} within 0 to 1, found {} at row {}", what, bad, i));
  }
}

double lower_quantile(std::vector<double> values, double p) {
  const auto rank = static_cast<std::ptrdiff_t>(p * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

// What is taken from, or multiplied to, predictions so that those given are covered as often as wanted.
double learn(const std::vector<const Shift*>& others, Adjustment adjustment, double coverage) {
  std::vector<double> values;
  for (const Shift* shift : others) {
    if (adjustment == Adjustment::shift)
      values.push_back(shift->truth - shift->predicted);
    else
      values.push_back(shift->predicted > 0 ? shift->truth / shift->predicted - 1e-8
                                            : std::numeric_limits<double>::infinity());
  }
  const double q = lower_quantile(std::move(values), 1 - coverage);
  return adjustment == Adjustment::shift ? -std::min(q, 0.) : std::clamp(q, 0., 1.);
}

constexpr std::string_view accuracy_names[] = {"truth",        "accuracy", "target_accuracy", "target_acc",
                                               "trg_accuracy", "trg_acc",  "true_accuracy"};
constexpr std::string_view error_names[] = {"error", "target_error", "true_error"};
constexpr std::string_view data_set_names[] = {"data_set", "dataset"};
constexpr std::string_view other_names[] = {"shift",      "target",
                                            "source",     "train_method",
                                            "algorithm",  "model",
                                            "seed",       "index",
                                            "",           "source_accuracy",
                                            "source_acc", "src_accuracy",
                                            "src_acc",    "source_error",
                                            "n",          "n_source",
                                            "n_target",   "k",
                                            "delta",      "strength",
                                            "chunk",      "day",
                                            "week",       "month",
                                            "date",       "time"};
constexpr std::string_view about_names[] = {"validity:", "proved:", "discrepancy:"};  // prefixes

bool holds(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::optional<std::size_t> first_of(const CsvTable& table, std::span<const std::string_view> names) {
  for (const std::string_view name : names)
    if (const auto column = table.find(name)) return column;
  return std::nullopt;
}

std::vector<double> numbers_within(const CsvTable& table, std::size_t column, double least, double most,
                                   const std::string& file, std::string_view hint = "") {
  std::vector<double> values = csv_numbers(table, column, file);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] >= least && values[i] <= most))
      refuse(file, fmt::format("column {} within {} to {}", in_quotes(table.header[column]), least, most),
             fmt::format("{} at row {}{}", values[i], i, hint));
  return values;
}

// The column as accuracies.
std::vector<double> accuracies(const CsvTable& table, std::size_t column, bool errors,
                               const std::string& file) {
  std::vector<double> values = numbers_within(table, column, 0, 1, file,
                                              " (columns that are not methods: exclude them with --methods)");
  if (errors)
    for (double& value : values) value = 1 - value;
  return values;
}

// What the table holds about a method; empty without a column.
std::vector<double> about(const CsvTable& table, std::string_view prefix, std::string_view name,
                          const std::string& file) {
  const auto column = table.find(fmt::format("{}{}", prefix, name));
  return column ? numbers_within(table, *column, prefix == about_names[2] ? -1 : 0, 1, file)
                : std::vector<double>();
}

struct Truth {
  std::size_t column;
  bool errors;
};

Truth find_truth(const CsvTable& table, const std::string& file) {
  std::vector<std::string> found;
  for (const std::string& name : table.header)
    if (holds(accuracy_names, name) || holds(error_names, name)) found.push_back(name);
  if (found.size() != 1)
    refuse(file,
           fmt::format("one column with true values ({}; of errors: {})", fmt::join(accuracy_names, ", "),
                       fmt::join(error_names, ", ")),
           found.empty() ? "none among " + comma_list(table.header)
                         : fmt::format("{}", fmt::join(found, " and ")));
  return {*table.find(found.front()), holds(error_names, found.front())};
}

std::vector<std::size_t> method_columns(const CsvTable& table, std::size_t truth,
                                        std::span<const std::string> wanted, const std::string& file) {
  std::vector<std::size_t> columns;
  for (const std::string& name : wanted) columns.push_back(place_of_column(table.header, name, file));
  if (!wanted.empty()) return columns;
  for (std::size_t j = 0; j < table.header.size(); ++j) {
    const std::string& name = table.header[j];
    const bool known =
        j == truth || holds(data_set_names, name) || holds(other_names, name) ||
        std::ranges::any_of(about_names, [&](std::string_view prefix) { return name.starts_with(prefix); });
    if (!known && parse_number(table.columns[j].front())) columns.push_back(j);
  }
  if (columns.empty()) refuse(file, "a column of numbers for each method", "none besides the true values");
  return columns;
}

}  // namespace

Score score(std::span<const Shift> shifts, double level) {
  check(shifts);
  Score result;
  result.n = shifts.size();
  std::size_t covered = 0;
  double distance = 0, excess = 0;
  for (const Shift& shift : shifts) {
    distance += std::abs(shift.truth - shift.predicted);
    if (shift.predicted <= shift.truth)
      ++covered;
    else
      excess += shift.predicted - shift.truth;
  }
  const double n = static_cast<double>(result.n);
  result.mae = distance / n;
  result.coverage = static_cast<double>(covered) / n;
  result.coverage_interval = clopper_pearson(covered, result.n, level);
  if (covered < result.n) result.overestimation = excess / (n - static_cast<double>(covered));
  return result;
}

std::vector<Shift> adjust(std::span<const Shift> shifts, Adjustment adjustment, double coverage) {
  check(shifts);
  if (!(coverage > 0 && coverage < 1))
    throw Error(fmt::format("adjust: coverage: expected a number within (0, 1), found {}", coverage));
  std::map<std::string, double> learnt;
  for (const Shift& shift : shifts) learnt[shift.data_set] = 0;
  if (learnt.size() < 2) throw Error("adjust: expected at least 2 data sets, one of them held out, found 1");
  for (auto& [data_set, value] : learnt) {
    std::vector<const Shift*> others;
    for (const Shift& shift : shifts)
      if (shift.data_set != data_set) others.push_back(&shift);
    value = learn(others, adjustment, coverage);
  }
  std::vector<Shift> adjusted(shifts.begin(), shifts.end());
  for (Shift& shift : adjusted) {
    const double value = learnt[shift.data_set];
    shift.predicted =
        adjustment == Adjustment::shift ? std::max(0., shift.predicted - value) : shift.predicted * value;
  }
  return adjusted;
}

std::vector<LossTest> compare_losses(std::span<const LossShifts> losses, double level) {
  std::vector<LossTest> tests;
  std::vector<double> p;
  for (std::size_t a = 0; a < losses.size(); ++a)
    for (std::size_t b = a + 1; b < losses.size(); ++b) {
      const std::vector<double>&first = losses[a].discrepancies, &second = losses[b].discrepancies;
      LossTest test{losses[a].loss, losses[b].loss, mean_and_error(first).mean, mean_and_error(second).mean};
      std::vector<double> differences(test.n = first.size());
      std::ranges::transform(first, second, differences.begin(), std::minus<>{});
      test.difference = mean_and_error(differences).mean;
      if (test.n > 1) test.interval = student_interval(differences, level);
      test.larger =
          static_cast<std::size_t>(std::ranges::count_if(differences, [](double d) { return d > 0; }));
      if (const double value = student_p(differences); !std::isnan(value)) test.p = value, p.push_back(value);
      tests.push_back(std::move(test));
    }
  const std::vector<double> adjusted = holm(p);
  for (std::size_t i = 0, next = 0; i < tests.size(); ++i)
    if (tests[i].p) tests[i].p_adjusted = adjusted[next++];
  return tests;
}

static ShiftTable shift_table_of(const CsvTable& table, const std::string& file,
                                 std::span<const std::string> methods) {
  const Truth truth = find_truth(table, file);
  if (table.rows() == 0) refuse(file, "at least 1 row below the header", "none");
  const std::vector<double> targets = accuracies(table, truth.column, truth.errors, file);
  const auto data_set = first_of(table, data_set_names);
  ShiftTable result;
  result.n = table.rows();
  const std::vector<std::string_view> unnamed(table.rows());
  const std::vector<std::string_view>& data_sets = data_set ? table.columns[*data_set] : unnamed;
  result.data_sets = std::set<std::string_view>(data_sets.begin(), data_sets.end()).size();
  for (const std::size_t column : method_columns(table, truth.column, methods, file)) {
    const std::vector<double> predicted = accuracies(table, column, truth.errors, file);
    const std::string& name = table.header[column];
    MethodShifts method{
        name, {}, about(table, about_names[0], name, file), about(table, about_names[1], name, file)};
    for (std::size_t i = 0; i < table.rows(); ++i)
      method.shifts.push_back({std::string(data_sets[i]), targets[i], predicted[i]});
    result.methods.push_back(std::move(method));
  }
  for (const std::string& name : table.header)
    if (name.starts_with(about_names[2])) {
      std::string loss = name.substr(about_names[2].size());
      std::vector<double> found = about(table, about_names[2], loss, file);
      result.losses.push_back({std::move(loss), std::move(found)});
    }
  return result;
}

ShiftTable read_shift_table(const std::filesystem::path& path, std::span<const std::string> methods) {
  return shift_table_of(read_csv(path), display_name(path), methods);
}

ShiftTable parse_shift_table(std::string_view text, const std::string& name,
                             std::span<const std::string> methods) {
  return shift_table_of(parse_csv(text, name), name, methods);
}

}  // namespace leeway::error_bound

#include "leeway/tasks/bound_evaluate/bound_evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "leeway/io/csv.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {
namespace {

using error_bound::Adjustment;
using error_bound::MethodShifts;

// That of the name, "dis2@0.05", or the one given for all.
std::optional<double> delta_of(const std::string& method, const std::optional<double>& given) {
  const std::size_t at = method.rfind('@');
  const auto named = at == std::string::npos ? std::nullopt : parse_number(method.substr(at + 1));
  return named && *named > 0 && *named < 1 ? named : given;
}

ValidityScores validity_of(const MethodShifts& method, double level) {
  constexpr std::size_t steps = 12;
  constexpr double thresholds[steps] = {0, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .99};
  ValidityScores validity;
  std::vector<double> tightness;
  for (const error_bound::Shift& shift : method.shifts) tightness.push_back(shift.truth - shift.predicted);
  validity.correlation = correlation(method.validity, tightness, level);
  for (const double threshold : thresholds) {
    std::vector<error_bound::Shift> kept;
    double worst = 0;
    for (std::size_t i = 0; i < tightness.size(); ++i)
      if (method.validity[i] >= threshold)
        kept.push_back(method.shifts[i]), worst = std::max(worst, -tightness[i]);
    const bool fewer = validity.thresholds.empty() || kept.size() < validity.thresholds.back().score.n;
    if (!kept.empty() && fewer)
      validity.thresholds.push_back({threshold, error_bound::score(kept, level), worst});
  }
  return validity;
}

EvaluatedMethod evaluated(const MethodShifts& method, const BoundEvaluateOptions& options,
                          bool several_data_sets) {
  EvaluatedMethod result{method.method,
                         error_bound::score(method.shifts, options.level),
                         delta_of(method.method, options.delta),
                         {},
                         method.shifts};
  if (!method.proved.empty()) {
    const auto proved = static_cast<std::size_t>(std::ranges::count(method.proved, 1));
    result.proved = Estimate{static_cast<double>(proved) / static_cast<double>(method.proved.size()),
                             clopper_pearson(proved, method.proved.size(), options.level)};
  }
  if (!method.validity.empty()) result.validity = validity_of(method, options.level);
  if (!several_data_sets) return result;
  for (const auto& [name, kind] :
       {std::pair("shift", Adjustment::shift), std::pair("scale", Adjustment::scale)})
    for (const double level : options.coverage)
      result.adjusted.push_back(
          {name, level, error_bound::score(error_bound::adjust(method.shifts, kind, level), options.level)});
  return result;
}

}  // namespace

BoundEvaluation bound_evaluate(const BoundEvaluateTask& task) {
  const TaskClock clock;
  const error_bound::ShiftTable& table = task.table;
  BoundEvaluation record;
  record.options = task.options;
  record.data_sets = table.data_sets;
  for (const MethodShifts& method : table.methods)
    record.results.push_back(evaluated(method, task.options, table.data_sets > 1));
  record.losses = error_bound::compare_losses(table.losses, task.options.level);
  if (table.data_sets < 2)
    record.envelope.warnings.push_back(
        fmt::format("{}: no adjustment, which requires two or more data sets", task.name));
  return clock.finished(std::move(record), task.seed);
}

}  // namespace leeway::tasks

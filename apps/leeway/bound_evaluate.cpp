#include "apps/leeway/bound_evaluate.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/leeway/options.h"
#include "leeway/core/csv.h"
#include "leeway/core/file.h"
#include "leeway/error_bound/shift_table.h"
#include "leeway/report/report.h"

namespace leeway::app {
namespace {

using error_bound::Adjustment;
using error_bound::MethodShifts;
using error_bound::Score;

struct Adjusted {
  const char* adjustment;
  double level;
  Score score;
};

struct Evaluated {
  const MethodShifts* method;
  Score score;
  std::vector<Adjusted> adjusted;
};

Evaluated evaluate(const MethodShifts& method, const EvaluateFlags& flags, bool several_data_sets) {
  Evaluated result{&method, error_bound::score(method.shifts, flags.level), {}};
  if (!several_data_sets) return result;
  for (const auto& [name, kind] :
       {std::pair("shift", Adjustment::shift), std::pair("scale", Adjustment::scale)})
    for (const double level : flags.levels)
      result.adjusted.push_back(
          {name, level, error_bound::score(error_bound::adjust(method.shifts, kind, level), flags.level)});
  return result;
}

Json to_json(const Score& score) {
  return {{"n", score.n},
          {"mae", score.mae},
          {"coverage", score.coverage},
          {"coverage_low", score.coverage_interval.low},
          {"coverage_high", score.coverage_interval.high},
          {"overestimation", score.overestimation ? Json(*score.overestimation) : Json()}};
}

// That of the name, "dis2@0.05", or of --delta.
std::optional<double> delta_of(const std::string& method, const EvaluateFlags& flags) {
  const std::size_t at = method.rfind('@');
  const auto named = at == std::string::npos ? std::nullopt : parse_number(method.substr(at + 1));
  return named && *named > 0 && *named < 1 ? named : flags.delta;
}

Json to_json(const Evaluated& evaluated, const EvaluateFlags& flags) {
  Json result = {{"method", evaluated.method->method}};
  result.update(to_json(evaluated.score));
  result["violation_rate"] = 1 - evaluated.score.coverage;
  result["violation_low"] = 1 - evaluated.score.coverage_interval.high;
  result["violation_high"] = 1 - evaluated.score.coverage_interval.low;
  const std::optional<double> delta = delta_of(evaluated.method->method, flags);
  result["delta"] = delta ? Json(*delta) : Json();
  if (delta) result["exceeds_delta"] = 1 - evaluated.score.coverage_interval.high > *delta;
  Json adjusted = Json::array(), points = Json::array();
  for (const Adjusted& one : evaluated.adjusted) {
    adjusted.push_back({{"adjustment", one.adjustment}, {"level", one.level}});
    adjusted.back().update(to_json(one.score));
  }
  for (const auto& shift : evaluated.method->shifts)
    points.push_back({{"data_set", shift.data_set}, {"truth", shift.truth}, {"predicted", shift.predicted}});
  result["adjusted"] = std::move(adjusted);
  result["points"] = std::move(points);
  return result;
}

std::string row(const std::string& method, const std::string& adjustment, const Score& score,
                std::size_t width) {
  return fmt::format(
      "{:<{}}  {:<11} {:>7.4f} {:>9.4f}  {:<16} {:>9}\n", method, width, adjustment, score.mae,
      score.coverage,
      fmt::format("[{:.4f}, {:.4f}]", score.coverage_interval.low, score.coverage_interval.high),
      score.overestimation ? fmt::format("{:.4f}", *score.overestimation) : "-");
}

std::string table(const std::vector<Evaluated>& all, const EvaluateFlags& flags,
                  const error_bound::ShiftTable& shifts) {
  std::size_t width = 6;
  for (const Evaluated& one : all) width = std::max(width, one.method->method.size());
  std::string text =
      fmt::format("{:<{}}  {:<11} {:>7} {:>9}  {:<16} {:>9}\n", "method", width, "adjusted", "MAE",
                  "coverage", fmt::format("[{:g}% interval]", 100 * flags.level), "overest.");
  for (const Evaluated& one : all) {
    text += row(one.method->method, "-", one.score, width);
    for (const Adjusted& adjusted : one.adjusted)
      text += row("", fmt::format("{} {:g}", adjusted.adjustment, adjusted.level), adjusted.score, width);
    const std::optional<double> delta = delta_of(one.method->method, flags);
    if (!delta) continue;
    const double low = 1 - one.score.coverage_interval.high;
    text += fmt::format("{:<{}}  violation rate {:.4f}, {} delta = {:g}\n", "", width, 1 - one.score.coverage,
                        low > *delta ? "beyond chance above" : "not beyond chance above", *delta);
  }
  text += fmt::format(
      "{} shifts of {} data set{}. Coverage: share of shifts whose accuracy is not overstated; overest.: by "
      "how "
      "much it is\n"
      "on the others. Adjusted: lowered by what the other data sets ask for at that coverage.\n",
      shifts.n, shifts.data_sets, shifts.data_sets == 1 ? "" : "s");
  return text;
}

}  // namespace

CLI::App* add_evaluate(CLI::App& bound, Context& context, const std::shared_ptr<EvaluateFlags>& flags) {
  auto* command =
      bound.add_subcommand("evaluate", "Bounds and estimates over many shifts whose truth is known");
  command
      ->add_option("table", flags->table,
                   "CSV: data_set, the truth (target_accuracy or target_error), a column for each method")
      ->required();
  command->add_option("--methods", flags->methods, "Columns that are methods (default: all of numbers)")
      ->delimiter(',')
      ->type_name("NAMES");
  command
      ->add_option("--delta", flags->delta,
                   "Probability that a bound was allowed to fail with; a column METHOD@DELTA names its own")
      ->check(within(1e-12, .5));
  command->add_option("--coverage", flags->levels, "Coverages that the adjustments aim at")
      ->delimiter(',')
      ->check(within(.01, .9999))
      ->capture_default_str();
  command->add_option("--level", flags->level, "Confidence level of intervals")
      ->check(within(.5, .9999))
      ->capture_default_str();
  context.files.writes(command->add_option("--report", flags->report, "Write one self-contained HTML page"),
                       Written::page);
  context.add_common_flags(*command, "Write the JSON record to this file");
  return command;
}

int run_evaluate(Context& context, const EvaluateFlags& flags) {
  context.start_clock();
  const error_bound::ShiftTable shifts = error_bound::read_shift_table(flags.table, flags.methods);
  context.add_input(flags.table, {shifts.n});
  std::vector<Evaluated> all;
  for (const MethodShifts& method : shifts.methods)
    all.push_back(evaluate(method, flags, shifts.data_sets > 1));
  context.stop_clock();
  if (shifts.data_sets < 2)
    context.warn(
        fmt::format("leeway: {}: one data set: no adjustment, which is learnt on others", flags.table));
  Json results = Json::array();
  for (const Evaluated& one : all) results.push_back(to_json(one, flags));
  Json record = context.record("leeway.bound-evaluate/1", std::move(results));
  record["data_sets"] = shifts.data_sets;
  record["level"] = flags.level;
  record["delta"] = flags.delta ? Json(*flags.delta) : Json();
  if (!flags.report.empty()) write_text(flags.report, report::html_report(record));
  context.write_record(record);
  context.print(record, table(all, flags, shifts));
  return exit_ok;
}

}  // namespace leeway::app

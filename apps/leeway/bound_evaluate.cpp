#include "apps/leeway/bound_evaluate.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/leeway/option_flags.h"
#include "leeway/core/file.h"
#include "leeway/core/text.h"
#include "leeway/report/report.h"
#include "leeway/tasks/bound_evaluate.h"

namespace leeway::app {
namespace {

using record::EvaluatedMethod;

std::string row(const std::string& method, const std::string& adjustment, const error_bound::Score& score,
                std::size_t width) {
  return fmt::format(
      "{:<{}}  {:<11} {:>7.4f} {:>9.4f}  {:<16} {:>9}\n", method, width, adjustment, score.mae,
      score.coverage,
      fmt::format("[{:.4f}, {:.4f}]", score.coverage_interval.low, score.coverage_interval.high),
      score.overestimation ? fmt::format("{:.4f}", *score.overestimation) : "-");
}

std::string evaluation_text(const record::BoundEvaluation& record) {
  std::size_t width = 6;
  for (const EvaluatedMethod& one : record.results) width = std::max(width, one.method.size());
  std::string text = wrapped(record.envelope.headline);
  for (const std::string& finding : record.envelope.findings) text += wrapped(finding);
  text += fmt::format("\n{:<{}}  {:<11} {:>7} {:>9}  {:<16} {:>9}\n", "method", width, "adjusted", "MAE",
                      "coverage", fmt::format("[{:g}% interval]", 100 * record.options.level), "overest.");
  for (const EvaluatedMethod& one : record.results) {
    text += row(one.method, "-", one.score, width);
    for (const record::AdjustedScore& adjusted : one.adjusted)
      text += row("", fmt::format("{} {:g}", adjusted.adjustment, adjusted.level), adjusted.score, width);
    if (one.delta)
      text +=
          fmt::format("{:<{}}  violation rate {:.4f}, {} delta = {:g}\n", "", width, one.violation_rate(),
                      *one.exceeds_delta() ? "beyond chance above" : "not beyond chance above", *one.delta);
  }
  return text +
         fmt::format(
             "{} shifts of {} data set{}. Coverage: share of shifts whose accuracy is not overstated; "
             "overest.: by "
             "how "
             "much it is\n"
             "on the others. Adjusted: lowered by what the other data sets ask for at that coverage.\n",
             record.results[0].score.n, record.data_sets, record.data_sets == 1 ? "" : "s");
}

}  // namespace

CLI::App* add_evaluate(CLI::App& bound, Context& context, const std::shared_ptr<EvaluateFlags>& flags) {
  auto* command =
      bound.add_subcommand("evaluate", "Bounds and estimates over many shifts whose truth is known");
  command
      ->add_option("table", flags->table,
                   "CSV: data_set, the truth (target_accuracy or target_error), a column for each method")
      ->required();
  add_option_flags(*command, [&](record::Fields& f) { fields(flags->options, f); });
  context.files.writes(command->add_option("--report", flags->report, "Write one self-contained HTML page"),
                       Written::page);
  context.add_common_flags(*command, "Write the JSON record to this file");
  return command;
}

int run_evaluate(Context& context, const EvaluateFlags& flags) {
  const auto open = [&] {
    error_bound::ShiftTable table = error_bound::read_shift_table(flags.table, flags.options.methods);
    context.add_input(flags.table, {table.n});
    return table;
  };
  record::BoundEvaluation result = tasks::bound_evaluate({flags.table, open, flags.options, context.seed});
  for (const std::string& line : result.envelope.warnings) context.warn("leeway: " + line);
  result = context.completed(std::move(result));
  if (!flags.report.empty()) write_text(flags.report, report::html_report(result));
  const Json record = to_json(result);
  context.write_record(record);
  context.print(record, evaluation_text(result));
  return exit_ok;
}

}  // namespace leeway::app

// leeway bound: the error on a target without labels, bounded and estimated; bound evaluate: how bounds and estimates
// did over many shifts whose truth is known.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "apps/leeway/command.h"
#include "apps/leeway/inputs.h"
#include "apps/leeway/option_flags.h"
#include "apps/leeway/text_table.h"
#include "leeway/core/outputs.h"
#include "leeway/report/report.h"
#include "leeway/tasks/bound.h"
#include "leeway/tasks/bound_evaluate.h"

namespace leeway::app {
namespace {

struct BoundFlags {
  std::string source, target, labels;
  record::BoundOptions options;
};

using record::MethodError;

// "atc-conf, atc-ne: right if ...", a line for each assumption.
std::string assumptions(const std::vector<MethodError>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto same = [&](const MethodError& row) {
      return row.method.assumes == rows[i].method.assumes && row.method.fails == rows[i].method.fails;
    };
    if (std::any_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(i), same)) continue;
    std::vector<std::string> names;
    for (const MethodError& row : rows)
      if (same(row)) names.push_back(row.method.method);
    text += fmt::format("{}: right if {}.\n  It is too low if {}.\n", fmt::join(names, ", "),
                        rows[i].method.assumes, rows[i].method.fails);
  }
  return text;
}

std::string method_table(const record::Bound& record) {
  TextTable table(
      {left("method", 15), right("error", 7), left(level_text(record.options.level), 16), left("")});
  for (const MethodError& row : record.results)
    table.add(row.method.method, four(row.error), row.is_bound ? "upper bound" : interval_text(row.interval),
              row.method.summary);
  table.add("source", four(record.source.error), interval_text(record.source.interval),
            "error on the source, by its labels");
  if (record.target.error)
    table.add("target", four(record.target.error), "-", "error by the target's labels, which no method saw");
  return table.text();
}

std::string range_table(const error_bound::ComponentRange& range, double least_validity) {
  TextTable table(
      {right("components", 12), right("validity", 9), right("bound", 7), right("estimate", 9), left("")});
  for (const auto& one : range.bounds)
    table.add(one.components, four(one.validity_score), four(one.dis2.bound), four(one.dis2.estimate),
              &one == &range.best() ? "chosen"
              : one.kept            ? ""
                                    : "not kept");
  return table.text() +
         fmt::format(fmt::runtime(range.best().kept
                                      ? "  The least bound with a validity score of {:g} or more; "
                                      : "  None has a validity score of {:g}, so all components count; "),
                     least_validity) +
         fmt::format("each of the {} holds at delta / {}.\n", range.bounds.size(), range.bounds.size());
}

// The terms of the bound, and what each concentration makes of it.
std::string terms(const record::Dis2Bound& bound, const record::Dis2Settings& settings) {
  const error_bound::Dis2& dis2 = bound.dis2;
  const double sum = dis2.source_error + dis2.discrepancy + dis2.concentration;
  std::string text = fmt::format(
      "\ndis2 (critics on {}, trained on {} source and {} target rows, measured on {} and {}):\n"
      "  {:.4f} error on the source + {:.4f} discrepancy + {:.4f} concentration = {:.4f}{}\n",
      bound.representation, dis2.training_source, dis2.training_target, dis2.n_source, dis2.n_target,
      dis2.source_error, dis2.discrepancy, dis2.concentration, sum,
      sum <= 1 ? "" : fmt::format(", clipped {:.4f}", dis2.bound));
  for (const auto& one : dis2.concentrations)
    text += fmt::format("  with {:<20} {:.4f}   bound {:.4f}\n", one.name, one.term, one.bound);
  if (bound.range) text += range_table(*bound.range, settings.least_validity);
  if (settings.holdout == 0)
    text += "  --holdout 0: critics were chosen on the rows they are measured on; this proves nothing.\n";
  return text;
}

std::string bound_text(const record::Bound& record) {
  const std::string text =
      words_of(record.envelope) + "\n" + method_table(record) + "\n" + assumptions(record.results) +
      "An estimate is no bound. Its interval tells how far the rows there are settle it, not whether what "
      "it assumes is true.\n";
  return record.dis2 ? text + terms(*record.dis2, record.options.dis2) : text;
}

std::string evaluation_text(const record::BoundEvaluation& record) {
  TextTable table({left("method", 6), left("adjusted", 11), right("MAE", 7), right("coverage", 9),
                   left(level_text(record.options.level), 16), right("overest.", 9)});
  const auto add = [&](const std::string& method, const std::string& adjustment,
                       const error_bound::Score& score) {
    table.add(method, adjustment, four(score.mae), four(score.coverage),
              interval_text(score.coverage_interval), four(score.overestimation));
  };
  for (const record::EvaluatedMethod& one : record.results) {
    add(one.method, "-", one.score);
    for (const record::AdjustedScore& adjusted : one.adjusted)
      add("", fmt::format("{} {:g}", adjusted.adjustment, adjusted.level), adjusted.score);
    if (one.delta)
      table.add("", fmt::format("violation rate {:.4f}, {} delta = {:g}", one.violation_rate(),
                                *one.exceeds_delta() ? "beyond chance above" : "not beyond chance above",
                                *one.delta));
  }
  return words_of(record.envelope) + "\n" + table.text() +
         fmt::format(
             "{} shifts of {} data set{}. Coverage: share of shifts whose accuracy is not overstated; "
             "overest.: by how much it is\n"
             "on the others. Adjusted: lowered by what the other data sets ask for at that coverage.\n",
             record.results[0].score.n, record.data_sets, record.data_sets == 1 ? "" : "s");
}

int run_bound(Context& context, const BoundFlags& flags) {
  if (flags.source.empty() || flags.target.empty())
    throw UsageError("bound: expected --source and --target (or bound evaluate TABLE.csv)");
  tasks::BoundTask task{.source = named_outputs(context, flags.source, flags.options),
                        .target = named_outputs(context, flags.target, flags.options),
                        .labels = named_labels(context, flags.labels),
                        .options = flags.options,
                        .seed = context.seed};
  return context.finish(tasks::bound(task, context.progress()), bound_text, exit_ok, report::html_report);
}

void add_options(const Command& command, record::BoundOptions& options) {
  add_option_flags(command, [&](record::Fields& f) { general_fields(options, f); });
  add_option_flags(
      command, [&](record::Fields& f) { fields(options.dis2, f); }, "Dis2");
  command["--representation"].check([](const std::string& text) {
    return tasks::representation_of(text)
               ? std::string()
               : fmt::format("expected {}, found {}", tasks::representation_forms, text);
  });
}

struct EvaluateFlags {
  std::string table;
  record::BoundEvaluateOptions options;
};

int run_evaluate(Context& context, const EvaluateFlags& flags) {
  const auto open = [&] {
    error_bound::ShiftTable table = error_bound::read_shift_table(flags.table, flags.options.methods);
    context.add_input(flags.table, {table.n});
    return table;
  };
  return context.finish(tasks::bound_evaluate({flags.table, open, flags.options, context.seed}),
                        evaluation_text, exit_ok, report::html_report);
}

void add_evaluate(const Command& bound, Context& context) {
  const Command command = bound.add("evaluate", "Bounds and estimates over many shifts whose truth is known");
  auto& flags = command.keep<EvaluateFlags>();
  command
      .option("table", flags.table,
              "CSV: data_set, the truth (target_accuracy or target_error), a column for each method")
      .required();
  add_option_flags(command, flags.options);
  context.add_page_flag(command);
  context.add_common_flags(command);
  command.runs([&context, &flags] { return run_evaluate(context, flags); });
}

}  // namespace

void add_bound(const Command& root, Context& context) {
  const Command command =
      root.add("bound", "The error on a target without labels: an upper bound, and estimates beside it");
  auto& flags = command.keep<BoundFlags>();
  command.option("--source", flags.source, "Labelled outputs: .npz, .safetensors, .csv, .npy with --labels");
  command.option("--target", flags.target, "Outputs without labels, of the same classifier");
  command.option("--labels", flags.labels, "Labels of the source, where its outputs hold none");
  add_options(command, flags.options);
  context.add_page_flag(command);
  context.add_common_flags(command);
  command.footer(
      "  leeway bound --source validation.npz --target production.npz\n"
      "  leeway bound --source validation.npz --target production.npz --methods ac,cot --json\n"
      "  leeway bound evaluate shifts.csv --delta 0.01");
  add_evaluate(command, context);
  command.runs([&context, &flags] { return run_bound(context, flags); });
}

}  // namespace leeway::app

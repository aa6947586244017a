// leeway bound: the error on a target without labels, bounded and estimated.
#include <fmt/format.h>

#include <memory>

#include "apps/leeway/bound_evaluate.h"
#include "apps/leeway/bound_table.h"
#include "apps/leeway/command.h"
#include "apps/leeway/inputs.h"
#include "apps/leeway/option_flags.h"
#include "leeway/core/file.h"
#include "leeway/core/outputs.h"
#include "leeway/report/report.h"
#include "leeway/tasks/bound.h"

namespace leeway::app {
namespace {

struct BoundFlags {
  std::string source, target, labels, report;
  record::BoundOptions options;
};

int run_bound(Context& context, const BoundFlags& flags) {
  if (flags.source.empty() || flags.target.empty())
    throw UsageError("bound: expected --source and --target (or bound evaluate TABLE.csv)");
  tasks::BoundTask task{.source = named_outputs(context, flags.source, flags.options),
                        .target = named_outputs(context, flags.target, flags.options),
                        .options = flags.options,
                        .seed = context.seed};
  if (!flags.labels.empty())
    task.labels = [&](std::size_t n, std::size_t k) {
      context.add_input(flags.labels, {n});
      return read_labels(flags.labels, n, k);
    };
  record::Bound result = tasks::bound(task, context.progress());
  for (const std::string& line : result.envelope.warnings) context.warn("leeway: " + line);
  result = context.completed(std::move(result));
  if (!flags.report.empty()) write_text(flags.report, report::html_report(result));
  const Json record = to_json(result);
  context.write_record(record);
  context.print(record, bound_text(result));
  return exit_ok;
}

void add_options(CLI::App& command, record::BoundOptions& options) {
  add_option_flags(command, [&](record::Fields& f) { general_fields(options, f); });
  add_option_flags(
      command, [&](record::Fields& f) { fields(options.dis2, f); }, "Dis2");
  command.get_option("--representation")->check([](const std::string& text) {
    return tasks::representation_of(text)
               ? std::string()
               : fmt::format("expected {}, found {}", tasks::representation_forms, text);
  });
}

}  // namespace

void add_bound(CLI::App& root, Context& context, Run& run) {
  auto* command = root.add_subcommand(
      "bound", "The error on a target without labels: an upper bound, and estimates beside it");
  auto flags = std::make_shared<BoundFlags>();
  command->add_option("--source", flags->source,
                      "Labelled outputs: .npz, .safetensors, .csv, .npy with --labels");
  command->add_option("--target", flags->target, "Outputs without labels, of the same classifier");
  command->add_option("--labels", flags->labels, "Labels of the source, where its outputs hold none");
  add_options(*command, flags->options);
  context.files.writes(command->add_option("--report", flags->report, "Write one self-contained HTML page"),
                       Written::page);
  context.add_common_flags(*command, "Write the JSON record to this file");
  command->footer(
      "  leeway bound --source validation.npz --target production.npz\n"
      "  leeway bound --source validation.npz --target production.npz --methods ac,cot --json\n"
      "  leeway bound evaluate shifts.csv --delta 0.01");
  auto evaluation = std::make_shared<EvaluateFlags>();
  const CLI::App* evaluate = add_evaluate(*command, context, evaluation);
  command->callback([&context, flags, evaluate, evaluation, &run] {
    if (evaluate->parsed())
      run = [&context, evaluation] { return run_evaluate(context, *evaluation); };
    else
      run = [&context, flags] { return run_bound(context, *flags); };
  });
}

}  // namespace leeway::app

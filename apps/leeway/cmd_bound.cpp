// leeway bound: bounds and estimates of the error on an unlabelled target; bound evaluate: their scores.
#include <fmt/format.h>

#include "apps/leeway/command.h"
#include "leeway/tasks/bound/bound.h"
#include "leeway/tasks/bound_evaluate/bound_evaluate.h"

namespace leeway::app {
namespace {

struct BoundFlags {
  std::string source, target;
  tasks::BoundOptions options;
};

int run_bound(Context& context, const BoundFlags& flags) {
  if (flags.source.empty() || flags.target.empty())
    throw UsageError("bound: expected --source and --target (or bound evaluate TABLE.csv)");
  tasks::BoundTask task{
      .source = tasks::named_outputs(context.inputs, flags.source, flags.options, tasks::SetRole::first),
      .target = tasks::named_outputs(context.inputs, flags.target, flags.options, tasks::SetRole::other),
      .options = flags.options,
      .seed = context.seed};
  return context.finish(tasks::bound(task, context.progress()));
}

struct EvaluateFlags {
  std::string table;
  tasks::BoundEvaluateOptions options;
};

void add_evaluate(const Command& bound, Context& context) {
  const Command command =
      bound.add("evaluate", "Evaluate bounds and estimates on many shifts with known errors");
  auto& flags = command.keep<EvaluateFlags>();
  command
      .option("table", flags.table,
              "CSV: data_set, target_accuracy or target_error, and one column for each method")
      .required();
  add_option_flags(command, flags.options);
  context.add_page_flag(command);
  command.reads({"table"});
  context.add_common_flags(command);
  command.hide({"--seed"});
  command.footer(
      "  leeway bound evaluate shifts.csv --delta 0.01\n"
      "  leeway bound evaluate shifts.csv --report bounds.html");
  command.runs([&context, &flags] {
    error_bound::ShiftTable table = error_bound::read_shift_table(flags.table, flags.options.methods);
    context.add_input(flags.table, {table.n});
    return context.finish(
        tasks::bound_evaluate({flags.table, std::move(table), flags.options, context.seed}));
  });
}

}  // namespace

void add_bound(const Command& root, Context& context) {
  const Command command = root.add("bound", "Bound and estimate the error on a target without labels");
  auto& flags = command.keep<BoundFlags>();
  command.option("--source", flags.source,
                 "Labeled outputs: .npz, .safetensors, .csv, or .npy with --labels");
  command.option("--target", flags.target, "Unlabeled outputs of the same classifier");
  add_option_flags(command, [&](Fields& f) { general_fields(flags.options, f); });
  add_option_flags(
      command, [&](Fields& f) { fields(flags.options.dis2, f); }, "Dis2");
  command["--representation"].check([](const std::string& text) {
    return tasks::representation_of(text)
               ? std::string()
               : fmt::format("expected {}, found {}", tasks::representation_forms, text);
  });
  context.add_page_flag(command);
  command.reads({"--source", "--target"});
  context.add_common_flags(command);
  command.footer(
      "  leeway bound --source validation.npz --target production.npz\n"
      "  leeway bound --source validation.npz --target production.npz --methods ac,cot --json\n"
      "  leeway bound evaluate shifts.csv --delta 0.01");
  add_evaluate(command, context);
  command.runs([&context, &flags] { return run_bound(context, flags); });
}

}  // namespace leeway::app

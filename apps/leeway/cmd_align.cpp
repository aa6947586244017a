// leeway align: whether the strongest direction of the features is the same before and after a shift.

#include "apps/leeway/command.h"
#include "apps/leeway/inputs.h"
#include "apps/leeway/option_flags.h"
#include "apps/leeway/tables.h"
#include "leeway/report/report.h"
#include "leeway/tasks/align.h"

namespace leeway::app {
namespace {

struct AlignFlags {
  std::string clean;
  std::vector<std::string> shifted;
  record::AlignOptions options;
};

int run_align(Context& context, const AlignFlags& flags) {
  const auto outputs = [&](const std::string& path, tasks::SetRole role) {
    return tasks::named_outputs(context.inputs, path, flags.options, role, true);
  };
  tasks::AlignTask task{outputs(flags.clean, tasks::SetRole::first), {}, flags.options, context.seed};
  for (const std::string& path : flags.shifted) task.shifted.push_back(outputs(path, tasks::SetRole::other));
  return context.finish<record::Align>(
      tasks::align(task, context.progress()), table_of, exit_ok,
      [](const record::Align& record) { return report::html_report(record); });
}

}  // namespace

void add_align(const Command& root, Context& context) {
  const Command command = root.add("align", "PCA alignment of clean and shifted features");
  auto& flags = command.keep<AlignFlags>();
  command
      .option("clean", flags.clean, "Outputs on the clean inputs, with `features`: .npz, .safetensors, .csv")
      .required();
  command.option("shifted", flags.shifted, "Outputs on the shifted inputs, in the same order").required();
  add_option_flags(command, flags.options);
  context.add_common_flags(command);
  context.add_page_flag(command);
  command.footer(
      "Of each set the first principal direction of its features is taken, and every sample's projection on "
      "it. Where the task\ndecides the direction, projections differ between classes and not between the two "
      "sets.\n\n"
      "  leeway infer --model model.safetensors --data val-0.npz --out red.npz\n"
      "  leeway infer --model model.safetensors --data val-1.npz --out blue.npz\n"
      "  leeway align red.npz blue.npz --sample 128 --report alignment.html");
  command.runs([&context, &flags] { return run_align(context, flags); });
}

}  // namespace leeway::app

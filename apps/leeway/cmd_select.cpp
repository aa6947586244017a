// leeway select: which of several checkpoints agreement and accuracy choose.
#include <fmt/format.h>

#include <set>

#include "apps/leeway/command.h"
#include "leeway/tasks/select/select.h"

namespace leeway::app {
namespace {

struct SelectFlags {
  std::vector<std::string> clean, shifted, names;
  tasks::SelectOptions options;
};

void check_flags(const SelectFlags& flags) {
  if (flags.clean.size() != flags.shifted.size())
    throw UsageError(
        fmt::format("--clean and --shifted: expected one of each per checkpoint, found {} and {}",
                    flags.clean.size(), flags.shifted.size()));
  if (flags.names.empty()) return;
  if (flags.names.size() != flags.clean.size())
    throw UsageError(fmt::format("--names: expected {}, one per checkpoint, found {}", flags.clean.size(),
                                 flags.names.size()));
  if (std::set(flags.names.begin(), flags.names.end()).size() != flags.names.size())
    throw UsageError("--names: expected each name once");
}

tasks::SelectTask task_of(Context& context, const SelectFlags& flags) {
  tasks::SelectTask task{.checkpoints = {}, .options = flags.options, .seed = context.seed};
  const std::vector<std::string>& names = flags.names.empty() ? flags.clean : flags.names;
  for (std::size_t i = 0; i < names.size(); ++i)
    task.checkpoints.push_back(
        {names[i], tasks::named_outputs(context.inputs, flags.clean[i], flags.options, tasks::SetRole::first),
         tasks::named_outputs(context.inputs, flags.shifted[i], flags.options, tasks::SetRole::other)});
  return task;
}

}  // namespace

void add_select(const Command& root, Context& context) {
  const Command command =
      root.add("select", "Select a checkpoint by posterior agreement, and compare with accuracy");
  auto& flags = command.keep<SelectFlags>();
  command.option("--clean", flags.clean, "Outputs of each checkpoint on the clean validation samples")
      .required();
  command.option("--shifted", flags.shifted, "Outputs of the same checkpoints on the shifted samples")
      .required();
  command.option("--names", flags.names, "Names of the checkpoints (default: the files of --clean)");
  add_option_flags(command, flags.options);
  command.reads({"--clean", "--shifted"});
  context.add_common_flags(command);
  command.hide({"--seed"});
  command.footer(
      "Checkpoints are epochs of one training run, or models, evaluated on the same validation samples. The "
      "checkpoint with the highest value is selected; ties go to the earliest. Posterior agreement needs no "
      "labels. The difference between the two selected checkpoints is paired by sample; its interval does "
      "not account for the selection.\n\n"
      "  leeway select --clean epoch1-clean.npz epoch2-clean.npz --shifted epoch1-noisy.npz "
      "epoch2-noisy.npz\n"
      "  leeway select --clean a.npy b.npy --shifted a-blur.npy b-blur.npy --labels y.npy --names small "
      "large");
  command.runs([&context, &flags] {
    check_flags(flags);
    return context.finish_proved(tasks::select(task_of(context, flags), context.progress()));
  });
}

}  // namespace leeway::app

// leeway distances and leeway align: distances of outputs under a shift, alignment of directions.

#include "apps/leeway/command.h"
#include "leeway/tasks/align/align.h"
#include "leeway/tasks/distances/distances.h"

namespace leeway::app {
namespace {

template <class Options>
struct SetsFlags {
  std::string clean;
  std::vector<std::string> shifted;
  Options options;
};

template <class Task, class Options>
Task task_of_sets(Context& context, const SetsFlags<Options>& flags) {
  return {tasks::named_outputs(context.inputs, flags.clean, flags.options, tasks::SetRole::first, true),
          tasks::named_outputs(context.inputs, flags.shifted, flags.options, tasks::SetRole::other, true),
          flags.options, context.seed};
}

}  // namespace

void add_distances(const Command& root, Context& context) {
  const Command command = root.add("distances", "Distances between clean and shifted outputs");
  auto& flags = command.keep<SetsFlags<tasks::DistancesOptions>>();
  command.option("clean", flags.clean, "Outputs on the clean inputs: .npy (logits), .npz, .safetensors, .csv")
      .required();
  command.option("shifted", flags.shifted, "Outputs on shifted inputs").required();
  add_option_flags(command, flags.options);
  command["--only"].one_word();
  command.reads({"clean", "shifted"});
  context.add_common_flags(command);
  context.add_page_flag(command);
  command.hide({"--seed"});
  command.footer(
      "Some distances compare probabilities (the softmax of the logits), others compare `features`. kl and "
      "cosine compare row by row: both sets must have the same samples in the same order. If the files do "
      "not permit a distance, the table shows a dash and the reason. mmd takes O(n^2) time.\n\n"
      "  leeway distances clean.npz noisy.npz blurred.npz\n"
      "  leeway distances clean.npz noisy.npz --only kl,wasserstein --json");
  command.runs([&context, &flags] {
    return context.finish(
        tasks::distances(task_of_sets<tasks::DistancesTask>(context, flags), context.progress()));
  });
}

void add_align(const Command& root, Context& context) {
  const Command command = root.add("align", "PCA alignment of clean and shifted features");
  auto& flags = command.keep<SetsFlags<tasks::AlignOptions>>();
  command
      .option("clean", flags.clean, "Outputs on the clean inputs, with `features`: .npz, .safetensors, .csv")
      .required();
  command.option("shifted", flags.shifted, "Outputs on the shifted inputs, in the same order").required();
  add_option_flags(command, flags.options);
  command.reads({"clean", "shifted"});
  context.add_common_flags(command);
  context.add_page_flag(command);
  command.footer(
      "Each sample is projected on the first principal direction of its set's features. If the classes "
      "determine this direction, projections differ between classes and not between the two sets.\n\n"
      "  leeway infer --model model.safetensors --data val-0.npz --out red.npz\n"
      "  leeway infer --model model.safetensors --data val-1.npz --out blue.npz\n"
      "  leeway align red.npz blue.npz --sample 128 --report alignment.html");
  command.runs([&context, &flags] {
    return context.finish(tasks::align(task_of_sets<tasks::AlignTask>(context, flags), context.progress()));
  });
}

}  // namespace leeway::app

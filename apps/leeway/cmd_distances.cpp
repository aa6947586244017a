// leeway distances: distances between clean and shifted outputs, beside which agreement is read.

#include "apps/leeway/command.h"
#include "apps/leeway/inputs.h"
#include "apps/leeway/option_flags.h"
#include "apps/leeway/tables.h"
#include "leeway/agreement/distance.h"
#include "leeway/report/report.h"
#include "leeway/tasks/distances.h"

namespace leeway::app {
namespace {

struct DistanceFlags {
  std::string clean;
  std::vector<std::string> shifted;
  record::DistancesOptions options;
};

int run_distances(Context& context, const DistanceFlags& flags) {
  const auto outputs = [&](const std::string& path, tasks::SetRole role) {
    return tasks::named_outputs(context.inputs, path, flags.options, role, true);
  };
  tasks::DistancesTask task{outputs(flags.clean, tasks::SetRole::first), {}, flags.options, context.seed};
  for (const std::string& path : flags.shifted) task.shifted.push_back(outputs(path, tasks::SetRole::other));
  return context.finish(tasks::distances(task, context.progress()), table_of, exit_ok, report::html_report);
}

}  // namespace

void add_distances(const Command& root, Context& context) {
  const Command command = root.add("distances", "Distances between clean and shifted outputs");
  auto& flags = command.keep<DistanceFlags>();
  command.option("clean", flags.clean, "Outputs on the clean inputs: .npy (logits), .npz, .safetensors, .csv")
      .required();
  command.option("shifted", flags.shifted, "Outputs on shifted inputs").required();
  add_option_flags(command, flags.options);
  command["--only"].one_word();
  context.add_common_flags(command);
  context.add_page_flag(command);
  command.hide({"--seed"});
  command.footer(
      "Some compare probabilities, the softmax of the logits, others `features`; kl and cosine row by row, "
      "so that both sets\n"
      "need the same samples in one order. What a file does not permit is a dash, with its reason. mmd takes "
      "time n^2.\n\n"
      "  leeway distances clean.npz noisy.npz blurred.npz\n"
      "  leeway distances clean.npz noisy.npz --only kl,wasserstein --json");
  command.runs([&context, &flags] { return run_distances(context, flags); });
}

}  // namespace leeway::app

// leeway distances: distances between clean and shifted outputs, beside which agreement is read.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/leeway/command.h"
#include "apps/leeway/inputs.h"
#include "apps/leeway/option_flags.h"
#include "apps/leeway/pa_table.h"
#include "leeway/agreement/distance.h"
#include "leeway/core/message.h"
#include "leeway/core/text.h"
#include "leeway/tasks/distances.h"

namespace leeway::app {
namespace {

struct DistanceFlags {
  std::string clean;
  std::vector<std::string> shifted;
  record::DistancesOptions options;
};

// A line a set, and below why a value is not there.
std::string table(const record::Distances& record) {
  constexpr std::size_t widest = 28, least_column = 9;
  std::vector<std::string> names;  // of the distances, in the order of the family
  for (const agreement::Distance& distance : agreement::distances())
    if (record.results.front().distances.contains(std::string(distance.name)))
      names.emplace_back(distance.name);
  std::size_t width = 7;
  for (const record::DistancesSet& set : record.results)
    width = std::max(width, std::min(widest, display_name(set.shifted).size()));
  const auto column = [&](const std::string& name) { return std::max(least_column, name.size()); };
  std::string text = fmt::format("{:<{}}", "shifted", width);
  for (const std::string& name : names) text += fmt::format(" {:>{}}", name, column(name));
  text += '\n';
  std::vector<std::pair<std::string, std::string>> reasons;  // and the distances that each one hinders
  for (const record::DistancesSet& set : record.results) {
    text += fmt::format("{:<{}}", cut_at_front(display_name(set.shifted), width), width);
    for (const std::string& name : names) {
      const std::optional<double> value = set.distances.at(name);
      text += fmt::format(" {:>{}}", value ? fmt::format("{:.5g}", *value) : "-", column(name));
      if (value) continue;
      const std::string& reason = set.not_computed.at(name);
      const auto known = std::ranges::find(reasons, reason, &std::pair<std::string, std::string>::first);
      if (known == reasons.end())
        reasons.emplace_back(reason, name);
      else
        known->second += ", " + name;
    }
    text += '\n';
  }
  for (const auto& [reason, hindered] : reasons) text += fmt::format("-  {}: {}\n", hindered, reason);
  return text;
}

std::string distances_text(const record::Distances& record) {
  std::string text;
  for (const std::string& doubt : record.envelope.findings) text += doubt + "\n";
  return text + wrapped(record.envelope.headline) + "\n" + table(record);
}

int run_distances(Context& context, const DistanceFlags& flags) {
  const auto outputs = [&](const std::string& path) {
    return named_outputs(context, path, flags.options, true);
  };
  tasks::DistancesTask task{outputs(flags.clean), {}, flags.options, context.seed};
  for (const std::string& path : flags.shifted) task.shifted.push_back(outputs(path));
  const record::Distances result = tasks::distances(task, context.progress());
  for (const std::string& line : result.envelope.warnings) context.warn("leeway: " + line);
  const Json record = context.complete(result);
  context.write_record(record);
  context.print(record, distances_text(result));
  return exit_ok;
}

}  // namespace

void add_distances(CLI::App& root, Context& context, Run& run) {
  auto* command =
      root.add_subcommand("distances", "Distances between clean and shifted outputs, to read beside PA");
  auto flags = std::make_shared<DistanceFlags>();
  command
      ->add_option("clean", flags->clean,
                   "Outputs on the clean inputs: .npy (logits), .npz, .safetensors, .csv")
      ->required();
  command->add_option("shifted", flags->shifted, "Outputs on shifted inputs")->required();
  add_option_flags(*command, [&](record::Fields& f) { fields(flags->options, f); });
  command->get_option("--only")->allow_extra_args(false);
  context.add_common_flags(*command, "Write the JSON record to this file");
  command->footer(
      "Some compare probabilities, the softmax of the logits, others `features`; kl and cosine row by row, "
      "so "
      "that both sets\n"
      "need the same samples in one order. What a file does not permit is a dash, with its reason. mmd takes "
      "time n^2.\n\n"
      "  leeway distances clean.npz noisy.npz blurred.npz\n"
      "  leeway distances clean.npz noisy.npz --only kl,wasserstein --json");
  command->callback(
      [&context, flags, &run] { run = [&context, flags] { return run_distances(context, *flags); }; });
}

}  // namespace leeway::app

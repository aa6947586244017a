// leeway distances: distances between clean and shifted outputs, beside which agreement is read.
#include <fmt/format.h>

#include <algorithm>

#include "apps/leeway/command.h"
#include "apps/leeway/inputs.h"
#include "apps/leeway/option_flags.h"
#include "apps/leeway/text_table.h"
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
  std::vector<Column> columns{left("shifted")};
  for (const agreement::Distance& distance : agreement::distances())  // in the order of the family
    if (record.results.front().distances.contains(std::string(distance.name)))
      columns.push_back(right(std::string(distance.name), 9));
  TextTable table(columns);
  std::vector<std::pair<std::string, std::string>> reasons;  // and the distances that each one hinders
  for (const record::DistancesSet& set : record.results) {
    std::vector<std::string> cells{cut_at_front(display_name(set.shifted), 28)};
    for (std::size_t j = 1; j < columns.size(); ++j) {
      const std::string& name = columns[j].title;
      const std::optional<double> value = set.distances.at(name);
      cells.push_back(value ? fmt::format("{:.5g}", *value) : "-");
      if (value) continue;
      const std::string& reason = set.not_computed.at(name);
      const auto known = std::ranges::find(reasons, reason, &std::pair<std::string, std::string>::first);
      if (known == reasons.end())
        reasons.emplace_back(reason, name);
      else
        known->second += ", " + name;
    }
    table.add(std::move(cells));
  }
  std::string text = table.text();
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
  return context.finish(tasks::distances(task, context.progress()), distances_text);
}

}  // namespace

void add_distances(const Command& root, Context& context) {
  const Command command =
      root.add("distances", "Distances between clean and shifted outputs, to read beside PA");
  auto& flags = command.keep<DistanceFlags>();
  command.option("clean", flags.clean, "Outputs on the clean inputs: .npy (logits), .npz, .safetensors, .csv")
      .required();
  command.option("shifted", flags.shifted, "Outputs on shifted inputs").required();
  add_option_flags(command, flags.options);
  command["--only"].one_word();
  context.add_common_flags(command);
  command.footer(
      "Some compare probabilities, the softmax of the logits, others `features`; kl and cosine row by row, "
      "so "
      "that both sets\n"
      "need the same samples in one order. What a file does not permit is a dash, with its reason. mmd takes "
      "time n^2.\n\n"
      "  leeway distances clean.npz noisy.npz blurred.npz\n"
      "  leeway distances clean.npz noisy.npz --only kl,wasserstein --json");
  command.runs([&context, &flags] { return run_distances(context, flags); });
}

}  // namespace leeway::app

// leeway distances: distances between clean and shifted outputs, beside which agreement is read.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "apps/leeway/command.h"
#include "apps/leeway/inputs.h"
#include "apps/leeway/options.h"
#include "leeway/agreement/distance.h"
#include "leeway/assess/record.h"
#include "leeway/core/message.h"
#include "leeway/tasks/paired_rows.h"

namespace leeway::app {
namespace {

struct DistanceFlags {
  std::string clean;
  std::vector<std::string> shifted, only;
  Binary binary = Binary::refuse;
  Scores as = Scores::automatic;
};

struct MeasuredSet {
  std::string path;
  std::size_t n = 0, k = 0;
  std::vector<agreement::MeasuredDistance> distances;
  std::optional<agreement::PairEvidence> evidence;  // that its rows are the clean ones, where that matters
  std::string doubt;
};

agreement::Sample sample_of(const Outputs& outputs) {
  return {display_name(outputs.path), outputs.logits, outputs.features, std::nullopt};
}

Json to_json(const MeasuredSet& set, std::size_t n_clean) {
  Json values = Json::object(), reasons = Json::object();
  for (const auto& [distance, value, missing] : set.distances) {
    const std::string name(distance->name);
    values[name] = value ? json_number(*value) : Json();
    if (!value) reasons[name] = missing;
  }
  Json result = {{"shifted", set.path}, {"n_clean", n_clean},  {"n_shifted", set.n},
                 {"k", set.k},          {"distances", values}, {"not_computed", reasons}};
  if (set.evidence) result["pairing"] = assess::pairing_json(*set.evidence);
  return result;
}

// A line a set, and below why a value is not there.
std::string table(const std::vector<MeasuredSet>& sets) {
  constexpr std::size_t widest = 28, least_column = 9;
  std::size_t width = 7;
  for (const MeasuredSet& set : sets)
    width = std::max(width, std::min(widest, display_name(set.path).size()));
  const auto column = [&](const agreement::MeasuredDistance& measured) {
    return std::max(least_column, measured.distance->name.size());
  };
  std::string text;
  for (const MeasuredSet& set : sets)
    if (!set.doubt.empty()) text += set.doubt + "\n";
  text += fmt::format("{:<{}}", "shifted", width);
  std::vector<std::pair<std::string, std::string>> reasons;  // and the distances that each one hinders
  for (const auto& measured : sets.front().distances)
    text += fmt::format(" {:>{}}", measured.distance->name, column(measured));
  text += '\n';
  for (const MeasuredSet& set : sets) {
    const std::string path = display_name(set.path);
    text += fmt::format("{:<{}}", path.size() > width ? "..." + path.substr(path.size() - width + 3) : path,
                        width);
    for (const auto& measured : set.distances) {
      text += fmt::format(" {:>{}}", measured.value ? fmt::format("{:.5g}", *measured.value) : "-",
                          column(measured));
      if (measured.value) continue;
      const auto known =
          std::ranges::find(reasons, measured.missing, &std::pair<std::string, std::string>::first);
      if (known == reasons.end())
        reasons.emplace_back(measured.missing, measured.distance->name);
      else
        known->second += fmt::format(", {}", measured.distance->name);
    }
    text += '\n';
  }
  for (const auto& [reason, hindered] : reasons) text += fmt::format("-  {}: {}\n", hindered, reason);
  return text;
}

// For the distances that take row i for row i.
void find_evidence(const std::string& clean, const OutputsShards& first, const OutputsShards& second,
                   MeasuredSet& set) {
  std::vector<std::string_view> paired;
  for (const auto& measured : set.distances)
    if (measured.distance->paired && measured.value) paired.push_back(measured.distance->name);
  if (paired.empty()) return;
  set.evidence = tasks::evidence_of({&first.logits, &first.rest, {}}, {&second.logits, &second.rest, {}});
  const std::string doubt = tasks::pair_doubt(set.evidence, clean, set.path);
  if (!doubt.empty()) set.doubt = fmt::format("{}: {}", fmt::join(paired, ", "), doubt);
}

int run_distances(Context& context, const DistanceFlags& flags) {
  context.start_clock();
  const OutputsOptions reading{flags.binary, true, flags.as};
  const OutputsShards first = open_shards(context, flags.clean, reading);
  const Outputs clean = joined(first);
  std::vector<MeasuredSet> sets;
  Json results = Json::array();
  for (const std::string& path : flags.shifted) {
    const OutputsShards second = open_beside(context, first, path, reading);
    const Outputs shifted = joined(second);
    sets.push_back(
        {path, shifted.n(), shifted.k(),
         agreement::measure_distances(sample_of(clean), sample_of(shifted), flags.only, context.progress()),
         std::nullopt, ""});
    find_evidence(flags.clean, first, second, sets.back());
    if (!sets.back().doubt.empty()) context.warn("leeway: " + sets.back().doubt);
    results.push_back(to_json(sets.back(), clean.n()));
  }
  context.stop_clock();
  const Json record = context.record("leeway.distances/1", std::move(results));
  context.write_record(record);
  context.print(record, table(sets));
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
  std::vector<std::string> names;
  std::string help = "These alone, separated by commas";
  for (const auto& distance : agreement::distances()) {
    help += fmt::format("{}{}: {}", names.empty() ? "\n" : ";\n", distance.name, distance.summary);
    names.emplace_back(distance.name);
  }
  command->add_option("--only", flags->only, help)
      ->delimiter(',')
      ->check(CLI::IsMember(names))
      ->type_name("NAMES")
      ->allow_extra_args(false);
  add_binary_flag(*command, flags->binary);
  add_as_flag(*command, flags->as);
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

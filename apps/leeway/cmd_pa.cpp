// leeway pa: posterior agreement of shifted outputs with clean ones.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "apps/leeway/command.h"
#include "apps/leeway/options.h"
#include "apps/leeway/pa_analysis.h"
#include "apps/leeway/pa_record.h"
#include "apps/leeway/pa_table.h"
#include "leeway/agreement/pairing.h"

namespace leeway::app {
namespace {

struct PaFlags {
  ModelFiles first{"model", {}, {}};
  std::vector<std::string> others;
  std::string ratios;
  PaOptions options;
};

// "0:1:0.1" (first, last, step) or "0,0.5,1".
std::vector<double> parse_ratios(const std::string& text) {
  const auto fail = [&] {
    throw CLI::ValidationError(
        "--ratios", fmt::format("expected FIRST:LAST:STEP or a list within 0 to 1, found {}", text));
  };
  const bool range = text.find(':') != std::string::npos;
  std::vector<double> numbers;
  for (const std::string& part : CLI::detail::split(text, range ? ':' : ',')) {
    double value = 0;
    if (!CLI::detail::lexical_cast(part, value) || !(value >= 0 && value <= 1)) fail();
    numbers.push_back(value);
  }
  if (!range) return numbers;
  if (numbers.size() != 3 || numbers[1] < numbers[0] || !(numbers[2] >= 1e-4)) fail();
  std::vector<double> ratios;
  for (int i = 0; numbers[0] + i * numbers[2] <= numbers[1] + 1e-9; ++i)
    ratios.push_back(std::min(1., numbers[0] + i * numbers[2]));
  return ratios;
}

// NAME=CLEAN,SHIFTED[,SHIFTED...]
ModelFiles parse_model(const std::string& text) {
  const auto equals = text.find('=');
  const auto files = CLI::detail::split(equals == std::string::npos ? "" : text.substr(equals + 1), ',');
  if (equals == 0 || files.size() < 2 || std::ranges::any_of(files, &std::string::empty))
    throw CLI::ValidationError("--model",
                               fmt::format("expected NAME=CLEAN,SHIFTED[,SHIFTED...], found {}", text));
  return {text.substr(0, equals), files.front(), {files.begin() + 1, files.end()}};
}

std::vector<ModelFiles> models_of(const PaFlags& flags) {
  std::vector<ModelFiles> models{flags.first};
  std::set<std::string> names{flags.first.name};
  for (const std::string& text : flags.others) {
    models.push_back(parse_model(text));
    const ModelFiles& model = models.back();
    if (!names.insert(model.name).second)
      throw CLI::ValidationError("--model", fmt::format("there is a model {} already{}", model.name,
                                                        model.name == "model" ? "; see --name" : ""));
    if (model.shifted.size() != flags.first.shifted.size())
      throw CLI::ValidationError(
          "--model", fmt::format("expected as many shifted sets of {} as of {}, {}, found {}", model.name,
                                 flags.first.name, flags.first.shifted.size(), model.shifted.size()));
  }
  return models;
}

int run_pa(Context& context, const PaFlags& flags) {
  PaOptions options = flags.options;
  options.models = models_of(flags);
  if (!flags.ratios.empty()) options.ratios = parse_ratios(flags.ratios);
  if (!options.save_pairs.empty() && (flags.first.shifted.size() > 1 || options.models.size() > 1))
    throw CLI::ValidationError("--save-pairs", "expected one shifted set");
  context.start_clock();
  const PaResults results = analyse_pa(context, options);
  context.stop_clock();
  Json record = context.record("leeway.pa/1", pa_results_json(results));
  if (results.with_gaps) record["ar_gap"] = pa_gaps_json(results);
  const std::vector<std::string> unproved = unproved_maxima(results);
  for (const std::string& line : unproved) context.warn("leeway: " + line);
  context.write_record(record);
  context.print(record, pa_text(results));
  return unproved.empty() ? exit_ok : exit_incomplete;
}

void add_pairing_flags(CLI::App& command, Context& context, PaOptions& options) {
  std::vector<std::string> names;
  std::string help = "Which clean row belongs to which shifted row";
  for (const auto& pairing : agreement::pairings()) {
    help += fmt::format("{}{}: {}", names.empty() ? "\n" : ";\n", pairing.name, pairing.summary);
    names.emplace_back(pairing.name);
  }
  auto* pairing = command.add_option("--pairing", options.pairing, help)
                      ->check(CLI::IsMember(names))
                      ->type_name("NAME")
                      ->capture_default_str();
  command.add_option("--pairs", options.pairs, "Pairs from a CSV file with the columns clean,shifted")
      ->excludes(pairing);
  context.files.writes(
      command.add_option("--save-pairs", options.save_pairs, "Write the pairs to this CSV file"),
      Written::file);
}

void add_model_flags(CLI::App& command, PaFlags& flags) {
  command
      .add_option("--model", flags.others,
                  "NAME=CLEAN,SHIFTED[,SHIFTED...]: another model under the same shifts, in the same order")
      ->allow_extra_args(false)
      ->type_name("FILES");
  command.add_option("--name", flags.first.name, "What the first model is called beside others")
      ->capture_default_str();
}

}  // namespace

void add_pa(CLI::App& root, Context& context, Run& run) {
  auto* command = root.add_subcommand("pa", "Posterior agreement of shifted outputs with clean ones");
  auto flags = std::make_shared<PaFlags>();
  PaOptions& options = flags->options;
  command
      ->add_option("clean", flags->first.clean,
                   "Outputs on the clean inputs: .npy (logits), .npz, .safetensors, .csv")
      ->required();
  command->add_option("shifted", flags->first.shifted, "Outputs on the same samples, shifted; same order")
      ->required();
  add_model_flags(*command, *flags);
  command->add_option("--labels", options.labels,
                      "Labels, where the outputs hold none: .npy, .npz, .csv, IDX");
  add_binary_flag(*command, options.binary);
  add_as_flag(*command, options.as);
  command->add_option("--level", options.level, "Confidence level of intervals")
      ->check(within(.5, .9999))
      ->capture_default_str();
  command
      ->add_option("--bootstrap", options.bootstrap,
                   "Interval of PA from B resamples, each with its own beta (default: from the rows at the "
                   "best betas)")
      ->check(CLI::Range(0, 1000000));
  add_pairing_flags(*command, context, options);
  command->add_option("--ratios", flags->ratios,
                      "Also at these shares of shifted samples, smallest `norms` first, each with its own "
                      "beta: 0:1:0.1 or 0,0.5,1");
  command->add_flag("--summaries", options.summaries,
                    "Also entropies and confidences of the posteriors, at beta = 1 and at the best beta");
  command->add_flag("--shared-beta", options.shared_beta,
                    "Use the beta of the first shifted set for the others: the way of the papers' program");
  command->add_option("--curve", options.curve, "Points of A(beta) to add to the curve in the record")
      ->check(CLI::Range(0, 1000000));
  context.add_common_flags(*command, "Write the JSON record to this file");
  command->footer(
      "PA = log k + max over beta >= 0 of the mean log agreement of the softmax(beta * logits) of the two "
      "sets. 0 means that\n"
      "nothing survives the shift, log k that every prediction does, with full confidence. The maximum is "
      "global and\n"
      "certified: `gap` bounds what a better beta could add. With several models and --ratios, the record "
      "also "
      "says at\n"
      "which ratios two models agree equally.\n\n"
      "  leeway pa clean.npy noisy.npy blurred.npy --labels y.npy\n"
      "  leeway pa clean.npz noisy.npz --json\n"
      "  leeway pa c.npz c_pgd.npz --name cnn --model robust=r.npz,r_pgd.npz --ratios 0:1:0.1");
  command->callback([&context, flags, &run] { run = [&context, flags] { return run_pa(context, *flags); }; });
}

}  // namespace leeway::app

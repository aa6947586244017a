// leeway pa: posterior agreement of shifted outputs with clean ones.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "apps/leeway/command.h"
#include "leeway/agreement/pairing.h"
#include "leeway/io/outputs.h"
#include "leeway/tasks/pa/pa.h"

namespace leeway::app {
namespace {

struct ModelFiles {
  std::string name, clean;
  std::vector<std::string> shifted;
};

struct PaFlags {
  ModelFiles first{"model", {}, {}};
  std::vector<std::string> others;
  std::string pairs, save_pairs;  // files, or empty
  tasks::PaOptions options;
};

// NAME=CLEAN,SHIFTED[,SHIFTED...]
ModelFiles parse_model(const std::string& text) {
  const auto [name, rest] = split_name(text);
  const std::vector<std::string> files = split(rest, ',');
  if (name.empty() || files.size() < 2 || std::ranges::any_of(files, &std::string::empty))
    throw UsageError(fmt::format("--compare: expected NAME=CLEAN,SHIFTED[,SHIFTED...], found {}", text));
  return {name, files.front(), {files.begin() + 1, files.end()}};
}

std::vector<ModelFiles> models_of(const PaFlags& flags) {
  std::vector<ModelFiles> models{flags.first};
  std::set<std::string> names{flags.first.name};
  for (const std::string& text : flags.others) {
    models.push_back(parse_model(text));
    const ModelFiles& model = models.back();
    if (!names.insert(model.name).second)
      throw UsageError(fmt::format("--compare: model {} is named twice{}", model.name,
                                   model.name == "model" ? "; see --name" : ""));
    if (model.shifted.size() != flags.first.shifted.size())
      throw UsageError(fmt::format("--compare: {}: expected as many shifted sets as for {} ({}), found {}",
                                   model.name, flags.first.name, flags.first.shifted.size(),
                                   model.shifted.size()));
  }
  return models;
}

// Sets are opened by the task, files noted as inputs as they are opened.
tasks::PaTask task_of(Context& context, const PaFlags& flags) {
  tasks::PaTask task{.models = {}, .options = flags.options, .seed = context.seed};
  for (const ModelFiles& model : models_of(flags))
    task.models.push_back(
        {model.name, tasks::named_outputs(context.inputs, model.clean, flags.options, tasks::SetRole::first),
         tasks::named_outputs(context.inputs, model.shifted, flags.options, tasks::SetRole::other)});
  task.prior = tasks::prior_of_file(context.inputs, flags.options);
  if (!flags.pairs.empty()) task.pairs = tasks::pairs_of_file(context.inputs, flags.pairs);
  if (!flags.save_pairs.empty())
    task.save_pairs = [&](std::span<const agreement::RowPair> pairs) {
      agreement::write_pairs(flags.save_pairs, pairs);
    };
  return task;
}

int run_pa(Context& context, const PaFlags& flags) {
  const tasks::PaTask task = task_of(context, flags);
  if (!flags.save_pairs.empty() && (flags.first.shifted.size() > 1 || task.models.size() > 1))
    throw UsageError("--save-pairs requires one model and one shifted set");
  return context.finish_proved(tasks::pa(task, context.progress()));
}

}  // namespace

void add_pa(const Command& root, Context& context) {
  const Command command = root.add("pa", "Posterior agreement between clean and shifted outputs");
  auto& flags = command.keep<PaFlags>();
  command
      .option("clean", flags.first.clean,
              "Outputs on the clean inputs: .npy (logits), .npz, .safetensors, .csv")
      .required();
  command.option("shifted", flags.first.shifted, "Outputs on the shifted inputs, in the same order")
      .required();
  command
      .option("--compare", flags.others,
              "NAME=CLEAN,SHIFTED[,SHIFTED...]: outputs of another model under the same shifts, in the same "
              "order")
      .one_word()
      .shown_as("FILES");
  command.option("--name", flags.first.name, "Name of the first model");
  add_option_flags(command, flags.options);
  command.option("--pairs", flags.pairs, "CSV of pairs with columns clean,shifted")
      .excludes(command["--pairing"]);
  command.option("--save-pairs", flags.save_pairs, "Write the pairs to this CSV file").writes(Written::file);
  command.reads({"clean", "shifted", "--pairs", "--prior"});
  context.add_common_flags(command);
  context.add_page_flag(command);
  command.footer(
      "PA = log k + max over beta >= 0 of the mean log agreement of the softmax(beta * logits) of the two "
      "sets. PA is 0 if no prediction survives the shift, and log k if every prediction survives with full "
      "confidence. The maximum is global and certified: no other beta adds more than `gap`. With several "
      "models and --ratios, the record also contains the ratios at which two models have the same "
      "agreement.\n\n"
      "  leeway pa clean.npy noisy.npy blurred.npy --labels y.npy\n"
      "  leeway pa clean.npz noisy.npz --json\n"
      "  leeway pa c.npz c_pgd.npz --name cnn --compare robust=r.npz,r_pgd.npz --ratios 0:1:0.1");
  command.runs([&context, &flags] { return run_pa(context, flags); });
}

}  // namespace leeway::app

// leeway pa: posterior agreement of shifted outputs with clean ones.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <span>

#include "apps/leeway/command.h"
#include "apps/leeway/inputs.h"
#include "apps/leeway/option_flags.h"
#include "apps/leeway/pa_table.h"
#include "leeway/agreement/pairing.h"
#include "leeway/core/outputs.h"
#include "leeway/tasks/pa.h"

namespace leeway::app {
namespace {

struct ModelFiles {
  std::string name, clean;
  std::vector<std::string> shifted;
};

struct PaFlags {
  ModelFiles first{"model", {}, {}};
  std::vector<std::string> others;
  std::string labels, pairs, save_pairs;  // files, or empty
  record::PaOptions options;
};

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

// Sets are opened by the task, files noted as inputs as they are opened; labels and pairs once.
class Files {
 public:
  Files(Context& context, const PaFlags& flags) : context_(context), flags_(flags) {}

  [[nodiscard]] tasks::PaTask task() {
    tasks::PaTask task{.models = {}, .options = flags_.options, .seed = context_.seed};
    for (const ModelFiles& model : models_of(flags_)) {
      tasks::PaModel named{model.name, outputs(model.clean), {}};
      for (const std::string& path : model.shifted) named.shifted.push_back(outputs(path));
      task.models.push_back(std::move(named));
    }
    if (!flags_.labels.empty())
      task.labels = [this](std::size_t n, std::size_t k) {
        auto labels = read_labels(flags_.labels, n, k);
        add_once(flags_.labels, {labels.size()});
        return labels;
      };
    if (!flags_.pairs.empty())
      task.pairs = [this](std::size_t clean_rows, std::size_t shifted_rows) {
        auto pairs = agreement::read_pairs(flags_.pairs, clean_rows, shifted_rows);
        add_once(flags_.pairs, {pairs.size(), 2});
        return pairs;
      };
    if (!flags_.save_pairs.empty())
      task.save_pairs = [this](std::span<const agreement::RowPair> pairs) {
        agreement::write_pairs(flags_.save_pairs, pairs);
      };
    return task;
  }

 private:
  [[nodiscard]] tasks::NamedOutputs outputs(const std::string& path) {
    return named_outputs(context_, path, flags_.options);
  }

  void add_once(const std::string& path, const std::vector<std::size_t>& shape) {
    if (noted_.insert(path).second) context_.add_input(path, shape);
  }

  Context& context_;
  const PaFlags& flags_;
  std::set<std::string> noted_;
};

int run_pa(Context& context, const PaFlags& flags) {
  Files files(context, flags);
  const tasks::PaTask task = files.task();
  if (!flags.save_pairs.empty() && (flags.first.shifted.size() > 1 || task.models.size() > 1))
    throw CLI::ValidationError("--save-pairs", "expected one shifted set");
  const record::Pa result = tasks::pa(task, context.progress());
  for (const std::string& line : result.envelope.warnings) context.warn("leeway: " + line);
  const std::vector<std::string> unproved = tasks::unproved_maxima(result);
  for (const std::string& line : unproved) context.warn("leeway: " + line + ", hence exit code 5");
  const Json record = context.complete(result);
  context.write_record(record);
  context.print(record, pa_text(result));
  return unproved.empty() ? exit_ok : exit_incomplete;
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
  command
      ->add_option("clean", flags->first.clean,
                   "Outputs on the clean inputs: .npy (logits), .npz, .safetensors, .csv")
      ->required();
  command->add_option("shifted", flags->first.shifted, "Outputs on the same samples, shifted; same order")
      ->required();
  add_model_flags(*command, *flags);
  command->add_option("--labels", flags->labels,
                      "Labels, where the outputs hold none: .npy, .npz, .csv, IDX");
  add_option_flags(*command, [&](record::Fields& f) { fields(flags->options, f); });
  command->add_option("--pairs", flags->pairs, "Pairs from a CSV file with the columns clean,shifted")
      ->excludes(command->get_option("--pairing"));
  context.files.writes(
      command->add_option("--save-pairs", flags->save_pairs, "Write the pairs to this CSV file"),
      Written::file);
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

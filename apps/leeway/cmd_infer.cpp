// leeway infer: what a model says about images, as an outputs file.
#include <fmt/format.h>

#include <chrono>

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "leeway/tasks/infer.h"

namespace leeway::app {
namespace {

struct InferFlags {
  ModelFlags model;
  std::string data;
};

std::string table_of(const record::Infer& record, const Outputs& outputs) {
  const record::InferredSet& set = record.results.front();
  std::string table =
      fmt::format("{}: logits ({}, {}){}{}\n", set.out, set.n, set.k,
                  outputs.features ? fmt::format(", features {}", outputs.features->shape_text()) : "",
                  outputs.labels ? ", labels" : "");
  if (set.accuracy)
    table += fmt::format("accuracy {:.4f} [{:.4f}, {:.4f}] (95% interval), n = {}\n", *set.accuracy,
                         set.accuracy_interval->low, set.accuracy_interval->high, set.n);
  return table;
}

int run_infer(Context& context, const InferFlags& flags) {
  require_out(context, "the outputs");
  const auto started = std::chrono::steady_clock::now();
  const ModelAndImages loaded = load_model_and_images(context, flags.model, flags.data);
  auto [record, outputs] = tasks::infer(
      {.model = *loaded.model, .images = loaded.images, .options = flags.model.reading, .seed = context.seed},
      context.progress());
  tasks::write_outputs(context.out, outputs, loaded.others);
  record.envelope.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  record.envelope.warnings = loaded.warnings;
  record::InferredSet& set = record.results.front();
  set.model = flags.model.model, set.data = flags.data, set.out = context.out;
  set.stochastic = loaded.stochastic;
  context.print(context.complete(record), table_of(record, outputs));
  return exit_ok;
}

}  // namespace

void add_infer(CLI::App& root, Context& context, Run& run) {
  auto* command = root.add_subcommand("infer", "Run a model on images and keep what it says");
  const auto flags = std::make_shared<InferFlags>();
  add_model_flags(*command, flags->model);
  command->add_option("--data", flags->data, "Images: .npz, .safetensors, IDX(.gz), or fashion-mnist:test")
      ->required();
  context.add_common_flags(*command, "Outputs file (.npz): logits, features, labels", Written::file);
  command->footer("  leeway infer --model cnn.safetensors --data fashion-mnist:test --out clean.npz");
  command->callback(
      [&context, flags, &run] { run = [&context, flags] { return run_infer(context, *flags); }; });
}

}  // namespace leeway::app

// leeway infer: what a model says about images, as an outputs file.
#include <fmt/format.h>

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "apps/leeway/text_table.h"
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
    table += fmt::format("accuracy {} {} (95% interval), n = {}\n", four(set.accuracy),
                         interval_text(set.accuracy_interval), set.n);
  return table;
}

int run_infer(Context& context, const InferFlags& flags) {
  require_out(context, "the outputs");
  const ModelAndImages loaded = load_model_and_images(context, flags.model, flags.data);
  auto [record, outputs] = tasks::infer({.model = *loaded.model,
                                         .images = loaded.images,
                                         .data = flags.data,
                                         .options = flags.model.reading,
                                         .seed = context.seed},
                                        context.progress());
  tasks::write_outputs(context.out, outputs, loaded.others);
  record.envelope.warnings = loaded.warnings;
  record::InferredSet& set = record.results.front();
  set.model = flags.model.model, set.out = context.out;
  set.stochastic = loaded.stochastic;
  context.print(to_json(context.completed(record)), table_of(record, outputs));
  return exit_ok;
}

}  // namespace

void add_infer(const Command& root, Context& context) {
  const Command command = root.add("infer", "Run a model on images and keep what it says");
  auto& flags = command.keep<InferFlags>();
  add_model_flags(command, flags.model);
  command.option("--data", flags.data, "Images: .npz, .safetensors, IDX(.gz), or fashion-mnist:test")
      .required();
  context.add_common_flags(command, "Outputs file (.npz): logits, features, labels", Written::file);
  command.footer("  leeway infer --model cnn.safetensors --data fashion-mnist:test --out clean.npz");
  command.runs([&context, &flags] { return run_infer(context, flags); });
}

}  // namespace leeway::app

// leeway infer: what a model says about images, as an outputs file.
#include <fmt/format.h>

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "leeway/core/class_names.h"
#include "leeway/core/npz.h"
#include "leeway/core/outputs.h"

namespace leeway::app {
namespace {

struct InferFlags {
  ModelFlags model;
  std::string data;
};

// What an images file says about its rows besides labels goes on to the outputs.
void pass_on(const std::string& data, ArrayMap& arrays) {
  if (!data.ends_with(".npz") && !data.ends_with(".safetensors")) return;
  const ArrayMap all = read_arrays(data);
  for (const char* const name : {"norms", "groups"})
    if (const auto found = all.find(name); found != all.end()) arrays[name] = found->second;
}

int run_infer(Context& context, const InferFlags& flags) {
  require_out(context, "the outputs");
  context.start_clock();
  const LoadedModel loaded = load_model_and_images(context, flags.model, flags.data);
  Outputs outputs = loaded.model->outputs(loaded.images, context.progress());
  outputs.class_names = class_names_of(flags.data, outputs.k());
  if (outputs.class_names.empty()) outputs.class_names = loaded.model->info().class_names;
  ArrayMap arrays = arrays_of(outputs);
  pass_on(flags.data, arrays);
  write_npz(context.out, arrays);
  context.stop_clock();

  Json result{{"model", flags.model.model},
              {"data", flags.data},
              {"out", context.out},
              {"n", outputs.n()},
              {"k", outputs.k()},
              {"parameters", loaded.model->info().parameters},
              {"features", outputs.features ? Json(outputs.features->shape[1]) : Json()},
              {"stochastic", variation_json(loaded.variation)}};
  std::string table =
      fmt::format("{}: logits ({}, {}){}{}\n", context.out, outputs.n(), outputs.k(),
                  outputs.features ? fmt::format(", features {}", outputs.features->shape_text()) : "",
                  outputs.labels ? ", labels" : "");
  if (outputs.labels) {
    const std::size_t right = right_rows(outputs);
    add_rate(result, "accuracy", right, outputs.n());
    table += fmt::format("accuracy {} (95% interval), n = {}\n", rate_text(right, outputs.n()), outputs.n());
  }
  context.print(context.record("leeway.infer/1", Json::array({std::move(result)})), table);
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

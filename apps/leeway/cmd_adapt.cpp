// leeway adapt: a model whose batch normalization has the statistics of a target's images.

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "leeway/tasks/adapt/adapt.h"
#include "leeway/tasks/outputs_reading.h"

namespace leeway::app {
namespace {

struct AdaptFlags {
  ModelFlags model;
  std::string data;
  tasks::OutputsReading rows;  // its index and split
  tasks::AdaptOptions options;
};

int run_adapt(Context& context, const AdaptFlags& flags) {
  require_out(context, "the adapted model");
  Images images = open_images(context, flags.data, flags.rows);
  images.labels.reset();
  const auto model = load_model(context, flags.model, images);
  tasks::Adapt record =
      tasks::adapt({*model, images, context.out, flags.options, context.seed}, context.progress());
  tasks::AdaptedModel& found = record.results.front();
  found.model = flags.model.model, found.data = flags.data, found.out = context.out;
  return context.finish(std::move(record));
}

}  // namespace

void add_adapt(const Command& root, Context& context) {
  const Command command = root.add("adapt", "Adapt batch normalization statistics to a target");
  auto& flags = command.keep<AdaptFlags>();
  add_model_flags(command, flags.model);
  command
      .option(
          "--data", flags.data,
          "Images of the target (labels are not used): .npz, .safetensors, IDX(.gz), or fashion-mnist:test")
      .required();
  add_option_flags(command, [&](Fields& f) { row_fields(flags.rows, f); });
  add_option_flags(command, flags.options);
  command.reads({"--data"});
  context.add_common_flags(command, "The adapted model (.safetensors)", Written::file);
  command.footer(
      "Weights do not change. The network must be one of leeway list architectures, because TorchScript and "
      "ONNX hide their layers.\n\n"
      "  leeway adapt --model model.safetensors --data target.npz --out adapted.safetensors");
  command.runs([&context, &flags] { return run_adapt(context, flags); });
}

}  // namespace leeway::app

// leeway adapt: a model whose batch normalization has the statistics of a target's images.

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "apps/leeway/option_flags.h"
#include "leeway/core/numbers.h"
#include "leeway/record/reading.h"
#include "leeway/report/report.h"
#include "leeway/tasks/adapt.h"

namespace leeway::app {
namespace {

struct AdaptFlags {
  ModelFlags model;
  std::string data;
  record::OutputsReading rows;  // its index and split
  record::AdaptOptions options;
};

int run_adapt(Context& context, const AdaptFlags& flags) {
  require_out(context, "the adapted model");
  Images images = open_images(context, flags.data, flags.rows);
  images.labels.reset();
  const auto model = load_model(context, flags.model, images);
  record::Adapt record =
      tasks::adapt({*model, images, context.out, flags.options, context.seed}, context.progress());
  record::AdaptedModel& found = record.results.front();
  found.model = flags.model.model, found.data = flags.data, found.out = context.out;
  return context.show(std::move(record), report::view);
}

}  // namespace

void add_adapt(const Command& root, Context& context) {
  const Command command = root.add("adapt", "Adapt batch normalization statistics to a target");
  auto& flags = command.keep<AdaptFlags>();
  add_model_flags(command, flags.model);
  command
      .option("--data", flags.data,
              "Images of the target, labels unused: .npz, .safetensors, IDX(.gz), or fashion-mnist:test")
      .required();
  add_option_flags(command, [&](record::Fields& f) { row_fields(flags.rows, f); });
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

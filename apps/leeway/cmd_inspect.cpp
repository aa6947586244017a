// leeway inspect: what a model file holds, what it expects, and what a pass through it costs here.

#include <algorithm>
#include <optional>

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "apps/leeway/terminal.h"
#include "leeway/tasks/inspect/inspect.h"

namespace leeway::app {
namespace {

struct InspectFlags {
  std::string model, data;
  tasks::InspectOptions options;
};

nn::InputShape input_of(const std::vector<std::size_t>& said) {
  if (said.empty()) return {};
  if (said.size() > 3 || std::ranges::count(said, std::size_t{0}) > 0)
    throw UsageError(
        "--input: expected channels,height,width, such as 3,32,32, or the sizes of a row, such as 8");
  return tasks::shape_of(said);
}

int run_inspect(Context& context, const InspectFlags& flags) {
  nn::InputShape input = input_of(flags.options.input);
  std::optional<Images> images;
  if (!flags.data.empty()) {
    ArrayMap others;
    images = read_inputs(flags.data, others, tasks::layout_of(flags.options.reading));
    context.add_input(flags.data, images->own_shape());
    for (const std::string* const line : {&images->note, &images->doubt})
      if (!line->empty()) context.warn(*line);
    input = nn::shape_of(*images);
  }
  if (const auto file = unknown_weights(context, {flags.model, flags.options.reading}, input))
    return context.finish(tasks::inspect(*file, flags.options, context.seed));
  const ModelFlags named{flags.model, flags.options.reading};
  const auto model = images ? load_model(context, named, *images) : load_model(context, named, input);
  const HardStop stop("inspect: stopped");
  tasks::Inspect record = tasks::inspect({.model = *model,
                                          .images = images ? &*images : nullptr,
                                          .options = flags.options,
                                          .seed = context.seed},
                                         context.progress());
  return context.finish(std::move(record));
}

}  // namespace

void add_inspect(const Command& root, Context& context) {
  const Command command = root.add("inspect", "Show what a model file contains, expects and costs to run");
  auto& flags = command.keep<InspectFlags>();
  command.option("model", flags.model, "Model file, as for --model of other commands").required();
  add_option_flags(command, [&](Fields& f) { flag_fields(flags.options, f); });
  add_device_flag(command, flags.options.reading.device);
  command.option("--data", flags.data, "Labeled images: report accuracy, and check other normalizations");
  command.reads({"model", "--data"});
  context.add_common_flags(command);
  command.hide({"--seed"});
  command.footer(
      "FILE.toml next to the model supplies what the model file lacks: arch, scale, mean, std, input, "
      "classes, template, vocabulary.\n"
      "  leeway inspect resnet20.th --arch resnet20-cifar --input 3,32,32 --data test.npz");
  command.runs([&context, &flags] { return run_inspect(context, flags); });
}

}  // namespace leeway::app

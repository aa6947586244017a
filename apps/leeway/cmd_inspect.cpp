// leeway inspect: what a model file holds, what it expects, and what a pass through it costs here.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "apps/leeway/option_flags.h"
#include "apps/leeway/terminal.h"
#include "apps/leeway/text_table.h"
#include "leeway/core/numbers.h"
#include "leeway/tasks/inspect.h"

namespace leeway::app {
namespace {

struct InspectFlags {
  std::string model, data;
  record::InspectOptions options;
};

nn::InputShape input_of(const std::vector<std::size_t>& said) {
  if (said.empty()) return {};
  if (said.size() > 3 || std::ranges::count(said, std::size_t{0}) > 0)
    throw UsageError(
        "--input: expected channels,height,width, such as 3,32,32, or the sizes of a row, such as 8");
  return tasks::shape_of(said);
}

std::string layers_table(const record::InspectedModel& model) {
  TextTable table({left("layer"), left("type"), left("weight"), right("parameters", 11)});
  for (const record::ModelLayer& layer : model.layers)
    table.add(layer.name, layer.type, layer.shape, layer.parameters);
  return "\n" + table.text();
}

std::string about_program(const std::string& confinement) {
  if (confinement == "none") return "runs without confinement (--trust)";
  return fmt::format("runs in a separate process that can only compute ({})", confinement);
}

std::string inspect_table(const record::Inspect& record, const std::string& data) {
  const record::InspectedModel& model = record.results.front();
  std::string classes = model.classes ? std::to_string(*model.classes) : "unknown";
  if (!model.class_names.empty()) classes += fmt::format(" ({})", fmt::join(model.class_names, ", "));
  std::string text = fmt::format(
      "{}: {}{}, {} parameters\n"
      "input          {}{}\n"
      "classes        {}\n"
      "normalization  {}{}\n",
      model.model, model.format, model.architecture.empty() ? "" : ", " + model.architecture,
      model.parameters,
      model.input.empty() ? "unknown (--input CHANNELS,HEIGHT,WIDTH)"
                          : fmt::format("{}", fmt::join(model.input, " x ")),
      model.input.size() % 3 == 0 ? ", pixels from 0 to 1" : ", numbers of any range", classes,
      flags_of(model.normalization), model.notes.empty() ? "" : fmt::format(" ({})", model.notes));
  if (!model.confinement.empty())
    text += fmt::format("program        {}\n", about_program(model.confinement));
  if (const auto& cost = model.cost)
    text += fmt::format("cost per image {:.3g} ms forward, {} ({} images at a time, one thread)\n",
                        1e3 * cost->forward_seconds,
                        cost->gradient_seconds
                            ? fmt::format("{:.3g} ms forward and backward", 1e3 * *cost->gradient_seconds)
                            : "no gradients",
                        cost->images);
  if (model.accuracy.value)
    text += fmt::format("accuracy       {} (95% interval) on {}, n = {}\n", value_words(model.accuracy, true),
                        data, model.n);
  for (const std::string& line : record.envelope.warnings) text += "warning        " + line + "\n";
  return text + layers_table(model);
}

// Tensors of which nothing says what network they are.
std::string tensors_text(const record::Inspect& record) {
  const record::InspectedModel& model = record.results.front();
  std::string text =
      fmt::format("{}: {}, {} tensors of {} numbers\narchitecture  unknown; the tensors fit {}\n",
                  model.model, model.format, model.layers.size(), model.parameters, fitting_text(model));
  for (const record::FittingArchitecture& fit : model.fitting)
    text += fmt::format("              --arch {} --input {}  ({} classes)\n", fit.architecture,
                        fmt::join(fit.input, ","), fit.classes);
  TextTable table({left("tensor"), left("type"), left("shape"), right("numbers", 11)});
  for (const record::ModelLayer& tensor : model.layers)
    table.add(tensor.name, tensor.type, tensor.shape, tensor.parameters);
  return text + "\n" + table.text();
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
    return context.finish(tasks::inspect(*file, flags.options, context.seed), tensors_text);
  const ModelFlags named{flags.model, flags.options.reading};
  const auto model = images ? load_model(context, named, *images) : load_model(context, named, input);
  const HardStop stop("inspect: stopped");
  record::Inspect record = tasks::inspect({.model = *model,
                                           .images = images ? &*images : nullptr,
                                           .options = flags.options,
                                           .seed = context.seed},
                                          context.progress());
  record = context.completed(std::move(record));
  const Json json = to_json(record);
  Context::write_record(context.out, json);
  context.print(json, inspect_table(record, flags.data));
  return exit_ok;
}

}  // namespace

void add_inspect(const Command& root, Context& context) {
  const Command command = root.add("inspect", "Show what a model file contains, expects and costs to run");
  auto& flags = command.keep<InspectFlags>();
  command.option("model", flags.model, "Model file, as for --model of other commands").required();
  add_option_flags(command, [&](record::Fields& f) { flag_fields(flags.options, f); });
  add_device_flag(command, flags.options.reading.device);
  command.option("--data", flags.data, "Labeled images: report accuracy, and check other normalizations");
  command.reads({"model", "--data"});
  context.add_common_flags(command);
  command.hide({"--seed"});
  command.footer(
      "FILE.toml next to the model supplies what the model file lacks: arch, scale, mean, std, input, "
      "classes.\n"
      "  leeway inspect resnet20.th --arch resnet20-cifar --input 3,32,32 --data test.npz");
  command.runs([&context, &flags] { return run_inspect(context, flags); });
}

}  // namespace leeway::app

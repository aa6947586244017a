// leeway inspect: what a model file holds, what it expects, and what a pass through it costs here.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "apps/leeway/option_flags.h"
#include "apps/leeway/terminal.h"
#include "leeway/tasks/inspect.h"

namespace leeway::app {
namespace {

struct InspectFlags {
  std::string model, data;
  record::InspectOptions options;
};

nn::InputShape input_of(const std::vector<std::size_t>& said) {
  if (said.empty()) return {};
  if (said.size() != 3 || std::ranges::count(said, std::size_t{0}) > 0)
    throw UsageError("--input: expected channels,height,width, such as 3,32,32");
  return {said[0], said[1], said[2]};
}

std::string layers_table(const record::InspectedModel& model) {
  std::size_t name = 5, type = 4, shape = 6;
  for (const record::ModelLayer& layer : model.layers) {
    name = std::max(name, layer.name.size()), type = std::max(type, layer.type.size());
    shape = std::max(shape, layer.shape.size());
  }
  std::string text =
      fmt::format("\n{:<{}}  {:<{}}  {:<{}}  parameters\n", "layer", name, "type", type, "weight", shape);
  for (const record::ModelLayer& layer : model.layers)
    text += fmt::format("{:<{}}  {:<{}}  {:<{}}  {:>10}\n", layer.name, name, layer.type, type, layer.shape,
                        shape, layer.parameters);
  return text;
}

std::string about_program(const std::string& confinement) {
  if (confinement == "none") return "TorchScript is code: trusted, it runs with all rights of this process";
  return fmt::format(
      "TorchScript is code: it runs on threads that cannot write files, start programs or open sockets ({})",
      confinement);
}

std::string table_of(const record::Inspect& record, const std::string& data) {
  const record::InspectedModel& model = record.results.front();
  std::string classes = model.classes ? std::to_string(*model.classes) : "not said";
  if (!model.class_names.empty()) classes += fmt::format(" ({})", fmt::join(model.class_names, ", "));
  std::string text = fmt::format(
      "{}: {}{}, {} parameters\n"
      "input          {}, pixels from 0 to 1\n"
      "classes        {}\n"
      "normalization  {}{}\n",
      model.model, model.format, model.architecture.empty() ? "" : ", " + model.architecture,
      model.parameters,
      model.input.empty() ? "not said (--input CHANNELS,HEIGHT,WIDTH)"
                          : fmt::format("{}", fmt::join(model.input, " x ")),
      classes, flags_of(model.normalization), model.notes.empty() ? "" : fmt::format(" ({})", model.notes));
  if (!model.confinement.empty())
    text += fmt::format("program        {}\n", about_program(model.confinement));
  if (const auto& cost = model.cost)
    text += fmt::format("cost an image  {:.3g} ms forward, {} ({} images at a time, one thread)\n",
                        1e3 * cost->forward_seconds,
                        cost->gradient_seconds
                            ? fmt::format("{:.3g} ms forward and backward", 1e3 * *cost->gradient_seconds)
                            : "no gradients",
                        cost->images);
  if (model.accuracy)
    text +=
        fmt::format("accuracy       {:.4f} [{:.4f}, {:.4f}] (95% interval) on {}, n = {}\n", *model.accuracy,
                    model.accuracy_interval->low, model.accuracy_interval->high, data, model.n);
  for (const std::string& line : record.envelope.warnings) text += "warning        " + line + "\n";
  return text + layers_table(model);
}

int run_inspect(Context& context, const InspectFlags& flags) {
  nn::InputShape input = input_of(flags.options.input);
  const auto started = std::chrono::steady_clock::now();
  std::optional<Images> images;
  if (!flags.data.empty()) {
    images = load_images(context, flags.data);
    input = nn::shape_of(*images);
  }
  const auto model = load_model(context, {flags.model, flags.options.reading}, input);
  const HardStop stop("inspect: stopped");
  record::Inspect record = tasks::inspect({.model = *model,
                                           .images = images ? &*images : nullptr,
                                           .options = flags.options,
                                           .seed = context.seed},
                                          context.progress());
  record.envelope.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  const Json json = context.complete(record);
  context.write_record(json);
  context.print(json, table_of(record, flags.data));
  return exit_ok;
}

}  // namespace

void add_inspect(CLI::App& root, Context& context, Run& run) {
  auto* command =
      root.add_subcommand("inspect", "What a model file holds, what it expects, what a pass costs here");
  const auto flags = std::make_shared<InspectFlags>();
  command->add_option("model", flags->model, "As --model of the other commands")->required();
  add_option_flags(*command, [&](record::Fields& f) { flag_fields(flags->options, f); });
  add_device_flag(*command, flags->options.reading.device);
  command->add_option("--data", flags->data,
                      "Labelled images: accuracy, and whether another normalization suits the model better");
  context.add_common_flags(*command, "Write the JSON record to this file");
  command->footer(
      "What the file does not say may stand in FILE.toml beside it: arch, scale, mean, std, input, classes.\n"
      "  leeway inspect resnet20.th --arch resnet20-cifar --input 3,32,32 --data test.npz");
  command->callback(
      [&context, flags, &run] { run = [&context, flags] { return run_inspect(context, *flags); }; });
}

}  // namespace leeway::app

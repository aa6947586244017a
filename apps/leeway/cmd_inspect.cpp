// leeway inspect: what a model file holds, what it expects, and what a pass through it costs here.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "apps/leeway/options.h"
#include "apps/leeway/terminal.h"
#include "leeway/core/error.h"

namespace leeway::app {
namespace {

struct InspectFlags {
  ModelFlags model;
  std::vector<std::size_t> input;
  std::string data;
  bool no_timing = false;
};

struct Cost {
  std::size_t batch = 0;
  double forward = 0;              // seconds an image
  std::optional<double> gradient;  // forward and backward; none: the model has no gradients
  std::string no_gradient;         // why
};

// The least of the times that `pass` takes within a third of a second, three times at least; the first does not count.
double seconds_of(const std::function<void()>& pass) {
  using Clock = std::chrono::steady_clock;
  constexpr double enough = 1. / 3;
  pass();
  double best = 0, spent = 0;
  for (int i = 0; i < 3 || spent < enough; ++i) {
    const auto start = Clock::now();
    pass();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    best = i == 0 ? seconds : std::min(best, seconds);
    spent += seconds;
  }
  return best;
}

// Images of no meaning: as many as one shard, on one thread.
Images made_images(const nn::InputShape& input) {
  Images images;
  const std::size_t n = 16;
  std::vector<float> pixels(n * input.pixels());
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<float>(i * 37 % 256) / 255;
  images.pixels = make_array({n, input.channels, input.height, input.width}, std::move(pixels));
  return images;
}

Cost cost_of(const nn::Model& model, const Images& images) {
  const std::vector<std::int64_t> labels(images.n(), 0);
  const auto each = static_cast<double>(images.n());
  Cost cost{images.n(), seconds_of([&] { (void)model.outputs(images); }) / each, {}, {}};
  try {
    cost.gradient = seconds_of([&] { (void)model.input_gradients(images, labels); }) / each;
  } catch (const Error& failure) {
    cost.no_gradient = failure.what();
  }
  return cost;
}

nn::InputShape input_of(const InspectFlags& flags) {
  if (flags.input.empty()) return {};
  if (flags.input.size() != 3 || std::ranges::count(flags.input, std::size_t{0}) > 0)
    throw UsageError("--input: expected channels,height,width, such as 3,32,32");
  return {flags.input[0], flags.input[1], flags.input[2]};
}

std::string shape_text(const nn::InputShape& input) {
  return fmt::format("{} x {} x {}", input.channels, input.height, input.width);
}

Json layers_of(const nn::ModelInfo& info) {
  Json list = Json::array();
  for (const nn::Layer& layer : info.layers)
    list.push_back({{"name", layer.name},
                    {"type", layer.type},
                    {"shape", layer.shape},
                    {"parameters", layer.parameters}});
  return list;
}

Json result_of(const nn::ModelInfo& info, const nn::InputShape& input, const std::optional<Cost>& cost) {
  const auto known = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  Json result{{"model", info.path},
              {"format", info.format},
              {"architecture", known(info.architecture)},
              {"parameters", info.parameters},
              {"classes", info.classes > 0 ? Json(info.classes) : Json()},
              {"class_names", info.class_names},
              {"input", input.known() ? Json::array({input.channels, input.height, input.width}) : Json()},
              {"normalization",
               {{"scale", info.normalization.scale},
                {"mean", info.normalization.mean},
                {"std", info.normalization.std}}},
              {"notes", known(info.notes_file)},
              {"confinement", known(info.confinement)},
              {"layers", layers_of(info)},
              {"cost", nullptr}};
  if (cost)
    result["cost"] = {{"images", cost->batch},
                      {"threads", 1},
                      {"forward_seconds", cost->forward},
                      {"gradient_seconds", cost->gradient ? Json(*cost->gradient) : Json()}};
  return result;
}

std::string layers_table(const nn::ModelInfo& info) {
  std::size_t name = 5, type = 4, shape = 6;
  for (const nn::Layer& layer : info.layers) {
    name = std::max(name, layer.name.size()), type = std::max(type, layer.type.size());
    shape = std::max(shape, layer.shape.size());
  }
  std::string text =
      fmt::format("\n{:<{}}  {:<{}}  {:<{}}  parameters\n", "layer", name, "type", type, "weight", shape);
  for (const nn::Layer& layer : info.layers)
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

std::string table_of(const nn::ModelInfo& info, const nn::InputShape& input,
                     const std::optional<Cost>& cost) {
  std::string classes = info.classes > 0 ? std::to_string(info.classes) : "not said";
  if (!info.class_names.empty()) classes += fmt::format(" ({})", fmt::join(info.class_names, ", "));
  std::string text = fmt::format(
      "{}: {}{}, {} parameters\n"
      "input          {}, pixels from 0 to 1\n"
      "classes        {}\n"
      "normalization  {}{}\n",
      info.path, info.format, info.architecture.empty() ? "" : ", " + info.architecture, info.parameters,
      input.known() ? shape_text(input) : "not said (--input CHANNELS,HEIGHT,WIDTH)", classes,
      flags_of(info.normalization), info.notes_file.empty() ? "" : fmt::format(" ({})", info.notes_file));
  if (!info.confinement.empty()) text += fmt::format("program        {}\n", about_program(info.confinement));
  if (cost)
    text += fmt::format("cost an image  {:.3g} ms forward, {} ({} images at a time, one thread)\n",
                        1e3 * cost->forward,
                        cost->gradient ? fmt::format("{:.3g} ms forward and backward", 1e3 * *cost->gradient)
                                       : "no gradients",
                        cost->batch);
  return text;
}

int run_inspect(Context& context, const InspectFlags& flags) {
  nn::InputShape input = input_of(flags);
  context.start_clock();
  std::optional<Images> images;
  if (!flags.data.empty()) {
    images = load_images(context, flags.data);
    input = nn::shape_of(*images);
  }
  const auto model = load_model(context, flags.model, input);
  const HardStop stop("inspect: stopped");
  if (model->info().input.known()) input = model->info().input;
  std::optional<Cost> cost;
  if (input.known() && !flags.no_timing) cost = cost_of(*model, made_images(input));
  nn::ModelInfo info = model->info();
  std::vector<std::string> warnings;
  if (cost && !cost->gradient) warnings.push_back(cost->no_gradient);
  if (input.known())
    if (const auto variation = model->variation(images ? *images : made_images(input)))
      warnings.push_back(variation_warning(*model, *variation));
  std::string tail;
  Json result = result_of(info, input, cost);
  if (images && images->labels) {
    const Outputs outputs = model->outputs(*images, context.progress());
    const std::size_t right = right_rows(outputs);
    if (info.classes == 0) result["classes"] = info.classes = outputs.k();
    add_rate(result, "accuracy", right, outputs.n());
    tail = fmt::format("accuracy       {} (95% interval) on {}, n = {}\n", rate_text(right, outputs.n()),
                       flags.data, outputs.n());
    for (const std::string& line : normalization_warnings(*model, *images)) warnings.push_back(line);
  }
  for (const std::string& line : warnings) tail += "warning        " + line + "\n";
  result["warnings"] = warnings;
  context.stop_clock();
  const Json record = context.record("leeway.inspect/1", Json::array({std::move(result)}));
  context.write_record(record);
  context.print(record, table_of(info, input, cost) + tail + layers_table(info));
  return exit_ok;
}

}  // namespace

void add_inspect(CLI::App& root, Context& context, Run& run) {
  auto* command =
      root.add_subcommand("inspect", "What a model file holds, what it expects, what a pass costs here");
  const auto flags = std::make_shared<InspectFlags>();
  command->add_option("model", flags->model.model, "As --model of the other commands")->required();
  add_reading_flags(*command, flags->model);
  add_binary_flag(*command, flags->model.binary);
  command
      ->add_option("--input", flags->input, "channels,height,width of an image, where the file does not say")
      ->delimiter(',');
  command->add_option("--data", flags->data,
                      "Labelled images: accuracy, and whether another normalization suits the model better");
  command->add_flag("--no-timing", flags->no_timing, "Do not measure what a pass costs");
  context.add_common_flags(*command, "Write the JSON record to this file");
  command->footer(
      "What the file does not say may stand in FILE.toml beside it: arch, scale, mean, std, input, classes.\n"
      "  leeway inspect resnet20.th --arch resnet20-cifar --input 3,32,32 --data test.npz");
  command->callback(
      [&context, flags, &run] { run = [&context, flags] { return run_inspect(context, *flags); }; });
}

}  // namespace leeway::app

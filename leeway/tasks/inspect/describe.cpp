#include <fmt/format.h>
#include <fmt/ranges.h>

#include "leeway/describe/json.h"
#include "leeway/tasks/inspect/inspect.h"
#include "leeway/tasks/model.h"

namespace leeway::nn {

static void fields(Layer& layer, Fields& f) {
  f("name", layer.name, "name of the layer in the file");
  f("type", layer.type, "type of the operation");
  f.unless_empty("shape", layer.shape, "shape of the weight; null without a weight");
  f("parameters", layer.parameters, "number of parameters");
}

static void fields(FittingArchitecture& fit, Fields& f) {
  std::vector<std::size_t> input = tasks::sizes_of(fit.input);
  f("architecture", fit.name, "architecture, as for --arch");
  f("input", input, at_least(1), "first matching input shape: channels, height, width, or the size of a row");
  f("classes", fit.classes, at_least(1), "number of outputs of the last layer");
  fit.input = tasks::shape_of(input);
}

}  // namespace leeway::nn

namespace leeway::tasks {

void flag_fields(InspectOptions& options, Fields& f) {
  file_fields(options.reading, f);
  classes_field(options.reading, f);
  binary_field(options.reading, f);
  layout_field(options.reading, f);
  f("input", options.input, at_least(1),
    "input shape if the file does not contain it: channels,height,width, or one or two sizes of a row");
  f("no_timing", options.no_timing, "skip the timing of a pass");
}

void fields(InspectOptions& options, Fields& f) {
  flag_fields(options, f);
  device_field(options.reading, f);
}

static void fields(PassCost& cost, Fields& f) {
  f("images", cost.images, at_least(1), "images per pass");
  f("threads", cost.threads, at_least(1), "number of threads of the pass");
  f("forward_seconds", cost.forward_seconds, at_least(0), "duration of a forward pass in seconds, per image");
  f("gradient_seconds", cost.gradient_seconds, at_least(0),
    "duration of a forward and a backward pass in seconds, per image; null if the model has no gradients");
}

std::vector<std::size_t> input_sizes(const InspectedModel& model) {
  return model.info.input.known() ? sizes_of(model.info.input) : std::vector<std::size_t>();
}

void fields(InspectedModel& model, Fields& f) {
  nn::ModelInfo& info = model.info;
  std::optional<std::size_t> classes = info.classes > 0 ? std::optional(info.classes) : std::nullopt;
  std::vector<std::size_t> input = input_sizes(model);
  f("model", info.path, "model file");
  f.choice(
      "format", info.format,
      {{"torchscript", ""}, {"onnx", ""}, {"pt2", ""}, {"checkpoint", ""}, {"safetensors", ""}, {"npz", ""}},
      "file format, detected from the content");
  f.unless_empty("architecture", info.architecture, "architecture; null: defined by the file, or unknown");
  f("fitting", model.fitting,
    "architectures that match the names and shapes; [] if the architecture is known");
  f("parameters", info.parameters, "number of parameters of the model");
  f("classes", classes, at_least(2), "number of classes; null: unknown before the first images");
  f("class_names", info.class_names, "one name per class; [] without names");
  f("input", input, at_least(1), "channels, height, width, or the sizes of a row; []: unknown");
  f("normalization", info.normalization,
    "normalization: the network takes (scale x - mean) / std of pixels x in [0,1]");
  f.unless_empty("notes", info.notes_file, "FILE.toml that was read, next to the model");
  f.unless_empty("confinement", info.confinement,
                 "confinement of a TorchScript, ONNX or .pt2 program; seccomp: a separate process that can "
                 "only compute; none: --trust; null: another kind of file");
  f("layers", info.layers,
    "layers with weights; for a graph, all operators; if the architecture is unknown, all tensors");
  f("cost", model.cost, "measured duration of a pass; null: not measured, or unknown input");
  f("n", model.n, "number of labeled images");
  measured(f, "accuracy", model.accuracy, a_share,
           "share of images predicted as their label; null without labels");
  f("stochastic", model.stochastic, "variation between two passes of the model; null if there is none");
  info.classes = classes.value_or(0);
  info.input = shape_of(input);
}

std::string fitting_text(const InspectedModel& model) {
  std::vector<std::string> names;
  for (const nn::FittingArchitecture& fit : model.fitting) names.push_back(fit.name);
  if (names.empty()) return "no known architecture";
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{}{}{}'s names and shapes", fmt::join(names, "'s, "), names.empty() ? "" : "'s and ",
                     last);
}

bool is_unknown(const InspectedModel& model) {
  return model.info.architecture.empty() && model.info.confinement.empty();
}

std::string headline_of(const Inspect& record) {
  const InspectedModel& model = record.results.at(0);
  if (is_unknown(model))
    return fmt::format("{} ({}) has {} tensors with {} numbers in total, which fit {}.",
                       display_name(model.info.path), model.info.format, count(model.info.layers.size()),
                       count(model.info.parameters), fitting_text(model));
  return fmt::format(
      "{} ({}{}) has {} parameters{}{}.", display_name(model.info.path), model.info.format,
      model.info.architecture.empty() ? "" : ", " + model.info.architecture, count(model.info.parameters),
      model.info.input.known() ? fmt::format(", for images of {}", fmt::join(input_sizes(model), " x ")) : "",
      model.info.classes > 0 ? fmt::format(", and {} classes", model.info.classes) : "");
}

}  // namespace leeway::tasks

#include "leeway/record/inspect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "leeway/core/message.h"
#include "leeway/core/numbers.h"
#include "leeway/record/json.h"

namespace leeway::record {

void flag_fields(InspectOptions& options, Fields& f) {
  file_fields(options.reading, f);
  binary_field(options.reading, f);
  layout_field(options.reading, f);
  f("input", options.input, at_least(1),
    "shape of the input if the file does not name it: channels,height,width, or one or two sizes of a row");
  f("no_timing", options.no_timing, "skip the measurement of the time of a pass");
}

void fields(InspectOptions& options, Fields& f) {
  flag_fields(options, f);
  device_field(options.reading, f);
}

static void fields(ModelLayer& layer, Fields& f) {
  f("name", layer.name, "in the file");
  f("type", layer.type, "of the operation");
  f.unless_empty("shape", layer.shape, "of its weight; null where it has none");
  f("parameters", layer.parameters, "numbers that it holds");
}

static void fields(PassCost& cost, Fields& f) {
  f("images", cost.images, at_least(1), "that pass together");
  f("threads", cost.threads, at_least(1), "that they pass on");
  f("forward_seconds", cost.forward_seconds, at_least(0), "an image");
  f("gradient_seconds", cost.gradient_seconds, at_least(0),
    "forward, and backward to the input; null: the model has no gradients");
}

static void fields(FittingArchitecture& fit, Fields& f) {
  f("architecture", fit.architecture, "its name, as --arch takes it");
  f("input", fit.input, at_least(1),
    "channels, height, width; or the size of a row: the first for which they fit");
  f("classes", fit.classes, at_least(1), "outputs of its last layer");
}

static void fields(InspectedModel& model, Fields& f) {
  f("model", model.model, "the file");
  f.choice("format", model.format,
           {{"torchscript", ""}, {"onnx", ""}, {"checkpoint", ""}, {"safetensors", ""}, {"npz", ""}},
           "of the file, by its content");
  f.unless_empty("architecture", model.architecture, "null: the file brings its own, or does not say");
  f("fitting", model.fitting,
    "of tensors whose file does not say: architectures that have their names and shapes; [] otherwise");
  f("parameters", model.parameters, "numbers that the model holds");
  f("classes", model.classes, at_least(2), "null: not known before the first images");
  f("class_names", model.class_names, "one a class; [] where nothing names them");
  f("input", model.input, at_least(1), "channels, height, width, or the sizes of a row; []: not said");
  f("normalization", model.normalization, "the network takes (scale x - mean) / std of pixels x in [0,1]");
  f.unless_empty("notes", model.notes, "the FILE.toml beside the model that was read");
  f.unless_empty("confinement", model.confinement,
                 "of a TorchScript or ONNX model: seccomp: a separate process that can only compute; none: "
                 "--trust; null: another kind of file");
  f("layers", model.layers,
    "what holds weights, of a graph every operator, of a file that does not say its architecture every "
    "tensor");
  f("cost", model.cost, "seconds, measured; null: not measured, or the input is not known");
  f("n", model.n, "labelled images");
  measured(f, "accuracy", model.accuracy, share, "share of them predicted as their label; null without any");
  f("stochastic", model.stochastic,
    "null, or how the model answers differently in two passes of the same images");
}

void fields(Inspect& record, Fields& f) {
  common_fields(record, f);
  f("results", record.results, "one");
}

std::string fitting_text(const InspectedModel& model) {
  std::vector<std::string> names;
  for (const FittingArchitecture& fit : model.fitting) names.push_back(fit.architecture);
  if (names.empty()) return "names and shapes of no architecture here";
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{}{}{}'s names and shapes", fmt::join(names, "'s, "), names.empty() ? "" : "'s and ",
                     last);
}

bool is_unknown(const InspectedModel& model) {
  return model.architecture.empty() && model.format != "onnx" && model.format != "torchscript";
}

std::string headline_of(const Inspect& record) {
  const InspectedModel& model = record.results.at(0);
  if (is_unknown(model))
    return fmt::format("{} ({}) holds {} tensors of {} numbers: these are {}.",
                       printable(model.model, std::string::npos), model.format, count(model.layers.size()),
                       count(model.parameters), fitting_text(model));
  return fmt::format(
      "{} ({}{}) holds {} parameters{}{}.", printable(model.model, std::string::npos), model.format,
      model.architecture.empty() ? "" : ", " + model.architecture, count(model.parameters),
      model.input.empty() ? "" : fmt::format(", for images of {}", fmt::join(model.input, " x ")),
      model.classes ? fmt::format(", and tells {} classes apart", *model.classes) : "");
}

std::vector<std::string> findings_of(const Inspect& record) {
  const InspectedModel& model = record.results.at(0);
  std::vector<std::string> findings;
  if (model.accuracy.value)
    findings.push_back(fmt::format("Of {} images {} are predicted as their label.", count(model.n),
                                   value_words(model.accuracy, true)));
  if (model.cost)
    findings.push_back(
        fmt::format("A pass costs {:.3g} ms an image{}.", 1e3 * model.cost->forward_seconds,
                    model.cost->gradient_seconds
                        ? fmt::format(", {:.3g} ms with its gradient", 1e3 * *model.cost->gradient_seconds)
                        : ""));
  return findings;
}

}  // namespace leeway::record

#include "leeway/nn/io/load.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/io/content.h"
#include "leeway/io/npy.h"
#include "leeway/io/safetensors.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/io/clip.h"
#include "leeway/nn/io/model_notes.h"
#include "leeway/nn/io/onnx_file.h"
#include "leeway/nn/io/tensor_names.h"
#include "leeway/nn/io/weights.h"
#include "leeway/nn/model/architecture.h"
#include "leeway/nn/process/client.h"
#include "leeway/nn/process/confinement.h"

namespace leeway::nn {
namespace {

// "torchscript", "pt2", "onnx", "checkpoint", "safetensors" or "npz", by content (of a zip file: the names in the
// directory at its end); ONNX also by file name.
std::string format_of(const std::filesystem::path& path) {
  const std::string expected =
      "TorchScript, ONNX, .pt2, a PyTorch checkpoint, safetensors or npz of named tensors";
  const std::string name = display_name(path);
  const MappedFile file = map_file(path);
  const std::string_view text = file.text();
  if (text.empty()) refuse(name, expected, "an empty file");
  if (text.starts_with("PK")) {
    const std::string_view tail = text.substr(text.size() - std::min<std::size_t>(text.size(), 1 << 20));
    const auto has = [&](std::string_view part) { return tail.find(part) != std::string_view::npos; };
    if (!has({"PK\x05\x06", 4})) refuse(name, expected, "a truncated zip archive");
    if (has("constants.pkl")) return is_clip_archive(file) ? "checkpoint" : "torchscript";
    if (has("models/model.json") || has("serialized_exported_program.json")) return "pt2";
    if (has("data.pkl")) return "checkpoint";
    return has(".npy") ? "npz" : "torchscript";
  }
  if (is_legacy_checkpoint(file)) return "checkpoint";
  if (identify(file.bytes) != Content::safetensors &&
      (onnx::looks_like_onnx(file.bytes) || path.extension() == ".onnx"))
    return "onnx";
  if (text.substr(0, 64).find('{') != std::string_view::npos) return "safetensors";
  refuse(name, expected, "something else");
}

// Of at most 2000 tensors.
std::string similar_name(std::string_view name, const ArrayMap& tensors) {
  std::vector<std::string> names = array_names(tensors);
  names.resize(std::min<std::size_t>(names.size(), 2000));
  return did_you_mean(name, names);
}

constexpr std::size_t fitting_most_classes = 1 << 17, most_rows = 8;

// Images first: a matrix that takes 784 numbers takes pictures more often than rows of a table.
std::vector<InputShape> usual_inputs(const ArrayMap& tensors) {
  std::vector<InputShape> inputs;
  for (const std::size_t side : {32, 28, 224, 64, 96, 128})
    for (const std::size_t channels : {3, 1, 4}) inputs.push_back({channels, side, side});
  std::size_t matrices = 0;
  for (const auto& [name, array] : tensors)
    if (array.shape.size() == 2 && array.shape[1] > 0 && matrices++ < most_rows)
      inputs.push_back({.channels = array.shape[1], .height = 1, .width = 1, .rank = 2});
  return inputs;
}

// Nothing where the architecture takes no such input.
std::shared_ptr<Network> network_for(const Architecture& architecture, const InputShape& input,
                                     std::size_t classes) {
  try {
    return make_network(architecture, input, classes, 1);
  } catch (const Error&) {
    return nullptr;
  }
}

std::optional<FittingArchitecture> fit_of(const Architecture& architecture, const ArrayMap& given,
                                          std::span<const InputShape> inputs) {
  const ArrayMap tensors = without_prefixes(given, architecture.output);
  const auto output = tensors.find(std::string(architecture.output));
  if (output == tensors.end() || output->second.shape.empty()) return std::nullopt;
  const std::size_t classes = output->second.shape[0];
  if (classes == 0 || classes > fitting_most_classes) return std::nullopt;
  for (const InputShape& input : inputs) {
    const auto network = network_for(architecture, input, classes);
    if (!network) continue;
    const Fit fit = fit_of(tensors, *network);
    if (fit == Fit::whole) return FittingArchitecture{std::string(architecture.name), input, classes};
    if (fit == Fit::none) break;  // names do not depend on the input
  }
  return std::nullopt;
}

// Architectures that fit the tensors' names (without prefixes) and shapes; operations without tensors cannot
// be checked. Classes: outputs of the last layer. Inputs tried: the given one, else images of 3, 1 and 4
// channels with usual sides, and rows as wide as a matrix takes. Cost: milliseconds per candidate.
std::vector<FittingArchitecture> fitting_architectures(const ArrayMap& tensors, const InputShape& input) {
  const std::vector<InputShape> inputs = input.known() ? std::vector{input} : usual_inputs(tensors);
  std::vector<FittingArchitecture> fitting;
  for (const Architecture& architecture : architectures())
    if (auto fit = fit_of(architecture, tensors, inputs)) fitting.push_back(*std::move(fit));
  return fitting;
}

// ": its tensors have the names and shapes of mlp", or nothing.
std::string fitting_text(const std::vector<FittingArchitecture>& fitting) {
  std::vector<std::string> names;
  for (const FittingArchitecture& one : fitting) names.push_back(one.name);
  return names.empty() ? ""
                       : fmt::format(": its tensors have the names and shapes of {}", fmt::join(names, ", "));
}

// The architecture of a file's tensors, which become those of that network alone.
Architecture architecture_of(ModelInfo& info, ArrayMap& tensors, const ClipTexts& texts) {
  if (holds_clip(tensors)) return take_clip(info, tensors, texts);
  if (info.architecture.empty())
    refuse(display_name(info.path), "the name of its architecture (--arch)",
           "a file without one" + fitting_text(fitting_architectures(tensors, info.input)));
  tensors = without_prefixes(std::move(tensors), architecture(info.architecture).output);
  return architecture_for(info.architecture, tensors);
}

std::unique_ptr<Model> load_named_tensors(ModelInfo info, ArrayMap tensors, const ClipTexts& texts,
                                          torch::Device device) {
  const std::string name = display_name(info.path);
  const Architecture wanted = architecture_of(info, tensors, texts);
  if (!info.input.known()) refuse(name, "a known input shape", "a file without one");
  const auto output = tensors.find(std::string(wanted.output));
  const bool layered = wanted.output.find('.') != std::string_view::npos;  // any layer begins as linear does
  if (const auto starts = names_before(tensors, wanted.output);
      layered && output == tensors.end() && !starts.empty())
    refuse(name, "the tensors of one network (save the state_dict() of that network alone)",
           fmt::format("{} tensors of several networks: {} look{} like {}", tensors.size(),
                       comma_list(starts), starts.size() == 1 ? "s" : "", wanted.name));
  if (output == tensors.end() || output->second.shape.empty())
    refuse(name, fmt::format("a tensor {} of architecture {}", wanted.output, wanted.name),
           fmt::format("none among its {} tensors{}", tensors.size(), similar_name(wanted.output, tensors)));
  const std::size_t outputs = output->second.shape[0];
  if (outputs != 1) info.binary = Binary::refuse;
  const bool single = info.binary != Binary::refuse;
  if (outputs == 1 && !single)
    refuse(name, "at least two classes (for the positive class of two: --binary logit or --binary prob)",
           fmt::format("a tensor {} of one output", wanted.output));
  take_classes(info, single ? 2 : outputs);
  if (!info.class_names.empty() && info.class_names.size() != info.classes)
    refuse(name, fmt::format("{} names in its metadata \"class_names\"", info.classes),
           std::to_string(info.class_names.size()));
  check_normalization(info.normalization, name, info.input.channels);
  const std::shared_ptr<Network> network = make_network(wanted, info.input, outputs, single ? 1 : 2);
  copy_weights(tensors, *network, name);
  info.parameters = count_weights(*network);
  return make_model(std::move(info), network, device);
}

// What a file says, its notes and its source in the order in which they count; tensors where it has them.
struct FileContent {
  ModelInfo info;
  ArrayMap tensors;
  ClipTexts texts;
};

bool is_program(const std::string& format) {
  return format == "torchscript" || format == "onnx" || format == "pt2";
}

NamedTensors read_as(const std::string& format, const std::filesystem::path& path) {
  NamedTensors file;
  if (format == "safetensors")
    file = {read_safetensors(path), {}};
  else
    file = format == "npz" ? NamedTensors{{read_npz(path), {}}, {}} : read_checkpoint(path);
  take_buffers(file);
  return file;
}

FileContent read_file(const ModelSource& source) {
  ModelInfo info;
  info.path = source.path.string();
  info.format = format_of(source.path);
  const ModelNotes notes = notes_beside(source.path);
  info.notes_file = notes.path;
  ArrayMap tensors;
  if (is_program(info.format)) {
    if (!source.architecture.empty() || !notes.architecture.empty())
      refuse(display_name(info.path), "named tensors, for an architecture",
             words_for_format(info.format) + ", which has its own");
  } else {
    info.architecture = source.architecture.empty() ? notes.architecture : source.architecture;
    NamedTensors content = read_as(info.format, source.path);
    if (info.architecture.starts_with("clip-") || holds_clip(content.tensors))
      info.normalization = clip_normalization();
    if (!content.metadata.empty()) info = with_metadata(std::move(info), content.metadata);
    tensors = std::move(content.tensors);
    if (!content.note.empty()) info.notes.push_back(std::move(content.note));
  }
  if (notes.input.known()) info.input = notes.input;
  if (!info.input.known() && !is_program(info.format)) info.input = source.input;
  for (const auto* const from : {&notes.scale, &source.scale})
    if (*from) info.normalization.scale = **from;
  for (const auto* const from : {&notes.mean, &source.mean})
    if (*from) info.normalization.mean = **from;
  for (const auto* const from : {&notes.std, &source.std})
    if (*from) info.normalization.std = **from;
  if (!notes.class_names.empty()) info.class_names = notes.class_names;
  info.binary = source.binary;
  info.classes = notes.classes;
  if (!source.classes.empty()) info.class_names = source.classes, info.classes = source.classes.size();
  ClipTexts texts;
  for (const auto* const from : {&notes.templates, &source.templates})
    if (!from->empty()) texts.templates = *from;
  texts.vocabulary = source.vocabulary.empty() ? notes.vocabulary : source.vocabulary;
  return {std::move(info), std::move(tensors), std::move(texts)};
}

}  // namespace

std::string words_for_format(const std::string& format) {
  return format == "onnx" ? "ONNX" : format == "pt2" ? "a .pt2 archive" : "TorchScript";
}

LoadedProgram load_program(ModelInfo info, const InputShape& images, torch::Device device,
                           const std::function<void()>& before_running) {
  const auto load = info.format == "onnx" ? load_onnx : info.format == "pt2" ? load_pt2 : load_torchscript;
  return load(std::move(info), images, device, before_running);
}

void take_classes(ModelInfo& info, std::size_t found) {
  if (info.classes > 0 && info.classes != found)
    refuse(info.notes_file.empty() ? "classes" : display_name(info.notes_file),
           fmt::format("{} classes, as {} has", found, display_name(info.path)),
           std::to_string(info.classes));
  info.classes = found;
}

NamedTensors read_named_tensors(const std::filesystem::path& path) {
  const std::string format = format_of(path);
  if (is_program(format))
    refuse(display_name(path), "named tensors: a PyTorch checkpoint, safetensors or npz",
           words_for_format(format));
  return read_as(format, path);
}

std::optional<WeightsFile> unknown_weights(const ModelSource& source) {
  FileContent content = read_file(source);
  if (is_program(content.info.format) || !content.info.architecture.empty() || holds_clip(content.tensors))
    return std::nullopt;
  WeightsFile file{std::move(content.info), fitting_architectures(content.tensors, content.info.input)};
  for (const auto& [name, array] : content.tensors) {
    file.info.layers.push_back({name, std::string(name_of(array.type)), array.shape_text(), array.size()});
    file.info.parameters += array.size();
  }
  return file;
}

// A program, in a process of its own unless it is trusted.
static LoadedProgram load_as_asked(ModelInfo info, const ModelSource& source, torch::Device device) {
  const std::string name = display_name(info.path);
  check_normalization(info.normalization, name, info.input.channels);
  if (source.trust) {
    LoadedProgram program = load_program(std::move(info), source.input, device, [] {});
    program.info.confinement = "none";
    return program;
  }
  if (!device.is_cpu())
    throw Error(fmt::format(
        "{}: programs (TorchScript, ONNX, .pt2) run confined on the CPU only; --trust runs the model on {}",
        name, source.device));
  if (const std::string reason = why_not_confined(); !reason.empty())
    throw Error(fmt::format(
        "{}: this machine cannot confine programs (TorchScript, ONNX, .pt2): {}; --trust runs the "
        "model without confinement",
        name, reason));
  return load_confined(std::move(info), source.input);
}

std::unique_ptr<Model> load_model(const ModelSource& source) {
  const torch::Device device = device_from_name(source.device);
  FileContent file = read_file(source);
  if (!is_program(file.info.format))
    return load_named_tensors(std::move(file.info), std::move(file.tensors), file.texts, device);
  LoadedProgram program = load_as_asked(std::move(file.info), source, device);
  return make_model(std::move(program.info), std::move(program.forward), nullptr, device);
}

}  // namespace leeway::nn

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "leeway/core/error.h"
#include "leeway/core/message.h"
#include "leeway/nn/detail/binary.h"
#include "leeway/nn/detail/shards.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/detail/torch_model.h"
#include "leeway/nn/io/load.h"
#include "leeway/nn/io/onnx_file.h"
#include "leeway/nn/io/onnx_head.h"
#include "leeway/nn/onnx/program.h"
#include "leeway/nn/onnx/rows.h"

namespace leeway::nn {
namespace {

// How images (n,c,h,w) become what the graph takes.
struct OnnxInput {
  std::int64_t batch = 0;  // 0: left open
  torch::ScalarType type = torch::kFloat32;
  InputShape images;           // unknown where a size is left open
  bool channels_last = false;  // (n,h,w,c)
  bool flat = false;           // (n,d)
  std::int64_t width = 0;      // d of a flat input; 0: left open
};

torch::ScalarType input_type(const onnx::Value& value, const std::string& name) {
  if (value.type == "float64") return torch::kFloat64;
  if (value.type.empty() || value.type == "float32" || value.type == "float16" || value.type == "bfloat16")
    return torch::kFloat32;
  refuse(name, fmt::format("an input {} of real numbers, which have gradients", in_quotes(value.name)),
         value.type);
}

// Shapes that end in 1, 3 or 4 and do not begin with channels like that are (n,h,w,c), as TensorFlow's exports are.
bool ends_in_channels(const std::vector<std::int64_t>& shape) {
  const auto few = [](std::int64_t size) { return size == 1 || size == 3 || size == 4; };
  return few(shape[3]) && shape[1] != onnx::any_size && !few(shape[1]);
}

OnnxInput describe_input(const onnx::Graph& graph, const std::string& name) {
  if (graph.inputs.size() != 1)
    refuse(name, "a model with one input", fmt::format("{} inputs", graph.inputs.size()));
  const onnx::Value& value = graph.inputs.front();
  OnnxInput input;
  input.type = input_type(value, name);
  if (!value.shape) return input;
  const std::vector<std::int64_t>& shape = *value.shape;
  if (shape.size() != 4 && shape.size() != 2)
    refuse(name, "an input of shape (n,c,h,w), (n,h,w,c) or (n,d)",
           fmt::format("{} dimensions", shape.size()));
  input.batch = shape[0] == onnx::any_size ? 0 : shape[0];
  if (shape.size() == 2) {
    input.flat = true;
    input.width = shape[1] == onnx::any_size ? 0 : shape[1];
    return input;
  }
  input.channels_last = ends_in_channels(shape);
  const auto size = [&](std::size_t d) {
    return shape[d] == onnx::any_size ? std::size_t{0} : static_cast<std::size_t>(shape[d]);
  };
  const InputShape images =
      input.channels_last ? InputShape{size(3), size(1), size(2)} : InputShape{size(1), size(2), size(3)};
  if (images.known()) input.images = images;
  return input;
}

torch::Tensor as_taken(const torch::Tensor& images, const OnnxInput& input) {
  const torch::Tensor x = images.to(input.type);
  if (input.flat) return x.flatten(1);
  return input.channels_last ? x.permute({0, 2, 3, 1}) : x;
}

// Batch statistics make rows depend on each other.
void refuse_training_form(const onnx::Graph& graph, const std::string& name) {
  for (const onnx::Node& node : graph.nodes) {
    const auto mode = node.attributes.find("training_mode");
    if (mode == node.attributes.end()) continue;
    const auto* const value = std::get_if<std::int64_t>(&mode->second);
    if (value != nullptr && *value != 0)
      refuse(onnx::place_of(node, graph.opset, name), "a model exported for prediction", "training_mode 1");
  }
}

void check_opset(const onnx::Graph& graph, const std::string& name) {
  if (graph.opset > onnx::newest_opset)
    refuse(name, fmt::format("opset 6 to {} (exporters take the number as an option)", onnx::newest_opset),
           fmt::format("opset {}", graph.opset));
}

// What the notes beside the file say must not contradict it.
void take_input(ModelInfo& info, const OnnxInput& input, const InputShape& given) {
  if (info.input.known() && input.images.known() && info.input != input.images)
    refuse(display_name(info.notes_file),
           fmt::format("input {}, which {} takes", text_of(input.images), display_name(info.path)),
           text_of(info.input));
  if (input.images.known()) info.input = input.images;
  if (!info.input.known() && input.flat && given.pixels() == static_cast<std::size_t>(input.width))
    info.input = given;
}

std::vector<Layer> layers_of(const onnx::Graph& graph) {
  std::vector<Layer> layers;
  for (const onnx::Node& node : graph.nodes) {
    Layer layer{
        node.name.empty() && !node.outputs.empty() ? node.outputs.front() : node.name, node.op, {}, 0};
    for (const std::string& input : node.inputs)
      if (const auto found = graph.initializers.find(input); found != graph.initializers.end()) {
        if (layer.shape.empty() && found->second.shape.size() > 1) layer.shape = found->second.shape_text();
        layer.parameters += found->second.size();
      }
    layers.push_back(std::move(layer));
  }
  return layers;
}

}  // namespace

std::unique_ptr<Model> load_onnx(ModelInfo info, const InputShape& given, torch::Device device) {
  const std::string name = display_name(info.path);
  const onnx::Graph graph = onnx::read_onnx(info.path);
  check_opset(graph, name);
  refuse_training_form(graph, name);
  const OnnxInput input = describe_input(graph, name);
  const onnx::Head head = onnx::find_head(graph, name, info.binary);
  if (head.logit_of_sigmoid) info.binary = Binary::logit;
  info.notes.insert(info.notes.end(), head.notes.begin(), head.notes.end());
  std::vector<std::string> outputs{head.logits};
  if (!head.features.empty()) outputs.push_back(head.features);
  const auto program = std::make_shared<const onnx::Program>(graph, outputs, name, device);
  info.parameters = program->parameters();
  info.layers = layers_of(graph);
  take_input(info, input, given);
  check_normalization(info.normalization, name, info.input.channels);
  const auto runner = std::make_shared<const onnx::RowRunner>(program, outputs.size() > 1, input.batch,
                                                              info.normalization.scale);
  const auto run = [runner, input](const torch::Tensor& images) {
    Forward result = (*runner)(as_taken(images, input));
    result.logits = result.logits.to(torch::kFloat32);
    return result;
  };
  if (info.input.known()) {  // otherwise the first images say what there is to check
    const torch::NoGradGuard no_grad;
    const TorchThreads one(1);
    const auto size = [](std::size_t pixels) { return static_cast<std::int64_t>(pixels); };
    const torch::Tensor image =
        torch::zeros({1, size(info.input.channels), size(info.input.height), size(info.input.width)})
            .to(device);
    try {
      if (!runner->goes_together(as_taken(image, input)))
        info.notes.push_back(fmt::format("{} does not take several rows at once: it runs {} at a time", name,
                                         std::max<std::int64_t>(input.batch, 1)));
      const torch::Tensor logits = run(image).logits;
      const bool single = is_single_output(logits, 1);
      if (single && info.binary != Binary::refuse) take_classes(info, 2);
      if (!single && logits.dim() == 2) take_classes(info, static_cast<std::size_t>(logits.size(1)));
    } catch (const Error&) {
      throw;
    } catch (const std::exception& failure) {
      refuse(name, fmt::format("a model for images of shape {}", text_of(info.input)),
             "\"" + printable(first_line(failure), 300) + "\"");
    }
  }
  return make_model(std::move(info), run, nullptr, device);
}

}  // namespace leeway::nn

#include "leeway/nn/io/graph_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/message.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/detail/torch_model.h"
#include "leeway/nn/io/onnx_head.h"

namespace leeway::nn {
namespace {

// How images (n,c,h,w) become what the graph takes.
struct GraphInput {
  std::int64_t batch = 0;  // 0: left open
  torch::ScalarType type = torch::kFloat32;
  InputShape images;  // unknown where a size is left open; of a flat input or a sequence in that form
  bool channels_last = false;  // (n,h,w,c)
  std::size_t rank = 4;        // 2: (n,d); 3: (n,a,b)
  bool any_rank = false;       // the file does not say
};

// Whole numbers, too: such a graph has no gradients.
torch::ScalarType input_type(const onnx::Value& value, const std::string& name) {
  struct Known {
    std::string_view name;
    torch::ScalarType type;
  };
  constexpr Known known[] = {
      {"", torch::kFloat32},         {"float32", torch::kFloat32}, {"float16", torch::kFloat32},
      {"bfloat16", torch::kFloat32}, {"float64", torch::kFloat64}, {"uint8", torch::kUInt8},
      {"int8", torch::kInt8},        {"int32", torch::kInt32},     {"int64", torch::kInt64}};
  const auto* const found = std::ranges::find(known, std::string_view(value.type), &Known::name);
  if (found == std::end(known))
    refuse(name, fmt::format("an input {} of numbers", in_quotes(value.name)), value.type);
  return found->type;
}

// Shapes that end in 1, 3 or 4 and do not begin with channels like that are (n,h,w,c), as TensorFlow's exports are.
bool ends_in_channels(const std::vector<std::int64_t>& shape) {
  const auto few = [](std::int64_t size) { return size == 1 || size == 3 || size == 4; };
  return few(shape[3]) && shape[1] != onnx::any_size && !few(shape[1]);
}

GraphInput describe_input(const onnx::Graph& graph, const std::string& name) {
  if (graph.inputs.size() != 1)
    refuse(name, "a model with one input", fmt::format("{} inputs", graph.inputs.size()));
  const onnx::Value& value = graph.inputs.front();
  GraphInput input;
  input.type = input_type(value, name);
  input.any_rank = !value.shape;
  if (!value.shape) return input;
  const std::vector<std::int64_t>& shape = *value.shape;
  if (shape.size() < 2 || shape.size() > 4)
    refuse(name, "an input of shape (n,c,h,w), (n,h,w,c), (n,h,w) or (n,d)",
           fmt::format("{} dimensions", shape.size()));
  input.batch = shape[0] == onnx::any_size ? 0 : shape[0];
  input.rank = shape.size();
  input.channels_last = shape.size() == 4 && ends_in_channels(shape);
  const auto size = [&](std::size_t d) {
    return shape[d] == onnx::any_size ? std::size_t{0} : static_cast<std::size_t>(shape[d]);
  };
  const InputShape images = input.rank == 2       ? InputShape{size(1), 1, 1, 2}
                            : input.rank == 3     ? InputShape{size(1), size(2), 1, 3}
                            : input.channels_last ? InputShape{size(3), size(1), size(2)}
                                                  : InputShape{size(1), size(2), size(3)};
  if (images.known()) input.images = images;
  return input;
}

torch::Tensor of_type(const torch::Tensor& x, torch::ScalarType type) {
  if (type == torch::kUInt8) return x.round().clamp(0, 255).to(type);
  if (type == torch::kInt8) return x.round().clamp(-128, 127).to(type);
  return isIntegralType(type, false) ? x.round().to(type) : x.to(type);
}

// `rank`: that of the images at hand. Of grey ones (n,1,h,w) a graph of sequences takes (n,h,w).
torch::Tensor as_taken(const torch::Tensor& images, const GraphInput& input, std::size_t rank) {
  const torch::Tensor x = of_type(images, input.type);
  if (input.any_rank) return of_rank(x, rank);
  if (input.rank == 2) return x.flatten(1);
  if (input.rank == 3) return rank == 4 && x.size(1) == 1 ? x.squeeze(1) : x.flatten(2);
  return input.channels_last ? x.permute({0, 2, 3, 1}) : x;
}

// What the notes beside the file say must not contradict it.
void take_input(ModelInfo& info, const GraphInput& input, const InputShape& given) {
  if (info.input.known() && input.images.known() && info.input != input.images)
    refuse(display_name(info.notes_file),
           fmt::format("input {}, which {} takes", text_of(input.images), display_name(info.path)),
           text_of(info.input));
  // flat rows are images, too, and sequences grey ones
  const bool as_images = input.rank < 4 && given.rank == 4 && given.pixels() == input.images.pixels() &&
                         (input.rank == 2 || given.channels == 1);
  if (input.images.known()) info.input = as_images ? given : input.images;
  if (!info.input.known()) info.input.rank = given.known() ? given.rank : input.rank;
}

// Of a graph that runs in groups of its own batch: what that costs, where shards are smaller.
std::string groups_note(std::int64_t batch) {
  const auto shard = static_cast<std::int64_t>(shard_rows);
  std::string text = fmt::format(" has a fixed batch size of {}", batch);
  if (batch > shard)
    text += fmt::format(
        ", so that every shard of {} rows costs as much as {} rows, a factor of {:.3g} (export it with a "
        "dynamic batch axis)",
        shard, batch, static_cast<double>(batch) / static_cast<double>(shard));
  return text;
}

bool has_no_gradients(const onnx::Graph& graph, const GraphInput& input) {
  const auto makes_whole_numbers = [](const onnx::Node& node) {
    return node.op == "QuantizeLinear" || node.op == "DynamicQuantizeLinear" || node.op == "MatMulInteger" ||
           node.op == "ConvInteger";
  };
  return isIntegralType(input.type, false) || std::ranges::any_of(graph.nodes, makes_whole_numbers);
}

}  // namespace

LoadedProgram make_graph_model(ModelInfo info, const onnx::Graph& graph, const InputShape& given,
                               torch::Device device, const PrepareGraph& prepare) {
  const std::string name = display_name(info.path);
  const GraphInput input = describe_input(graph, name);
  const onnx::Head head = onnx::find_head(graph, name, info.binary, info.classes);
  if (head.logit_of_sigmoid) info.binary = Binary::logit;
  info.notes.insert(info.notes.end(), head.notes.begin(), head.notes.end());
  std::vector<std::string> outputs{head.logits};
  if (!head.features.empty()) outputs.push_back(head.features);
  const onnx::RunGraph graph_run = prepare(outputs);
  take_input(info, input, given);
  if (input.type == torch::kUInt8 && info.input.rank == 4 && info.normalization == Normalization{}) {
    info.normalization.scale = 255;
    info.notes.push_back(fmt::format("{} expects bytes: pixels are 0 to 255 (--scale 255)", name));
  }
  if (has_no_gradients(graph, input))
    info.notes.push_back(fmt::format("{} computes with integers: it has outputs, but no gradients", name));
  check_normalization(info.normalization, name, info.input.channels);
  const auto runner = std::make_shared<const onnx::RowRunner>(graph_run, outputs.size() > 1, input.batch,
                                                              info.normalization.scale, name);
  const auto run = [runner, input, rank = info.input.rank](const torch::Tensor& images) {
    Forward result = (*runner)(as_taken(images, input, rank));
    result.logits = result.logits.to(torch::kFloat32);
    return result;
  };
  if (info.input.known()) {  // otherwise the first images say what there is to check
    const torch::NoGradGuard no_grad;
    const TorchThreads one(1);
    const torch::Tensor image = torch::zeros(sizes_of(1, info.input)).to(device);
    try {
      if (!runner->goes_together(as_taken(image, input, info.input.rank)))
        info.notes.push_back(name + groups_note(std::max<std::int64_t>(input.batch, 1)));
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
  return {std::move(info), run};
}

}  // namespace leeway::nn

#include "leeway/nn/model/architecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "leeway/core/message.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/model/heads.h"

namespace leeway::nn {

namespace {

// Batch and layer normalisation as they begin: weights 1, biases 0, statistics of nothing. Returns their parameters.
std::set<const void*> reset_normalization(torch::nn::Module& network) {
  std::set<const void*> parameters;
  const auto reset = [&](auto* layer) {
    if (layer == nullptr) return;
    layer->reset_parameters();
    for (const torch::Tensor& tensor : layer->parameters(false))
      parameters.insert(tensor.unsafeGetTensorImpl());
  };
  for (const auto& module : network.modules(false)) {
    reset(module->as<torch::nn::BatchNorm2d>());
    reset(module->as<torch::nn::BatchNorm1d>());
    reset(module->as<torch::nn::LayerNorm>());
  }
  return parameters;
}

// What is added to tokens (1,t,d) is no weight of a sum. Deviation .02: torchvision's for places.
bool is_embedding(const torch::Tensor& tensor) { return tensor.dim() == 3; }
constexpr double embedding_bound = .034641016;

// use(zeros of one image), without a trace in the network.
template <class Use>
void on_zeros(Network& network, const InputShape& input, const Use& use) {
  const torch::NoGradGuard no_grad;
  const bool training = network.is_training();
  network.eval();
  use(network.prepare(torch::zeros(sizes_of(1, input)).to(network.parameters().front().device())));
  network.train(training);
}

}  // namespace

Forward Network::forward(const torch::Tensor& x) {
  torch::Tensor maps = x;
  for (std::size_t i = 0; i < stages(); ++i) maps = stage(i, maps);
  return finish(maps);
}

torch::Tensor Network::stage(std::size_t /*number*/, const torch::Tensor& /*maps*/) {
  throw std::logic_error("a network without stages");
}

Forward Network::finish(const torch::Tensor& /*maps*/) { throw std::logic_error("a network without stages"); }

Network::Linearized Network::linearize(const torch::Tensor& /*x*/) { return {}; }

// Each is defined in the file of its kind.
Architecture linear(), mlp(), small_cnn(), small_cnn_bn(), defended_cnn(), preact_resnet18(), wrn_28_10(),
    densenet121();
std::vector<Architecture> small_resnets(), silu_wide_resnets(), large_resnets(), vision_transformers(),
    clips();

std::span<const Architecture> architectures() {
  static const std::vector<Architecture> list = [] {
    std::vector<Architecture> all{linear(), mlp(), small_cnn(), small_cnn_bn(), defended_cnn()};
    const auto add = [&](const std::vector<Architecture>& more) {
      all.insert(all.end(), more.begin(), more.end());
    };
    add(small_resnets());
    add({preact_resnet18(), wrn_28_10()});
    add(silu_wide_resnets());
    add(large_resnets());
    add({densenet121()});
    add(vision_transformers());
    add(clips());
    return all;
  }();
  return list;
}

const Architecture& architecture(std::string_view name) {
  if (name.find(':') != std::string_view::npos) return headed(name);
  return find_member(architectures(), "architecture", name);
}

std::string last_layer(const Architecture& architecture) {
  return std::string(architecture.output.substr(0, architecture.output.rfind('.') + 1));
}

std::shared_ptr<Network> make_network(const Architecture& architecture, const InputShape& input,
                                      std::size_t classes, std::size_t least_classes) {
  const std::string name = fmt::format("architecture {}", architecture.name);
  if (input.channels == 0 || input.height < architecture.least_side || input.width < architecture.least_side)
    refuse(name, fmt::format("images of at least {0} x {0} pixels and one channel", architecture.least_side),
           text_of(input));
  const std::size_t step = architecture.side_step;
  if (input.height % step != 0 || input.width % step != 0)
    refuse(name, fmt::format("images whose height and width are multiples of {} pixels", step),
           text_of(input));
  if (classes < least_classes)
    refuse(name, fmt::format("at least {} classes", least_classes), std::to_string(classes));
  return architecture.make(input, static_cast<std::int64_t>(classes));
}

void initialize(torch::nn::Module& network, std::uint64_t seed, std::uint32_t purpose) {
  const torch::NoGradGuard no_grad;
  const std::set<const void*> normalizing = reset_normalization(network);
  std::uint64_t number = 0;
  double bound = 0;
  for (const auto& item : network.named_parameters()) {
    torch::Tensor tensor = item.value();
    if (normalizing.contains(tensor.unsafeGetTensorImpl())) continue;
    // A bias follows its weight and has the bound of it.
    if (is_embedding(tensor))
      bound = embedding_bound;
    else if (tensor.dim() > 1)
      bound = 1 / std::sqrt(static_cast<double>(tensor.numel() / tensor.size(0)));
    Random random(seed, purpose, number++);
    std::generate_n(tensor.data_ptr<float>(), tensor.numel(),
                    [&] { return static_cast<float>((2 * random.uniform() - 1) * bound); });
  }
  if (auto* const whole = network.as<Network>()) whole->initialize_own(seed);
}

std::vector<StageShape> stage_shapes(Network& network, const InputShape& input) {
  std::vector<StageShape> shapes;
  on_zeros(network, input, [&](torch::Tensor maps) {
    for (std::size_t i = 0; i < network.stages(); ++i) {
      maps = network.stage(i, maps);
      shapes.push_back({maps.size(1), maps.size(2), maps.size(3)});
    }
  });
  return shapes;
}

std::int64_t hidden_units(Network& network, const InputShape& input) {
  std::int64_t units = 0;
  on_zeros(network, input, [&](const torch::Tensor& x) {
    const Forward found = network.forward(x);
    if (found.features.defined()) units = found.features.size(1);
  });
  return units;
}

std::vector<Layer> layers_of(const Network& network) {
  std::vector<Layer> layers;
  for (const auto& module : network.named_modules()) {  // the network itself, too: its name is empty
    Layer layer{module.key().empty() ? "(network)" : module.key(), module.value()->name(), {}, 0};
    for (const auto& parameter : module.value()->named_parameters(false)) {
      if (parameter.key() == "weight") layer.shape = text_of(parameter.value().sizes());
      layer.parameters += static_cast<std::size_t>(parameter.value().numel());
    }
    layer.type = layer.type.substr(layer.type.rfind(':') + 1);  // torch::nn::Conv2dImpl
    if (layer.type.ends_with("Impl")) layer.type.resize(layer.type.size() - 4);
    if (layer.parameters > 0) layers.push_back(std::move(layer));
  }
  return layers;
}

std::size_t count_weights(const Network& network) {
  std::size_t count = 0;
  for (const torch::Tensor& tensor : network.parameters()) count += static_cast<std::size_t>(tensor.numel());
  return count;
}

}  // namespace leeway::nn

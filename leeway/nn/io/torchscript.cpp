#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/script.h>

#include <algorithm>

#include "leeway/core/message.h"
#include "leeway/nn/io/load.h"
#include "leeway/nn/model.h"
#include "leeway/nn/tensors.h"

namespace leeway::nn {
namespace {

Forward split(const torch::jit::IValue& value) {
  if (value.isTensor()) return {value.toTensor(), {}};
  if (value.isTuple()) {
    const auto& parts = value.toTupleRef().elements();
    if (parts.size() == 2 && parts[0].isTensor() && parts[1].isTensor())
      return {parts[0].toTensor(), parts[1].toTensor()};
  }
  throw std::runtime_error("it returns " + value.tagKind() + ", not logits or (logits, features)");
}

std::vector<Layer> layers_of(const torch::jit::Module& module) {
  std::vector<Layer> layers;
  for (const auto& part : module.named_modules()) {
    Layer layer{part.name, part.value.type()->name()->name(), {}, 0};
    for (const auto& parameter : part.value.named_parameters(/*recurse=*/false)) {
      if (parameter.name == "weight") layer.shape = text_of(parameter.value.sizes());
      layer.parameters += static_cast<std::size_t>(parameter.value.numel());
    }
    if (layer.parameters > 0) layers.push_back(std::move(layer));
  }
  return layers;
}

}  // namespace

std::unique_ptr<Model> load_torchscript(ModelInfo info) {
  const std::string name = display_name(info.path);
  torch::jit::Module module;
  try {
    module = torch::jit::load(info.path, torch::Device(torch::kCPU));
    module.eval();
  } catch (const std::exception& failure) {
    refuse(name, "a TorchScript file", "\"" + printable(first_line(failure), 200) + "\"");
  }
  std::optional<torch::ScalarType> type;
  for (torch::Tensor parameter : module.parameters()) {
    info.parameters += static_cast<std::size_t>(parameter.numel());
    parameter.requires_grad_(false);
    if (!type && parameter.is_floating_point()) type = parameter.scalar_type();
  }
  info.layers = layers_of(module);
  const auto run = [module, type = type.value_or(torch::kFloat32)](const torch::Tensor& x) mutable {
    const torch::jit::GraphOptimizerEnabledGuard plain(false);
    const Forward result = split(module.forward({x.to(type)}));
    return Forward{result.logits.to(torch::kFloat32), result.features};
  };
  // a copy a call: Module::forward is not const, though it changes nothing
  ForwardFunction forward = [run](const torch::Tensor& x) {
    auto own = run;
    return own(x);
  };
  return make_model(std::move(info), std::move(forward), nullptr);
}

}  // namespace leeway::nn

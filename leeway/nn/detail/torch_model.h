// A model that runs: normalization and forward pass, and all that the facade offers of it.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <memory>
#include <string>

#include "leeway/nn/model.h"
#include "leeway/nn/model/architecture.h"

namespace leeway::nn {

// Images in [0,1] to logits and features. Must be callable from several threads at once.
using ForwardFunction = std::function<Forward(const torch::Tensor& images)>;

// Images and classes (n,m) to logits and the gradients of those classes, as Network::jacobian.
using JacobianFunction =
    std::function<Network::Jacobian(const torch::Tensor& images, const torch::Tensor& classes)>;

// (scale x - mean) / std, then `network`; nothing where the normalization changes nothing.
[[nodiscard]] ForwardFunction normalized(const Normalization& normalization, ForwardFunction network);

// The network's own preparation of images, then its normalization, then the network.
[[nodiscard]] ForwardFunction forward_of(std::shared_ptr<Network> network,
                                         const Normalization& normalization);

// What the network's first layer gets in that.
[[nodiscard]] torch::Tensor network_input(Network& network, const Normalization& normalization,
                                          const torch::Tensor& images);

// Throws Error unless mean and std are empty or have one finite number a channel, and std and scale are
// positive.
void check_normalization(const Normalization& normalization, const std::string& name, std::size_t channels);

// Passes run on `device`, where the weights that `forward` uses stand. `forward` takes normalized images; `network` is null
// for TorchScript and ONNX, otherwise `forward` runs it. `training` of the info is saved with the weights.
[[nodiscard]] std::unique_ptr<Model> make_model(ModelInfo info, ForwardFunction forward,
                                                std::shared_ptr<Network> network,
                                                torch::Device device = torch::kCPU);

// The same for weights in memory: builds the forward function itself and moves the weights to `device`.
[[nodiscard]] std::unique_ptr<Model> make_model(ModelInfo info, std::shared_ptr<Network> network,
                                                torch::Device device = torch::kCPU);

}  // namespace leeway::nn

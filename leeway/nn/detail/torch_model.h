// A model that runs: normalization, forward pass and all functions of Model.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leeway/attack/geometry.h"
#include "leeway/core/classifier.h"
#include "leeway/nn/model.h"
#include "leeway/nn/model/architecture.h"

namespace leeway::nn {

// Images in [0,1] to logits and features. Must be callable from several threads at once.
using ForwardFunction = std::function<Forward(const torch::Tensor& images)>;

// Of images in [0,1], as Network::linearize.
using LinearizeFunction = std::function<Network::Linearized(const torch::Tensor& images)>;

// (scale x - mean) / std, then `network`; no extra step for an identity.
[[nodiscard]] ForwardFunction normalized(const Normalization& normalization, ForwardFunction network);

// The network's own preparation of images, then its normalization, then the network.
[[nodiscard]] ForwardFunction forward_of(std::shared_ptr<Network> network,
                                         const Normalization& normalization);

// scale images - mean, by std: of prepared images the input of a network's first layer in forward_of().
[[nodiscard]] torch::Tensor normalize(const Normalization& normalization, const torch::Tensor& images);

// Error unless mean and std are empty or one finite number per channel, and std and scale are positive.
void check_normalization(const Normalization& normalization, const std::string& name, std::size_t channels);

// Runs on `device`, which holds the weights of `forward`. `forward` takes normalized images. `network`, which
// it runs, is null for programs.
[[nodiscard]] std::unique_ptr<Model> make_model(ModelInfo info, ForwardFunction forward,
                                                std::shared_ptr<Network> network,
                                                torch::Device device = torch::kCPU);

[[nodiscard]] std::unique_ptr<Model> make_model(ModelInfo info, std::shared_ptr<Network> network,
                                                torch::Device device = torch::kCPU);

// A model as the functions that analyses ask. Runs on `device`; `forward` must outlive the result. `linearize`
// is empty (automatic differentiation) or takes several cotangents at once. Shards (tensors.h) depend on the
// number of rows alone: same bits for any number of threads. Gradients of some classes equal those among all
// within 1e-5 of the largest entry, unless rounding flips a relu: OpenBLAS's order of summation depends on
// batch size and row.
[[nodiscard]] Classifier make_classifier(ForwardFunction forward, LinearizeFunction linearize,
                                         const InputShape& input, std::size_t classes,
                                         torch::Device device = torch::kCPU);

// The same of a batch as a whole, by LibTorch's own threads: for training, whose layers look at the batch.
[[nodiscard]] Classifier batch_classifier(const ForwardFunction& forward, const torch::Tensor& batch,
                                          std::size_t classes);

// Images (n,c,h,w) as rows and back, into the shape and onto the device of `like`; a vector of classes.
[[nodiscard]] attack::Points points_of(const torch::Tensor& images);
[[nodiscard]] torch::Tensor images_of(const attack::Points& points, const torch::Tensor& like);
[[nodiscard]] std::vector<std::int64_t> values_of(const torch::Tensor& classes);

[[nodiscard]] std::vector<NamedNormalization> common_normalizations(std::size_t channels);
[[nodiscard]] Normalization clip_normalization();  // of CLIP's models, for RGB

// Model::other_normalization.
[[nodiscard]] std::optional<OtherNormalization> other_normalization(const Model& model, const Images& images);

}  // namespace leeway::nn

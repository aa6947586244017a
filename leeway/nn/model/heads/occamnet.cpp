#include "leeway/nn/model/heads/occamnet.h"

#include <algorithm>
#include <cmath>

#include "leeway/core/random.h"
#include "leeway/nn/model/layers.h"

namespace leeway::nn {

class OccamExit : public torch::nn::Module {
 public:
  OccamExit(std::int64_t maps, std::int64_t classes) {
    using torch::nn::Conv2dOptions;
    constexpr std::int64_t gate_units = 16;
    const std::int64_t inner = std::max<std::int64_t>(1, maps / 4);
    conv1_ = register_module("conv1", torch::nn::Conv2d(Conv2dOptions(maps, inner, 3).padding(1)));
    bn_ = register_module("bn", torch::nn::BatchNorm2d(inner));
    conv2_ = register_module("conv2", torch::nn::Conv2d(Conv2dOptions(inner, maps, 3).padding(1)));
    cam_ = register_module("cam", torch::nn::Conv2d(Conv2dOptions(maps, classes, 1)));
    gate_ = register_module(
        "gate", torch::nn::Sequential(torch::nn::Linear(maps, gate_units), torch::nn::BatchNorm1d(gate_units),
                                      torch::nn::ReLU(), torch::nn::Linear(gate_units, 1)));
  }
  // F
  torch::Tensor features(const torch::Tensor& maps) {
    return conv2_(normalized_relu(bn_, conv1_(maps))).relu_();
  }
  torch::Tensor cam(const torch::Tensor& features) { return cam_(features); }
  torch::Tensor gate(const torch::Tensor& features) {
    return gate_->forward(map_means(features.detach())).squeeze(1);
  }

 private:
  torch::nn::Conv2d conv1_{nullptr}, conv2_{nullptr}, cam_{nullptr};
  torch::nn::BatchNorm2d bn_{nullptr};
  torch::nn::Sequential gate_{nullptr};
};

OccamNet::OccamNet(const Backbone& on) : HeadedNetwork(on, 3), classes_(on.classes) {
  torch::nn::Module& all = group(*this, "exits");
  const std::vector<StageShape> shapes = stage_shapes(backbone(), on.input);
  for (std::size_t j = 1; j < shapes.size(); ++j)
    exits_.push_back(all.register_module(std::to_string(j - 1),
                                         std::make_shared<OccamExit>(shapes[j].channels, on.classes)));
}

std::vector<OccamNet::Exit> OccamNet::exits(const torch::Tensor& x) {
  std::vector<Exit> found;
  torch::Tensor maps = backbone().stage(0, x);
  for (std::size_t j = 0; j < exits_.size(); ++j) {
    maps = backbone().stage(j + 1, maps);
    const torch::Tensor features = exits_[j]->features(j == 0 ? maps.detach() : maps);
    const torch::Tensor cam = exits_[j]->cam(features);
    found.push_back({cam, map_means(cam), exits_[j]->gate(features)});
  }
  return found;
}

Forward OccamNet::forward(const torch::Tensor& x) {
  torch::Tensor maps = backbone().stage(1, backbone().stage(0, x)), logits, left;
  for (std::size_t j = 1; j < exits_.size(); ++j) {
    maps = backbone().stage(j + 1, maps);
    const torch::Tensor features = exits_[j]->features(maps), found = map_means(exits_[j]->cam(features));
    logits = logits.defined() ? torch::where(left, logits, found) : found;
    if (j + 1 == exits_.size()) break;
    const torch::Tensor leaves = (exits_[j]->gate(features) >= 0).unsqueeze(1);
    left = left.defined() ? left.logical_or(leaves) : leaves;
  }
  return {logits, {}};
}

// Convolutions of the exits, kernels k x k to c maps: N(0, 2 / (k^2 c)).
void OccamNet::initialize_own(std::uint64_t seed) {
  const torch::NoGradGuard no_grad;
  std::uint64_t number = 0;
  for (auto& item : named_parameters()) {
    torch::Tensor& tensor = item.value();
    if (!item.key().starts_with("exits.") || tensor.dim() != 4) continue;
    Random random(seed, stream("OccamNet weights"), number++);
    const double deviation =
        std::sqrt(2. / static_cast<double>(tensor.size(0) * tensor.size(2) * tensor.size(3)));
    std::generate_n(tensor.data_ptr<float>(), tensor.numel(),
                    [&] { return static_cast<float>(deviation * random.normal()); });
  }
}

HeadMember occamnet_head() {
  return {{"occamnet", "exits after each block; a row leaves at the first open gate",
           "Shrestha et al., ECCV 2022"},
          "exits.0.cam.bias",
          make_head<OccamNet>};
}

}  // namespace leeway::nn

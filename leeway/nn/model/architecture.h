// Architectures: networks whose weights come from a file of named tensors or from training. architecture.cpp
// lists the members, one file each. Parameter names are PyTorch's, so that its weights load here.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "leeway/core/family.h"
#include "leeway/core/random.h"
#include "leeway/nn/predictor.h"

namespace leeway::nn {

struct Forward {
  torch::Tensor logits;    // (n,k)
  torch::Tensor features;  // (n,d), the last hidden layer; undefined where there is none
};

class Network : public torch::nn::Module {
 public:
  // Preprocessing of images in [0,1] before normalization.
  [[nodiscard]] virtual torch::Tensor prepare(const torch::Tensor& images) { return images; }
  // x (n,c,h,w), prepared and normalized. Default: all stages, then finish().
  [[nodiscard]] virtual Forward forward(const torch::Tensor& x);

  // For convolutional networks: stage 0, the stem, takes x; other stages compute maps (n,c,h,w) from the
  // previous maps and do not modify those. finish() gives logits. 0: no stages.
  [[nodiscard]] virtual std::size_t stages() const { return 0; }
  [[nodiscard]] virtual torch::Tensor stage(std::size_t number, const torch::Tensor& maps);
  [[nodiscard]] virtual Forward finish(const torch::Tensor& maps);

  // Network-specific initialization; initialize() calls it last.
  virtual void initialize_own(std::uint64_t /*seed*/) {}

  // Logits (n,k), and the gradients (n,m,c,h,w) of cotangents (n,m,k) times logits by x. Networks that can take
  // several cotangents at once override it; no vjp: automatic differentiation, one after the other.
  struct Linearized {
    torch::Tensor logits;
    std::function<torch::Tensor(const torch::Tensor& cotangents)> vjp;
  };
  [[nodiscard]] virtual Linearized linearize(const torch::Tensor& x);
};

struct Architecture : Member {
  std::string_view output;  // the tensor whose first size is the number of classes
  std::size_t least_side;   // smallest height and width it takes
  std::function<std::shared_ptr<Network>(const InputShape& input, std::int64_t classes)>
      make;                   // with uninitialised weights
  std::size_t side_step = 1;  // height and width must be multiples of it
};

template <class Made>
std::shared_ptr<Network> made_as(const InputShape& input, std::int64_t classes) {
  return std::make_shared<Made>(input, classes);
}
template <class Made, class Plan>
auto made_by(const Plan& plan) {
  return [plan](const InputShape& input, std::int64_t classes) -> std::shared_ptr<Network> {
    return std::make_shared<Made>(plan, input, classes);
  };
}

// Prefix of the names of its last layer, e.g. "fc.".
[[nodiscard]] std::string last_layer(const Architecture& architecture);

[[nodiscard]] std::span<const Architecture> architectures();
// By name or "HEAD:BACKBONE" (heads.h). Error lists the known names.
[[nodiscard]] const Architecture& architecture(std::string_view name);

// make() with checks (Error); a network of two classes may have a single output (tensors.h).
[[nodiscard]] std::shared_ptr<Network> make_network(const Architecture& architecture, const InputShape& input,
                                                    std::size_t classes, std::size_t least_classes = 2);

// Initializes convolutions and linear layers from U(-1/sqrt(f), 1/sqrt(f)), f = inputs per output (PyTorch's
// default), batch and layer normalization with 1 and 0, embeddings (1,t,d) uniformly with deviation .02; then
// initialize_own. Depends on the seed alone, not on LibTorch's version. Other modules need another `purpose`.
void initialize(torch::nn::Module& network, std::uint64_t seed, std::uint32_t purpose = stream("weights"));

struct StageShape {
  std::int64_t channels = 0, height = 0, width = 0;
};
[[nodiscard]] std::vector<StageShape> stage_shapes(Network& network, const InputShape& input);

// Size of the last hidden layer; 0: none.
[[nodiscard]] std::int64_t hidden_units(Network& network, const InputShape& input);

// What holds weights, in the order of construction.
[[nodiscard]] std::vector<Layer> layers_of(const Network& network);

[[nodiscard]] std::size_t count_weights(const Network& network);

}  // namespace leeway::nn

// Architectures: networks whose weights come from a file of named tensors, or from training.
//
// A family: this header is its interface, architecture.cpp the visible list, and every member is one file.
// Parameter names are those of the network's PyTorch form, so that weights saved there load here.
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
  // What the network does to images in [0,1] before they are normalized.
  [[nodiscard]] virtual torch::Tensor prepare(const torch::Tensor& images) { return images; }
  // x (n,c,h,w), prepared and normalized. Of a network with stages: finish() of all of them, one after the other.
  [[nodiscard]] virtual Forward forward(const torch::Tensor& x);

  // Networks of convolutions: stage 0 is the stem, which takes x, the others are blocks; each makes maps (n,c,h,w) of those
  // before it and leaves them as they are. finish() makes logits of the last maps. 0: there are none.
  [[nodiscard]] virtual std::size_t stages() const { return 0; }
  [[nodiscard]] virtual torch::Tensor stage(std::size_t number, const torch::Tensor& maps);
  [[nodiscard]] virtual Forward finish(const torch::Tensor& maps);

  // What initialize() fills otherwise than it fills all weights; it calls this at its end.
  virtual void initialize_own(std::uint64_t /*seed*/) {}

  // Logits (n,k) and their gradients by x, those of classes (n,m): (n,m,c,h,w). A network that knows a way of taking many
  // classes through its layers at once overrides it; undefined: there is none, and automatic differentiation takes them one
  // after the other.
  struct Jacobian {
    torch::Tensor logits, gradients;
  };
  [[nodiscard]] virtual Jacobian jacobian(const torch::Tensor& x, const torch::Tensor& classes);
};

struct Architecture : Member {
  std::string_view output;  // the tensor whose first size is the number of classes
  std::size_t least_side;   // smallest height and width it takes
  std::function<std::shared_ptr<Network>(const InputShape& input, std::int64_t classes)>
      make;                   // with uninitialised weights
  std::size_t side_step = 1;  // height and width must be multiples of it
};

// How the names of its last layer begin: "fc.".
[[nodiscard]] std::string last_layer(const Architecture& architecture);

[[nodiscard]] std::span<const Architecture> architectures();
// By its name, or "HEAD:BACKBONE" (heads.h): Error that lists the names there are.
[[nodiscard]] const Architecture& architecture(std::string_view name);

// make() after checking `input` and `classes` (Error); a network of two classes may have a single output (binary.h).
[[nodiscard]] std::shared_ptr<Network> make_network(const Architecture& architecture, const InputShape& input,
                                                    std::size_t classes, std::size_t least_classes = 2);

// Fills weights and biases of convolutions and linear layers with U(-1/sqrt(f), 1/sqrt(f)), f = inputs of one
// output: PyTorch's default, but drawn by leeway::Random, so that they depend on the seed alone and not on
// LibTorch's version. Batch and layer normalisation begin with weights 1 and biases 0, embeddings (1,t,d) uniform with a
// deviation of .02; then Network::initialize_own. What is made beside a network for the same seed has another `purpose`.
void initialize(torch::nn::Module& network, std::uint64_t seed, std::uint32_t purpose = stream("weights"));

// What each stage makes of an image of that shape.
struct StageShape {
  std::int64_t channels = 0, height = 0, width = 0;
};
[[nodiscard]] std::vector<StageShape> stage_shapes(Network& network, const InputShape& input);

// Numbers of its last hidden layer; 0: it has none.
[[nodiscard]] std::int64_t hidden_units(Network& network, const InputShape& input);

// What holds weights, in the order of construction.
[[nodiscard]] std::vector<Layer> layers_of(const Network& network);

[[nodiscard]] std::size_t count_weights(const Network& network);

}  // namespace leeway::nn

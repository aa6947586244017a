// Layers that several architectures share.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>
#include <vector>

#include "leeway/nn/model/architecture.h"

namespace leeway::nn {

// Square, no bias, padded so that stride 1 keeps the size. `kernel` is odd.
[[nodiscard]] torch::nn::Conv2d convolution(std::int64_t from, std::int64_t to, std::int64_t kernel,
                                            std::int64_t stride = 1);

// relu(layer(x)), in place on the layer's output, which no gradient needs.
[[nodiscard]] torch::Tensor normalized_relu(torch::nn::BatchNorm2d& layer, const torch::Tensor& x);

// (n,c,h,w) to (n,c): the mean of each map.
[[nodiscard]] torch::Tensor map_means(const torch::Tensor& maps);

// An empty module called `name` within `owner`, for names with dots.
torch::nn::Module& group(torch::nn::Module& owner, const std::string& name);

// The first convolution of a network, with faster gradients by its input.
//
// oneDNN pads few input channels to a whole vector: with 1 channel, 16 times the work. A transposed
// convolution takes 1/4 of the time with 1 channel, 2/3 with 2, 3/4 with 3 (4x4 kernels, 16 maps). Values and
// weight gradients are the layer's own; everything is differentiable again.

// layer(x) for a plain convolution: zero padding, one group, no dilation.
[[nodiscard]] torch::Tensor input_convolution(torch::nn::Conv2d& layer, const torch::Tensor& x);

// The gradient by x (n,c,h,w), given the one by layer(x) (n,maps,rows,columns); CPU, float32.
[[nodiscard]] torch::Tensor input_convolution_backward(const torch::nn::Conv2d& layer,
                                                       const torch::Tensor& gradient,
                                                       torch::IntArrayRef input);

// Convolution, stages, mean of each map (the features), linear layer.
class StagedNetwork : public Network {
 public:
  [[nodiscard]] std::size_t stages() const override { return 1 + layers_.size(); }
  torch::Tensor stage(std::size_t number, const torch::Tensor& maps) override {
    return number > 0 ? layers_[number - 1]->forward(maps) : behind_first(input_convolution(conv1_, maps));
  }
  Forward finish(const torch::Tensor& maps) override {
    const torch::Tensor features = map_means(behind_last(maps));
    return {last_(features), features};
  }

 protected:
  // Layers between the convolution and the first stage, and between the last stage and the means.
  [[nodiscard]] virtual torch::Tensor behind_first(const torch::Tensor& maps) { return maps; }
  [[nodiscard]] virtual torch::Tensor behind_last(const torch::Tensor& maps) { return maps; }

  torch::nn::Conv2d conv1_{nullptr};
  std::vector<torch::nn::Sequential> layers_;
  torch::nn::Linear last_{nullptr};
};

// Residual networks (resnet.cpp). torchvision's stem is a 7x7 convolution and a maximum, both stride 2; those for
// small images have a 3x3 convolution of stride 1 and some other names.
struct ResnetPlan {
  std::vector<int> blocks;  // in each stage
  bool bottleneck = false, small_images = false;
  std::int64_t first_maps = 64;  // of the first stage
  bool option_a = false;         // shortcuts without weights (He et al., CVPR 2016, section 3.3)

  [[nodiscard]] const char* shortcut() const { return small_images ? "shortcut" : "downsample"; }
  [[nodiscard]] const char* last() const { return small_images ? "linear" : "fc"; }
  [[nodiscard]] std::int64_t outputs(std::int64_t maps) const { return bottleneck ? 4 * maps : maps; }
};
[[nodiscard]] Architecture residual_network(const ResnetPlan& plan, const Member& member,
                                            std::size_t least_side);

// Residual networks that normalize before each convolution (wide_resnet.cpp).
struct PreactivationPlan {
  int stages, blocks;             // blocks in each stage
  std::int64_t first_maps, maps;  // of the first convolution and of the first stage
  bool wide = false;
};
[[nodiscard]] Architecture preactivation_network(const PreactivationPlan& plan, const Member& member,
                                                 std::string_view output, std::size_t least_side);

// The reverse sigmoid: perturbs probabilities to hinder model stealing (Lee et al., 2018, arXiv 1806.00054,
// equation 3).
//
//   r_j = beta (sigmoid(gamma logit(y_j)) - 1/2),   y'_j = (y_j - r_j) / sum_i (y_i - r_i)
//
// As in the Adversarial Robustness Toolbox: y within the logit is kept 1e-9 away from 0 and 1, y - r in
// [0,1], beta = 1, gamma = .1. Then y - r >= .11 and a class of probability 0 gets .39 before the sum:
// confidence is low, and with many classes a weak winner may lose.

// (n,k) to (n,k), in float64: in float32, y rounds to 1 too early.
[[nodiscard]] torch::Tensor reverse_sigmoid(const torch::Tensor& probabilities);

// Blocks of transformers: attention and a hidden layer, each after a layer normalization and added to what came in.

struct BlockShape {
  std::int64_t width, heads, hidden;
  double eps;                            // of the layer normalizations
  bool quick = false;                    // x sigmoid(1.702 x) in place of GELU
  std::string attention, first, second;  // names: of the attention, of both layers within "mlp"
};

// softmax(q k' / sqrt(d)) v per head, then a linear layer. One layer for q, k, v, as in
// nn.MultiheadAttention.
class Attention : public torch::nn::Module {
 public:
  Attention(std::int64_t width, std::int64_t heads);
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& x);  // (n,t,width) to the same

 private:
  std::int64_t heads_;
  torch::Tensor weight_, bias_;
  torch::nn::Linear out_proj_{nullptr};
};

// x + attention(ln(x)), then x + mlp(ln(x)).
class TransformerBlock : public torch::nn::Module {
 public:
  explicit TransformerBlock(const BlockShape& shape);
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& x);  // (n,t,width) to the same

 private:
  bool quick_;
  torch::nn::LayerNorm ln_1_{nullptr}, ln_2_{nullptr};
  std::shared_ptr<Attention> attention_;
  torch::nn::Linear first_{nullptr}, second_{nullptr};
};

[[nodiscard]] torch::nn::LayerNorm layer_norm(std::int64_t width, double eps);

// (n,width,h,w) patches to (n,1+hw,width) tokens: `first` (1,1,width), then the patches by rows, plus
// `positions` (1+hw,width), with or without a leading 1.
[[nodiscard]] torch::Tensor tokens_of(const torch::Tensor& patches, const torch::Tensor& first,
                                      const torch::Tensor& positions);

}  // namespace leeway::nn

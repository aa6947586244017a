// Transformers: pre-normalized blocks of self-attention and a two-layer perceptron, and what vision
// transformers share.
#pragma once

#include <torch/torch.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "leeway/nn/model/architecture.h"
#include "leeway/nn/model/layers.h"

namespace leeway::nn {

struct TransformerPlan {
  std::int64_t patch, width, heads, hidden;
  std::int64_t layers;
  double eps;                            // of the layer normalizations
  bool quick = false;                    // x sigmoid(1.702 x) in place of GELU
  std::string attention, first, second;  // names: of the attention, of both layers within "mlp"
  bool causal = false;
};

[[nodiscard]] inline torch::nn::LayerNorm layer_norm(const TransformerPlan& plan) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({plan.width}).eps(plan.eps));
}

// softmax(q k' / sqrt(d)) v per head, then a linear layer; (n,t,width) to the same. One layer for q, k, v, as in
// nn.MultiheadAttention. causal: a token attends to itself and to those before it.
class Attention : public torch::nn::Module {
 public:
  Attention(std::int64_t width, std::int64_t heads, bool causal) : heads_(heads), causal_(causal) {
    weight_ = register_parameter("in_proj_weight", torch::empty({3 * width, width}));
    bias_ = register_parameter("in_proj_bias", torch::empty({3 * width}));
    out_proj_ = register_module("out_proj", torch::nn::Linear(width, width));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    const std::int64_t n = x.size(0), t = x.size(1), width = x.size(2), each = width / heads_;
    const std::vector<torch::Tensor> parts = torch::nn::functional::linear(x, weight_, bias_)
                                                 .view({n, t, 3, heads_, each})
                                                 .permute({2, 0, 3, 1, 4})
                                                 .unbind(0);  // q, k, v: (n,heads,t,each)
    const torch::Tensor q = parts[0] / std::sqrt(static_cast<double>(each));
    torch::Tensor scores = torch::matmul(q, parts[1].transpose(2, 3));
    if (causal_) scores = scores + torch::full({t, t}, -INFINITY, scores.options()).triu(1);
    return out_proj_(torch::matmul(scores.softmax(3), parts[2]).transpose(1, 2).reshape({n, t, width}));
  }

 private:
  std::int64_t heads_;
  bool causal_;
  torch::Tensor weight_, bias_;
  torch::nn::Linear out_proj_{nullptr};
};

// x + attention(ln(x)), then x + mlp(ln(x)); (n,t,width) to the same.
class TransformerBlock : public torch::nn::Module {
 public:
  explicit TransformerBlock(const TransformerPlan& plan) : quick_(plan.quick) {
    ln_1_ = register_module("ln_1", layer_norm(plan));
    attention_ =
        register_module(plan.attention, std::make_shared<Attention>(plan.width, plan.heads, plan.causal));
    ln_2_ = register_module("ln_2", layer_norm(plan));
    torch::nn::Module& mlp = group(*this, "mlp");
    first_ = mlp.register_module(plan.first, torch::nn::Linear(plan.width, plan.hidden));
    second_ = mlp.register_module(plan.second, torch::nn::Linear(plan.hidden, plan.width));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor attended = x + attention_->forward(ln_1_(x));
    const torch::Tensor hidden = first_(ln_2_(attended));
    return attended + second_(quick_ ? hidden * torch::sigmoid(1.702 * hidden) : torch::gelu(hidden));
  }

 private:
  bool quick_;
  torch::nn::LayerNorm ln_1_{nullptr}, ln_2_{nullptr};
  std::shared_ptr<Attention> attention_;
  torch::nn::Linear first_{nullptr}, second_{nullptr};
};

using TransformerBlocks = std::vector<std::shared_ptr<TransformerBlock>>;

[[nodiscard]] inline TransformerBlocks transformer_blocks(torch::nn::Module& owner, const std::string& prefix,
                                                          const TransformerPlan& plan) {
  TransformerBlocks blocks;
  for (std::int64_t i = 0; i < plan.layers; ++i)
    blocks.push_back(
        owner.register_module(prefix + std::to_string(i), std::make_shared<TransformerBlock>(plan)));
  return blocks;
}

// A linear layer on what the class token became; the number of patches is fixed by the positions.
class Transformer : public Network {
 public:
  Forward forward(const torch::Tensor& x) override {
    const torch::Tensor patches = input_convolution(patches_, x).flatten(2).transpose(1, 2);  // by rows
    torch::Tensor tokens =
        torch::cat({class_token_.view({1, 1, -1}).expand({x.size(0), 1, -1}), patches}, 1) + positions_;
    if (ln_before_) tokens = ln_before_(tokens);
    for (const auto& block : blocks_) tokens = block->forward(tokens);
    const torch::Tensor features = features_of(ln_(tokens.select(1, 0)));
    return {head_(features), features};
  }

 protected:
  [[nodiscard]] virtual torch::Tensor features_of(const torch::Tensor& seen) { return seen; }

  static torch::nn::Conv2d patch_embedding(const TransformerPlan& plan, const InputShape& input, bool bias) {
    const auto channels = static_cast<std::int64_t>(input.channels);
    return torch::nn::Conv2d(
        torch::nn::Conv2dOptions(channels, plan.width, plan.patch).stride(plan.patch).bias(bias));
  }
  static std::int64_t count_tokens(const TransformerPlan& plan, const InputShape& input) {
    const auto side = [&](std::size_t size) { return static_cast<std::int64_t>(size) / plan.patch; };
    return 1 + side(input.height) * side(input.width);
  }
  torch::Tensor class_token_, positions_;
  torch::nn::Conv2d patches_{nullptr};
  TransformerBlocks blocks_;
  torch::nn::LayerNorm ln_before_{nullptr}, ln_{nullptr};  // before the blocks, on the class token after them
  torch::nn::Linear head_{nullptr};
};

}  // namespace leeway::nn

#include "leeway/nn/model/transformer.h"

#include <cmath>

#include "leeway/nn/model/layers.h"

namespace leeway::nn {

torch::nn::LayerNorm layer_norm(std::int64_t width, double eps) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}).eps(eps));
}

torch::Tensor tokens_of(const torch::Tensor& patches, const torch::Tensor& first,
                        const torch::Tensor& positions) {
  return torch::cat({first.expand({patches.size(0), 1, -1}), patches.flatten(2).transpose(1, 2)}, 1) +
         positions;
}

Attention::Attention(std::int64_t width, std::int64_t heads) : heads_(heads) {
  weight_ = register_parameter("in_proj_weight", torch::empty({3 * width, width}));
  bias_ = register_parameter("in_proj_bias", torch::empty({3 * width}));
  out_proj_ = register_module("out_proj", torch::nn::Linear(width, width));
}

torch::Tensor Attention::forward(const torch::Tensor& x) {
  const std::int64_t n = x.size(0), t = x.size(1), width = x.size(2), each = width / heads_;
  const std::vector<torch::Tensor> parts = torch::nn::functional::linear(x, weight_, bias_)
                                               .view({n, t, 3, heads_, each})
                                               .permute({2, 0, 3, 1, 4})
                                               .unbind(0);  // q, k, v: (n,heads,t,each)
  const torch::Tensor q = parts[0] / std::sqrt(static_cast<double>(each));
  const torch::Tensor shares = torch::matmul(q, parts[1].transpose(2, 3)).softmax(3);
  return out_proj_(torch::matmul(shares, parts[2]).transpose(1, 2).reshape({n, t, width}));
}

TransformerBlock::TransformerBlock(const BlockShape& shape) : quick_(shape.quick) {
  ln_1_ = register_module("ln_1", layer_norm(shape.width, shape.eps));
  attention_ = register_module(shape.attention, std::make_shared<Attention>(shape.width, shape.heads));
  ln_2_ = register_module("ln_2", layer_norm(shape.width, shape.eps));
  torch::nn::Module& mlp = group(*this, "mlp");
  first_ = mlp.register_module(shape.first, torch::nn::Linear(shape.width, shape.hidden));
  second_ = mlp.register_module(shape.second, torch::nn::Linear(shape.hidden, shape.width));
}

torch::Tensor TransformerBlock::forward(const torch::Tensor& x) {
  const torch::Tensor attended = x + attention_->forward(ln_1_(x));
  const torch::Tensor hidden = first_(ln_2_(attended));
  return attended + second_(quick_ ? hidden * torch::sigmoid(1.702 * hidden) : torch::gelu(hidden));
}

}  // namespace leeway::nn

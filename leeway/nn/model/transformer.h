// Blocks of transformers: attention and a hidden layer, each after a layer normalization and added to what came in.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>

namespace leeway::nn {

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

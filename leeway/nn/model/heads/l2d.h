// The head of learning to diversify (L2D): an embedding with its mean and variance.
#pragma once

#include "leeway/nn/model/heads.h"

namespace leeway::nn {

// z, the last hidden layer, to mu = LeakyReLU(A z), slope .01, and log sigma^2 = ReLU(C z), 512 each. Logits
// are linear in the embedding; predictions and features use mu.
class L2d : public HeadedNetwork {
 public:
  static constexpr std::int64_t embedded = 512;

  explicit L2d(const Backbone& on);

  struct Embedding {
    torch::Tensor mean, log_variance;  // (n,512)
  };
  [[nodiscard]] Embedding embed(const torch::Tensor& x);
  [[nodiscard]] torch::Tensor classify(const torch::Tensor& embedding) { return classifier_(embedding); }
  Forward forward(const torch::Tensor& x) override;

 private:
  [[nodiscard]] torch::Tensor mean_of(const torch::Tensor& z) { return torch::leaky_relu(mean_(z), .01); }

  torch::nn::Linear mean_{nullptr}, log_variance_{nullptr}, classifier_{nullptr};
};

}  // namespace leeway::nn

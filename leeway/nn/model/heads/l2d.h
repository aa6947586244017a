// The head of L2D: an embedding with its mean and variance.
#pragma once

#include "leeway/nn/model/heads.h"

namespace leeway::nn {

// z, the backbone's last hidden layer, to mu = LeakyReLU(A z) of slope .01 and log sigma^2 = ReLU(C z), 512 each; logits are
// linear in the embedding, at test time in mu. The features are mu. With `colour` grey images become three equal channels in front of the
// backbone; with `limited` z is cut to [-100,100], and what is no number in z, mu and log sigma^2 is 0.
class L2d : public HeadedNetwork {
 public:
  static constexpr std::int64_t embedded = 512;

  L2d(const Backbone& on, bool colour, bool limited);

  struct Embedding {
    torch::Tensor mean, log_variance;  // (n,512)
  };
  [[nodiscard]] Embedding embed(const torch::Tensor& x);
  // What the backbone sees: x (n,c,h,w), or three times its one channel.
  [[nodiscard]] torch::Tensor seen(const torch::Tensor& x) const {
    return colour_ && x.size(1) == 1 ? x.expand({-1, 3, -1, -1}) : x;
  }
  [[nodiscard]] torch::Tensor classify(const torch::Tensor& embedding) { return classifier_(embedding); }
  Forward forward(const torch::Tensor& x) override;

 private:
  [[nodiscard]] torch::Tensor hidden(const torch::Tensor& x);
  [[nodiscard]] torch::Tensor mean_of(const torch::Tensor& z);
  [[nodiscard]] torch::Tensor number(const torch::Tensor& x) const;

  bool colour_, limited_;
  torch::nn::Linear mean_{nullptr}, log_variance_{nullptr}, classifier_{nullptr};
};

}  // namespace leeway::nn

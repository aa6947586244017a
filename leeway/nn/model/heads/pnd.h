// Partition-and-Debias: a debiased and a biased backbone, experts after each block, a gate over them.
#pragma once

#include "leeway/nn/model/heads.h"

namespace leeway::nn {

struct PndExpert;

// Expert i: the maps of block i of both backbones D and B, each through conv 3x3 to 128 maps - BN - ReLU -
// conv 3x3 to 512 - ReLU - means: z_d and z_b. Two classifiers of [z_d, z_b]: linear 16 - BN - ReLU - linear
// k. Logits: debiased outputs weighted by the gate, a softmax of a linear layer of all of them. D is called
// "backbone".
class Pnd : public HeadedNetwork {
 public:
  struct Expert {
    torch::Tensor debiased_features, biased_features;  // z_d and z_b, (n,512)
    torch::Tensor debiased, biased;                    // outputs (n,k)
  };

  explicit Pnd(const Backbone& on);
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(experts_.size()); }
  // For training: no gradient of debiased outputs by B, nor of biased outputs by D.
  [[nodiscard]] std::vector<Expert> experts(const torch::Tensor& x);
  // Outputs of expert i for features of any rows.
  [[nodiscard]] torch::Tensor debiased(std::size_t i, const torch::Tensor& debiased_features,
                                       const torch::Tensor& biased_features);
  [[nodiscard]] torch::Tensor biased(std::size_t i, const torch::Tensor& debiased_features,
                                     const torch::Tensor& biased_features);
  // (n,k): the gated mean; gradients reach the outputs through the gate alone.
  [[nodiscard]] torch::Tensor mixture(const std::vector<Expert>& experts);
  Forward forward(const torch::Tensor& x) override;
  [[nodiscard]] std::vector<Network*> backbones() override { return {&backbone(), biased_.get()}; }

 private:
  [[nodiscard]] std::vector<std::pair<torch::Tensor, torch::Tensor>> features(const torch::Tensor& x);
  [[nodiscard]] torch::Tensor mixed(const std::vector<torch::Tensor>& outputs, bool still);

  std::shared_ptr<Network> biased_;
  std::vector<std::shared_ptr<PndExpert>> experts_;
  torch::nn::Linear gate_{nullptr};
};

}  // namespace leeway::nn

// UBNet: orthogonal features from all stages of a frozen backbone.
#pragma once

#include "leeway/nn/model/heads.h"

namespace leeway::nn {

// Each of L stages: means of 7x7 cells, conv 1x1 to 64 maps, LeakyReLU of slope .1. Together: conv 3x3 in L
// groups, a weight per cell, means over cells: L vectors of 64 numbers (the features). Logits: the mean of L
// linear layers, one per vector. The backbone stays in evaluation mode.
class UbNet : public HeadedNetwork {
 public:
  explicit UbNet(const Backbone& on);
  Forward forward(const torch::Tensor& x) override;
  void train(bool on = true) override;
  void initialize_own(std::uint64_t seed) override;

  // The weights to orthogonalize: (L,...), one row per stage.
  [[nodiscard]] torch::Tensor convolution_rows() const;
  [[nodiscard]] torch::Tensor cell_rows() const;

 private:
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(taps_.size()); }

  std::vector<torch::nn::Conv2d> taps_;
  torch::nn::Conv2d convolution_{nullptr};
  torch::Tensor cells_;  // (64 L,7,7)
  std::vector<torch::nn::Linear> classifiers_;
};

}  // namespace leeway::nn

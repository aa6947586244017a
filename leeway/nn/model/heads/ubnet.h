// UBNet: the maps of every stage of a frozen network, made orthogonal to each other.
#pragma once

#include "leeway/nn/model/heads.h"

namespace leeway::nn {

// Stage l of the frozen backbone, L of them: means of 7x7 cells, conv 1x1 to 64 maps, LeakyReLU of slope .1. All of them
// together: conv 3x3 in L groups, times a weight a cell, means over the cells: L vectors of 64 numbers, which are the features.
// Logits are the mean of L linear layers, one a vector. The backbone stays in evaluation mode.
class UbNet : public HeadedNetwork {
 public:
  explicit UbNet(const Backbone& on);
  Forward forward(const torch::Tensor& x) override;
  void train(bool on = true) override;
  void initialize_own(std::uint64_t seed) override;

  // What is to become orthogonal: (L,...), one row a stage.
  [[nodiscard]] torch::Tensor convolution_rows() const;
  [[nodiscard]] torch::Tensor cell_rows() const;

 private:
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(taps_.size()); }

  std::vector<torch::nn::Conv2d> taps_;
  torch::nn::Conv2d convolution_{nullptr};
  torch::Tensor cells_;  // (64 L,7,7)
  std::vector<torch::nn::Linear> classifiers_;
};

// (1/L^2) sum_{i != j} cos(v_i, v_j)^2 over the rows v (L,d).
[[nodiscard]] torch::Tensor row_overlap(const torch::Tensor& rows);

}  // namespace leeway::nn

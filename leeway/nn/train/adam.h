// Adam with decoupled weight decay (Kingma and Ba, ICLR 2015, algorithm 1; Loshchilov and Hutter, ICLR 2019).
//
//   m <- b1 m + (1 - b1) g,   v <- b2 v + (1 - b2) g^2
//   w <- (1 - lr decay) w - lr (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + 1e-8),   b1 = .9, b2 = .999, t = 1,
//   2, ...
//
// With `coupled` decay g is the gradient + decay w instead, and w is not made smaller (Adam with L2, torch.optim.Adam's weight_decay).
// Element by element, so the bits do not depend on threads. One fused pass over the weights on the CPU.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <string>
#include <vector>

#include "leeway/nn/train/optimizer.h"

namespace leeway::nn {

struct AdamFactors;  // adam_kernel.h

class Adam : public Optimizer {
 public:
  // `rates`: one factor of the learning rate a weight tensor; none: 1.
  Adam(std::vector<torch::Tensor> weights, const OptimizerOptions& options, std::vector<double> rates = {});

  void step(const std::vector<torch::Tensor>& gradients, double factor = 1) override;
  // "first.0", "second.0", ...: the moments of each weight tensor; "steps": t.
  [[nodiscard]] Tensors state() const override;
  void restore(const Tensors& state, const std::string& name) override;

 private:
  void step_elsewhere(std::size_t i, const torch::Tensor& gradient, const AdamFactors& factors);

  std::vector<torch::Tensor> weights_, first_, second_;
  std::vector<double> rates_;
  OptimizerOptions options_;
  std::size_t steps_ = 0;
};

}  // namespace leeway::nn

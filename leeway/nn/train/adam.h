// Adam with decoupled weight decay (Kingma and Ba, ICLR 2015, algorithm 1; Loshchilov and Hutter, ICLR 2019).
//
//   m <- b1 m + (1 - b1) g,   v <- b2 v + (1 - b2) g^2
//   w <- (1 - lr decay) w - lr (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + 1e-8),   b1 = .9, b2 = .999, t = 1,
//   2, ...
//
// Element by element, so the bits do not depend on threads. One fused pass over the weights on the CPU.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <vector>

namespace leeway::nn {

struct AdamFactors;  // adam_kernel.h

class Adam {
 public:
  // `rates`: one factor of the learning rate a weight tensor; none: 1.
  Adam(std::vector<torch::Tensor> weights, double learning_rate, double weight_decay,
       std::vector<double> rates = {});

  // One gradient a weight tensor; an undefined one leaves its tensor as it is.
  void step(const std::vector<torch::Tensor>& gradients);

  // To save and restore: one first and one second moment a weight tensor, and t.
  [[nodiscard]] const std::vector<torch::Tensor>& first() const { return first_; }
  [[nodiscard]] const std::vector<torch::Tensor>& second() const { return second_; }
  [[nodiscard]] std::size_t steps() const { return steps_; }
  void restore(const std::vector<torch::Tensor>& first, const std::vector<torch::Tensor>& second,
               std::size_t steps);

 private:
  void step_elsewhere(std::size_t i, const torch::Tensor& gradient, const AdamFactors& factors);

  std::vector<torch::Tensor> weights_, first_, second_;
  std::vector<double> rates_;
  double learning_rate_, weight_decay_;
  std::size_t steps_ = 0;
};

}  // namespace leeway::nn

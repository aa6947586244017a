// Attacks with a fixed budget: a family. attack.cpp holds the visible list, every member is one file.
//
// What they maximise is the margin m(x') = logsumexp_(j != y) F_j(x') - F_y(x'). The cross-entropy is log(1 +
// e^m), so both have the same maximisers, the same order, and gradients of the same direction; but m never
// saturates, where the gradient of the cross-entropy in float32 becomes 0 for confident models and hides
// their weakness.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "leeway/nn/attack/ball.h"
#include "leeway/nn/model.h"
#include "leeway/nn/session.h"

namespace leeway::nn {

// Some images under attack: a shard, or a training batch.
struct Problem {
  const ForwardFunction& forward;
  torch::Tensor clean;                  // (rows,c,h,w) in [0,1]
  torch::Tensor targets;                // (rows), int64
  std::span<const std::uint64_t> keys;  // one a row: which random numbers it gets
};

struct Attacked {
  torch::Tensor images;
  // (rows), bool: the gradient was exactly 0 wherever the attack began, so that it could not move the row; undefined of an
  // attack without gradients
  torch::Tensor zero_gradient;

  [[nodiscard]] std::size_t zero_gradients() const {
    return zero_gradient.defined() ? static_cast<std::size_t>(zero_gradient.sum().item<std::int64_t>()) : 0;
  }
};

struct AttackMember {
  std::string_view name, summary, source;
  bool gradients;  // needs them
  Attacked (*run)(const Problem& problem, const AttackOptions& options);
};

[[nodiscard]] std::span<const AttackMember> attacks();
[[nodiscard]] const AttackMember& attack(std::string_view name);  // Error that lists the names there are

// Error for an unknown attack, a negative or infinite eps, no steps, a step that is not positive, no
// restarts.
void check_attack(const AttackOptions& options);

struct Margin {
  torch::Tensor value;     // (rows), m
  torch::Tensor success;   // (rows), bool: the prediction is not the target
  torch::Tensor gradient;  // of m with respect to x, the shape of x; undefined where it was not asked for
};
[[nodiscard]] Margin margin(const Problem& problem, const torch::Tensor& x);  // forward pass
[[nodiscard]] Margin margin_with_gradient(const Problem& problem,
                                          const torch::Tensor& x);  // forward and backward pass

// The iterate after all steps, and whether the gradient at x was exactly 0; `best` where it is given collects the best point
// of the whole way.
class Best;
[[nodiscard]] Attacked ascend(const Problem& problem, const Ball& ball, torch::Tensor x, double step,
                              std::size_t steps, Best* best);

// Per row the best point seen: a success before a failure, then the larger margin, then the earlier point.
class Best {
 public:
  void offer(const torch::Tensor& x, const Margin& margin);
  [[nodiscard]] const torch::Tensor& images() const { return x_; }

 private:
  torch::Tensor x_, value_, success_;
};

[[nodiscard]] AttackMember fgsm();
[[nodiscard]] AttackMember noise();
[[nodiscard]] AttackMember pgd();

}  // namespace leeway::nn

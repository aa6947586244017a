// Attacks. attack.cpp lists the members, one file each.
//
// Fixed-budget attacks find the worst image within a radius, minimum-norm attacks the nearest success: the
// prediction is not the target class or, if targeted, is the target class. Members use the norm and the loss
// through ball.h, projection.h and margin() alone. The default loss is max_(j != y) F_j(x') - F_y(x'). A
// positive factor of the logits changes neither its order nor the direction of its gradients, so robust
// accuracy does not depend on the scale of the logits.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "leeway/nn/attack.h"
#include "leeway/nn/attack/ball.h"
#include "leeway/nn/attack/projection.h"
#include "leeway/nn/detail/torch_model.h"

namespace leeway::nn {

// Some images under attack: a shard, or a training batch.
struct Problem {
  const ForwardFunction& forward;
  torch::Tensor clean;                  // (rows,c,h,w) in the box
  torch::Tensor targets;                // (rows), int64: the classes to leave, or to reach
  std::span<const std::uint64_t> keys;  // one a row: which random numbers it gets
  Loss loss = Loss::margin;
  bool targeted = false;  // targets are to be reached
  Box box = {};           // where moved values stay
};

struct Attacked {
  torch::Tensor images;
  // (rows), bool: gradient exactly 0 at every start; undefined for attacks without gradients
  torch::Tensor zero_gradient;
  torch::Tensor start_loss = {};  // (rows), of ascend() at its start

  [[nodiscard]] std::size_t zero_gradients() const {
    return zero_gradient.defined() ? static_cast<std::size_t>(zero_gradient.sum().item<std::int64_t>()) : 0;
  }
};

struct AttackMember : AttackEntry {
  bool gradients;  // needs them
  // Options are complete. With a fixed budget the images lie within options.eps; of minimum norm as near as can be.
  Attacked (*run)(const Problem& problem, const AttackOptions& options);
};

[[nodiscard]] std::span<const AttackMember> attacks();
[[nodiscard]] const AttackMember& attack(std::string_view name);  // Error that lists the names there are

// Session::complete of session.h.
[[nodiscard]] AttackOptions complete_attack(const AttackOptions& options);

struct Margin {
  torch::Tensor value;    // (rows), the loss, to be maximised
  torch::Tensor success;  // (rows), bool
  torch::Tensor
      gradient;  // of the loss with respect to x, the shape of x; undefined where it was not asked for
};
[[nodiscard]] Margin margin(const Problem& problem, const torch::Tensor& x);  // forward pass
[[nodiscard]] Margin margin_with_gradient(const Problem& problem,
                                          const torch::Tensor& x);  // forward and backward pass

// The iterate after all steps, the loss at x, and whether the gradient there was exactly 0; `best` where it is given collects the best point
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

// Per row the successful point of the smallest norm, the earlier of equals; the clean image where there is none.
class Nearest {
 public:
  explicit Nearest(const Problem& problem);
  void offer(const torch::Tensor& x, const torch::Tensor& norms, const torch::Tensor& success);
  [[nodiscard]] const torch::Tensor& images() const { return x_; }
  [[nodiscard]] const torch::Tensor& norms() const {
    return norms_;
  }  // (rows), float64; infinity without success

 private:
  torch::Tensor x_, norms_;
};

// (rows), bool: every entry is exactly 0.
[[nodiscard]] inline torch::Tensor zero_rows(const torch::Tensor& gradient) {
  return gradient.flatten(1).abs().amax(1) == 0;
}

}  // namespace leeway::nn

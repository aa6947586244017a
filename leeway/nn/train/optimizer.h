// What makes steps of gradients: Adam or stochastic gradient descent, and the learning rate's course.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace leeway::nn {

// Tensors by name: float32, float64, int64 or uint8.
using Tensors = std::map<std::string, torch::Tensor>;

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  // One gradient a weight tensor; an undefined one leaves its tensor as it is. `factor` of the learning rate.
  virtual void step(const std::vector<torch::Tensor>& gradients, double factor = 1) = 0;
  // What the next step depends on, and back: Error where a tensor is missing or of another shape.
  [[nodiscard]] virtual Tensors state() const = 0;
  virtual void restore(const Tensors& state, const std::string& name) = 0;
};

struct OptimizerOptions {
  std::string kind = "adam";  // adam (adam.h), sgd or nesterov
  double learning_rate = 1e-3, weight_decay = 0;
  double momentum = .9;  // of sgd and nesterov
  bool coupled = false;  // Adam's decay is added to the gradient, in place of (1 - lr decay) w
};

// `rates`: one factor of the learning rate a weight tensor; none: 1. sgd, with g the gradient + decay w:
//   v <- momentum v + g,   w <- w - lr (v, or g + momentum v with nesterov)
// Element by element, so the bits do not depend on threads.
[[nodiscard]] std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options,
                                                        std::vector<torch::Tensor> weights,
                                                        std::vector<double> rates = {});

// The learning rate's factor in a step, p the share of steps done:
//   constant           1
//   cosine             (1 + cos(pi p)) / 2
//   linear:W           from 0 up to 1 over the share W of the steps, then down to 0
//   inverse            (1 + 10 p)^-.75
//   step:E1:E2...      times .1 after each of these epochs
//   exponential:G      times G after every epoch
//   warm-up:E          epoch / E, at most 1
// and, with a comma between, the product of several.
// Sources: Ganin et al., JMLR 2016, section 5.2.2 (inverse); the others are common.
class Schedule {
 public:
  explicit Schedule(std::string_view text);  // Error for another text
  // `step` from 1, `epoch` from 1.
  [[nodiscard]] double factor(std::size_t step, std::size_t steps, std::size_t epoch) const;

 private:
  struct Factor {
    std::string name = {};
    std::vector<double> numbers = {};

    [[nodiscard]] bool legal() const;
    [[nodiscard]] double at(std::size_t step, std::size_t steps, std::size_t epoch) const;
  };
  std::vector<Factor> factors_;
};

}  // namespace leeway::nn

// Optimizers (Adam, SGD) and learning rate schedules.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace leeway::nn {

// Tensors by name: float32, float64, int64 or uint8.
using Tensors = std::map<std::string, torch::Tensor>;

// Collects the tensors of a state, or fills tensors from one. Filling: Error, opened by the name, for a missing
// tensor, another shape or a number outside its range.
class Archive {
 public:
  Archive() = default;
  Archive(const Tensors& from, std::string name) : from_(&from), name_(std::move(name)) {}

  [[nodiscard]] bool fills() const { return from_ != nullptr; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Tensors& tensors() const { return tensors_; }  // collected

  // Fills it in place.
  void add(const std::string& key, torch::Tensor tensor);
  // A module's tensors as "PREFIX.NAME".
  void add(const std::string& prefix, const torch::nn::Module& module);
  // Fills with a copy of the given type and shape (-1: any length) with values in [low, high], none of them NaN.
  void add(const std::string& key, torch::Tensor& tensor, torch::IntArrayRef shape, torch::ScalarType type,
           double low, double high = std::numeric_limits<double>::max());
  // Whether the state has the tensor.
  [[nodiscard]] bool has(const std::string& key, const torch::Tensor& tensor) const {
    return fills() ? from_->contains(key) : tensor.defined();
  }

 private:
  [[nodiscard]] torch::Tensor find(const std::string& key, torch::IntArrayRef shape) const;

  const Tensors* from_ = nullptr;
  std::string name_;
  Tensors tensors_;
};

// What one function describes to an Archive, in both directions.
class Stateful {
 public:
  virtual ~Stateful() = default;
  virtual void archive(Archive& state) = 0;
  [[nodiscard]] Tensors state();
  void restore(const Tensors& state, const std::string& name);
};

class Optimizer : public Stateful {
 public:
  // One gradient per weight tensor; undefined: no update. `factor` scales the learning rate.
  virtual void step(const std::vector<torch::Tensor>& gradients, double factor = 1) = 0;
};

struct OptimizerOptions {
  std::string kind = "adam";  // adam, sgd or nesterov
  double learning_rate = 1e-3, weight_decay = 0;
  double momentum = .9;  // of sgd and nesterov
  bool coupled = false;  // Adam's decay is added to the gradient, in place of (1 - lr decay) w
};

// `rates`: learning rate factors per weight tensor (default 1). sgd, with g = gradient + decay w:
//   v <- momentum v + g,   w <- w - lr (v, or g + momentum v with nesterov)
// Element-wise, so the bits do not depend on threads.
[[nodiscard]] std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options,
                                                        std::vector<torch::Tensor> weights,
                                                        std::vector<double> rates = {});

// Learning rate factor, p the share of steps done:
//   constant           1
//   cosine             (1 + cos(pi p)) / 2
//   linear:W           from 0 up to 1 over the share W of the steps, then down to 0
//   inverse            (1 + 10 p)^-.75
//   step:E1:E2...      times .1 after each of these epochs
//   exponential:G      times G after every epoch
//   warm-up:E          epoch / E, at most 1
// Commas multiply several. Source of inverse: Ganin et al., JMLR 2016, section 5.2.2.
class Schedule {
 public:
  explicit Schedule(std::string_view text);  // Error for another text
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

#include "leeway/nn/model/heads/ubnet.h"

#include <cmath>

#include "leeway/core/message.h"
#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {
namespace {

// CE(F(x), y) + weight (O(convolution) + O(cells)) over the head alone (heads/ubnet.h), on a network that plain training made:
// O(v) = (1/L^2) sum_{i != j} cos(v_i, v_j)^2 over the L rows of those weights, one a stage.
//
// moving-statistics: the batch normalization below is in training mode, and as many passes as there are stages move its statistics in a
// step, each as far as its stage.
class UbNetTraining : public LossAlgorithm {
 public:
  explicit UbNetTraining(const AlgorithmSetting& setting)
      : LossAlgorithm(setting), network_(dynamic_cast<UbNet*>(setting.network.get())) {
    if (!network_) refuse("algorithm ubnet", "an architecture ubnet:BACKBONE", "another");
    if (setting.base) {
      Tensors tensors;
      add_tensors(tensors, "base", *setting.base);
      take_tensors(tensors, "base", network_->backbone(), "algorithm ubnet");
    }
    for (const char* const name : {"convolution.weight", "cells.weight"}) {
      orthogonal_.push_back(network_->named_parameters()[name]);
      for (auto* const moments : {&first_, &second_})
        moments->push_back(torch::zeros_like(orthogonal_.back()).detach());
    }
  }

  Objective objective(const Minibatches& batches) override {
    const Batch& batch = batches.labelled;
    const torch::Tensor overlap = parameter("orth-weight") * (row_overlap(network_->convolution_rows()) +
                                                              row_overlap(network_->cell_rows()));
    const double found = overlap.item<double>();
    if (separate()) step_apart(torch::autograd::grad({overlap}, orthogonal_));
    if (moving()) pass_to_each_stage(batch.x);
    const torch::Tensor logits = forward(batch.x).logits;
    const torch::Tensor loss =
        mean_loss(parameter("double-softmax") != 0 ? torch::softmax(logits, 1) : logits, batch);
    return {separate() ? loss : loss + overlap, logits, {}, {{"overlap", found}}};
  }

  void set_training(bool on) override {
    LossAlgorithm::set_training(on);
    if (moving()) nn::set_training(network_->backbone(), setting(), on);
  }

  [[nodiscard]] Tensors state() const override {
    Tensors state = LossAlgorithm::state();
    if (!separate()) return state;
    for (std::size_t i = 0; i < orthogonal_.size(); ++i) {
      state["overlap.first." + std::to_string(i)] = first_[i];
      state["overlap.second." + std::to_string(i)] = second_[i];
    }
    state["overlap.steps"] = torch::tensor({steps_}, torch::kInt64);
    return state;
  }

  void restore(const Tensors& state, const std::string& name) override {
    LossAlgorithm::restore(state, name);
    if (!separate()) return;
    for (std::size_t i = 0; i < orthogonal_.size(); ++i) {
      const auto sizes = orthogonal_[i].sizes();
      first_[i].copy_(take_tensor(state, "overlap.first." + std::to_string(i), sizes, name));
      second_[i].copy_(take_tensor(state, "overlap.second." + std::to_string(i), sizes, name));
    }
    steps_ = take_tensor(state, "overlap.steps", {1}, name).item<std::int64_t>();
  }

 protected:
  [[nodiscard]] std::vector<torch::Tensor> gradients(const Objective& found) override {
    std::vector<torch::Tensor> gradients = LossAlgorithm::gradients(found);
    if (!separate()) return gradients;
    const std::vector<torch::Tensor> all = weights();
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = 0; j < orthogonal_.size(); ++j)
        if (all[i].is_same(orthogonal_[j])) gradients[i] = gradients[i] + left_[j];
    return gradients;
  }

 private:
  [[nodiscard]] bool separate() const { return parameter("separate") != 0; }
  [[nodiscard]] bool moving() const { return parameter("moving-statistics") != 0; }

  // All but the last, which is the whole pass.
  void pass_to_each_stage(const torch::Tensor& images) {
    const torch::NoGradGuard no_grad;
    Network& below = network_->backbone();
    const torch::Tensor x = network_input(*network_, setting().normalization, images);
    for (std::size_t last = 0; last + 1 < below.stages(); ++last) {
      torch::Tensor maps = x;
      for (std::size_t i = 0; i <= last; ++i) maps = below.stage(i, maps);
    }
  }

  // A step of Adam with rate .001 and betas .5 and .99; its gradient is used once more in the step that follows.
  void step_apart(std::vector<torch::Tensor> gradients) {
    const torch::NoGradGuard no_grad;
    const double beta1 = .5, beta2 = .99, rate = 1e-3, t = static_cast<double>(++steps_);
    for (std::size_t i = 0; i < orthogonal_.size(); ++i) {
      first_[i].mul_(beta1).add_(gradients[i], 1 - beta1);
      second_[i].mul_(beta2).addcmul_(gradients[i], gradients[i], 1 - beta2);
      const torch::Tensor root = (second_[i] / (1 - std::pow(beta2, t))).sqrt_().add_(1e-8);
      orthogonal_[i].addcdiv_(first_[i], root, -rate / (1 - std::pow(beta1, t)));
    }
    left_ = std::move(gradients);
  }

  UbNet* network_;
  std::vector<torch::Tensor> orthogonal_, first_, second_, left_;
  std::int64_t steps_ = 0;
};

}  // namespace

AlgorithmMember ubnet() {
  return {{"ubnet",
           "orthogonal views of every stage of a network that plain training made",
           "Jeon et al., CVPR 2022",
           {{"base-epochs", 50, 1, 1e6, "most epochs of plain training before", true},
            {"base-patience", 10, 0, 1e6, "epochs without a better one that end it; 0: any", true},
            {"orth-weight", 1, 0, 1e6, "of the overlap of the views' weights"},
            {"separate", 0, 0, 1,
             "1: the overlap also has an optimiser of its own, whose step comes first, as in the method's "
             "program",
             true},
            {"double-softmax", 0, 0, 1,
             "1: probabilities pass for logits in the loss, as in the method's program", true},
            {"moving-statistics", 0, 0, 1,
             "1: batch normalization of the network below goes on taking the statistics of batches, a pass a "
             "stage, as in the program of ConDS",
             true},
            {"uniform-start", 0, 0, 1,
             "1: the head's layers begin uniform in 1 / sqrt(inputs), as in the program of ConDS", true},
            {"normal-start", 0, 0, 1,
             "1: they begin with normal numbers in place of uniform ones of the same variance, as in the "
             "method's "
             "program",
             true}}},
          [](const std::map<std::string, double>&) {
            Requirements needs;
            needs.stages = true;
            return needs;
          },
          make_algorithm<UbNetTraining>,
          [](const std::map<std::string, double>&) -> std::string_view { return "ubnet"; },
          [](const std::map<std::string, double>& parameters) -> std::optional<BaseStage> {
            return BaseStage{"erm",
                             {},
                             static_cast<std::size_t>(parameters.at("base-epochs")),
                             static_cast<std::size_t>(parameters.at("base-patience"))};
          },
          [](const std::map<std::string, double>& parameters) {
            const bool uniform = parameters.at("uniform-start") != 0,
                       normal = parameters.at("normal-start") != 0;
            if (uniform && normal) refuse("algorithm ubnet", "uniform-start 0, as normal-start is 1", "1");
            return uniform ? HeadStart::uniform : normal ? HeadStart::normal : HeadStart::own;
          }};
}

}  // namespace leeway::nn

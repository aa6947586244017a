#include <algorithm>
#include <cmath>

#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {
namespace {

// CE(F(x), y) + lambda (1/B_u) sum_i 1[max_c q_ic >= tau] CE(F(strong_i), argmax_c q_ic), q = softmax F(weak), over the B_u
// unlabelled images of the step in a weak and a strong view. Labelled images are weakly changed, too, unless --augment names
// something else: where they alone were unchanged, a change would tell what is guessed. They share one pass with the strong views. The weak views
// pass in evaluation mode, without gradients: they change no batch statistics. With training-guesses they pass in training mode, before
// the others, and do.
//
// With parts, each share of both passes by itself, and the loss is the mean over parts, of which one that is missing (full-parts) counts
// as 0.
//
// With averaging a, the network that is kept and validated has the weights a w + (1 - a) (weights of the step).
class FixMatch : public LossAlgorithm {
 public:
  explicit FixMatch(const AlgorithmSetting& setting) : LossAlgorithm(setting) {
    if (parameter("averaging") == 0) return;
    average_ = setting.another();
    copy(LossAlgorithm::network(), 0);
    average_->eval();
  }

  Objective objective(const Minibatches& batches) override {
    const Batch& labelled = batches.labelled;
    const double weight = parameter("weight");
    if (weight == 0) return plain(labelled);
    const std::vector<Part> parts = parts_of(batches, static_cast<std::int64_t>(parameter("parts")));
    std::vector<torch::Tensor> logits;
    torch::Tensor loss;
    double of_unlabelled = 0, of_kept = 0;
    for (const Part& part : parts) {
      const Batch source = labelled.slice(part.begin, part.end),
                  target = batches.unlabelled.slice(part.unlabelled_begin, part.unlabelled_end);
      const std::int64_t rows = source.x.size(0);
      std::vector<torch::Tensor> images{source.x, target.views.at(1)};
      const bool together = parameter("training-guesses") == 2;
      if (together) images.push_back(target.views.at(0));
      const auto apart = together ? std::tuple<torch::Tensor, torch::Tensor>() : guesses(target.views.at(0));
      const torch::Tensor all = forward(torch::cat(images)).logits,
                          both = all.slice(0, 0, rows + target.views.at(1).size(0));
      const auto [confidence, guess] =
          together ? all.detach().slice(0, both.size(0)).softmax(1).max(1) : apart;
      const torch::Tensor kept = (confidence >= parameter("confidence")).to(torch::kFloat32);
      logits.push_back(both.slice(0, 0, rows));
      using torch::nn::functional::CrossEntropyFuncOptions;
      const torch::Tensor each = torch::nn::functional::cross_entropy(
          both.slice(0, rows), guess, CrossEntropyFuncOptions().reduction(torch::kNone));
      const torch::Tensor unlabelled = (kept * each).mean();
      const torch::Tensor one = mean_loss(logits.back(), source) + weight * unlabelled;
      loss = loss.defined() ? loss + one : one;
      of_unlabelled += unlabelled.item<double>();
      of_kept += kept.mean().item<double>();
    }
    const auto count = static_cast<double>(parts.size()),
               most = batches.parts.empty() ? count : parameter("parts");
    return {most == 1 ? loss : loss / most,
            parts.size() == 1 ? logits[0] : torch::cat(logits),
            {},
            {{"unlabelled_loss", of_unlabelled / count}, {"kept", of_kept / count}}};
  }

  [[nodiscard]] Step update(const Minibatches& batches) override {
    Step step = LossAlgorithm::update(batches);
    if (average_) copy(LossAlgorithm::network(), parameter("averaging"));
    return step;
  }

  [[nodiscard]] Network& network() override { return average_ ? *average_ : LossAlgorithm::network(); }
  [[nodiscard]] ForwardFunction predict() override {
    return average_ ? forward_of(average_, setting().normalization) : LossAlgorithm::predict();
  }

  [[nodiscard]] Tensors state() const override {
    Tensors state = LossAlgorithm::state();
    if (average_) add_tensors(state, "average", *average_);
    return state;
  }
  void restore(const Tensors& state, const std::string& name) override {
    LossAlgorithm::restore(state, name);
    if (average_) take_tensors(state, "average", *average_, name);
  }

 private:
  // The largest probability and its class.
  [[nodiscard]] std::tuple<torch::Tensor, torch::Tensor> guesses(const torch::Tensor& weak) {
    const torch::NoGradGuard no_grad;
    set_training(parameter("training-guesses") == 1);
    const torch::Tensor q = forward(weak).logits.softmax(1);
    set_training(true);
    return q.max(1);
  }

  // average <- a average + (1 - a) from; buffers as they are.
  void copy(Network& from, double a) {
    const torch::NoGradGuard no_grad;
    const auto to = average_->parameters(), weights = from.parameters();
    for (std::size_t i = 0; i < to.size(); ++i)
      torch::Tensor(to[i]).copy_(a == 0 ? weights[i] : to[i] * a + weights[i] * (1 - a));
    const auto buffers = average_->buffers(), now = from.buffers();
    for (std::size_t i = 0; i < buffers.size(); ++i) torch::Tensor(buffers[i]).copy_(now[i]);
  }

  std::shared_ptr<Network> average_;  // null: none is kept
};

}  // namespace

AlgorithmMember fixmatch() {
  return {
      {"fixmatch",
       "what a network is sure of in a weakly changed image of the target, it learns for a strongly "
       "changed one",
       "Sohn et al., NeurIPS 2020, equations 3 and 4; the views as Garg et al., ICML 2023 (RLSbench)",
       {{"confidence", .9, 0, 2, "least probability of a class that counts as known; above 1: none does"},
        {"weight", 1, 0, 1e6, "of the unlabelled images' loss; 0: plain training"},
        {"ratio", 1, 1, 64, "unlabelled images for each labelled one", true},
        {"parts", 1, 1, 1024, "of every batch, each of which passes by itself: 2 in the program of RLSbench",
         true},
        full_parts_parameter(),
        {"still-views", 0, 0, 2,
         "1: strong views are not moved, as in the program of RLSbench on CIFAR-10; 2: nor are weak ones and "
         "labelled images, as there on FMoW and Camelyon17",
         true},
        {"training-guesses", 0, 0, 2,
         "1: what it is sure of is asked in training mode, whose batch statistics move, as in the program of "
         "RLSbench; 2: in the pass of all the others, as in the program of Sohn et al.",
         true},
        {"averaging", 0, 0, .999999, "of the weights over steps, for the network that is kept; 0: none"}}},
      [](const std::map<std::string, double>& parameters) {
        Requirements needs;
        needs.unlabelled = true;
        needs.unlabelled_ratio = static_cast<std::size_t>(parameters.at("ratio"));
        need_parts(needs, parameters);
        needs.parts_together = parameters.at("training-guesses") != 1;
        const double still = parameters.at("still-views");
        needs.unlabelled_views = {still == 2 ? "weak:moved=0" : "weak",
                                  still > 0 ? "strong:moved=0" : "strong"};
        if (parameters.at("weight") != 0) needs.augment = still == 2 ? "weak:moved=0" : "weak";
        return needs;
      },
      make_algorithm<FixMatch>};
}

}  // namespace leeway::nn

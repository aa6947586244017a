#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {
namespace {

// FixMatch (Sohn et al., NeurIPS 2020, equations 3 and 4):
//   CE(F(x), y) + weight (1/B_u) sum_i 1[max_c q_ic >= confidence] CE(F(strong_i), argmax_c q_ic),   q = softmax F(weak),
// B_u unlabelled images in a weak and a strong view; the pseudo-label has no gradient. Labelled images are
// weakly augmented, too, unless --augment is given: augmentation must not reveal the domain. Labelled images
// and strong views share one pass. pseudo-label-pass, for q: 0: its own in evaluation mode (batch statistics
// unchanged); 1: its own in training mode; 2: that of the other images. averaging a: validates and saves
// average <- a average + (1 - a) weights.
class FixMatch : public Algorithm {
 public:
  explicit FixMatch(const AlgorithmSetting& setting) : Algorithm(setting) {
    if (parameter("averaging") == 0) return;
    average_ = setting.another();
    copy_tensors(*setting.network, *average_);
    average_->eval();
  }

  Objective objective(const Minibatches& batches) override {
    const Batch& labelled = batches.labelled;
    const double weight = parameter("weight");
    if (weight == 0) return plain(labelled);
    const torch::Tensor &weak = batches.unlabelled.views.at(0), &strong = batches.unlabelled.views.at(1);
    const std::int64_t rows = labelled.x.size(0), both = rows + strong.size(0);
    const double mode = parameter("pseudo-label-pass");
    torch::Tensor q = mode == 2 ? torch::Tensor() : pseudo_labels(weak, mode == 1);
    std::vector<torch::Tensor> images{labelled.x, strong};
    if (mode == 2) images.push_back(weak);
    const torch::Tensor all = forward(torch::cat(images)).logits, logits = all.slice(0, 0, rows);
    if (mode == 2) q = all.detach().slice(0, both).softmax(1);
    const auto [confidence, label] = q.max(1);
    const torch::Tensor mask = (confidence >= parameter("confidence")).to(torch::kFloat32);
    using torch::nn::functional::CrossEntropyFuncOptions;
    const torch::Tensor each = torch::nn::functional::cross_entropy(
        all.slice(0, rows, both), label, CrossEntropyFuncOptions().reduction(torch::kNone));
    const torch::Tensor unlabelled = (mask * each).mean();
    return {mean_loss(logits, labelled) + weight * unlabelled,
            logits,
            {{"unlabelled_loss", unlabelled.item<double>()}, {"kept", mask.mean().item<double>()}}};
  }

  [[nodiscard]] Step update(const Minibatches& batches) override {
    Step step = Algorithm::update(batches);
    if (average_) average(parameter("averaging"));
    return step;
  }

  [[nodiscard]] Network& network() override { return average_ ? *average_ : Algorithm::network(); }
  [[nodiscard]] ForwardFunction predict() override {
    return average_ ? forward_of(average_, setting().normalization) : Algorithm::predict();
  }

  void archive(Archive& state) override {
    Algorithm::archive(state);
    if (average_) state.add("average", *average_);
  }

 private:
  // q of the weak views, in training or evaluation mode.
  [[nodiscard]] torch::Tensor pseudo_labels(const torch::Tensor& weak, bool training) {
    const torch::NoGradGuard no_grad;
    set_training(training);
    torch::Tensor q = forward(weak).logits.softmax(1);
    set_training(true);
    return q;
  }

  // average <- a average + (1 - a) weights; buffers as they are.
  void average(double a) {
    const torch::NoGradGuard no_grad;
    std::vector<torch::Tensor> weights;
    for (const torch::Tensor& weight : average_->parameters()) weights.push_back(weight * a);
    copy_tensors(*setting().network, *average_);
    const auto to = average_->parameters();
    for (std::size_t i = 0; i < to.size(); ++i) torch::Tensor(to[i]).mul_(1 - a).add_(weights[i]);
  }

  std::shared_ptr<Network> average_;  // null: none is kept
};

}  // namespace

AlgorithmMember fixmatch() {
  return {{"fixmatch",
           "pseudo-labels from weakly augmented target images supervise strongly augmented ones",
           "Sohn et al., NeurIPS 2020, equations 3 and 4; the views as in Garg et al., ICML 2023 (RLSbench)",
           {{"confidence", .9, 0, 2, "minimum probability of a pseudo-label (above 1: none)"},
            {"weight", 1, 0, 1e6, "weight of the unlabeled loss; 0: plain training"},
            {"ratio", 1, 1, 64, "unlabeled images per labeled image", true},
            {"pseudo-label-pass", 0, 0, 2,
             "pass of pseudo-labels: 0: evaluation mode; 1: training mode; 2: with all images", true},
            {"averaging", 0, 0, .999999, "decay of the moving average of weights that is saved (0: off)"}}},
          [](const Parameters& parameters) {
            Requirements needs;
            needs.unlabelled = true;
            needs.unlabelled_ratio = static_cast<std::size_t>(parameters.at("ratio"));
            needs.unlabelled_views = {"weak", "strong"};
            if (parameters.at("weight") != 0) needs.augment = "weak";
            return needs;
          },
          make_algorithm<FixMatch>};
}

}  // namespace leeway::nn

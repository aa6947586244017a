#include "leeway/nn/model/heads/l2d.h"

#include <limits>

#include "leeway/core/random.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/l2d_augmenter.h"

namespace leeway::nn {
namespace {

// Loss terms, functions of embeddings (n,d).

// Supervised contrastive loss, temperature .07, rows scaled to length 1: minus the mean log share of rows
// with the same label among all other rows. Every label must occur twice.
torch::Tensor supervised_contrast(const torch::Tensor& embeddings, const torch::Tensor& labels) {
  constexpr double temperature = .07;
  const torch::Tensor x = torch::nn::functional::normalize(embeddings);
  const torch::Tensor same =
      (labels.unsqueeze(0) == labels.unsqueeze(1)).to(x.scalar_type()).fill_diagonal_(0);
  const torch::Tensor self = torch::eye(x.size(0), labels.options()).to(torch::kBool);
  const torch::Tensor log_share = (x.mm(x.t()) / temperature)
                                      .masked_fill(self, -std::numeric_limits<float>::infinity())
                                      .log_softmax(1)
                                      .masked_fill(self, 0);
  return -(same / same.sum(1, true) * log_share).sum() / static_cast<double>(x.size(0));
}

// Mean over rows and numbers of (mean - x)^2 / exp(log_variance) + log_variance.
torch::Tensor gaussian_misfit(const torch::Tensor& x, const torch::Tensor& mean,
                              const torch::Tensor& log_variance) {
  return torch::addcmul(log_variance, (mean - x).square(), (-log_variance).exp()).mean();
}

// (1/2) mean_i sum_j ((mean_ij - x_p(i)j)^2 - (mean_ij - x_ij)^2) / exp(log_variance_ij), p a permutation:
// upper bound on the information of x about its mean (CLUB: Cheng et al., ICML 2020).
torch::Tensor information_bound(const torch::Tensor& x, const torch::Tensor& mean,
                                const torch::Tensor& log_variance, const torch::Tensor& permutation) {
  const torch::Tensor other = (mean - x.index_select(0, permutation)).square();
  return (((other - (mean - x).square()) * (-log_variance).exp()).sum(1)).mean() / 2;
}

// Learning to diversify (Wang et al., ICCV 2021). An augmenter G (l2d_augmenter.h) and a network with mean m and variance s^2 of an
// embedding (heads/l2d.h) take turns. With x' = .6 G(x) + .4 x, h = m + .2 s e, e standard normal, and h' of x':
//   network     mean of CE(h) and CE(h') + contrast C(h, h') + likelihood mean [(m(x) - h')^2 / s(x)^2 + log s(x)^2],
//   augmenter   mean over classes of MMD^2(h', h) + information I(h'; x),
// C the supervised contrast and I an upper bound on the mutual information. The network is in evaluation mode in the
// augmenter's turn. The mean over classes is over those in the batch. The network predicts from m(x).
class L2dTraining : public Algorithm {
 public:
  explicit L2dTraining(const AlgorithmSetting& setting)
      : Algorithm(setting),
        head_(dynamic_cast<L2d&>(*setting.network)),
        augmenter_(setting.input, setting.seed) {
    augmenter_.to(setting.device);
    optimizer_ = make_optimizer({.kind = "sgd", .learning_rate = parameter("augmenter-lr"), .momentum = 0},
                                augmenter_.parameters());
  }

  Objective objective(const Minibatches& batches) override {
    const Batch& batch = batches.labelled;
    const std::int64_t n = batch.x.size(0);
    const Pair found = embed(batch.x, batches.step, /*diverse=*/true);
    const torch::Tensor logits = head_.classify(found.all);
    const torch::Tensor classes =
        (mean_loss(logits.slice(0, 0, n), batch) + mean_loss(logits.slice(0, n), batch)) / 2;
    const torch::Tensor contrast = supervised_contrast(found.all, torch::cat({batch.y, batch.y}));
    const torch::Tensor misfit = gaussian_misfit(found.varied, found.mean, found.log_variance);
    return {classes + parameter("contrast") * contrast + parameter("likelihood") * misfit,
            logits.slice(0, n),
            {{"class_loss", classes.item<double>()},
             {"contrast", contrast.item<double>()},
             {"misfit", misfit.item<double>()}}};
  }

  [[nodiscard]] Step update(const Minibatches& batches) override {
    Step step = Algorithm::update(batches);
    const Batch& batch = batches.labelled;
    set_training(false);
    const Pair found = embed(batch.x, batches.step, /*diverse=*/false);
    const torch::Tensor distance = mmd_by_label(found.varied, found.own, batch.y);
    const torch::Tensor information = information_bound(found.varied, found.mean, found.log_variance,
                                                        shuffled(batch.x.size(0), batches.step));
    optimizer_->step(torch::autograd::grad({distance + parameter("information") * information},
                                           augmenter_.parameters(), {}, c10::nullopt, false, true));
    set_training(true);
    step.parts["class_mmd"] = distance.item<double>();
    step.parts["information"] = information.item<double>();
    return step;
  }

  void archive(Archive& state) override {
    Algorithm::archive(state);
    state.add("augmenter", augmenter_);
  }

 private:
  struct Pair {
    torch::Tensor varied, own;         // h', h
    torch::Tensor all;                 // both, where the network learns
    torch::Tensor mean, log_variance;  // of the images themselves
  };

  // `diverse`: the network's turn, both in one pass. Otherwise the augmenter's, where the images themselves need no gradients.
  [[nodiscard]] Pair embed(const torch::Tensor& images, std::size_t step, bool diverse) {
    const torch::Tensor x = normalize(setting().normalization, head_.prepare(images));
    const torch::Tensor varied = [&] {
      const torch::AutoGradMode learns(!diverse);
      const torch::Tensor made = augmenter_.forward(x, step, diverse);
      return torch::add(.4 * x, normalize(setting().normalization, made), .6);
    }();
    const std::int64_t n = images.size(0);
    const torch::Tensor noise = normal_rows({2 * n, L2d::embedded}, setting().seed, stream("l2d embedding"),
                                            2 * step + (diverse ? 1 : 0))
                                    .to(x.device());
    const auto drawn = [](const L2d::Embedding& of, const torch::Tensor& e) {
      return torch::addcmul(of.mean, (of.log_variance / 2).exp(), e, .2);
    };
    if (!diverse) {
      const torch::Tensor h = drawn(head_.embed(varied), noise.slice(0, 0, n));
      const torch::NoGradGuard no_grad;
      const L2d::Embedding own = head_.embed(x);
      return {h, drawn(own, noise.slice(0, n)), {}, own.mean, own.log_variance};
    }
    const L2d::Embedding both = head_.embed(torch::cat({varied, x}));
    const torch::Tensor h = drawn(both, noise);
    return {h.slice(0, 0, n), h.slice(0, n), h, both.mean.slice(0, n), both.log_variance.slice(0, n)};
  }

  [[nodiscard]] torch::Tensor shuffled(std::int64_t n, std::size_t step) const {
    Random random(setting().seed, stream("l2d permutation"), step);
    return torch::tensor(permutation<std::int64_t>(static_cast<std::size_t>(n), random)).to(setting().device);
  }

  L2d& head_;
  L2dAugmenter augmenter_;
  std::unique_ptr<Optimizer>
      optimizer_;  // of the augmenter; without momentum, so nothing of it is in the state
};

}  // namespace

AlgorithmMember l2d() {
  return {
      {"l2d",
       "learning to diversify: an augmenter varies images within their class; the network learns from both",
       "Wang et al., ICCV 2021",
       {{"contrast", 1, 0, 1e6, "weight of the supervised contrastive loss"},
        {"likelihood", 1, 0, 1e6, "weight of the likelihood of varied embeddings"},
        {"information", .1, 0, 1e6, "augmenter: weight of the mutual information bound"},
        {"augmenter-lr", .005, 0, 1e6, "constant learning rate of the augmenter"}}},
      [](const Parameters&) { return Requirements{.features = true}; },
      make_algorithm<L2dTraining>,
      "l2d"};
}

}  // namespace leeway::nn

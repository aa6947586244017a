#include "leeway/nn/model/heads/l2d.h"

#include "leeway/core/random.h"
#include "leeway/nn/detail/random_tensors.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/l2d_augmenter.h"
#include "leeway/nn/train/l2d_terms.h"

namespace leeway::nn {
namespace {

// A network with mean m and variance s^2 of an embedding (heads/l2d.h), and an augmenter G of its pictures (l2d_augmenter.h), which take
// turns. With x' = .6 G(x) + .4 x and the embedding h = m + .2 s e, e standard normal, h' that of x':
//   the network minimises    mean of CE(h) and CE(h') + contrast C(h, h') + likelihood mean [(m(x) - h')^2 / s(x)^2 + log s(x)^2],
//   the augmenter            mean over classes of MMD^2(h', h) + information I(h'; x),
// C the supervised contrast and I an upper bound on what x' still says of x (l2d_terms.h). The augmenter's turn passes in evaluation mode:
// it changes no batch statistics. Classes that a batch lacks have no part in the mean. The network predicts from m(x).
class L2dTraining : public LossAlgorithm {
 public:
  explicit L2dTraining(const AlgorithmSetting& setting)
      : LossAlgorithm(setting),
        head_(dynamic_cast<L2d&>(*setting.network)),
        normalize_(normalized(setting.normalization,
                              [](const torch::Tensor& x) {
                                return Forward{x, {}};
                              })),
        augmenter_(seen_by(setting), setting.seed) {
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
            {},
            {{"class_loss", classes.item<double>()},
             {"contrast", contrast.item<double>()},
             {"misfit", misfit.item<double>()}}};
  }

  [[nodiscard]] Step update(const Minibatches& batches) override {
    Step step = LossAlgorithm::update(batches);
    const Batch& batch = batches.labelled;
    set_training(parameter("training-turn") != 0);
    const Pair found = embed(batch.x, batches.step, /*diverse=*/false);
    const torch::Tensor distance = parameter("all-classes") != 0 && !has_all_classes(batch.y)
                                       ? torch::zeros({}, found.varied.options())
                                       : mmd_by_label(found.varied, found.own, batch.y);
    const torch::Tensor information = information_bound(found.varied, found.mean, found.log_variance,
                                                        shuffled(batch.x.size(0), batches.step));
    optimizer_->step(torch::autograd::grad({distance + parameter("information") * information},
                                           augmenter_.parameters(), {}, c10::nullopt, false, true));
    set_training(true);
    step.parts["class_mmd"] = distance.item<double>();
    step.parts["information"] = information.item<double>();
    return step;
  }

  [[nodiscard]] Tensors state() const override {
    Tensors state = LossAlgorithm::state();
    add_tensors(state, "augmenter", augmenter_);
    return state;
  }
  void restore(const Tensors& state, const std::string& name) override {
    LossAlgorithm::restore(state, name);
    take_tensors(state, "augmenter", augmenter_, name);
  }

 private:
  struct Pair {
    torch::Tensor varied, own;         // h', h
    torch::Tensor all;                 // both, where the network learns
    torch::Tensor mean, log_variance;  // of the images themselves
  };

  [[nodiscard]] static InputShape seen_by(const AlgorithmSetting& setting) {
    InputShape shape = setting.input;
    if (setting.parameters.at("colour") != 0 && shape.channels == 1) shape.channels = 3;
    return shape;
  }

  // The augmenter learns where it is not `diverse`. The images themselves say nothing of it: they pass alone then, without gradients, unless
  // batch statistics are of both.
  [[nodiscard]] Pair embed(const torch::Tensor& images, std::size_t step, bool diverse) {
    const torch::Tensor x = head_.seen(normalize_(head_.prepare(images)).logits);
    const torch::Tensor varied = [&] {
      const torch::AutoGradMode learns(!diverse);
      return torch::add(.4 * x, normalize_(augmenter_.forward(x, step, diverse)).logits, .6);
    }();
    const std::int64_t n = images.size(0);
    const torch::Tensor noise = normal_rows({2 * n, L2d::embedded}, setting().seed, stream("l2d embedding"),
                                            2 * step + (diverse ? 1 : 0))
                                    .to(x.device());
    const auto drawn = [](const L2d::Embedding& of, const torch::Tensor& e) {
      return torch::addcmul(of.mean, (of.log_variance / 2).exp(), e, .2);
    };
    if (!diverse && parameter("training-turn") == 0) {
      const torch::Tensor h = drawn(head_.embed(varied), noise.slice(0, 0, n));
      const torch::NoGradGuard no_grad;
      const L2d::Embedding own = head_.embed(x);
      return {h, drawn(own, noise.slice(0, n)), {}, own.mean, own.log_variance};
    }
    const L2d::Embedding both = head_.embed(torch::cat({varied, x}));
    const torch::Tensor h = drawn(both, noise);
    return {h.slice(0, 0, n), h.slice(0, n), h, both.mean.slice(0, n), both.log_variance.slice(0, n)};
  }

  [[nodiscard]] bool has_all_classes(const torch::Tensor& y) const {
    return std::get<0>(torch::_unique(y)).numel() == setting().classes;
  }

  [[nodiscard]] torch::Tensor shuffled(std::int64_t n, std::size_t step) const {
    Random random(setting().seed, stream("l2d permutation"), step);
    return torch::tensor(permutation<std::int64_t>(static_cast<std::size_t>(n), random)).to(setting().device);
  }

  L2d& head_;
  ForwardFunction normalize_;
  L2dAugmenter augmenter_;
  std::unique_ptr<Optimizer>
      optimizer_;  // of the augmenter; without momentum, so nothing of it is in the state
};

}  // namespace

AlgorithmMember l2d() {
  AlgorithmMember member{
      {"l2d",
       "learning to diversify: an augmenter varies pictures as widely as their class permits, the network "
       "learns both",
       "Wang et al., ICCV 2021",
       {{"contrast", 1, 0, 1e6, "weight of the supervised contrast"},
        {"likelihood", 1, 0, 1e6, "weight of the varied embeddings' fit to the pictures' own mean"},
        {"information", .1, 0, 1e6, "of the augmenter: weight of what varied pictures say of their own"},
        {"augmenter-lr", .005, 0, 1e6, "learning rate of the augmenter, which has no schedule"},
        {"training-turn", 0, 0, 1,
         "1: in the augmenter's turn the network is in training mode, too, and varied pictures and their own "
         "pass "
         "together, as in the method's program",
         true},
        {"all-classes", 0, 0, 1,
         "1: the augmenter's distance is 0 where a batch lacks a class, as in the program of ConDS", true},
        {"limit", 0, 0, 1,
         "1: features are cut to 100 either way and what is no number in an embedding is 0, as in the "
         "program "
         "of ConDS",
         true},
        {"colour", 0, 0, 1,
         "1: grey images become three equal channels, which the augmenter varies apart, as in the method's "
         "program",
         true}}},
      [](const std::map<std::string, double>&) {
        Requirements needs;
        needs.features = true;
        return needs;
      },
      make_algorithm<L2dTraining>};
  member.head = [](const std::map<std::string, double>& parameters) -> std::string_view {
    const bool colour = parameters.at("colour") != 0;
    if (parameters.at("limit") != 0) return colour ? "l2d-colour-limited" : "l2d-limited";
    return colour ? "l2d-colour" : "l2d";
  };
  return member;
}

}  // namespace leeway::nn

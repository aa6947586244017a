#include <algorithm>

#include "leeway/core/message.h"
#include "leeway/core/random.h"
#include "leeway/nn/augment/mix.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/parts.h"
#include "leeway/nn/train/training_set.h"

namespace leeway::nn {
namespace {

// LISA (Yao et al., ICML 2022, section 3). With probability same-label-probability, a batch is mixed within
// labels (partner: same label, another environment), otherwise within environments (another label, same
// environment):
//   x~ = l x + (1 - l) x',   loss = l CE(F(x~), y) + (1 - l) CE(F(x~), y'),   l ~ Beta(alpha, alpha).
// A step trains on both (x, x') and (x', x). Partners come from all training rows, augmented like the batch.
// cutmix: one box per batch, l the share outside (augment/mix.h). Rows without partner stay unmixed.
class Lisa : public Algorithm {
 public:
  using Algorithm::Algorithm;

  void attach(TrainingSet& set) override {
    set_ = &set;
    partners_.emplace(set.training(), set.labels(), set.environment()->codes);
    const double p = parameter("same-label-probability");
    if (p > 0 && !partners_->any(true))
      refuse("algorithm lisa", "a label that occurs in two environments of the training images", "none");
    if (p < 1 && !partners_->any(false))
      refuse("algorithm lisa", "an environment with two labels among the training images", "none");
  }

  Objective objective(const Minibatches& batches) override {
    const Batch& own = batches.labelled;
    Random random(setting().seed, stream("lisa"), batches.step);
    const bool same_label = random.uniform() < parameter("same-label-probability");
    const bool by_box = parameter("cutmix") != 0;
    torch::Tensor box;
    if (by_box) box = outside_of_box(own.x, draw_share(random), random);

    std::vector<std::int64_t> rows(own.rows.begin(), own.rows.end());
    std::vector<float> shares(rows.size(), 1);  // l of each row
    std::size_t mixed = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = static_cast<std::size_t>(rows[i]);
      const auto partner =
          partners_->draw(set_->labels()[row], set_->environment()->codes[row], same_label, random);
      if (!partner) continue;
      rows[i] = *partner;
      const double l = by_box ? 0 : draw_share(random);
      shares[i] = by_box ? box.mean().item<float>() : static_cast<float>(std::max(l, 1 - l));
      ++mixed;
    }
    Batch other = set_->augmented(rows);
    const torch::Tensor paired =
        torch::tensor(rows) != torch::tensor(std::vector<std::int64_t>(own.rows.begin(), own.rows.end()));
    other.x = torch::where(paired.view({-1, 1, 1, 1}).to(setting().device), other.x, own.x);

    const torch::Tensor l = torch::tensor(shares).to(setting().device);
    const torch::Tensor keep = by_box ? box : l.view({-1, 1, 1, 1});  // the own part of every pixel
    const torch::Tensor logits =
        forward(torch::cat({keep * own.x + (1 - keep) * other.x, (1 - keep) * own.x + keep * other.x}))
            .logits;
    const std::int64_t n = own.x.size(0);
    const torch::Tensor first = logits.slice(0, 0, n), second = logits.slice(0, n);
    const torch::Tensor loss = l * losses(first, own) + (1 - l) * losses(first, other) +
                               (1 - l) * losses(second, own) + l * losses(second, other);
    return {loss.mean() / 2,
            first,
            {{"mixed", static_cast<double>(mixed) / static_cast<double>(rows.size())},
             {"same_label", same_label ? 1 : 0}}};
  }

 private:
  [[nodiscard]] double draw_share(Random& random) const {
    return augment::draw_beta(parameter("alpha"), parameter("alpha"), random);
  }

  // (1,1,h,w): 0 inside a random box, 1 outside.
  [[nodiscard]] static torch::Tensor outside_of_box(const torch::Tensor& x, double share, Random& random) {
    const std::int64_t h = x.size(2), w = x.size(3);
    const augment::Box box =
        augment::draw_box(share, static_cast<std::size_t>(h), static_cast<std::size_t>(w), random);
    torch::Tensor keep = torch::ones({1, 1, h, w}, x.options());
    using torch::indexing::Slice;
    const auto at = [](std::size_t place) { return static_cast<std::int64_t>(place); };
    keep.index_put_({0, 0, Slice(at(box.top), at(box.bottom)), Slice(at(box.left), at(box.right))}, 0);
    return keep;
  }

  TrainingSet* set_ = nullptr;
  std::optional<Partners> partners_;
};

}  // namespace

AlgorithmMember lisa() {
  return {{"lisa",
           "mixtures of two environments with one label, or of two labels in one environment",
           "Yao et al., ICML 2022, section 3",
           {{"same-label-probability", .5, 0, 1, "probability that a batch is mixed within labels"},
            {"alpha", 2, .01, 100, "mixing shares follow Beta(alpha, alpha)"},
            {"cutmix", 0, 0, 1, "1: mix by boxes (CutMix); 0: by weighted sums (mixup)", true}}},
          [](const Parameters& parameters) {
            return Requirements{.environments = parameters.at("same-label-probability") > 0 ? 2U : 1U,
                                .own_labels = true,
                                .unbalanced = true};
          },
          make_algorithm<Lisa>};
}

}  // namespace leeway::nn

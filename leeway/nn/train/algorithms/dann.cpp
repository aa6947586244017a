#include <cmath>

#include "leeway/core/random.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/reversal.h"

namespace leeway::nn {
namespace {

// d - ReLU(width) - ReLU(width) - 2, dropout after each ReLU. The masks are keyed by seed, step and row.
class Discriminator : public torch::nn::Module {
 public:
  Discriminator(std::int64_t features, std::int64_t width)
      : first_(register_module("0", torch::nn::Linear(features, width))),
        second_(register_module("1", torch::nn::Linear(width, width))),
        last_(register_module("2", torch::nn::Linear(width, 2))) {}

  // `mask(layer, x)`: what x is multiplied by.
  template <class Mask>
  torch::Tensor forward(const torch::Tensor& features, const Mask& mask) {
    torch::Tensor x = torch::relu(first_(features));
    x = torch::relu(second_(x * mask(0, x)));
    return last_(x * mask(1, x));
  }

 private:
  torch::nn::Linear first_, second_, last_;
};

// CE(F(x), y) on the source + w CE(D(rev_c(z)), domain) over source and target, z the features of both in one pass: D learns
// to tell the domains apart, the features learn to prevent it. c = 2 / (1 + exp(-slope p)) - 1, p the share of steps done.
class Dann : public LossAlgorithm {
 public:
  explicit Dann(const AlgorithmSetting& setting)
      : LossAlgorithm(setting),
        discriminator_(std::make_shared<Discriminator>(
            setting.features, static_cast<std::int64_t>(setting.parameters.at("discriminator-width")))) {
    initialize(*discriminator_, setting.seed, stream("discriminator"));
    discriminator_->to(setting.device);
    train_beside("discriminator", discriminator_, parameter("discriminator-rate"));
    if (setting.pretrained) scale_features(parameter("feature-rate"));
  }

  Objective objective(const Minibatches& batches) override {
    const Batch& source = batches.labelled;
    const double weight = parameter("weight");
    if (weight == 0) {
      const torch::Tensor logits = forward(source.x).logits;
      return {mean_loss(logits, source), logits};
    }
    const std::int64_t n = source.x.size(0);
    const Forward both = forward(torch::cat({source.x, batches.unlabelled.x}));
    const torch::Tensor logits = both.logits.slice(0, 0, n);
    const double c = parameter("reversal") * reversal_weight(static_cast<double>(batches.step - 1) /
                                                                 static_cast<double>(batches.steps),
                                                             parameter("slope"));
    const torch::Tensor told = discriminator_->forward(
        reversed(both.features, c),
        [&](std::uint64_t layer, const torch::Tensor& x) { return mask(x, 2 * batches.step + layer); });
    torch::Tensor domain = torch::zeros({told.size(0)}, torch::kInt64).to(told.device());
    domain.slice(0, n).fill_(1);
    const torch::Tensor domain_loss = torch::nn::functional::cross_entropy(told, domain);
    const double right = (told.detach().argmax(1) == domain).to(torch::kFloat64).mean().item<double>();
    return {mean_loss(logits, source) + weight * domain_loss,
            logits,
            {},
            {{"domain_loss", domain_loss.item<double>()}, {"domain_accuracy", right}, {"reversal", c}}};
  }

 private:
  // 0 with the probability `dropout`, else 1 / (1 - dropout).
  [[nodiscard]] torch::Tensor mask(const torch::Tensor& x, std::uint64_t number) const {
    torch::Tensor mask = torch::empty(x.sizes());
    const auto least = static_cast<std::uint32_t>(parameter("dropout") * 4294967296.);
    const auto kept = static_cast<float>(1 / (1 - parameter("dropout")));
    auto* out = mask.data_ptr<float>();
    for (std::int64_t row = 0; row < x.size(0); ++row) {
      Random random(setting().seed, stream("discriminator dropout"),
                    number << 24 | static_cast<std::uint64_t>(row));
      for (std::int64_t j = 0; j < x.size(1); ++j) *out++ = random.bits() >= least ? kept : 0.f;
    }
    return mask.to(x.device());
  }

  std::shared_ptr<Discriminator> discriminator_;
};

}  // namespace

AlgorithmMember dann() {
  return {
      {"dann",
       "domain-adversarial training: features from which source and target cannot be told apart",
       "Ganin et al., JMLR 2016, section 4; the discriminator and rates as Garg et al., ICML 2023 (RLSbench)",
       {{"weight", 1, 0, 1e6, "of the domain loss; 0: plain training"},
        {"slope", 10, 0, 1e6, "how fast the reversal grows from 0 to its full strength"},
        {"reversal", 1, 0, 1e6, "full strength of the reversal; 0: the features ignore the discriminator"},
        {"discriminator-width", 1024, 1, 65536, "units of its two hidden layers", true},
        {"dropout", .5, 0, .99, "share of them left out in a step"},
        {"discriminator-rate", 1, 0, 1e6, "its learning rate, times --lr"},
        {"feature-rate", .1, 0, 1e6,
         "learning rate of all but the last layer where training starts from given weights, "
         "times --lr"}}},
      [](const std::map<std::string, double>&) {
        Requirements needs;
        needs.features = needs.unlabelled = true;
        return needs;
      },
      make_algorithm<Dann>};
}

}  // namespace leeway::nn

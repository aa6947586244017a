#include "leeway/nn/train/conditional_map.h"
#include "leeway/nn/train/domain_adversarial.h"
#include "leeway/nn/train/reversal.h"

namespace leeway::nn {
namespace {

constexpr std::int64_t largest_product = 4096;

// Whether the random map stands in place of the outer product.
bool at_random(const AlgorithmSetting& setting) {
  const double map = setting.parameters.at("map");
  return map == 2 ? setting.features * setting.classes > largest_product : map == 1;
}

std::int64_t shown_numbers(const AlgorithmSetting& setting) {
  return at_random(setting) ? static_cast<std::int64_t>(setting.parameters.at("random-dim"))
                            : setting.features * setting.classes;
}

// The discriminator sees features and predictions together: T(z, p), p = softmax F without gradient; T is the outer product, or a
// random map of it.
//
// With entropy conditioning rows whose prediction is sure weigh more, w_i ~ 1 + exp(-H(p_i)), without gradient, H the entropy. With
// entropy-gradient H has its gradient, reversed as that of the features; what w_i is divided by has none.
class Cdan : public DomainAdversarial {
 public:
  explicit Cdan(const AlgorithmSetting& setting) : DomainAdversarial(setting, shown_numbers(setting)) {
    if (!at_random(setting)) return;
    map_ =
        std::make_shared<RandomMap>(setting.features, setting.classes, shown_numbers(setting), setting.seed);
    map_->to(setting.device);
    train_beside("map", map_, 1);  // it has no weights: buffers in the state
  }

 protected:
  [[nodiscard]] torch::Tensor shown(const Forward& both) const override {
    const torch::Tensor p = both.logits.detach().softmax(1);
    return map_ ? map_->forward(both.features, p) : outer_product(both.features, p);
  }

  [[nodiscard]] torch::Tensor row_weights(const Forward& both, std::int64_t source, double c) const override {
    const double conditioning = parameter("entropy-conditioning");
    if (conditioning == 0) return {};
    const bool reversing = parameter("entropy-gradient") != 0;
    const torch::Tensor log_p = (reversing ? reversed(both.logits, c) : both.logits.detach()).log_softmax(1);
    const double offset = parameter("entropy-offset");
    const torch::Tensor p = log_p.exp();
    const torch::Tensor w = 1 + (p * (offset > 0 ? (p + offset).log() : log_p)).sum(1).exp(),
                        plain = w.detach();
    if (conditioning == 2) return w / plain.sum();
    const auto share = [&](std::int64_t begin, std::int64_t end) {
      return w.slice(0, begin, end) / plain.slice(0, begin, end).sum();
    };
    return torch::cat({share(0, source), share(source, w.size(0))}) / 2;
  }

 private:
  std::shared_ptr<RandomMap> map_;  // null: the outer product
};

}  // namespace

AlgorithmMember cdan() {
  AlgorithmMember member{
      {"cdan",
       "domain-adversarial training in which the discriminator sees features and predictions together",
       "Long et al., NeurIPS 2018, section 3; the discriminator and rates as Garg et al., ICML 2023 "
       "(RLSbench)",
       adversarial_parameters()},
      adversarial_needs,
      make_algorithm<Cdan>};
  member.parameters.push_back({"entropy-conditioning", 0, 0, 2,
                               "1: rows with sure predictions weigh more, each domain as much as the other "
                               "(CDAN+E); 2: the same, all "
                               "rows together; 0: all weigh the same",
                               true});
  member.parameters.push_back({"entropy-gradient", 0, 0, 1,
                               "1: gradients also go through these weights, reversed, as in the program of "
                               "Long et al.; 0: they have none",
                               true});
  member.parameters.push_back(
      {"entropy-offset", 0, 0, 1,
       "added to p inside the logarithm of H; 1e-5 as in the program of Long et al."});
  member.parameters.push_back(
      {"map", 2, 0, 2,
       "0: the outer product of features and probabilities; 1: a random map of it; 2: the random map where "
       "the product has more than 4096 numbers",
       true});
  member.parameters.push_back({"random-dim", 1024, 1, 1e6, "numbers of the random map", true});
  return member;
}

}  // namespace leeway::nn

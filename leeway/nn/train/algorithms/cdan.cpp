#include <cmath>

#include "leeway/core/random.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/train/domain_adversarial.h"

namespace leeway::nn {
namespace {

constexpr std::int64_t largest_product = 4096;

// Features and predictions combined in one vector (Long et al., NeurIPS 2018, section 3.2).

// vec(p f') of rows f (n,d) and p (n,k): (n, k d), the first class's d numbers first.
torch::Tensor outer_product(const torch::Tensor& f, const torch::Tensor& p) {
  return (p.unsqueeze(2) * f.unsqueeze(1)).flatten(1);
}

// Elementwise (R_f f)(R_p p) / sqrt(r), r numbers; R standard normal by seed. Inner products equal those of
// outer_product in expectation.
class RandomMap : public torch::nn::Module {
 public:
  RandomMap(std::int64_t features, std::int64_t classes, std::int64_t numbers, std::uint64_t seed)
      : of_features_(register_buffer(
            "features", normal_rows({features, numbers}, seed, stream("random map of features"), 0))),
        of_classes_(register_buffer(
            "classes", normal_rows({classes, numbers}, seed, stream("random map of classes"), 0))) {}

  [[nodiscard]] torch::Tensor forward(const torch::Tensor& f, const torch::Tensor& p) const {
    return f.mm(of_features_) * p.mm(of_classes_) / std::sqrt(static_cast<double>(of_features_.size(1)));
  }

 private:
  torch::Tensor of_features_, of_classes_;  // (d,r) and (k,r), buffers
};

// Whether the random map replaces the outer product.
bool at_random(const AlgorithmSetting& setting) {
  const double map = setting.parameters.at("map");
  return map == 2 ? setting.features * setting.classes > largest_product : map == 1;
}

std::int64_t shown_numbers(const AlgorithmSetting& setting) {
  return at_random(setting) ? static_cast<std::int64_t>(setting.parameters.at("random-dim"))
                            : setting.features * setting.classes;
}

// Conditional domain-adversarial training (Long et al., NeurIPS 2018, section 3): the discriminator sees T(z, p) of features z and
// probabilities p = softmax F, p without gradient. T is the outer product, or a random map of it (domain_adversarial.h).
// Entropy conditioning (CDAN+E): w_i ~ 1 + exp(-H(p_i)) without gradient, H the entropy, normalized within each domain.
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

  [[nodiscard]] torch::Tensor row_weights(const Forward& both, std::int64_t source) const override {
    if (parameter("entropy-conditioning") == 0) return {};
    const torch::Tensor log_p = both.logits.detach().log_softmax(1);
    const torch::Tensor w = 1 + (log_p.exp() * log_p).sum(1).exp();
    const auto share = [&](std::int64_t begin, std::int64_t end) {
      return w.slice(0, begin, end) / w.slice(0, begin, end).sum();
    };
    return torch::cat({share(0, source), share(source, w.size(0))}) / 2;
  }

 private:
  std::shared_ptr<RandomMap> map_;  // null: the outer product
};

}  // namespace

AlgorithmMember cdan() {
  AlgorithmMember member{{"cdan", "domain-adversarial training on features and predictions together",
                          "Long et al., NeurIPS 2018, section 3; the discriminator and rates as in Garg et "
                          "al., ICML 2023 (RLSbench)",
                          adversarial_parameters()},
                         adversarial_needs,
                         make_algorithm<Cdan>};
  for (const Parameter& parameter : std::vector<Parameter>{
           {"entropy-conditioning", 0, 0, 1, "1: confident predictions weigh more (CDAN+E)", true},
           {"map", 2, 0, 2, "0: outer product; 1: random map; 2: random map above 4096 dimensions", true},
           {"random-dim", 1024, 1, 1e6, "dimension of the random map", true}})
    member.parameters.push_back(parameter);
  return member;
}

}  // namespace leeway::nn

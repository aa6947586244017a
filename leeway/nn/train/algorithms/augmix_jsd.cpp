#include <fmt/format.h>

#include <algorithm>

#include "leeway/nn/augment/augmentation.h"
#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {
namespace {

constexpr std::string_view jsd_weight = "jsd-weight";

// AugMix (Hendrycks et al., ICLR 2020, section 3): CE(F(x), y) + jsd-weight JSD(p0, p1, p2), p0 = softmax F(x), p1 and p2 of two AugMix
// versions of x, and
//   JSD = mean over rows of (KL(p0 || M) + KL(p1 || M) + KL(p2 || M)) / 3,   M = (p0 + p1 + p2) / 3, at least 1e-7.
// All three share one pass and its batch statistics.
class AugmixJsd : public Algorithm {
 public:
  using Algorithm::Algorithm;

  Objective objective(const Minibatches& batches) override {
    const Batch& batch = batches.labelled;
    const double lambda = parameter(std::string(jsd_weight));
    if (lambda == 0) return plain(batch);
    const std::int64_t n = batch.x.size(0);
    const torch::Tensor all = forward(torch::cat({batch.x, batch.views.at(0), batch.views.at(1)})).logits;
    const torch::Tensor logits = all.slice(0, 0, n);
    const torch::Tensor logs = all.log_softmax(1).view({3, n, -1}), p = logs.exp();
    const torch::Tensor mixture = p.mean(0).clamp(1e-7, 1).log();
    const torch::Tensor consistency = (p * (logs - mixture)).sum() / (3 * n);
    return {mean_loss(logits, batch) + lambda * consistency,
            logits,
            {{"consistency", consistency.item<double>()}}};
  }
};

}  // namespace

AlgorithmMember augmix_jsd() {
  std::vector<Parameter> parameters = {
      {jsd_weight, 12, 0, 1e6, "weight of the divergence of the three predictions; 0: plain training"}};
  std::ranges::copy(augment::augmentation("augmix").parameters, std::back_inserter(parameters));
  return {{"augmix-jsd", "consistent predictions for an image and two AugMix versions of it",
           "Hendrycks et al., ICLR 2020, section 3", parameters},
          [](const Parameters& given) {
            Requirements needs;
            if (given.at(std::string(jsd_weight)) == 0) return needs;
            std::string view = "augmix";
            for (const auto& [name, value] : given)
              if (name != jsd_weight) view += fmt::format(":{}={}", name, value);
            needs.views = {view, view};
            return needs;
          },
          make_algorithm<AugmixJsd>};
}

}  // namespace leeway::nn

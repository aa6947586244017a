#include <algorithm>

#include "leeway/core/random.h"
#include "leeway/nn/augment/augmentation.h"
#include "leeway/nn/augment/mix.h"
#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {
namespace {

// Mean of l CE(F(x~_i), y_i) + (1 - l) CE(F(x~_i), y_j), x~_i = l x_i + (1 - l) x_j, l from Beta(alpha,
// alpha).
//
// j: a permutation of the batch; one l per batch. max(l, 1 - l) with the inverse permutation gives the same
// images. Across environments: a random cycle, partners from the next environment, one l each.
class Mixup : public Algorithm {
 public:
  using Algorithm::Algorithm;

  Objective objective(const Minibatches& batches) override {
    const Batch& batch = batches.labelled;
    const double alpha = parameter("alpha");
    if (alpha == 0) return plain(batch);
    Random random(setting().seed, stream("mixup"), batches.step);
    const auto n = static_cast<std::size_t>(batch.x.size(0));
    std::vector<std::int64_t> partners(n);
    std::vector<float> shares(n);
    if (parameter("across-environments") == 1) {
      pair_environments(batches.environments, partners, shares, random);
    } else {
      const augment::Mix mix = augment::augmentation("mixup").plan(n, 1, 1, {{"alpha", alpha}}, random);
      std::ranges::copy(mix.partner, partners.begin());
      std::ranges::fill(shares, static_cast<float>(std::max(mix.share, 1 - mix.share)));
    }
    const torch::Tensor other = torch::tensor(partners).to(setting().device),
                        share = torch::tensor(shares).to(setting().device);
    const torch::Tensor part = share.view({-1, 1, 1, 1});
    const torch::Tensor logits = forward(part * batch.x + (1 - part) * batch.x.index_select(0, other)).logits;
    const torch::Tensor loss =
        share * losses(logits, batch) + (1 - share) * losses(logits, batch.select(other));
    return {loss.mean(), logits, {{"share", share.mean().item<double>()}}};
  }

 private:
  void pair_environments(const std::vector<Batch>& environments, std::vector<std::int64_t>& partners,
                         std::vector<float>& shares, Random& random) const {
    std::vector<std::int64_t> begins, sizes;
    for (std::int64_t begin = 0; const Batch& environment : environments) {
      begins.push_back(begin), sizes.push_back(environment.x.size(0));
      begin += sizes.back();
    }
    const std::vector<std::size_t> circle = permutation(environments.size(), random);
    for (std::size_t i = 0; i < circle.size(); ++i) {
      const std::size_t own = circle[i], next = circle[(i + 1) % circle.size()];
      const auto share =
          static_cast<float>(augment::draw_beta(parameter("alpha"), parameter("alpha"), random));
      for (std::int64_t row = 0; row < sizes[own]; ++row) {
        const auto at = static_cast<std::size_t>(begins[own] + row);
        partners[at] = begins[next] + row % sizes[next];
        shares[at] = share;
      }
    }
  }
};

}  // namespace

AlgorithmMember mixup() {
  return {{"mixup",
           "weighted sums of pairs of images, and of the losses of their labels",
           "Zhang et al., ICLR 2018; across environments as in Gulrajani and Lopez-Paz, ICLR 2021 (alpha .2)",
           {{"alpha", 1, 0, 100, "mixing shares follow Beta(alpha, alpha); 0: plain training"},
            {"across-environments", 0, 0, 1,
             "1: pairs from different environments; 0: any pairs of the batch", true}}},
          [](const Parameters& parameters) {
            return Requirements{.environments = parameters.at("across-environments") == 1 ? 2U : 0U};
          },
          make_algorithm<Mixup>};
}

}  // namespace leeway::nn

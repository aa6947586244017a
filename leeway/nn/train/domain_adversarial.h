// Training against a discriminator of source and target (Ganin et al., JMLR 2016, section 4).
#pragma once

#include <torch/torch.h>

#include <memory>
#include <vector>

#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {

// Gradient reversal (section 4.2): x itself; its gradient is -c times the incoming one.
[[nodiscard]] torch::Tensor reversed(const torch::Tensor& x, double c);

// c at a share p of the steps done: 2 / (1 + exp(-10 p)) - 1, from 0 towards 1.
[[nodiscard]] double reversal_weight(double p);

// linear(width) - ReLU - dropout - linear(width) - ReLU - dropout - linear(2).
class Discriminator : public torch::nn::Module {
 public:
  Discriminator(std::int64_t features, std::int64_t width);

  // Dropout masks with probability `dropout` depend on seed, `step` and row.
  torch::Tensor forward(const torch::Tensor& features, double dropout, std::uint64_t seed, std::size_t step);

 private:
  torch::nn::Linear first_, second_, last_;
};

// CE(F(x), y) on the source + weight sum_i w_i CE(D(rev_c(T_i)), domain_i) on source and target, which share one pass; T is what a member
// shows the discriminator D. Through the reversal rev_c D learns to tell the domains apart and the features learn to prevent it.
class DomainAdversarial : public LossAlgorithm {
 public:
  // `shown`: numbers of T.
  DomainAdversarial(const AlgorithmSetting& setting, std::int64_t shown);
  Objective objective(const Minibatches& batches) override;

 protected:
  [[nodiscard]] virtual torch::Tensor shown(const Forward& both) const = 0;  // T, (rows, `shown`)
  // w_i, which sum to 1; the first `source` rows are the source. Undefined: equal weights.
  [[nodiscard]] virtual torch::Tensor row_weights(const Forward& /*both*/, std::int64_t /*source*/) const {
    return {};
  }

 private:
  std::shared_ptr<Discriminator> discriminator_;
};

[[nodiscard]] std::vector<Parameter> adversarial_parameters();
[[nodiscard]] Requirements adversarial_needs(const std::map<std::string, double>& parameters);

}  // namespace leeway::nn

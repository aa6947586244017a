// Training against a discriminator that tells source from target (Ganin et al., JMLR 2016, section 4).
#pragma once

#include <torch/torch.h>

#include <memory>
#include <vector>

#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {

// d - ReLU(width) - ReLU(width) - 2, dropout after each ReLU, and where it is normalized batch normalization before it. With one output
// of its own, which is the source's, that of the target is 0.
class Discriminator : public torch::nn::Module {
 public:
  Discriminator(std::int64_t features, std::int64_t width, bool normalized = false, bool one_output = false);

  // `dropout`: the share left out. The masks are keyed by seed, `step` (of the step and its part) and row.
  torch::Tensor forward(const torch::Tensor& features, double dropout, std::uint64_t seed, std::size_t step);

 private:
  torch::nn::Linear first_, second_, last_;
  std::vector<torch::nn::BatchNorm1d> norms_;
};

// CE(F(x), y) on the source + w sum_i w_i CE(D(rev_c(T_i)), domain), T what a member shows D of source and target, which pass
// through the network together: D learns to tell the domains apart, the features learn to prevent it.
// c = 2 / (1 + exp(-slope p)) - 1, p the share of steps done. With parts, each share of the source's rows passes with as large a share of the
// target's by itself; the loss is the mean over parts, of which one that is missing (full-parts) counts as 0.
class DomainAdversarial : public LossAlgorithm {
 public:
  DomainAdversarial(const AlgorithmSetting& setting, std::int64_t shown);
  Objective objective(const Minibatches& batches) override;

 private:
  struct Passed {
    torch::Tensor loss, domain_loss, logits;
    double right = 0;  // share of rows whose domain is told
  };
  // `number` of the step's and part's draws, c of the reversal.
  [[nodiscard]] Passed passed(const Batch& source, const torch::Tensor& target, std::size_t number,
                              double c) const;

 protected:
  [[nodiscard]] virtual torch::Tensor shown(
      const Forward& both) const = 0;  // (rows, `shown` of the constructor)
  // w_i, which sum to 1; the first `source` rows are the source, c is that of the reversal. Undefined: all are equal.
  [[nodiscard]] virtual torch::Tensor row_weights(const Forward& /*both*/, std::int64_t /*source*/,
                                                  double /*c*/) const {
    return {};
  }

 private:
  std::shared_ptr<Discriminator> discriminator_;
};

[[nodiscard]] std::vector<Parameter> adversarial_parameters();
[[nodiscard]] Requirements adversarial_needs(const std::map<std::string, double>& parameters);

}  // namespace leeway::nn

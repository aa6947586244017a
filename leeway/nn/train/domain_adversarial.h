// Training against a discriminator of source and target (Ganin et al., JMLR 2016, section 4).
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {

// Gradient reversal (section 4.2): x; multiplies gradients by -c.
[[nodiscard]] torch::Tensor reversed(const torch::Tensor& x, double c);

// c at a share p of the steps done: 2 / (1 + exp(-10 p)) - 1, from 0 towards 1.
[[nodiscard]] double reversal_weight(double p);

// linear(width) - ReLU - dropout - linear(width) - ReLU - dropout - linear(2).
class Discriminator : public torch::nn::Module {
 public:
  Discriminator(std::int64_t features, std::int64_t width);

  // Dropout masks depend on seed, `step` and row.
  torch::Tensor forward(const torch::Tensor& features, double dropout, std::uint64_t seed, std::size_t step);

 private:
  torch::nn::Linear first_, second_, last_;
};

// CE(F(x), y) on the source + weight sum_i w_i CE(D(rev_c(T_i)), domain_i) on source and target in one pass.
// T is the member's input to the discriminator D; rev_c makes features confuse D.
class DomainAdversarial : public Algorithm {
 public:
  // `shown`: size of T.
  DomainAdversarial(const AlgorithmSetting& setting, std::int64_t shown);
  Objective objective(const Minibatches& batches) override;

 protected:
  // T, (rows, `shown`); default: the features.
  [[nodiscard]] virtual torch::Tensor shown(const Forward& both) const { return both.features; }
  // w_i, sum 1, the first `source` rows from the source. Undefined: equal.
  [[nodiscard]] virtual torch::Tensor row_weights(const Forward& /*both*/, std::int64_t /*source*/) const {
    return {};
  }

 private:
  std::shared_ptr<Discriminator> discriminator_;
};

[[nodiscard]] std::vector<Parameter> adversarial_parameters();
[[nodiscard]] Requirements adversarial_needs(const Parameters& parameters);

// Combines features and predictions in one vector (Long et al., NeurIPS 2018, section 3.2).

// vec(p f') of rows f (n,d) and p (n,k): (n, k d), the first class's d numbers first.
[[nodiscard]] torch::Tensor outer_product(const torch::Tensor& f, const torch::Tensor& p);

// Elementwise (R_f f)(R_p p) / sqrt(r), r numbers; R standard normal by seed. Inner products equal those of
// outer_product in expectation.
class RandomMap : public torch::nn::Module {
 public:
  RandomMap(std::int64_t features, std::int64_t classes, std::int64_t numbers, std::uint64_t seed);
  [[nodiscard]] torch::Tensor forward(const torch::Tensor& f, const torch::Tensor& p) const;

 private:
  torch::Tensor of_features_, of_classes_;  // (d,r) and (k,r), buffers
};

}  // namespace leeway::nn

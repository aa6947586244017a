// Training against a discriminator of source and target (Ganin et al., JMLR 2016, section 4).
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {

// c at a share p of the steps done: 2 / (1 + exp(-10 p)) - 1, from 0 towards 1.
[[nodiscard]] double reversal_weight(double p);

class Discriminator;

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

}  // namespace leeway::nn

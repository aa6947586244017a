#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {
namespace {

// Empirical risk minimization: the mean cross-entropy of the batch.
class Erm : public LossAlgorithm {
 public:
  using LossAlgorithm::LossAlgorithm;
  Objective objective(const Minibatches& batches) override { return plain(batches.labelled); }
};

}  // namespace

AlgorithmMember erm() {
  return {
      {"erm", "empirical risk minimization: plain training", "Vapnik, 1992"}, nullptr, make_algorithm<Erm>};
}

}  // namespace leeway::nn

#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {
namespace {

// Empirical risk minimisation: the mean cross-entropy of the batch.
class Erm : public Algorithm {
 public:
  explicit Erm(ForwardFunction forward) : forward_(std::move(forward)) {}
  Objective objective(const Batch& batch) override {
    const torch::Tensor logits = forward_(batch.x).logits;
    return {torch::nn::functional::cross_entropy(logits, batch.y), logits};
  }

 private:
  ForwardFunction forward_;
};

}  // namespace

AlgorithmMember erm() {
  return {"erm",
          "empirical risk minimisation: plain training",
          "Vapnik, 1992",
          {},
          [](const AlgorithmSetting& setting) -> std::unique_ptr<Algorithm> {
            return std::make_unique<Erm>(setting.forward);
          }};
}

}  // namespace leeway::nn

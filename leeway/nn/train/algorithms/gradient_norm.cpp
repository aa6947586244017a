#include "leeway/core/random.h"
#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {
namespace {

// min over weights of E [CE(F(x), y) + lambda |grad_x F(x)|^2], the squared Frobenius norm of the logits'
// Jacobian, estimated as |J' v|^2 by one backward pass: v holds a random sign per class, per epoch and row.
class GradientNorm : public Algorithm {
 public:
  using Algorithm::Algorithm;

  Objective objective(const Minibatches& batches) override {
    const torch::Tensor x = batches.labelled.x.detach().requires_grad_();
    const torch::Tensor logits = forward(x).logits;
    const torch::Tensor projected = (logits * signs(batches, logits.size(1))).sum();
    const torch::Tensor gradient = torch::autograd::grad({projected}, {x}, {}, true, true)[0];
    const torch::Tensor penalty = gradient.square().sum() / static_cast<double>(x.size(0));
    return {mean_loss(logits, batches.labelled) + parameter("lambda") * penalty, logits};
  }

 private:
  [[nodiscard]] torch::Tensor signs(const Minibatches& batches, std::int64_t k) const {
    const auto rows = batches.labelled.rows;
    torch::Tensor v = torch::empty({static_cast<std::int64_t>(rows.size()), k}, torch::kFloat32);
    auto* out = v.data_ptr<float>();
    for (const std::int64_t row : rows) {
      Random random(setting().seed, stream("gradient norm signs"),
                    static_cast<std::uint64_t>(batches.epoch) << 40 | static_cast<std::uint64_t>(row));
      for (std::int64_t j = 0; j < k; ++j) *out++ = random.bits() & 1U ? 1.f : -1.f;
    }
    return v.to(setting().device);
  }
};

}  // namespace

AlgorithmMember gradient_norm() {
  return {{"gradient-norm",
           "plain training with a penalty on the squared norm of the logits' input gradients",
           "Srinivas and Fleuret, ICML 2018; one random projection as in Hoffman, Roberts and Yaida, 2019",
           {{"lambda", .001, 0, 1e6, "weight of the penalty"}}},
          nullptr,
          make_algorithm<GradientNorm>};
}

}  // namespace leeway::nn

#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {
namespace {

// Invariant risk minimization, IRMv1 (Arjovsky et al., 2019, section 3.1):
//   min_F  mean_e [ R_e(F) + lambda D_e(F) ],   D_e = (dR_e(w F) / dw at w = 1)^2,
// R_e the mean cross-entropy in environment e. The derivative is mean_i s_i with s_i = sum_c (p_ic - 1[c = y_i]) F_ic, p = softmax F.
// The square of a batch's mean is biased upwards. The product of the means over even and over odd rows is unbiased (and may be negative).
//
// The penalty's weight is 1 in the first anneal-steps steps and lambda afterwards, where the optimizer starts anew.
class Irm : public Algorithm {
 public:
  using Algorithm::Algorithm;

  Objective objective(const Minibatches& batches) override {
    const auto annealing = static_cast<std::size_t>(parameter("anneal-steps"));
    if (annealing > 0 && batches.step == annealing + 1) forget_moments();
    const double weight = batches.step > annealing ? parameter("lambda") : 1;
    const torch::Tensor logits = forward(batches.labelled.x).logits;  // batch statistics of all environments
    torch::Tensor risk, penalty;
    std::int64_t begin = 0;
    for (const Batch& environment : batches.environments) {
      const torch::Tensor part = logits.slice(0, begin, begin + environment.y.size(0));
      const torch::Tensor r = mean_loss(part, environment), d = penalty_of(part, environment);
      risk = risk.defined() ? risk + r : r;
      penalty = penalty.defined() ? penalty + d : d;
      begin += environment.y.size(0);
    }
    const auto count = static_cast<double>(batches.environments.size());
    risk = risk / count, penalty = penalty / count;
    return {risk + weight * penalty,
            logits,
            {{"risk", risk.item<double>()}, {"penalty", penalty.item<double>()}}};
  }

 private:
  [[nodiscard]] torch::Tensor penalty_of(const torch::Tensor& logits, const Batch& batch) const {
    const torch::Tensor residual = logits.softmax(1) - targets(batch, logits.size(1));
    const torch::Tensor slopes = (residual * logits).sum(1);
    if (parameter("square") != 0) return slopes.mean().square();
    return slopes.slice(0, 0, c10::nullopt, 2).mean() * slopes.slice(0, 1, c10::nullopt, 2).mean();
  }
};

}  // namespace

AlgorithmMember irm() {
  return {
      {"irm",
       "invariant risk minimization (IRMv1): one scale of the logits is optimal in every environment",
       "Arjovsky et al., 2019, section 3.1; two halves and annealing as in Gulrajani and Lopez-Paz, ICLR "
       "2021",
       {{"lambda", 100, 0, 1e12, "weight of the penalty"},
        {"anneal-steps", 500, 0, 1e9, "number of initial steps with a penalty weight of 1", true},
        {"square", 0, 0, 1, "1: squared mean derivative as penalty (biased); 0: product of two halves", true},
        {"single-environment", 0, 0, 1,
         "1: allow a single environment (the penalty then measures miscalibration)", true}}},
      [](const Parameters& parameters) {
        return Requirements{.environments = parameters.at("single-environment") != 0 ? 1U : 2U,
                            .least_rows = 2};
      },
      make_algorithm<Irm>};
}

}  // namespace leeway::nn

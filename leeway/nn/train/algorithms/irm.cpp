#include "leeway/core/message.h"
#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {
namespace {

// mean_e R_e + lambda mean_e D_e over the environments e, R_e the mean cross-entropy of F there and
// D_e = (dR_e(w F)/dw at w = 1)^2. In closed form that derivative is g = mean_i sum_c (p_ic - 1[c = y_i]) F_ic, p = softmax F.
// The square of a batch's g is too large on average; the product of g of the even and of the odd rows is unbiased, and may
// be negative.
//
// With separate-passes each environment passes through the network by itself, so that batch statistics are its own; with sum R_e and
// D_e are summed.
//
// With parts, each has that share of every environment's rows, in order, and R_e and D_e of its own; the loss is the mean over parts.
//
// The penalty's weight is 1 for the first anneal-steps steps, then lambda, and the optimizer begins anew there, unless it keeps its moments.
class Irm : public LossAlgorithm {
 public:
  using LossAlgorithm::LossAlgorithm;

  Objective objective(const Minibatches& batches) override {
    const auto annealing = static_cast<std::size_t>(parameter("anneal-steps"));
    if (annealing > 0 && batches.step == annealing + 1 && parameter("keep-moments") == 0) forget_moments();
    const double weight = batches.step > annealing ? parameter("lambda") : 1;
    const torch::Tensor logits = logits_of(batches);
    const auto parts = static_cast<std::int64_t>(parameter("parts"));
    torch::Tensor risk, penalty;
    std::int64_t begin = 0;
    for (const Batch& environment : batches.environments) {
      const std::int64_t rows = environment.y.size(0);
      for (std::int64_t p = 0; p < parts; ++p) {
        const std::int64_t from = p * rows / parts, to = (p + 1) * rows / parts;
        const torch::Tensor part = logits.slice(0, begin + from, begin + to);
        const Batch of_part = environment.slice(from, to);
        const torch::Tensor one_risk = mean_loss(part, of_part), one_penalty = penalty_of(part, of_part);
        risk = risk.defined() ? risk + one_risk : one_risk;
        penalty = penalty.defined() ? penalty + one_penalty : one_penalty;
      }
      begin += rows;
    }
    const double count = static_cast<double>(parts) *
                         (parameter("sum") != 0 ? 1 : static_cast<double>(batches.environments.size()));
    risk = risk / count;
    penalty = penalty / count;
    const torch::Tensor loss = risk + weight * penalty;
    return {parameter("rescale") != 0 && weight > 1 ? loss / weight : loss,
            logits,
            {},
            {{"risk", risk.item<double>()}, {"penalty", penalty.item<double>()}}};
  }

 private:
  // One pass, so that batch statistics are of all environments, unless they are to pass apart.
  [[nodiscard]] torch::Tensor logits_of(const Minibatches& batches) const {
    if (parameter("separate-passes") == 0) return forward(batches.labelled.x).logits;
    std::vector<torch::Tensor> parts;
    for (const Batch& environment : batches.environments) parts.push_back(forward(environment.x).logits);
    return torch::cat(parts);
  }

  [[nodiscard]] torch::Tensor penalty_of(const torch::Tensor& logits, const Batch& batch) const {
    const torch::Tensor wrong = logits.softmax(1) - targets(batch, logits.size(1));
    const torch::Tensor slopes = (wrong * logits).sum(1);
    if (parameter("square") != 0) return slopes.mean().square();
    return slopes.slice(0, 0, c10::nullopt, 2).mean() * slopes.slice(0, 1, c10::nullopt, 2).mean();
  }
};

}  // namespace

AlgorithmMember irm() {
  return {
      {"irm",
       "invariant risk minimisation (IRMv1): one scale of the logits is best in every environment",
       "Arjovsky et al., 2019, section 3.1; two halves and annealing as Gulrajani and Lopez-Paz, ICLR 2021",
       {{"lambda", 100, 0, 1e12, "weight of the penalty"},
        {"anneal-steps", 500, 0, 1e9, "steps before it, with a weight of 1", true},
        {"rescale", 0, 0, 1,
         "1: a loss whose penalty weighs more than 1 is divided by that weight, as in the method's program",
         true},
        {"keep-moments", 0, 0, 1,
         "1: the optimizer goes on with its moments where the penalty gets its weight, as in the method's "
         "program",
         true},
        {"square", 0, 0, 1, "1: the square of a batch's derivative in place of the product of two halves",
         true},
        {"separate-passes", 0, 0, 1,
         "1: each environment passes through the network by itself, as in the program of DiagViB-6", true},
        {"sum", 0, 0, 1,
         "1: losses and penalties are summed over environments, as in the program of DiagViB-6; 0: their "
         "mean",
         true},
        {"parts", 1, 1, 1024,
         "of every batch, each with losses and penalties of its own: 4 devices in the program of DiagViB-6",
         true},
        {"single-environment", 0, 0, 1,
         "1: go on with one environment, which makes this a penalty on miscalibration", true}}},
      [](const std::map<std::string, double>& parameters) {
        if (parameters.at("keep-moments") != 0 && parameters.at("anneal-steps") == 0)
          refuse("algorithm irm", "steps before the penalty (anneal-steps), as keep-moments is 1", "0");
        Requirements needs;
        needs.environments = parameters.at("single-environment") != 0 ? 1 : 2;
        needs.least_rows = 2 * static_cast<std::size_t>(parameters.at("parts"));
        return needs;
      },
      make_algorithm<Irm>};
}

}  // namespace leeway::nn

#include <algorithm>
#include <cmath>
#include <limits>

#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/training_set.h"

namespace leeway::nn {
namespace {

// Group distributionally robust optimization (Sagawa et al., ICLR 2020, algorithm 1):
//   min over weights  max over q in the simplex  of  sum_g q_g E_g[CE(F(x), y)],   g the groups of the training rows.
// A step with the batch's group means l_g: q_g <- q_g exp(eta (l_g + C / sqrt(n_g))), normalized, then a gradient step on
// sum_g q_g l_g. The adjustment C / sqrt(n_g) (section 3.3), n_g the group's training rows, enters the exponent alone. A group that the
// batch lacks keeps its q but for the normalization. The state holds log q, so that no exponent overflows.
class GroupDro : public Algorithm {
 public:
  using Algorithm::Algorithm;

  void attach(TrainingSet& set) override { groups_ = static_cast<std::int64_t>(set.group_sizes().size()); }

  void prepare(TrainingSet& set) override {
    attach(set);
    log_q_ = torch::zeros({groups_}, torch::kFloat64);
    adjustment_ = torch::zeros({groups_}, torch::kFloat64);
    for (std::int64_t g = 0; g < groups_; ++g) {
      const auto n = static_cast<double>(set.group_sizes()[static_cast<std::size_t>(g)]);
      // a group without training rows has no loss to weight
      log_q_[g] = n > 0 ? 0. : -std::numeric_limits<double>::infinity();
      adjustment_[g] = n > 0 ? parameter("adjustment") / std::sqrt(n) : 0.;
    }
    log_q_ -= log_q_.logsumexp(0);
  }

  Objective objective(const Minibatches& batches) override {
    const Batch& batch = batches.labelled;
    const torch::Tensor logits = forward(batch.x).logits;
    std::map<std::int64_t, torch::Tensor> losses;  // l_g of the groups in the batch
    for (std::int64_t g = 0; g < log_q_.size(0); ++g) {
      const torch::Tensor rows = (batch.group == g).nonzero().flatten();
      if (rows.numel() == 0) continue;
      losses[g] = mean_loss(logits.index_select(0, rows), batch.select(rows));
      log_q_[g] += parameter("eta") * (losses[g].item<double>() + adjustment_[g].item<double>());
    }
    log_q_ -= log_q_.logsumexp(0);
    torch::Tensor loss;
    double worst = 0;
    for (const auto& [g, mean] : losses) {
      const torch::Tensor term = std::exp(log_q_[g].item<double>()) * mean;
      loss = loss.defined() ? loss + term : term;
      worst = std::max(worst, mean.item<double>());
    }
    const torch::Tensor q = log_q_.exp().masked_select(log_q_.isfinite());
    const double change = (q * q.numel() - 1).abs().max().item<double>();
    return {
        loss,
        logits,
        {{"largest_weight", q.max().item<double>()}, {"weight_change", change}, {"worst_group_loss", worst}}};
  }

  void archive(Archive& state) override {
    Algorithm::archive(state);
    state.add("log_q", log_q_, {groups_}, torch::kFloat64, -std::numeric_limits<double>::infinity());
    state.add("adjustment", adjustment_, {groups_}, torch::kFloat64, 0);
  }

 private:
  std::int64_t groups_ = -1;          // -1: not known
  torch::Tensor log_q_, adjustment_;  // (groups), float64
};

}  // namespace

AlgorithmMember group_dro() {
  return {{"group-dro",
           "distributionally robust training: groups with larger losses get larger weights",
           "Sagawa et al., ICLR 2020, algorithm 1 and section 3.3; a group is a label with attribute values",
           {{"eta", .01, 0, 100, "step size of the group weights (exponent per unit of loss)"},
            {"adjustment", 0, 0, 1e6, "C of the group adjustment C / sqrt(rows of the group)"},
            {"balanced", 1, 0, 1, "1: batches sample all groups equally often; 0: as often as they occur",
             true}}},
          [](const Parameters& parameters) {
            return Requirements{.groups = true, .balanced = parameters.at("balanced") != 0};
          },
          make_algorithm<GroupDro>};
}

}  // namespace leeway::nn

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "leeway/core/message.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/training_set.h"

namespace leeway::nn {
namespace {

// min over weights, max over q in the simplex, of sum_g q_g E_g[CE(F(x), y)] over the groups g of the training rows. One step,
// with the batch's group means l_g: q_g <- q_g exp(eta (l_g + C / sqrt(n_g))), normalised; then a gradient step on
// sum_g q_g l_g. q of a group that the batch lacks waits: it takes part in the normalisation alone. The adjustment
// C / sqrt(n_g), n_g the group's training rows, is in the exponent only. Kept as log q, so that no exponent overflows.
//
// With greedy a the weights are not q: of running means m_g <- (1 - greedy-average) m_g + greedy-average l_g, from the first l_g on, groups
// in falling order of m_g + C / sqrt(n_g) have n_g / (a n) as long as these sum to at most 1, the next one what is left, the others 0.
class GroupDro : public LossAlgorithm {
 public:
  using LossAlgorithm::LossAlgorithm;

  void attach(TrainingSet& set) override {
    sizes_ = set.group_sizes();
    if (parameter("by-environment") != 0) {
      environments_ = set.environment()->codes;
      sizes_.assign(set.environment()->levels.size(), 0);
      for (const std::int64_t row : set.training()) ++sizes_[environment_of(row)];
    }
    groups_ = static_cast<std::int64_t>(sizes_.size());
  }

  void prepare(TrainingSet& set) override {
    attach(set);
    log_q_ = torch::zeros({groups_}, torch::kFloat64);
    adjustment_ = torch::zeros({groups_}, torch::kFloat64);
    for (std::int64_t g = 0; g < groups_; ++g) {
      const auto n = static_cast<double>(sizes_[static_cast<std::size_t>(g)]);
      // a group without training rows has no loss to weigh
      log_q_[g] = n > 0 ? 0. : -std::numeric_limits<double>::infinity();
      adjustment_[g] = n > 0 ? parameter("adjustment") / std::sqrt(n) : 0.;
    }
    log_q_ -= log_q_.logsumexp(0);
    averages_ = torch::full({groups_}, none, torch::kFloat64);
  }

  Objective objective(const Minibatches& batches) override {
    const Batch& batch = batches.labelled;
    const torch::Tensor logits = forward(batch.x).logits, groups = groups_of(batch);
    std::map<std::int64_t, torch::Tensor> losses;  // of the groups in the batch
    for (std::int64_t g = 0; g < log_q_.size(0); ++g) {
      const torch::Tensor rows = (groups == g).nonzero().flatten();
      if (rows.numel() == 0) {
        if (parameter("adjust-absent") != 0) log_q_[g] += parameter("eta") * adjustment_[g].item<double>();
        continue;
      }
      losses[g] = mean_loss(logits.index_select(0, rows), batch.select(rows));
      log_q_[g] += parameter("eta") * (losses[g].item<double>() + adjustment_[g].item<double>());
    }
    log_q_ -= log_q_.logsumexp(0);
    const std::vector<double> weights = parameter("greedy") > 0 ? greedy_weights(losses) : q_weights();
    torch::Tensor loss;
    double worst = 0;
    for (const auto& [g, mean] : losses) {
      const torch::Tensor term = weights[static_cast<std::size_t>(g)] * mean;
      loss = loss.defined() ? loss + term : term;
      worst = std::max(worst, mean.item<double>());
    }
    return {loss,
            logits,
            {},
            {{"largest_weight", *std::ranges::max_element(weights)}, {"worst_group_loss", worst}}};
  }

  [[nodiscard]] Tensors state() const override {
    Tensors state = LossAlgorithm::state();
    state["log_q"] = log_q_;
    state["adjustment"] = adjustment_;
    if (parameter("greedy") > 0) state["averages"] = averages_;
    return state;
  }

  void restore(const Tensors& state, const std::string& name) override {
    LossAlgorithm::restore(state, name);
    log_q_ = take_numbers(state, "log_q", {groups_}, torch::kFloat64,
                          -std::numeric_limits<double>::infinity(), unbounded, name);
    adjustment_ = take_numbers(state, "adjustment", {groups_}, torch::kFloat64, 0, unbounded, name);
    if (parameter("greedy") > 0)
      averages_ = take_numbers(state, "averages", {groups_}, torch::kFloat64, none, unbounded, name);
  }

 private:
  static constexpr double none = -1;  // of a running mean: no loss yet

  [[nodiscard]] std::vector<double> q_weights() const {
    std::vector<double> weights;
    for (std::int64_t g = 0; g < log_q_.size(0); ++g) weights.push_back(std::exp(log_q_[g].item<double>()));
    return weights;
  }

  [[nodiscard]] std::vector<double> greedy_weights(const std::map<std::int64_t, torch::Tensor>& losses) {
    const double a = parameter("greedy"), keep = 1 - parameter("greedy-average");
    for (const auto& [g, mean] : losses) {
      const double before = averages_[g].item<double>(), now = mean.item<double>();
      averages_[g] = before == none ? now : keep * before + (1 - keep) * now;
    }
    std::vector<std::int64_t> order(sizes_.size());
    std::iota(order.begin(), order.end(), std::int64_t{0});
    const torch::Tensor reference = averages_.clamp_min(0) + adjustment_;
    std::ranges::stable_sort(order, std::greater(),
                             [&](std::int64_t g) { return reference[g].item<double>(); });
    const auto rows = static_cast<double>(std::accumulate(sizes_.begin(), sizes_.end(), std::size_t{0}));
    std::vector<double> weights(sizes_.size());
    double left = 1;
    for (const std::int64_t g : order) {
      const double share = static_cast<double>(sizes_[static_cast<std::size_t>(g)]) / (a * rows);
      weights[static_cast<std::size_t>(g)] = std::min(share, left);
      left -= share;
      if (left <= 0) break;
    }
    return weights;
  }

  [[nodiscard]] std::size_t environment_of(std::int64_t row) const {
    return static_cast<std::size_t>(environments_[static_cast<std::size_t>(row)]);
  }
  [[nodiscard]] torch::Tensor groups_of(const Batch& batch) const {
    if (environments_.empty()) return batch.group;
    std::vector<std::int64_t> numbers;
    for (const std::int64_t row : batch.rows)
      numbers.push_back(static_cast<std::int64_t>(environment_of(row)));
    return torch::tensor(numbers).to(batch.x.device());
  }

  std::vector<std::size_t> sizes_;               // rows to train on of each group
  std::vector<std::int32_t> environments_;       // of all rows, where groups are environments
  std::int64_t groups_ = -1;                     // -1: not known
  torch::Tensor log_q_, adjustment_, averages_;  // (groups), float64
};

}  // namespace

AlgorithmMember group_dro() {
  return {
      {"group-dro",
       "distributionally robust training: groups with larger losses weigh more",
       "Sagawa et al., ICLR 2020, algorithm 1 and section 3.3; a group is the label with the attributes",
       {{"eta", .01, 0, 100, "step of the weights' logarithms a unit of loss"},
        {"adjustment", 0, 0, 1e6,
         "C of C / sqrt(rows of the group), added to a group's loss in the weights alone"},
        {"adjust-absent", 0, 0, 1,
         "1: also to that of groups that the batch lacks, as in the method's program", true},
        {"greedy", 0, 0, .999,
         "the largest losses' groups that hold this share of the rows weigh alone, as with --btl in the "
         "method's program; 0: weights as above"},
        {"greedy-average", .1, .001, 1, "what a loss adds to its group's running mean, by which greedy goes"},
        {"by-environment", 0, 0, 1, "1: a group is an environment, as in the program of DomainBed", true},
        {"balanced", 1, 0, 1, "1: batches hold every group equally often; 0: as often as it occurs", true}}},
      [](const std::map<std::string, double>& parameters) {
        Requirements needs;
        if (parameters.at("adjust-absent") != 0 && parameters.at("adjustment") == 0)
          refuse("algorithm group-dro", "an adjustment, as adjust-absent is 1", "0");
        const bool by_environment = parameters.at("by-environment") != 0;
        needs.balanced = parameters.at("balanced") != 0;
        if (by_environment && !needs.balanced)
          refuse("algorithm group-dro", "balanced 1, as groups are environments", "0");
        needs.groups = !by_environment;
        needs.environments = by_environment ? 1 : 0;
        return needs;
      },
      make_algorithm<GroupDro>};
}

}  // namespace leeway::nn

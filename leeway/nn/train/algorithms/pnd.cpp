#include "leeway/nn/model/heads/pnd.h"

#include <algorithm>

#include "leeway/core/message.h"
#include "leeway/core/random.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/training_set.h"

namespace leeway::nn {
namespace {

constexpr double temperature = .1;  // of the counterfactual loss

// Partition-and-Debias (Li, Vo and Nakayama, ICCV 2023, section 4): experts i after each block of a debiased and a biased network
// (heads/pnd.h) with debiased outputs d_i and biased outputs b_i. Two stages minimize
//   alpha L_debias + L_bias + L_div + CE(mixture, y) [+ beta L_con in the second stage],   alpha = alpha1, then alpha2.
// Losses are means over the rows of a batch.
//   L_bias   = sum_i (1 - p^q) / q, p = softmax(b_i)_y: generalized cross-entropy, which learns the easy rows first.
//   L_debias = sum_i w_i CE(d_i, y), w_i = e_b / (e_d + e_b + 1e-8) without gradient. e_d and e_b are a row's running means of CE(d_i, y)
//              and CE(b_i, y), e <- ema e + (1 - ema) CE, divided by the largest of the row's class.
//   L_div    = sum_{i > 1} exp(-KL(softmax b_i || softmax b_{i-1})), without gradient by b_{i-1}.
//   L_con    = sum_i mean_j -log softmax_o(-temperature dist(d_i(j), o)) at the positive o, for K rows j of the batch. Positive: d_i of
//              z_d(j) and the z_b of another of the K rows. Negatives: B/K outputs b_i of z_b(j) and the z_d of other rows. dist is the
//              mean square over classes.
// The first stage is this algorithm with base-epochs 0; the second stage starts from its weights.
class PndTraining : public Algorithm {
 public:
  explicit PndTraining(const AlgorithmSetting& setting)
      : Algorithm(setting), network_(dynamic_cast<Pnd&>(*setting.network)) {
    if (setting.base) copy_tensors(*setting.base, network_);
    averages_ = torch::empty({0, 1 + 2 * network_.count()});
  }

  void attach(TrainingSet& set) override { rows_ = static_cast<std::int64_t>(set.labels().size()); }

  Objective objective(const Minibatches& batches) override {
    const Batch& batch = batches.labelled;
    const bool second = parameter("base-epochs") > 0;
    const auto experts = network_.experts(normalize(setting().normalization, network_.prepare(batch.x)));
    const torch::Tensor weights = update_weights(experts, batch);
    torch::Tensor debias = torch::zeros({}).to(batch.x.device()), bias = debias, diversity = debias,
                  contrast = debias;
    for (std::size_t i = 0; i < experts.size(); ++i) {
      debias = debias +
               (weights.select(1, static_cast<std::int64_t>(i)) * losses(experts[i].debiased, batch)).mean();
      bias = bias + generalized_cross_entropy(experts[i].biased, batch.y);
      if (i > 0) diversity = diversity + similarity(experts[i].biased, experts[i - 1].biased.detach());
      if (second) contrast = contrast + counterfactual(i, experts[i], batches.step);
    }
    const torch::Tensor logits = network_.mixture(experts), gate = mean_loss(logits, batch);
    torch::Tensor loss = parameter(second ? "alpha2" : "alpha1") * debias + bias + diversity + gate;
    std::map<std::string, double> parts{{"debias_loss", debias.item<double>()},
                                        {"bias_loss", bias.item<double>()},
                                        {"diversity_loss", diversity.item<double>()},
                                        {"gate_loss", gate.item<double>()}};
    if (second) {
      loss = loss + parameter("beta") * contrast;
      parts["counterfactual_loss"] = contrast.item<double>();
    }
    return {loss, logits, std::move(parts)};
  }

  void archive(Archive& state) override {
    Algorithm::archive(state);
    state.add("averages", averages_, {-1, 1 + 2 * network_.count()}, torch::kFloat32, -1);
    if ((rows_ >= 0 && averages_.size(0) > rows_) ||
        (setting().classes > 0 &&
         (averages_.select(1, 0) >= static_cast<double>(setting().classes)).any().item<bool>()))
      refuse(state.name(), "averages of existing rows and classes", "others");
  }

 private:
  // w of each row and expert; updates the running means.
  torch::Tensor update_weights(const std::vector<Pnd::Expert>& experts, const Batch& batch) {
    const torch::NoGradGuard no_grad;
    std::vector<torch::Tensor> columns;
    for (const Pnd::Expert& expert : experts) columns.push_back(losses(expert.debiased, batch));
    for (const Pnd::Expert& expert : experts) columns.push_back(losses(expert.biased, batch));
    const torch::Tensor found = torch::stack(columns, 1).to(torch::kCPU).contiguous(),
                        y = batch.y.to(torch::kCPU);
    const std::int64_t rows = *std::ranges::max_element(batch.rows) + 1, width = averages_.size(1);
    if (averages_.size(0) < rows)
      averages_ = torch::cat({averages_, torch::full({rows - averages_.size(0), width}, -1.f)});
    const auto keep = static_cast<float>(parameter("ema"));
    for (std::size_t b = 0; b < batch.rows.size(); ++b) {
      float* const row = averages_.data_ptr<float>() + batch.rows[b] * width;
      const float* const loss = found.data_ptr<float>() + static_cast<std::int64_t>(b) * (width - 1);
      const bool first = row[0] < 0;
      row[0] = static_cast<float>(y.data_ptr<std::int64_t>()[b]);
      for (std::int64_t j = 1; j < width; ++j)
        row[j] = first ? loss[j - 1] : keep * row[j] + (1 - keep) * loss[j - 1];
    }
    const torch::Tensor visited =
        torch::tensor(std::vector<std::int64_t>(batch.rows.begin(), batch.rows.end()));
    const torch::Tensor largest = class_maxima(static_cast<std::int64_t>(experts[0].debiased.size(1)));
    const torch::Tensor e =
        averages_.slice(1, 1).index_select(0, visited) / largest.index_select(0, y).clamp_min(1e-30);
    const torch::Tensor d = e.slice(1, 0, network_.count()), b = e.slice(1, network_.count());
    return (b / (d + b + 1e-8)).to(batch.x.device());
  }

  // The largest running mean of each class, (classes, 2 experts).
  [[nodiscard]] torch::Tensor class_maxima(std::int64_t classes) const {
    const std::int64_t width = averages_.size(1);
    torch::Tensor largest = torch::zeros({classes, width - 1});
    for (std::int64_t row = 0; row < averages_.size(0); ++row) {
      const float* const from = averages_.data_ptr<float>() + row * width;
      if (from[0] < 0) continue;
      float* const to = largest.data_ptr<float>() + static_cast<std::int64_t>(from[0]) * (width - 1);
      for (std::int64_t j = 1; j < width; ++j) to[j - 1] = std::max(to[j - 1], from[j]);
    }
    return largest;
  }

  [[nodiscard]] torch::Tensor generalized_cross_entropy(const torch::Tensor& logits,
                                                        const torch::Tensor& y) const {
    const double q = parameter("gce-q");
    const torch::Tensor log_p = torch::log_softmax(logits, 1).gather(1, y.unsqueeze(1));
    return q == 0 ? -log_p.mean() : ((1 - (q * log_p).exp()) / q).mean();
  }

  // exp(-KL(softmax logits || softmax before))
  [[nodiscard]] static torch::Tensor similarity(const torch::Tensor& logits, const torch::Tensor& before) {
    const torch::Tensor a = torch::log_softmax(logits, 1), b = torch::log_softmax(before, 1);
    return (-(a.exp() * (a - b)).sum(1)).exp().mean();
  }

  [[nodiscard]] torch::Tensor counterfactual(std::size_t i, const Pnd::Expert& expert,
                                             std::size_t step) const {
    const std::int64_t n = expert.debiased.size(0),
                       k = static_cast<std::int64_t>(parameter("counterfactual")), negatives = n / k;
    Random random(setting().seed, stream("counterfactual rows"), step << 8 | i);
    const auto shuffled = [&] { return permutation<std::int64_t>(static_cast<std::size_t>(n), random); };
    const std::vector<std::int64_t> order = shuffled();
    std::vector<std::int64_t> j(order.begin(), order.begin() + k), other = j, repeated;
    std::ranges::rotate(other, other.begin() + 1);
    for (const std::int64_t row : j)
      repeated.insert(repeated.end(), static_cast<std::size_t>(negatives), row);
    std::vector<std::int64_t> l = shuffled();
    l.resize(repeated.size());
    for (std::size_t r = 0; r < l.size(); ++r)  // no row against itself: swap with that of another j
      if (l[r] == repeated[r]) std::swap(l[r], l[(r + static_cast<std::size_t>(negatives)) % l.size()]);
    const auto rows = [&](const torch::Tensor& of, const std::vector<std::int64_t>& numbers) {
      return of.index_select(0, torch::tensor(numbers).to(of.device()));
    };
    const torch::Tensor own = rows(expert.debiased, j).unsqueeze(1);
    const torch::Tensor positive =
        network_.debiased(i, rows(expert.debiased_features, j), rows(expert.biased_features, other).detach());
    const torch::Tensor negative = network_.biased(i, rows(expert.debiased_features, l).detach(),
                                                   rows(expert.biased_features, repeated));
    const torch::Tensor all = torch::cat({positive.unsqueeze(1), negative.view({k, negatives, -1})}, 1);
    const torch::Tensor distance = (own - all).square().mean(2);
    return -torch::log_softmax(-temperature * distance, 1).select(1, 0).mean();
  }

  Pnd& network_;
  std::int64_t rows_ = -1;  // of the data; -1: not known
  torch::Tensor
      averages_;  // (rows, 1 + 2 experts): the label, -1 before the first visit; e_d and e_b of each expert
};

}  // namespace

AlgorithmMember pnd() {
  return {{"pnd",
           "mixture of debiased and biased experts after each block, trained in two stages",
           "Li, Vo and Nakayama, ICCV 2023, section 4",
           {{"alpha1", .2, 0, 1e6, "weight of the debiased loss in the first stage"},
            {"alpha2", 2, 0, 1e6, "weight of the debiased loss in the second stage"},
            {"beta", 4, 0, 1e6, "weight of the counterfactual loss, summed over experts"},
            {"gce-q", .7, 0, 1, "q of the generalized cross-entropy (0: cross-entropy)"},
            {"ema", .7, 0, .999, "decay of a row's running mean loss"},
            {"counterfactual", 16, 2, 65536, "rows of each batch with counterfactual features, K", true},
            {"base-epochs", 50, 0, 1e6,
             "maximum number of epochs of the first stage; 0: only the first stage", true},
            {"base-patience", 10, 0, 1e6, "patience of the first stage, epochs (0: off)", true}}},
          [](const Parameters& parameters) {
            Requirements needs;
            needs.stages = needs.own_labels = true;
            needs.least_batch = parameters.at("base-epochs") > 0
                                    ? static_cast<std::size_t>(parameters.at("counterfactual"))
                                    : 2;
            return needs;
          },
          make_algorithm<PndTraining>,
          "pnd",
          [](const Parameters& parameters) -> std::optional<BaseStage> {
            if (parameters.at("base-epochs") == 0) return {};
            auto first = plain_stage(parameters);
            first->algorithm = "pnd", first->parameters = parameters;
            first->parameters["base-epochs"] = 0;
            return first;
          }};
}

}  // namespace leeway::nn

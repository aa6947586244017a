#include "leeway/nn/model/heads/pnd.h"

#include <algorithm>
#include <cmath>

#include "leeway/core/message.h"
#include "leeway/core/random.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/training_set.h"

namespace leeway::nn {
namespace {

// alpha L_debias + bias-weight L_bias + L_div + CE(mixture, y) + beta L_con over the experts i (heads/pnd.h), d_i and b_i their
// outputs.
// L_bias = sum_i (1 - p^q) / q, p = softmax(b_i)_y, which learns what is easy.
// L_debias = sum_i w CE(d_i, y), w = e_b / (e_d + e_b + 1e-8) without gradients: averages of a row's CE(b_i, y) and CE(d_i, y) over
// its visits, e <- ema e + (1 - ema) CE, each divided by the largest of its class.
// L_div = sum_{i > 1} exp(-KL(softmax b_i || softmax b_{i-1})), the second without gradients.
// L_con, in the second stage alone: K rows j of the batch, sum_i mean_j -log softmax of -temperature dist(d_i(j), o) at the first o:
// d_i of z_d(j) and the z_b of another of the K rows, against B/K outputs b_i of z_b(j) and the z_d of other rows of the batch;
// dist is the mean square over classes. All means are over rows. The first stage has alpha1 and gives the second its weights, and its
// averages where asked for.
class PndTraining : public LossAlgorithm {
 public:
  explicit PndTraining(const AlgorithmSetting& setting)
      : LossAlgorithm(setting), network_(dynamic_cast<Pnd*>(setting.network.get())) {
    if (!network_) refuse("algorithm pnd", "an architecture pnd:BACKBONE", "another");
    const auto begin_as = [](torch::nn::Module& other, torch::nn::Module& module) {
      Tensors tensors;
      add_tensors(tensors, "base", other);
      take_tensors(tensors, "base", module, "algorithm pnd");
    };
    if (setting.base)
      begin_as(*setting.base, *network_);
    else if (parameter("equal-encoders") != 0 && !setting.pretrained)
      begin_as(network_->backbone(), *network_->backbones()[1]);
    averages_ = setting.base_state.empty() ? torch::empty({0, 1 + 2 * network_->count()})
                                           : averages_of(setting.base_state, "algorithm pnd");
  }

  void attach(TrainingSet& set) override { rows_ = static_cast<std::int64_t>(set.labels().size()); }

  Objective objective(const Minibatches& batches) override {
    const Batch batch = padded(batches.labelled);
    const bool second = parameter("stage") == 2;
    if (second && parameter("frozen-steps") > 0)  // in every step, as an epoch's begin ends it
      set_training(static_cast<double>(batches.step) > parameter("frozen-steps"));
    const auto experts = network_->experts(network_input(*network_, setting().normalization, batch.x));
    const torch::Tensor weights = update_weights(experts, batch);
    torch::Tensor debias = torch::zeros({}).to(batch.x.device()), bias = debias, spread = debias,
                  contrast = debias;
    for (std::size_t i = 0; i < experts.size(); ++i) {
      debias = debias +
               (weights.select(1, static_cast<std::int64_t>(i)) * losses(experts[i].debiased, batch)).mean();
      bias = bias + generalized(experts[i].biased, batch.y);
      if (i > 0) spread = spread + likeness(experts[i].biased, experts[i - 1].biased.detach());
      if (second) contrast = contrast + counterfactual(i, experts[i], batches.step);
    }
    const torch::Tensor logits = network_->mixture(experts), gate = mean_loss(logits, batch);
    torch::Tensor loss =
        parameter(second ? "alpha2" : "alpha1") * debias + parameter("bias-weight") * bias + spread + gate;
    std::map<std::string, double> parts{{"debias_loss", debias.item<double>()},
                                        {"bias_loss", bias.item<double>()},
                                        {"diversity_loss", spread.item<double>()},
                                        {"gate_loss", gate.item<double>()}};
    if (second) {
      loss = loss + parameter("beta") * contrast;
      parts["counterfactual_loss"] = contrast.item<double>();
    }
    return {loss, logits.slice(0, 0, batches.labelled.y.size(0)), {}, std::move(parts)};
  }

  [[nodiscard]] Tensors state() const override {
    Tensors state = LossAlgorithm::state();
    state["averages"] = averages_;
    return state;
  }

  void restore(const Tensors& state, const std::string& name) override {
    LossAlgorithm::restore(state, name);
    averages_ = averages_of(state, name);
    if ((rows_ >= 0 && averages_.size(0) > rows_) ||
        (setting().classes > 0 &&
         (averages_.select(1, 0) >= static_cast<double>(setting().classes)).any().item<bool>()))
      refuse(name, "averages of rows and classes that there are", "others");
  }

 private:
  [[nodiscard]] torch::Tensor averages_of(const Tensors& state, const std::string& name) const {
    return take_numbers(state, "averages", {-1, 1 + 2 * network_->count()}, torch::kFloat32, -1, unbounded,
                        name);
  }

  // In the second stage its rows over and over, until there are padded-rows.
  [[nodiscard]] Batch padded(const Batch& batch) {
    const std::int64_t n = batch.y.size(0), wanted = static_cast<std::int64_t>(parameter("padded-rows"));
    if (parameter("stage") != 2 || n >= wanted) return batch;
    const torch::Tensor numbers = torch::arange(wanted, torch::kInt64) % n;
    Batch longer = batch.select(numbers.to(batch.y.device()));
    padded_rows_.clear();
    for (std::int64_t i = 0; i < wanted; ++i)
      padded_rows_.push_back(batch.rows[static_cast<std::size_t>(i % n)]);
    longer.rows = padded_rows_;
    return longer;
  }

  // w of each row and expert; notes their losses.
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
    const torch::Tensor visited =
        torch::tensor(std::vector<std::int64_t>(batch.rows.begin(), batch.rows.end()));
    const torch::Tensor before = averages_.index_select(0, visited);
    const bool once = parameter("single-visit") != 0;
    for (std::size_t b = 0; b < batch.rows.size(); ++b) {
      float* const row = averages_.data_ptr<float>() + batch.rows[b] * width;
      const float* const old = once ? before.data_ptr<float>() + static_cast<std::int64_t>(b) * width : row;
      const float* const loss = found.data_ptr<float>() + static_cast<std::int64_t>(b) * (width - 1);
      const bool first = old[0] < 0;
      row[0] = static_cast<float>(y.data_ptr<std::int64_t>()[b]);
      for (std::int64_t j = 1; j < width; ++j)
        row[j] = first ? loss[j - 1] : keep * old[j] + (1 - keep) * loss[j - 1];
    }
    const torch::Tensor largest = class_maxima(static_cast<std::int64_t>(experts[0].debiased.size(1)));
    const torch::Tensor e =
        averages_.slice(1, 1).index_select(0, visited) / largest.index_select(0, y).clamp_min(1e-30);
    const torch::Tensor d = e.slice(1, 0, network_->count()), b = e.slice(1, network_->count());
    return (b / (d + b + 1e-8)).to(batch.x.device());
  }

  // The largest average of each class, (classes, 2 experts).
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

  [[nodiscard]] torch::Tensor generalized(const torch::Tensor& logits, const torch::Tensor& y) const {
    const double q = parameter("gce-q");
    const torch::Tensor log_p = torch::log_softmax(logits, 1).gather(1, y.unsqueeze(1));
    return q == 0 ? -log_p.mean() : ((1 - (q * log_p).exp()) / q).mean();
  }

  // With diversity-terms the mean over rows and classes c of exp(-q_c log(q_c / p_c)), q of the expert before.
  [[nodiscard]] torch::Tensor likeness(const torch::Tensor& logits, const torch::Tensor& before) const {
    const torch::Tensor a = torch::log_softmax(logits, 1), b = torch::log_softmax(before, 1);
    if (parameter("diversity-terms") != 0) return (b.exp() * (a - b)).exp().mean();
    return (-(a.exp() * (a - b)).sum(1)).exp().mean();
  }

  [[nodiscard]] torch::Tensor counterfactual(std::size_t i, const Pnd::Expert& expert,
                                             std::size_t step) const {
    const std::int64_t n = expert.debiased.size(0),
                       k = static_cast<std::int64_t>(parameter("counterfactual")), negatives = n / k;
    Random random(setting().seed, stream("counterfactual rows"), step << 8 | i);
    const auto shuffled = [&] { return permutation<std::int64_t>(static_cast<std::size_t>(n), random); };
    const std::vector<std::int64_t> order = shuffled();
    const bool own_pairs = parameter("own-pairs") != 0;
    std::vector<std::int64_t> j(order.begin(), order.begin() + k), other = j, repeated;
    own_pairs ? shuffle(other, random) : void(std::ranges::rotate(other, other.begin() + 1));
    for (const std::int64_t row : j)
      repeated.insert(repeated.end(), static_cast<std::size_t>(negatives), row);
    std::vector<std::int64_t> l = shuffled();
    l.resize(repeated.size());
    for (std::size_t r = 0; r < l.size(); ++r)  // no row against itself: that of another j in its place
      if (l[r] == repeated[r] && !own_pairs)
        std::swap(l[r], l[(r + static_cast<std::size_t>(negatives)) % l.size()]);
    const auto rows = [&](const torch::Tensor& of, const std::vector<std::int64_t>& numbers) {
      return of.index_select(0, torch::tensor(numbers).to(of.device()));
    };
    const torch::Tensor own = rows(expert.debiased, j).unsqueeze(1);
    const torch::Tensor like = network_->debiased(i, rows(expert.debiased_features, j),
                                                  rows(expert.biased_features, other).detach());
    const torch::Tensor unlike = network_->biased(i, rows(expert.debiased_features, l).detach(),
                                                  rows(expert.biased_features, repeated));
    const torch::Tensor all = torch::cat({like.unsqueeze(1), unlike.view({k, negatives, -1})}, 1);
    const torch::Tensor apart = own - all;
    const torch::Tensor distance = parameter("euclidean") != 0 ? apart.norm(2, 2) : apart.square().mean(2);
    return -torch::log_softmax(-parameter("temperature") * distance, 1).select(1, 0).mean();
  }

  Pnd* network_;
  std::int64_t rows_ = -1;  // of the data; -1: not known
  std::vector<std::int64_t> padded_rows_;
  torch::Tensor
      averages_;  // (rows, 1 + 2 experts): the label, -1 before the first visit, e_d and e_b of each expert
};

}  // namespace

AlgorithmMember pnd() {
  return {
      {"pnd",
       "experts after each block of a debiased and a biased network, in two stages",
       "Li, Vo and Nakayama, ICCV 2023, section 4",
       {{"alpha1", .2, 0, 1e6, "of the debiased loss in the first stage"},
        {"alpha2", 2, 0, 1e6, "of the debiased loss in the second"},
        {"bias-weight", 1, 0, 1e6, "of the biased loss; the method's program has q times its gradient, .7"},
        {"beta", 4, 0, 1e6,
         "of the counterfactual loss, a sum over experts; the method's program takes their mean: there 4 "
         "is 1 here"},
        {"gce-q", .7, 0, 1, "q of the biased loss; 0: cross-entropy"},
        {"ema", .7, 0, .999, "how much of a row's average loss stays at a visit"},
        {"temperature", .1, 0, 1e6, "factor of distances in the counterfactual loss"},
        {"counterfactual", 16, 2, 65536, "rows of each batch with counterfactual features, K", true},
        {"base-epochs", 50, 1, 1e6, "most epochs of the first stage", true},
        {"base-patience", 10, 0, 1e6, "epochs without a better one that end it; 0: any", true},
        {"sigmoid-logits", 0, 0, 1,
         "1: a sigmoid of the logits passes for logits, as in the method's program", true},
        {"diversity-terms", 0, 0, 1,
         "1: the diversity loss is a mean of exp over terms of the divergence, in reversed order, as in "
         "the method's program",
         true},
        {"own-pairs", 0, 0, 1,
         "1: a row may be its own pair in the counterfactual loss, as in the method's program", true},
        {"euclidean", 0, 0, 1,
         "1: distances in the counterfactual loss are Euclidean; 0: mean squares, as in the method's "
         "program",
         true},
        {"single-visit", 0, 0, 1,
         "1: a row that stands in a batch several times moves its average once, by the loss of its last "
         "place, "
         "as in the program of Jeon et al. 2025",
         true},
        {"keep-averages", 0, 0, 1,
         "1: the first stage's averages of losses go on in the second, as in the method's program", true},
        {"last-best", 0, 0, 1,
         "1: of equally good epochs of the first stage the last one's weights are kept, as in the "
         "method's program",
         true},
        {"equal-encoders", 0, 0, 1,
         "1: also from random weights both networks begin equal, as in the program of Jeon et al. 2025",
         true},
        {"padded-rows", 0, 0, 65536,
         "rows to which a shorter batch of the second stage is filled with its own, again from the first "
         "on; 128 as in the program of Jeon et al. 2025",
         true},
        {"frozen-steps", 0, 0, 1e9,
         "first steps of the second stage in evaluation mode; 101 as in the program of Jeon et al. 2025, "
         "whose "
         "validation leaves it on",
         true},
        {"stage", 2, 1, 2, "1: the first stage alone", true}}},
      [](const std::map<std::string, double>& parameters) {
        Requirements needs;
        needs.stages = needs.own_labels = true;
        const double compared = parameters.at("counterfactual");
        needs.least_batch = parameters.at("stage") == 2 && parameters.at("padded-rows") < compared
                                ? static_cast<std::size_t>(compared)
                                : 2;
        return needs;
      },
      make_algorithm<PndTraining>,
      [](const std::map<std::string, double>& parameters) -> std::string_view {
        return parameters.at("sigmoid-logits") != 0 ? "pnd-sigmoid" : "pnd";
      },
      [](const std::map<std::string, double>& parameters) -> std::optional<BaseStage> {
        if (parameters.at("stage") == 1) return {};
        BaseStage first{"pnd", parameters, static_cast<std::size_t>(parameters.at("base-epochs")),
                        static_cast<std::size_t>(parameters.at("base-patience"))};
        first.parameters["stage"] = 1;
        first.last_best = parameters.at("last-best") != 0;
        if (parameters.at("keep-averages") != 0) first.hands_on = {"averages"};
        return first;
      }};
}

}  // namespace leeway::nn

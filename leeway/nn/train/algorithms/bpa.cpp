#include <algorithm>
#include <cmath>
#include <map>

#include "leeway/core/message.h"
#include "leeway/nn/detail/shards.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/kmeans.h"
#include "leeway/nn/train/training_set.h"

namespace leeway::nn {
namespace {

// The features that a plainly trained network has of the training rows of each class form clusters, once and for all. Then, from the
// weights that the plain training began with, (1/B) sum_n v_n CE_n, v_n the weight w of n's cluster, divided by the mean of w over the batch.
//
// Every `refresh` steps w_c <- (1 - momentum) w_c + momentum (N / N_c) (L_c / sum L): N_c rows of N, and L_c the mean of their last
// losses. A cluster of which no row had its turn counts with the mean of the others. All w begin at 1.
//
// reference-weights: as the authors' program has it, without a past: every `refresh` steps w_c = (N / N_c) (L_c / sum L), but N / N_c
// until every row had its turn; v_n ~ u exp(.05 u), u ~ w with a mean of 1 over the batch. Where max u is above max-weight, all u
// are raised to the power log(max-weight) / log(max u).
//
// program-clusters: program_kmeans() in place of cosine_kmeans(). augmented-clusters: features of images that augmentations have changed, each image once.
class Bpa : public LossAlgorithm {
 public:
  using LossAlgorithm::LossAlgorithm;

  void attach(TrainingSet& set) override {
    rows_ = static_cast<std::int64_t>(set.labels().size());
    trained_ = torch::tensor(set.training());
    if (parameter("augmented-clusters") != 0 && !set.augments())
      refuse("algorithm bpa", "augmentations that change images (--augment), as augmented-clusters is 1",
             "none");
  }

  void prepare(TrainingSet& set) override {
    std::map<std::int64_t, std::vector<std::int64_t>> rows_of_class;  // ascending
    for (const std::int64_t row : set.training())
      rows_of_class[set.labels()[static_cast<std::size_t>(row)]].push_back(row);
    std::vector<std::int64_t> cluster(set.labels().size(), -1);
    std::int64_t count = 0;
    std::size_t position = 0;
    const auto kmeans = parameter("program-clusters") != 0 ? program_kmeans : cosine_kmeans;
    for (const auto& item : rows_of_class) {
      const std::vector<std::int64_t>& rows = item.second;
      const auto found =
          kmeans(features(set, rows, position), static_cast<std::size_t>(parameter("clusters")),
                 setting().seed, static_cast<std::uint64_t>(item.first));
      for (std::size_t i = 0; i < rows.size(); ++i)
        cluster[static_cast<std::size_t>(rows[i])] = count + found[i];
      count += *std::ranges::max_element(found) + 1;
      position += rows.size();
    }
    cluster_ = torch::tensor(cluster);
    losses_ = torch::full({cluster_.size(0)}, -1., torch::kFloat64);
    weights_ = torch::ones({count}, torch::kFloat64);
    if (reference()) weights_ = relative_weights();
  }

  Objective objective(const Minibatches& batches) override {
    const Batch& batch = batches.labelled;
    const torch::Tensor logits = forward(batch.x).logits, each = losses(logits, batch);
    const torch::Tensor rows = torch::tensor(std::vector<std::int64_t>(batch.rows.begin(), batch.rows.end()));
    torch::Tensor w = reference() && !all_had_their_turn() ? size_factors() : weights_;
    w = w.index_select(0, cluster_.index_select(0, rows));
    const double most = parameter("max-weight");
    if (reference()) {
      w = w / w.mean();
      const double largest = w.max().item<double>(), cap = std::max(most, 1.);
      if (most > 0 && largest > cap) w = w.pow(std::log(cap) / std::log(largest));
      w = w * (.05 * w).exp();
    } else if (most > 0) {
      w = w.clamp_max(most);
    }
    w = (w / w.mean()).to(each.scalar_type());
    losses_.index_copy_(0, rows, each.detach().cpu().to(torch::kFloat64));
    if (batches.step % static_cast<std::size_t>(parameter("refresh")) == 0) {
      const double m = reference() ? 1 : parameter("momentum");
      weights_ = (1 - m) * weights_ + m * relative_weights();
    }
    return {(w.to(each.device()) * each).mean(), logits, {}, {{"largest_weight", w.max().item<double>()}}};
  }

  [[nodiscard]] Tensors state() const override {
    Tensors state = LossAlgorithm::state();
    state["cluster"] = cluster_, state["losses"] = losses_, state["weights"] = weights_;
    return state;
  }

  void restore(const Tensors& state, const std::string& name) override {
    LossAlgorithm::restore(state, name);
    weights_ = take_numbers(state, "weights", {-1}, torch::kFloat64, 0, unbounded, name);
    const auto last = static_cast<double>(weights_.size(0)) - 1;
    cluster_ = take_numbers(state, "cluster", {rows_}, torch::kInt64, -1, last, name);
    if (trained_.defined() && (cluster_.index_select(0, trained_) < 0).any().item<bool>())
      refuse(name, "a cluster of every row that is trained on", "rows without one");
    losses_ = take_numbers(state, "losses", {rows_}, torch::kFloat64, -1, unbounded, name);
  }

 private:
  [[nodiscard]] bool reference() const { return parameter("reference-weights") != 0; }

  // Of the base network; `position`: how many rows' came before.
  [[nodiscard]] torch::Tensor features(const TrainingSet& set, const std::vector<std::int64_t>& rows,
                                       std::size_t position) const {
    const bool augmented = parameter("augmented-clusters") != 0;
    const ForwardFunction base = forward_of(setting().base, setting().normalization);
    std::vector<torch::Tensor> parts((rows.size() + shard_rows - 1) / shard_rows);
    for_shards(
        rows.size(), shard_rows, "features", setting().progress, [&](std::size_t begin, std::size_t end) {
          const torch::NoGradGuard no_grad;
          const auto some = std::span(rows).subspan(begin, end - begin);
          const Batch batch =
              augmented ? set.augmented(some, "augmented features", position + begin) : set.batch(some);
          parts[begin / shard_rows] = base(batch.x).features.cpu();
        });
    return torch::cat(parts);
  }

  [[nodiscard]] bool all_had_their_turn() const {
    return !((cluster_ >= 0) & (losses_ < 0)).any().item<bool>();
  }

  // N / N_c
  [[nodiscard]] torch::Tensor size_factors() const {
    const torch::Tensor cluster = cluster_.masked_select(cluster_ >= 0);
    return static_cast<double>(cluster.numel()) /
           torch::bincount(cluster, {}, weights_.size(0)).to(torch::kFloat64);
  }

  // (N / N_c) (L_c / sum L) of every cluster.
  [[nodiscard]] torch::Tensor relative_weights() const {
    const torch::Tensor trained = cluster_ >= 0, cluster = cluster_.masked_select(trained),
                        loss = losses_.masked_select(trained), size_factor = size_factors();
    const std::int64_t count = weights_.size(0);
    const torch::Tensor seen = torch::bincount(cluster, (loss >= 0).to(torch::kFloat64), count),
                        sums = torch::bincount(cluster, loss.clamp_min(0), count);
    torch::Tensor mean = sums / seen.clamp_min(1);
    const torch::Tensor met = seen > 0;
    if (!met.any().item<bool>()) return size_factor / static_cast<double>(count);
    mean = torch::where(met, mean, mean.masked_select(met).mean());
    const double total = mean.sum().item<double>();
    return total > 0 ? size_factor * mean / total : size_factor / static_cast<double>(count);
  }

  std::int64_t rows_ = -1;  // of the data; -1: not known
  torch::Tensor trained_;   // rows that are trained on
  torch::Tensor cluster_;   // of every row of the data, -1: not trained on; int64
  torch::Tensor losses_;    // of every row the last one, -1: none yet; float64
  torch::Tensor weights_;   // w of every cluster; float64
};

}  // namespace

AlgorithmMember bpa() {
  AlgorithmMember member{
      {"bpa",
       "clusters of a plain network's features stand for unknown groups: small ones and those with large "
       "losses "
       "weigh more",
       "Seo et al., CVPR 2022, section 4",
       {{"clusters", 8, 1, 1e6, "of each class, at most", true},
        {"program-clusters", 0, 0, 1,
         "1: as in the program of ConDS, from random rows by means of features as they are; a class in which "
         "a cluster loses its rows is one cluster",
         true},
        {"augmented-clusters", 0, 0, 1,
         "1: features are of images as --augment changes them, as in the program of ConDS", true},
        {"momentum", .3, 0, 1, "share of the new weights when they are refreshed"},
        {"refresh", 10, 1, 1e9, "steps between", true},
        {"max-weight", 0, 0, 1e9,
         "larger weights of clusters are cut to it; 0: none is. With reference-weights a power of all of a "
         "batch makes it the largest, and below 1 it counts as 1"},
        {"reference-weights", 0, 0, 1, "1: weights of the authors' program, without momentum", true},
        {"base-epochs", 50, 1, 1e6, "most epochs of the plain network's training", true},
        {"base-patience", 10, 0, 1e6, "epochs without a better one after which it ends; 0: none does",
         true}}},
      [](const std::map<std::string, double>&) {
        Requirements needs;
        needs.features = needs.own_labels = true;
        return needs;
      },
      make_algorithm<Bpa>};
  member.base = [](const std::map<std::string, double>& parameters) -> std::optional<BaseStage> {
    return BaseStage{"erm",
                     {},
                     static_cast<std::size_t>(parameters.at("base-epochs")),
                     static_cast<std::size_t>(parameters.at("base-patience"))};
  };
  return member;
}

}  // namespace leeway::nn

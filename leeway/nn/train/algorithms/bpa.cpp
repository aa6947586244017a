#include <algorithm>
#include <map>

#include "leeway/core/message.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/parts.h"
#include "leeway/nn/train/training_set.h"

namespace leeway::nn {
namespace {

// Bias pseudo-attributes (Seo et al., CVPR 2022, section 4). k-means clusters the features of a plainly
// trained network per class, once. Training restarts with clusters c as groups:
//   min_F  (1/B) sum_n v_n CE_n,   v_n = w_c(n) / (mean of w over the batch).
// Every `refresh` steps w_c <- (1 - momentum) w_c + momentum (N / N_c) (L_c / sum L), starting at 1: N_c of N
// rows, L_c the mean of their last losses (without any: the mean of the other clusters).
//
// reference-weights, the authors' program: no momentum, w_c = N / N_c until every row has a loss, and v_n ~ u
// exp(.05 u), u = w_c(n) / (mean of w over the batch).
class Bpa : public Algorithm {
 public:
  using Algorithm::Algorithm;

  void attach(TrainingSet& set) override {
    rows_ = static_cast<std::int64_t>(set.labels().size());
    trained_ = torch::tensor(set.training());
  }

  void prepare(TrainingSet& set) override {
    std::map<std::int64_t, std::vector<std::int64_t>> rows_of_class;  // ascending
    for (const std::int64_t row : set.training())
      rows_of_class[set.labels()[static_cast<std::size_t>(row)]].push_back(row);
    std::vector<std::int64_t> cluster(set.labels().size(), -1);
    std::int64_t count = 0;
    for (const auto& [label, rows] : rows_of_class) {
      const auto found = cosine_kmeans(features(set, rows), static_cast<std::size_t>(parameter("clusters")),
                                       setting().seed, static_cast<std::uint64_t>(label));
      for (std::size_t i = 0; i < rows.size(); ++i)
        cluster[static_cast<std::size_t>(rows[i])] = count + found[i];
      count += *std::ranges::max_element(found) + 1;
    }
    cluster_ = torch::tensor(cluster);
    losses_ = torch::full({cluster_.size(0)}, -1., torch::kFloat64);
    weights_ = torch::ones({count}, torch::kFloat64);
    if (reference()) weights_ = size_factors(count);
  }

  Objective objective(const Minibatches& batches) override {
    const Batch& batch = batches.labelled;
    const torch::Tensor logits = forward(batch.x).logits, each = losses(logits, batch);
    const torch::Tensor rows = torch::tensor(std::vector<std::int64_t>(batch.rows.begin(), batch.rows.end()));
    const bool sizes_alone = reference() && ((cluster_ >= 0) & (losses_ < 0)).any().item<bool>();
    torch::Tensor v = sizes_alone ? size_factors(weights_.size(0)) : weights_;
    v = v.index_select(0, cluster_.index_select(0, rows));
    if (reference()) {
      const torch::Tensor u = v / v.mean();
      v = u * (.05 * u).exp();
    }
    v = (v / v.mean()).to(each.scalar_type());
    losses_.index_copy_(0, rows, each.detach().cpu().to(torch::kFloat64));
    if (batches.step % static_cast<std::size_t>(parameter("refresh")) == 0) refresh();
    return {(v.to(each.device()) * each).mean(), logits, {{"largest_weight", v.max().item<double>()}}};
  }

  void archive(Archive& state) override {
    Algorithm::archive(state);
    state.add("weights", weights_, {-1}, torch::kFloat64, 0);
    const auto last = static_cast<double>(weights_.numel()) - 1;
    state.add("cluster", cluster_, {rows_}, torch::kInt64, -1, last);
    if (state.fills() && trained_.defined() && (cluster_.index_select(0, trained_) < 0).any().item<bool>())
      refuse(state.name(), "a cluster for every training row", "rows without one");
    state.add("losses", losses_, {rows_}, torch::kFloat64, -1);
  }

 private:
  [[nodiscard]] bool reference() const { return parameter("reference-weights") != 0; }

  // Of the base network.
  [[nodiscard]] torch::Tensor features(const TrainingSet& set, const std::vector<std::int64_t>& rows) const {
    const ForwardFunction base = forward_of(setting().base, setting().normalization);
    RowBuffer found(rows.size());
    for_shards(rows.size(), shard_rows, "features", setting().progress,
               [&](std::size_t begin, std::size_t end) {
                 const torch::NoGradGuard no_grad;
                 const Batch batch = set.batch(std::span(rows).subspan(begin, end - begin));
                 found.put(begin, base(batch.x).features);
               });
    return found.all();
  }

  // N / N_c
  [[nodiscard]] torch::Tensor size_factors(std::int64_t clusters) const {
    const torch::Tensor cluster = cluster_.masked_select(cluster_ >= 0);
    return static_cast<double>(cluster.numel()) / torch::bincount(cluster, {}, clusters).to(torch::kFloat64);
  }

  void refresh() {
    const torch::Tensor trained = cluster_ >= 0, cluster = cluster_.masked_select(trained),
                        loss = losses_.masked_select(trained);
    const std::int64_t count = weights_.size(0);
    const torch::Tensor seen = torch::bincount(cluster, (loss >= 0).to(torch::kFloat64), count),
                        sums = torch::bincount(cluster, loss.clamp_min(0), count);
    torch::Tensor mean = sums / seen.clamp_min(1);  // L_c
    const torch::Tensor met = seen > 0;
    mean = torch::where(met, mean, mean.masked_select(met).mean());
    const double total = mean.sum().item<double>(), m = reference() ? 1 : parameter("momentum");
    const torch::Tensor factor = size_factors(count);
    weights_ =
        (1 - m) * weights_ + m * (total > 0 ? factor * mean / total : factor / static_cast<double>(count));
  }

  std::int64_t rows_ = -1;  // of the data; -1: not known
  torch::Tensor trained_;   // rows that are trained on
  torch::Tensor cluster_;   // c of every row of the data, -1: not trained on; int64
  torch::Tensor losses_;    // the last loss of every row, -1: none yet; float64
  torch::Tensor weights_;   // w of every cluster; float64
};

}  // namespace

AlgorithmMember bpa() {
  return {
      {"bpa",
       "feature clusters of a plain network as unknown groups: small clusters and large losses get larger "
       "weights",
       "Seo et al., CVPR 2022, section 4",
       {{"clusters", 8, 1, 1e6, "maximum number of clusters of each class", true},
        {"momentum", .3, 0, 1, "share of the new weights at a refresh"},
        {"refresh", 10, 1, 1e9, "steps between refreshes of the weights", true},
        {"reference-weights", 0, 0, 1, "1: weights as in the authors' code, without momentum", true},
        {"base-epochs", 50, 1, 1e6, "maximum number of epochs of the plain network", true},
        {"base-patience", 10, 0, 1e6, "patience of the plain network's training, epochs (0: off)", true}}},
      [](const Parameters&) { return Requirements{.features = true, .own_labels = true}; },
      make_algorithm<Bpa>,
      {},
      plain_stage};
}

}  // namespace leeway::nn

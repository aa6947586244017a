#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/training_set.h"

namespace leeway::nn {
namespace {

// (1/B) sum_i w_i CE(F(x_i), y_i), w = n / (G n_g) of a row of group g: n rows to train on, n_g of them in the group, G groups. Its mean
// over rows is the mean over groups of their mean cross-entropies. A group is the label with the attributes, or the label alone.
class Reweight : public Algorithm {
 public:
  using Algorithm::Algorithm;

  void attach(TrainingSet& set) override {
    std::vector<std::size_t> sizes = set.group_sizes();
    if (by_class()) {
      sizes.clear();
      for (const std::int64_t row : set.training()) {
        const auto label = static_cast<std::size_t>(set.labels()[static_cast<std::size_t>(row)]);
        if (label >= sizes.size()) sizes.resize(label + 1);
        ++sizes[label];
      }
    }
    const auto present = static_cast<double>(sizes.size() - std::ranges::count(sizes, std::size_t{0}));
    std::vector<float> weights;
    for (const std::size_t size : sizes)
      weights.push_back(size == 0 ? 0.f
                                  : static_cast<float>(static_cast<double>(set.training().size()) /
                                                       (present * static_cast<double>(size))));
    weights_ = torch::tensor(weights).to(setting().device);
  }

  Objective objective(const Minibatches& batches) override {
    const Batch& batch = batches.labelled;
    const torch::Tensor logits = forward(batch.x).logits;
    return {(weights_.index_select(0, by_class() ? batch.y : batch.group) * losses(logits, batch)).mean(),
            logits};
  }

 private:
  [[nodiscard]] bool by_class() const { return parameter("by-class") != 0; }

  torch::Tensor weights_;  // of a group or class
};

}  // namespace

AlgorithmMember reweight() {
  return {{"reweight",
           "plain training with equal total weight of every group, or class",
           "King and Zeng, Political Analysis 2001; RWG and RWY of Idrissi et al., CLeaR 2022, as weights",
           {{"by-class", 0, 0, 1, "1: equal weights of classes; 0: of groups", true}}},
          [](const Parameters& parameters) { return Requirements{.groups = parameters.at("by-class") == 0}; },
          make_algorithm<Reweight>};
}

}  // namespace leeway::nn

#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {
namespace {

// min over weights of E [(1 - e) CE(F(x), y) + e/k sum_j CE(F(x), j)]: the cross-entropy to labels of which a
// share e is spread evenly over all k classes.
class LabelSmoothing : public Algorithm {
 public:
  using Algorithm::Algorithm;

  Objective objective(const Minibatches& batches) override {
    const Batch& batch = batches.labelled;
    const torch::Tensor logits = forward(batch.x).logits;
    const double share = parameter("share");
    return {(1 - share) * mean_loss(logits, batch) - share * torch::log_softmax(logits, 1).mean(), logits};
  }
};

}  // namespace

AlgorithmMember label_smoothing() {
  return {{"label-smoothing",
           "plain training on labels with a share spread evenly over all classes",
           "Szegedy et al., CVPR 2016",
           {{"share", .1, 0, 1, "share of each label that is spread over all classes"}}},
          nullptr,
          make_algorithm<LabelSmoothing>};
}

}  // namespace leeway::nn

#include "leeway/nn/model/heads/ubnet.h"

#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {
namespace {

// (1/L^2) sum_{i != j} cos(v_i, v_j)^2 over the rows v (L,d).
torch::Tensor row_overlap(const torch::Tensor& rows) {
  const torch::Tensor unit = rows / rows.norm(2, 1, true).clamp_min(1e-12);
  const torch::Tensor cosines = unit.mm(unit.t());
  return (cosines - torch::diag(cosines.diagonal())).square().mean();
}

// UBNet (Jeon et al., CVPR 2022). Plain training makes the backbone, then frozen. The head (heads/ubnet.h)
// minimizes
//   CE(F(x), y) + orth-weight (O(convolution) + O(cells)),   O(v) = (1/L^2) sum_{i != j} cos(v_i, v_j)^2,
// one row v_i of these weights per stage.
class UbNetTraining : public Algorithm {
 public:
  explicit UbNetTraining(const AlgorithmSetting& setting)
      : Algorithm(setting), network_(dynamic_cast<UbNet&>(*setting.network)) {
    if (setting.base) copy_tensors(*setting.base, network_.backbone());
  }

  Objective objective(const Minibatches& batches) override {
    const Batch& batch = batches.labelled;
    const torch::Tensor overlap = parameter("orth-weight") * (row_overlap(network_.convolution_rows()) +
                                                              row_overlap(network_.cell_rows()));
    const torch::Tensor logits = forward(batch.x).logits;
    return {mean_loss(logits, batch) + overlap, logits, {{"overlap", overlap.item<double>()}}};
  }

 private:
  UbNet& network_;
};

}  // namespace

AlgorithmMember ubnet() {
  return {{"ubnet",
           "orthogonal views of every stage of a plainly trained network",
           "Jeon et al., CVPR 2022",
           {{"base-epochs", 50, 1, 1e6, "maximum number of epochs of the plain network", true},
            {"base-patience", 10, 0, 1e6, "patience of the plain network's training, epochs (0: off)", true},
            {"orth-weight", 1, 0, 1e6, "weight of the overlap between the weights of different stages"}}},
          [](const Parameters&) { return Requirements{.stages = true}; },
          make_algorithm<UbNetTraining>,
          "ubnet",
          plain_stage};
}

}  // namespace leeway::nn

#include <algorithm>
#include <cmath>

#include "leeway/core/message.h"
#include "leeway/nn/model/heads/occamnet.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/training_set.h"

namespace leeway::nn {
namespace {

// OccamNets (Shrestha et al., ECCV 2022, section 3): exits j after each block (heads/occamnet.h) with logits z_j, gates g_j and class
// activation maps CAM_j minimize  sum_j [ main_j + gate-weight gate_j + cam-weight cam_j ].
//   main_j = mean_i (u_ij / (max u_j + 1e-5) + weight-offset) CE(z_ij, y_i), u without gradient: u_i0 = softmax(z_i0)_y ^ gamma0, so that
//            exit 0 learns the easy rows, and u_ij = (1 - g_i,j-1) ^ gamma later. max u_j is over the epoch so far.
//   gate_j = mean_i omega_i BCE(g_ij, t_i), t_i: whether exit j classifies row i correctly, omega_i = (rows with that t / rows with the more
//            frequent t + 1e-5) ^ -gate-balance. In the first epoch, and while the exit's mean per-class accuracy in this epoch is not
//            above gate-accuracy + j gate-accuracy-step, t is the current answer; otherwise the answer when this last held.
//   cam_j  = mean over rows and cells of KL(uniform || softmax of CAM at the cell), for cells where CAM_y is at most its mean.
class OccamNets : public Algorithm {
 public:
  explicit OccamNets(const AlgorithmSetting& setting)
      : Algorithm(setting), network_(dynamic_cast<OccamNet&>(*setting.network)) {
    memory_ = torch::empty({0, network_.count()});
    OccamNets::begin_epoch(1);
  }

  void attach(TrainingSet& set) override { rows_ = static_cast<std::int64_t>(set.labels().size()); }

  void begin_epoch(std::size_t /*epoch*/) override {
    largest_ = torch::zeros({network_.count()}, torch::kFloat64);
    shown_ = torch::zeros({network_.classes()}, torch::kFloat64);
    right_ = torch::zeros({network_.count(), network_.classes()}, torch::kFloat64);
  }

  Objective objective(const Minibatches& batches) override {
    const Batch& batch = batches.labelled;
    const auto exits = network_.exits(normalize(setting().normalization, network_.prepare(batch.x)));
    const torch::Tensor labels = batch.y.to(torch::kCPU);
    shown_ += torch::bincount(labels, {}, network_.classes());
    torch::Tensor main, gates, maps;
    const auto add = [](torch::Tensor& sum, const torch::Tensor& part) {
      sum = sum.defined() ? sum + part : part;
    };
    for (std::size_t j = 0; j < exits.size(); ++j) {
      const torch::Tensor likeness =
          j == 0 ? torch::softmax(exits[0].logits.detach(), 1)
                       .gather(1, batch.y.unsqueeze(1))
                       .squeeze(1)
                       .pow(parameter("gamma0"))
                 : torch::sigmoid(-exits[j - 1].gate.detach()).pow(parameter("gamma"));
      add(main, main_loss(static_cast<std::int64_t>(j), likeness, exits[j].logits, batch));
      add(gates, gate_loss(static_cast<std::int64_t>(j), exits[j], batch, batches.epoch));
      add(maps, cam_loss(exits[j].maps, batch.y));
    }
    return {main + parameter("gate-weight") * gates + parameter("cam-weight") * maps,
            exits.back().logits,
            {{"main_loss", main.item<double>()},
             {"gate_loss", gates.item<double>()},
             {"cam_loss", maps.item<double>()}}};
  }

  void archive(Archive& state) override {
    Algorithm::archive(state);
    state.add("memory", memory_, {-1, network_.count()}, torch::kFloat32, -1);
    if (rows_ >= 0 && memory_.size(0) > rows_) refuse(state.name(), "memory of existing rows", "of more");
    state.add("largest", largest_, {network_.count()}, torch::kFloat64, 0);
    state.add("shown", shown_, {network_.classes()}, torch::kFloat64, 0);
    state.add("right", right_, {network_.count(), network_.classes()}, torch::kFloat64, 0);
  }

 private:
  torch::Tensor main_loss(std::int64_t j, const torch::Tensor& u, const torch::Tensor& logits,
                          const Batch& batch) {
    double& largest = largest_.data_ptr<double>()[j];
    largest = std::max(largest, u.max().item<double>());
    return ((u / (largest + 1e-5) + parameter("weight-offset")) * losses(logits, batch)).mean();
  }

  torch::Tensor gate_loss(std::int64_t j, const OccamNet::Exit& exit, const Batch& batch, std::size_t epoch) {
    const torch::Tensor is_right = exit.logits.detach().argmax(1) == batch.y;
    const torch::Tensor target =
        remembered(j, is_right.to(torch::kCPU, torch::kFloat32), batch, epoch).to(is_right.device());
    const double ones = target.sum().item<double>(), zeros = static_cast<double>(target.size(0)) - ones;
    const auto weight = [&](double rows) {
      return std::pow(rows / std::max(ones, zeros) + 1e-5, -parameter("gate-balance"));
    };
    return torch::binary_cross_entropy_with_logits(exit.gate, target,
                                                   target * weight(ones) + (1 - target) * weight(zeros));
  }

  // t of the rows; counts the correct answers of exit j.
  torch::Tensor remembered(std::int64_t j, const torch::Tensor& is_right, const Batch& batch,
                           std::size_t epoch) {
    right_[j] += torch::bincount(batch.y.to(torch::kCPU), is_right, network_.classes());
    const torch::Tensor seen = shown_ > 0;
    const double accuracy = (right_[j].index({seen}) / shown_.index({seen})).mean().item<double>();
    const bool now = epoch == 1 || accuracy <= parameter("gate-accuracy") +
                                                   static_cast<double>(j) * parameter("gate-accuracy-step");
    const std::int64_t rows = *std::ranges::max_element(batch.rows) + 1;
    if (memory_.size(0) < rows)
      memory_ = torch::cat({memory_, torch::full({rows - memory_.size(0), network_.count()}, -1.f)});
    torch::Tensor target = is_right.clone();
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      float& noted = memory_.data_ptr<float>()[batch.rows[i] * network_.count() + j];
      if (now || noted < 0)
        noted = is_right.data_ptr<float>()[i];
      else
        target.data_ptr<float>()[i] = noted;
    }
    return target;
  }

  // The mean is taken in float64: it is exactly what all cells of a constant map have, so that all of them count.
  static torch::Tensor cam_loss(const torch::Tensor& maps, const torch::Tensor& y) {
    const torch::Tensor from_uniform =
        -torch::log_softmax(maps, 1).mean(1) - std::log(static_cast<double>(maps.size(1)));
    const torch::Tensor own =
        maps.detach()
            .gather(1, y.view({-1, 1, 1, 1}).expand({-1, 1, maps.size(2), maps.size(3)}))
            .squeeze(1)
            .to(torch::kFloat64);
    return (from_uniform * (own <= own.mean({1, 2}, true)).to(torch::kFloat32)).mean();
  }

  OccamNet& network_;
  std::int64_t rows_ = -1;  // of the data; -1: not known
  torch::Tensor memory_;    // (rows,exits), t; -1: the row was not seen yet
  // In this epoch: the largest u (exits), rows (classes) and correctly classified rows (exits,classes)
  torch::Tensor largest_, shown_, right_;
};

}  // namespace

AlgorithmMember occamnets() {
  return {
      {"occamnets",
       "exits after each block, with a preference for early exits and small evidence regions",
       "Shrestha et al., ECCV 2022, section 3",
       {{"cam-weight", .1, 0, 1e6, "weight of the class suppression loss on activation maps"},
        {"gate-weight", 1, 0, 1e6, "weight of the gates' loss"},
        {"gamma0", 3, 0, 100, "exponent on the true class's probability, which weights rows at exit 0"},
        {"gamma", 1, 0, 100, "exponent on the probability of passing the previous gate"},
        {"weight-offset", .1, 0, 100, "constant added to the weight of every row"},
        {"gate-accuracy", .5, 0, 1,
         "accuracy threshold of exit 0: above it, the gate learns from stored answers"},
        {"gate-accuracy-step", .1, 0, 1, "increase of this threshold for each later exit"},
        {"gate-balance", .5, 0, 1, "exponent that balances correct and wrong rows in each gate's loss"}}},
      [](const Parameters&) { return Requirements{.stages = true, .own_labels = true, .least_batch = 2}; },
      make_algorithm<OccamNets>,
      "occamnet"};
}

}  // namespace leeway::nn

#include "leeway/attack/member.h"
#include "leeway/core/random.h"
#include "leeway/nn/detail/torch_model.h"
#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {
namespace {

// min over weights of E max_(|x' - x| <= eps) CE(F(x'), y): the cross-entropy at the last point of PGD from a
// random start, drawn anew for every epoch and row.
class PgdTraining : public Algorithm {
 public:
  explicit PgdTraining(const AlgorithmSetting& setting)
      : Algorithm(setting),
        classes_(static_cast<std::size_t>(setting.classes)),
        eps_(setting.parameters.at("eps")),
        steps_(static_cast<std::size_t>(setting.parameters.at("steps"))) {
    const double step = setting.parameters.at("relative-step");
    relative_step_ = step > 0 ? step : 2.5 / static_cast<double>(steps_);
    attack::AttackOptions attack;
    attack.norm = setting.norm;
    attack.eps = eps_;
    attack.loss = attack::Loss::margin;  // the directions of the cross-entropy
    attack.parameters = {{"steps", static_cast<double>(steps_)}, {"relative-step", step}};
    attack.seed = setting.seed;
    attack_ = attack::complete(attack);
  }

  Objective objective(const Minibatches& batches) override {
    const Batch& batch = batches.labelled;
    std::vector<std::uint64_t> keys;
    for (const std::int64_t row : batch.rows)
      keys.push_back(static_cast<std::uint64_t>(batches.epoch) << 40 | static_cast<std::uint64_t>(row));
    const Classifier classifier = batch_classifier(forward_function(), batch.x, classes_);
    const attack::Points clean = points_of(batch.x);
    const std::vector<std::int64_t> classes = values_of(batch.y);
    const attack::Ball ball(clean, attack_.norm, eps_);
    const attack::Attacked attacked =
        attack::ascend({classifier, clean, classes, keys}, ball,
                       ball.random(attack_.seed, stream("pgd training start"), keys), relative_step_ * eps_,
                       steps_, nullptr);
    const torch::Tensor logits = forward(images_of(attacked.x, batch.x)).logits;
    const auto zero = static_cast<std::size_t>(std::ranges::count(attacked.zero_gradient, std::uint8_t{1}));
    Objective found{mean_loss(logits, batch), logits, {}, zero};
    if (eps_ == 0) return found;
    const torch::Tensor start =  // the cross-entropy
        torch::nn::functional::softplus(
            torch::tensor(attacked.start_loss, torch::kFloat32).to(batch.x.device()));
    found.parts[rose] = (losses(logits.detach(), batch) > start).to(torch::kFloat64).mean().item<double>();
    return found;
  }

  [[nodiscard]] std::optional<attack::AttackOptions> selection_attack() const override { return attack_; }

 private:
  std::size_t classes_;
  double eps_, relative_step_ = 0;
  std::size_t steps_;
  attack::AttackOptions attack_;  // complete
};

}  // namespace

AlgorithmMember pgd_training() {
  return {{"pgd",
           "adversarial training: plain training on images attacked by PGD",
           "Madry et al., ICLR 2018",
           {{"eps", .1, 0, 1e6, "radius epsilon of the attack, pixels in [0,1]"},
            {"steps", 7, 1, 10000, "number of attack steps", true},
            {"relative-step", 0, 0, 100, "step size / eps (0: 2.5 / steps)"}}},
          nullptr,
          make_algorithm<PgdTraining>};
}

}  // namespace leeway::nn

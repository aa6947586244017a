#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "leeway/nn/model/heads/occamnet.h"
#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn::occamnets_test {

TEST(OccamNets, AStepIsThatOfAnIndependentProgram) {
  toy::expect_reference_step("occamnets", [](Algorithm& member) {
    Tensors state = member.state();
    state["memory"] = torch::full({8, 3}, -1.f);
    const std::vector<float> first{1, 0, 0, 1, 1, 1, 0, 0};
    for (std::int64_t row = 0; row < 8; ++row) state["memory"][row][0] = first[static_cast<std::size_t>(row)];
    member.restore(state, "memory");
  });
}

// Three exits whose maps, and gates, have one value everywhere and for all rows; nothing learns.
class OccamNetsByHand : public ::testing::Test {
 protected:
  explicit OccamNetsByHand(const std::map<std::string, double>& given = {}) {
    setting_.network = make_network(architecture("occamnet:resnet20-cifar"), {1, 8, 8}, 2);
    initialize(*setting_.network, 3);
    setting_.parameters = complete_parameters(algorithm("occamnets"), given);
    setting_.optimizer.learning_rate = 0;
    member_ = algorithm("occamnets").make(setting_);
    set({0, 0}, 0);
  }
  void set(std::array<float, 2> maps, float gate) {
    const torch::NoGradGuard no_grad;
    for (auto& item : setting_.network->named_parameters()) {
      if (item.key().ends_with("cam.weight") || item.key().ends_with("gate.3.weight")) item.value().zero_();
      if (item.key().ends_with("cam.bias")) item.value().copy_(torch::tensor({maps[0], maps[1]}));
      if (item.key().ends_with("gate.3.bias")) item.value().fill_(gate);
    }
  }
  std::map<std::string, double> step(const std::vector<std::int64_t>& labels, std::size_t epoch = 1) {
    Batch batch;
    batch.x = torch::rand({static_cast<std::int64_t>(labels.size()), 1, 8, 8});
    batch.y = to_tensor(labels, 0, labels.size());
    rows_.resize(labels.size());
    std::iota(rows_.begin(), rows_.end(), std::int64_t{0});
    batch.rows = rows_;
    return member_->update({batch, {}, {}, epoch}).parts;
  }
  AlgorithmSetting setting_;
  std::unique_ptr<Algorithm> member_;
  std::vector<std::int64_t> rows_;
};

// Weights 1.1, .6 and .1 after gates of 0, 1/2 and 1, with the largest of the epoch; 1.1 at the first exit, whose
// probabilities are all equal.
TEST_F(OccamNetsByHand, RowsThatTheGateBeforeLetsGoWeighLess) {
  set({0, 0}, -100);
  EXPECT_NEAR(step({0, 0, 1, 1}).at("main_loss"), (1.1 + 2 * 1.1) * std::log(2.), 1e-4);
  set({0, 0}, 0);
  EXPECT_NEAR(step({0, 0, 1, 1}).at("main_loss"), (1.1 + 2 * .6) * std::log(2.), 1e-4);
  set({0, 0}, 100);
  EXPECT_NEAR(step({0, 0, 1, 1}).at("main_loss"), (1.1 + 2 * .1) * std::log(2.), 1e-4);
  member_->begin_epoch(2);  // the largest weight is that of the epoch
  set({0, 0}, 0);
  EXPECT_NEAR(step({0, 0, 1, 1}).at("main_loss"), (1.1 + 2 * 1.1) * std::log(2.), 1e-4);
}

class OccamNetsMemory : public OccamNetsByHand {
 protected:
  OccamNetsMemory() : OccamNetsByHand({{"gate-accuracy", .4}, {"gate-accuracy-step", .2}}) {}
};

// In the second epoch all answers turn round: half of the classes are right, above the threshold of the first exit alone.
TEST_F(OccamNetsMemory, GatesRememberAnswersAboveTheThreshold) {
  const double open = std::log1p(std::exp(-2.)), closed = std::log1p(std::exp(2.));  // of a gate of logit 2
  const auto loss = [&](double ones, double zeros) {
    const double most = std::max(ones, zeros);
    return (ones * open * std::sqrt(most / ones) + zeros * closed * std::sqrt(most / zeros)) / (ones + zeros);
  };
  set({1, 0}, 2);
  EXPECT_NEAR(step({0, 0, 0, 1}).at("gate_loss"), 3 * loss(3, 1), 1e-4);
  member_->begin_epoch(2);
  set({0, 1}, 2);
  EXPECT_NEAR(step({0, 0, 0, 1}, 2).at("gate_loss"), loss(3, 1) + 2 * loss(1, 3), 1e-4);
  const torch::Tensor memory = member_->state().at("memory");
  EXPECT_TRUE(
      memory.equal(torch::tensor({{1.f, 0.f, 0.f}, {1.f, 0.f, 0.f}, {1.f, 0.f, 0.f}, {0.f, 1.f, 1.f}})));
}

// Stopped within its second pass, where the pass's accuracies and largest weights count. 5 steps a pass.
TEST(OccamNets, GoesOnWithinAPass) {
  const toy::Folder folder;
  const Images images = toy::squares(200, 4);
  TrainOptions options = quick("occamnets");
  options.steps = 12, options.check_every = 4;
  options.parameters = {{"gate-accuracy", .2}, {"gate-accuracy-step", 0}};
  (void)session().train(images, options, folder / "whole");
  StopAfter stop(9);
  EXPECT_THROW((void)session().train(images, options, folder / "broken", &stop), Interrupted);
  EXPECT_EQ(session().train(images, options, folder / "broken").resumed_after, 2U);
  EXPECT_EQ(file_text(folder / "whole"), file_text(folder / "broken"));
}

}  // namespace leeway::nn::occamnets_test

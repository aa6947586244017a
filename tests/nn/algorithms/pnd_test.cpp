#include "leeway/nn/model/heads/pnd.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/nn/by_hand.h"

namespace leeway::nn::pnd_test {

// Three experts of two classes whose outputs are the same for all rows; nothing learns.
class PndByHand : public ::testing::Test {
 protected:
  void make(const std::map<std::string, double>& given) {
    setting_.network = make_network(architecture("pnd:resnet20-cifar"), {1, 8, 8}, 2);
    initialize(*setting_.network, 3);
    setting_.parameters = complete_parameters(algorithm("pnd"), given);
    setting_.optimizer.learning_rate = 0;
    member_ = algorithm("pnd").make(setting_);
    member_->set_training(true);
    set(0);
  }
  // The biased and debiased outputs become (logit, 0).
  void set(float logit) {
    const torch::NoGradGuard no_grad;
    for (auto& item : setting_.network->named_parameters())
      if (item.key().find("biased.3.") != std::string::npos)
        item.key().ends_with("bias") ? item.value().copy_(torch::tensor({logit, 0.f})) : item.value().zero_();
  }
  // Of classes 0, 1, 0, 1, ...
  Step step(std::size_t rows) {
    rows_.resize(rows);
    std::iota(rows_.begin(), rows_.end(), std::int64_t{0});
    Batch batch;
    batch.x = torch::rand({static_cast<std::int64_t>(rows), 1, 8, 8});
    batch.y = torch::arange(static_cast<std::int64_t>(rows), torch::kInt64) % 2;
    batch.rows = rows_;
    return member_->update({batch});
  }
  AlgorithmSetting setting_;
  std::unique_ptr<Algorithm> member_;
  std::vector<std::int64_t> rows_;
};

// Equal losses weigh 1/2; p = 1/2 has a generalized cross-entropy of .54918; equal outputs are as alike as can be, and none of
// 8 + 1 is nearer.
TEST_F(PndByHand, EqualOutputs) {
  make({{"counterfactual", 2}});
  const Step done = step(16);
  EXPECT_NEAR(done.parts.at("debias_loss"), 3 * std::log(2.) / 2, 1e-5);
  EXPECT_NEAR(done.parts.at("bias_loss"), 3 * .54918, 1e-4);
  EXPECT_NEAR(done.parts.at("diversity_loss"), 2, 1e-6);
  EXPECT_NEAR(done.parts.at("counterfactual_loss"), 3 * std::log(9.), 1e-5);
  EXPECT_NEAR(done.parts.at("gate_loss"), std::log(2.), 1e-6);
  EXPECT_NEAR(done.loss, 2 * 3 * std::log(2.) / 2 + 3 * .54918 + 2 + std::log(2.) + 4 * 3 * std::log(9.),
              1e-3);
  make({{"base-epochs", 0}});
  const Step first = step(16);
  EXPECT_EQ(first.parts.count("counterfactual_loss"), 0U);
  EXPECT_NEAR(first.loss, .2 * 3 * std::log(2.) / 2 + 3 * .54918 + 2 + std::log(2.), 1e-4);
}

TEST_F(PndByHand, LossesAreAveragedOverVisits) {
  make({{"base-epochs", 0}});
  set(1);
  (void)step(4);
  const auto averages = [&] { return member_->state().at("averages"); };
  const double right = std::log1p(std::exp(-1.)), wrong = std::log1p(std::exp(1.));
  EXPECT_NEAR(averages()[0][1].item<double>(), right, 1e-6);
  EXPECT_NEAR(averages()[1][6].item<double>(), wrong, 1e-6);
  set(-1);
  (void)step(2);
  EXPECT_NEAR(averages()[0][1].item<double>(), .7 * right + .3 * wrong, 1e-6);
  EXPECT_NEAR(averages()[1][6].item<double>(), .7 * wrong + .3 * right, 1e-6);
  EXPECT_NEAR(averages()[2][1].item<double>(), right, 1e-6) << "not visited again";
  EXPECT_EQ(averages()[3][0].item<double>(), 1) << "its class";
}

// Rows whose debiased loss is small beside the biased one weigh more. The largest of a class is over all rows seen.
TEST_F(PndByHand, WeightsCompareRowsWithTheWorstOfTheirClass) {
  make({{"base-epochs", 0}});
  (void)step(2);
  Tensors state = member_->state();
  const double l = std::log(2.);
  for (std::int64_t i = 0; i < 3; ++i) {
    state["averages"][0][1 + i] = 4 * l;  // class 0, debiased: after this visit 3.1 l, the largest
    state["averages"][0][4 + i] = l;
  }
  member_->restore(state, "averages");
  // row 0: d = 1, b = 1; row 1, of class 1, likewise: each is the only one of its class
  EXPECT_NEAR(step(2).parts.at("debias_loss"), 3 * l / 2, 1e-5);
  // row 2 joins class 0 with a debiased loss of l: d = l / (.7 * 3.1 l + .3 l), b = 1
  const double d = 1 / (.7 * 3.1 + .3), weight = 1 / (1 + d);
  EXPECT_NEAR(step(3).parts.at("debias_loss"), 3 * l * (.5 + .5 + weight) / 3, 1e-4);
}

TEST(Pnd, TrainsInTwoStages) {
  const toy::Folder folder;
  TrainOptions options = quick("pnd");
  options.epochs = 2;
  options.parameters = {{"base-epochs", 1}, {"counterfactual", 4}};
  const TrainResult result = session().train(toy::squares(100, 4), options, folder / "m");
  EXPECT_EQ(result.model->info().architecture, "pnd:small-cnn");
  ASSERT_TRUE(result.base.has_value());
  EXPECT_EQ(result.base->algorithm, "pnd");
  EXPECT_EQ(result.base->epochs, 1U);
}

}  // namespace leeway::nn::pnd_test

// ADA and ME-ADA.
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <numeric>

#include "leeway/nn/model/heads/occamnet.h"
#include "leeway/nn/model/heads/pnd.h"
#include "leeway/nn/train/parts.h"
#include "leeway/nn/train/training_set.h"
#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn::ada_test {

// With a sum over 512 features in place of the mean, the objective of the defaults falls.
TEST(Ada, RisesForAnyNumberOfFeatures) {
  torch::manual_seed(3);
  const torch::Tensor first = torch::randn({512, 20}), second = torch::randn({4, 512}) / 16;
  const ForwardFunction wide = [&](const torch::Tensor& x) {
    const torch::Tensor z = x.flatten(1).mm(first.t());
    return Forward{z.mm(second.t()), z};
  };
  const torch::Tensor x = torch::rand({30, 20}), y = torch::randint(4, {30});
  EXPECT_GT(ascended(wide, x, y, {}).rose.sum().item<int>(), 27);
  EXPECT_EQ(ascended(wide, x, y, {.rate = 100, .gamma = 1000}).rose.sum().item<int>(), 0);
  EXPECT_EQ(ascended(wide, x, y, {.steps = 0}).rose.sum().item<int>(), 0);
}

TEST(Ada, PixelsStayBetweenZeroAndOne) {
  const ForwardFunction identity = [](const torch::Tensor& x) { return Forward{x.flatten(1), x.flatten(1)}; };
  const torch::Tensor made =
      ascended(identity, torch::full({1, 3}, .5f), torch::tensor({1}), {.steps = 3, .rate = 9}).images;
  EXPECT_TRUE(made.ge(0).logical_and(made.le(1)).all().item<bool>()) << made;
}

TEST(Ada, ImagesOfAnotherProgram) {
  toy::ReferenceStep step("ada");
  const AlgorithmSetting setting = step.setting();
  const auto member = algorithm("me-ada").make(setting);
  step.fill(*member);
  member->set_training(false);
  const Minibatches batches = step.batches();
  const torch::Tensor x = batches.labelled.x, y = batches.labelled.y;
  // the other program has half the sum over features
  const double features = static_cast<double>(member->predict()(x).features.size(1));
  const Ascent ascent{4, step.json["rate"], step.json["gamma"].get<double>() * features / 2,
                      step.json["entropy"]};
  const torch::Tensor found = ascended(member->predict(), x, y, ascent).images;
  const torch::Tensor wanted = torch::tensor(step.json["images"].get<std::vector<float>>()).view(x.sizes());
  EXPECT_LT((found - wanted).abs().max().item<double>(), 1e-5);
  const torch::Tensor alone =
      torch::cat({ascended(member->predict(), x.slice(0, 0, 2), y.slice(0, 0, 2), ascent).images,
                  ascended(member->predict(), x.slice(0, 2), y.slice(0, 2), ascent).images});
  EXPECT_LT((found - alone).abs().max().item<double>(), 1e-6);
}

class GrowingSet : public ::testing::Test {
 protected:
  std::unique_ptr<Algorithm> member(const std::map<std::string, double>& given) {
    AlgorithmSetting setting;
    setting.network = make_network(architecture("small-cnn"), {1, 8, 8}, 4);
    initialize(*setting.network, 3);
    setting.parameters = complete_parameters(algorithm("ada"), given);
    auto made = algorithm("ada").make(setting);
    made->attach(set_);
    return made;
  }
  data::TrainingData data_{toy::squares(40, 4)};
  const TrainOptions options_ = in_batches(16);
  TrainingSet set_{data_, options_, Requirements{}, "ada"};
};

TEST_F(GrowingSet, ByAsManyImagesARound) {
  const auto ada = member({{"every-epochs", 2}, {"steps", 2}});
  std::vector<std::size_t> sizes;
  for (std::size_t epoch = 1; epoch <= 7; ++epoch) {
    ada->begin_epoch(epoch);
    sizes.push_back(set_.training().size());
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{40, 40, 80, 80, 120, 120, 120}));
  const std::vector<std::int64_t> rows{40, 79, 80};
  const Batch made = set_.batch(rows);
  EXPECT_GE(made.x.min().item<double>(), 0);
  EXPECT_LE(made.x.max().item<double>(), 1);
  const torch::Tensor parents = ada->state().at("parents");
  EXPECT_EQ(made.y[0].item<std::int64_t>(),
            data_.images.labels->at(static_cast<std::size_t>(parents[0].item<std::int64_t>())));
  const torch::Tensor first = std::get<0>(parents.slice(0, 0, 40).sort());
  EXPECT_TRUE(first.equal(torch::arange(40))) << "of the first round: every image once";
}

TEST(InnerMaximization, ThatNeverRanOrDidNotRiseIsNoted) {
  const toy::Folder folder;
  const auto notes = [&](const std::string& name, const std::map<std::string, double>& parameters) {
    TrainOptions options;
    options.architecture = "small-cnn", options.algorithm = name;
    options.epochs = 2, options.parameters = parameters;
    return session().train(toy::squares(60, 3), options, folder / name, nullptr).notes;
  };
  EXPECT_THAT(notes("ada", {}), ::testing::ElementsAre(::testing::HasSubstr("(after epoch 10)")));
  EXPECT_THAT(notes("me-ada", {{"every-epochs", 1}, {"rounds", 1}}), ::testing::IsEmpty());
  EXPECT_THAT(notes("ada", {{"every-epochs", 1}, {"rounds", 1}, {"rate", 0}}),
              ::testing::ElementsAre(::testing::HasSubstr("for at most 0.0% of the images")));
  EXPECT_THAT(notes("pgd", {{"steps", 2}}), ::testing::IsEmpty());
}

TEST_F(GrowingSet, ComesBackFromTheState) {
  const auto ada = member({{"every-epochs", 1}, {"steps", 1}});
  ada->begin_epoch(2);
  const Tensors state = ada->state();
  const std::vector<std::int64_t> rows{3, 41, 70};
  const Batch before = set_.batch(rows);
  const auto again = member({{"every-epochs", 1}, {"steps", 1}});
  EXPECT_EQ(set_.training().size(), 40U);
  again->restore(state, "state");
  EXPECT_EQ(set_.training().size(), 80U);
  EXPECT_TRUE(set_.batch(rows).x.equal(before.x));
  EXPECT_TRUE(set_.batch(rows).y.equal(before.y));
}

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

// Equal losses weigh 1/2; p = 1/2 has a generalized cross-entropy of .54918; of 8 + 1 equal outputs none is nearer.
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
  options.epochs = 2, options.parameters = {{"base-epochs", 1}, {"counterfactual", 4}};
  const TrainResult result = session().train(toy::squares(100, 4), options, folder / "m");
  EXPECT_EQ(result.model->info().architecture, "pnd:small-cnn");
  ASSERT_TRUE(result.base.has_value());
  EXPECT_EQ(result.base->algorithm, "pnd");
  EXPECT_EQ(result.base->epochs, 1U);
}

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

// Weights 1.1, .6 and .1 after gates of 0, 1/2 and 1; 1.1 at the first exit, whose probabilities are all equal.
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
  EXPECT_EQ(read_bytes(folder / "whole"), read_bytes(folder / "broken"));
}

}  // namespace leeway::nn::ada_test

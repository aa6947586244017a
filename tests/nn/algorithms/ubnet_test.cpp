#include "leeway/nn/model/heads/ubnet.h"

#include <gtest/gtest.h>

#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn {
namespace {

TEST(UbNet, AStepIsThatOfAnIndependentProgram) { toy::expect_reference_step("ubnet"); }

TEST(UbNet, OverlapOfRowsByHand) {
  const torch::Tensor row = torch::rand({1, 6}, torch::kFloat64) + .1;
  EXPECT_NEAR(row_overlap(row.expand({5, 6})).item<double>(), .8, 1e-12);
  EXPECT_EQ(row_overlap(torch::eye(5)).item<double>(), 0);
  const torch::Tensor rows = torch::randn({5, 6}, torch::kFloat64),
                      scale = torch::tensor({{1.}, {2.}, {-.5}, {100.}, {.01}}, torch::kFloat64);
  EXPECT_NEAR(row_overlap(rows).item<double>(), row_overlap(scale * rows).item<double>(), 1e-12);
}

class UbNetStep : public testing::Test {
 protected:
  void make(const std::map<std::string, double>& given, double rate) {
    const InputShape shape{1, 8, 8};
    setting_.network = make_network(architecture("ubnet:resnet20-cifar"), shape, 3);
    initialize(*setting_.network, 3);
    setting_.base = make_network(architecture("resnet20-cifar"), shape, 3);
    initialize(*setting_.base, 9);
    setting_.parameters = complete_parameters(algorithm("ubnet"), given);
    setting_.optimizer.learning_rate = rate;
    member_ = algorithm("ubnet").make(setting_);
    member_->set_training(true);
  }
  Step update() {
    const Images images = toy::squares(12, 3);
    Batch batch;
    batch.x = pixels(images, 0, 12);
    batch.y = to_tensor(*images.labels, 0, 12);
    return member_->update({batch});
  }
  AlgorithmSetting setting_;
  std::unique_ptr<Algorithm> member_;
};

TEST_F(UbNetStep, LeavesTheBaseAsItWas) {
  make({}, .1);
  const ArrayMap base = weights_of(*setting_.base);
  for (int i = 0; i < 3; ++i) (void)update();
  const ArrayMap after = weights_of(*setting_.network);
  for (const auto& [name, array] : base)
    EXPECT_TRUE(toy::same_bits(array, after.at("backbone." + name))) << name;
  EXPECT_EQ(member_->state().count("first.20"), 0U);  // 19 tensors of the head alone
}

TEST_F(UbNetStep, AnOptimiserApartStepsFirstAndLeavesItsGradient) {
  make({}, 0);
  const Tensors joint = member_->state();
  (void)update();
  make({{"separate", 1}}, 0);
  const Step step = update();
  const Tensors apart = member_->state();
  const torch::Tensor before = joint.at("network.cells.weight"), after = apart.at("network.cells.weight");
  EXPECT_NEAR((after - before).abs().max().item<double>(), 1e-3, 1e-5);  // Adam's first step
  EXPECT_TRUE(joint.at("network.taps.0.weight").equal(apart.at("network.taps.0.weight")));
  // the gradient of the cells is that of the loss after that step and that of the overlap before it
  const torch::Tensor overlap = apart.at("overlap.first.1") / .5;
  AlgorithmSetting plain = setting_;
  plain.parameters["separate"] = plain.parameters["orth-weight"] = 0;
  setting_.parameters = plain.parameters;
  member_ = algorithm("ubnet").make(plain);
  member_->set_training(true);
  EXPECT_NEAR(update().loss, step.loss, 1e-6);
  std::size_t number = 0;
  for (const auto& item : setting_.network->named_parameters())
    if (item.value().requires_grad()) {
      if (item.key() == "cells.weight") break;
      ++number;
    }
  const std::string key = "first." + std::to_string(number);
  EXPECT_TRUE(torch::allclose(apart.at(key) / .1, member_->state().at(key) / .1 + overlap, 1e-4, 1e-6));
}

// Four stages: the stem has all four passes of a step, the last stage the whole one alone; none moves where statistics stay.
TEST_F(UbNetStep, StatisticsMoveAPassAStage) {
  const auto tracked = [&](const std::string& layer) {
    return member_->state().at("network.backbone." + layer + ".num_batches_tracked").item<std::int64_t>();
  };
  const auto mean = [&](const std::string& layer) {
    return member_->state().at("network.backbone." + layer + ".running_mean").clone();
  };
  make({}, 0);
  (void)update();
  EXPECT_EQ(tracked("bn1"), 0);
  make({{"moving-statistics", 1}}, 0);
  (void)update();
  EXPECT_EQ(tracked("bn1"), 4);
  EXPECT_EQ(tracked("layer1.0.bn1"), 3);
  EXPECT_EQ(tracked("layer2.0.bn1"), 2);
  EXPECT_EQ(tracked("layer3.2.bn2"), 1);
  // .9 of the old mean stays at each of four passes; eight come to 1 - .9^8 of the same batch's
  const torch::Tensor once = mean("bn1") / (1 - std::pow(.9, 4));
  (void)update();
  EXPECT_TRUE(mean("bn1").allclose(once * (1 - std::pow(.9, 8)), 1e-4, 1e-6));
  const torch::Tensor before = mean("bn1");
  member_->set_training(false);
  (void)member_->predict()(torch::rand({3, 1, 8, 8}));
  EXPECT_TRUE(mean("bn1").equal(before)) << "evaluation leaves them";
}

// However sure the network is, the loss of probabilities that pass for logits stays above ln((e + k - 1) / e).
TEST_F(UbNetStep, ADoubleSoftmaxHasAFloor) {
  for (const double twice : {0., 1.}) {
    make({{"double-softmax", twice}, {"orth-weight", 0}}, 0);
    const torch::NoGradGuard no_grad;
    for (auto& item : setting_.network->named_parameters())
      if (item.key().starts_with("classifiers."))
        item.key().ends_with("bias") ? item.value().copy_(torch::tensor({60.f, 0.f, 0.f}))
                                     : item.value().zero_();
    Batch batch;
    batch.x = torch::rand({4, 1, 8, 8});
    batch.y = torch::zeros({4}, torch::kInt64);
    const torch::AutoGradMode grad(true);
    EXPECT_NEAR(member_->update({batch}).loss, twice == 0 ? 0 : .551445, 1e-5);
  }
}

TEST(UbNet, StandsOnWhatPlainTrainingMade) {
  const toy::Folder folder;
  const Images images = toy::squares(100, 4);
  TrainOptions options = quick("ubnet"), plain = quick();
  options.epochs = 1;
  plain.epochs = 2;
  options.parameters = {{"base-epochs", 2}};
  const TrainResult result = session().train(images, options, folder / "m");
  (void)session().train(images, plain, folder / "plain");
  EXPECT_EQ(result.model->info().architecture, "ubnet:small-cnn");
  const ArrayMap found = read_safetensors(folder / "m").tensors;
  for (const auto& [name, array] : read_safetensors(folder / "plain").tensors)
    EXPECT_TRUE(toy::same_bits(array, found.at("backbone." + name))) << name;
  options.parameters["uniform-start"] = 1;
  EXPECT_EQ(session().train(images, options, folder / "u").model->info().architecture, "ubnet:small-cnn");
  EXPECT_FALSE(
      toy::same_bits(read_safetensors(folder / "u").tensors.at("taps.1.weight"), found.at("taps.1.weight")));
  options.architecture = "mlp";
  EXPECT_EQ(message_of([&] { (void)session().train(images, options, folder / "n"); }),
            "architecture ubnet:mlp: expected a backbone of at least 2 stages, found mlp, which has none");
}

}  // namespace
}  // namespace leeway::nn

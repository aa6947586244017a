#include <gtest/gtest.h>

#include "leeway/nn/train/style.h"
#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn {
namespace {

// Mean and deviation 0 and 1, 10 and 3; each row gets half of the other's style.
TEST(SagNet, StylesByHand) {
  const torch::Tensor z = torch::tensor({{1., -1., 1., -1.}, {13., 7., 13., 7.}}, torch::kFloat64);
  const StyleMix half{torch::tensor({1, 0}), torch::tensor({.5, .5}, torch::kFloat64)};
  const auto expect = [](const torch::Tensor& found, std::vector<double> row) {
    EXPECT_LT((found[0] - torch::tensor(row, torch::kFloat64)).abs().max().item<double>(), 1e-4) << found;
  };
  for (const torch::Tensor& shaped : {z, z.view({2, 1, 2, 2})}) {
    expect(with_other_style(shaped, half, false).view({2, 4}), {7, 3, 7, 3});
    expect(with_other_style(shaped, half, true).view({2, 4}), {7.236068, 2.763932, 7.236068, 2.763932});
    expect(with_other_content(shaped, half, false).view({2, 4}), {1, -1, 1, -1});
  }
  // a map has its own style; a row of numbers one
  const torch::Tensor maps = torch::cat({z.view({2, 1, 2, 2}), 2 * z.view({2, 1, 2, 2})}, 1);
  expect(with_other_style(maps, half, false).select(1, 1).reshape({2, 4}), {14, 6, 14, 6});
  // beside the 1e-5 variances over n - 1 show: here of deviations .01 and .03
  const torch::Tensor flat = z.view({2, 1, 2, 2}) / 100;
  const auto expect_flat = [&](bool variance, double count) {
    const double small = 4e-4 / count + 1e-5, large = 36e-4 / count + 1e-5;
    const double level =
        variance ? std::sqrt((small + large) / 2 / small) : (1 + std::sqrt(large / small)) / 2;
    EXPECT_NEAR(with_other_style(flat, half, variance)[0][0][0][0].item<double>(), .05 + .01 * level, 1e-9);
    EXPECT_NEAR(with_other_content(flat, half, variance)[0][0][0][0].item<double>(),
                .03 * std::sqrt(small / large), 1e-9);
  };
  expect_flat(false, 4), expect_flat(true, 3);
}

TEST(SagNet, WithItselfARowStaysAsItIs) {
  const torch::Tensor z = torch::randn({4, 3, 5, 5}, torch::kFloat64);
  const StyleMix own{torch::arange(4), torch::rand({4}, torch::kFloat64)};
  EXPECT_TRUE(torch::allclose(with_other_style(z, own, false), z));
  EXPECT_TRUE(torch::allclose(with_other_style(z, own, true), z));
  EXPECT_TRUE(torch::allclose(with_other_content(z, own, false), z));
}

TEST(SagNet, ExchangesByAPermutationOfTheStep) {
  const StyleMix one = draw_style_mix(50, 3, 7, torch::kCPU), again = draw_style_mix(50, 3, 7, torch::kCPU),
                 next = draw_style_mix(50, 3, 8, torch::kCPU);
  EXPECT_TRUE(std::get<0>(one.order.sort()).equal(torch::arange(50)));
  EXPECT_TRUE(one.order.equal(again.order) && one.share.equal(again.share));
  EXPECT_FALSE(one.order.equal(next.order) || one.share.equal(next.share));
  EXPECT_TRUE(((one.share > 0) & (one.share < 1)).all().item<bool>());
}

TEST(SagNet, AStepIsThatOfAnIndependentProgram) {
  toy::expect_reference_step("sagnet");
  toy::expect_reference_step("sagnet_dropout");
}

// Ten times the weights stand for gradients in the file.
TEST(SagNet, StepsOfOnePassAreThoseOfAnIndependentProgram) {
  toy::ReferenceStep step("sagnet_one_pass");
  AlgorithmSetting setting = step.setting();
  setting.optimizer = {.kind = "sgd", .learning_rate = .1, .momentum = 0};
  const auto member = algorithm("sagnet").make(setting);
  step.fill(*member);
  member->set_training(true);
  const Step done = member->update(step.batches());
  step.compare(done, member->state());
}

// After the first step of small squares; the style network's weights come last.
class SagNetStep : public testing::Test {
 protected:
  Tensors after(const std::map<std::string, double>& given, bool uniform = false) {
    AlgorithmSetting setting;
    const InputShape shape{1, 8, 8};
    setting.another = [=] { return make_network(architecture("resnet20-cifar"), shape, 4); };
    setting.network = setting.another();
    initialize(*setting.network, 3);
    setting.head = "linear.";
    setting.features = 64;
    setting.parameters = complete_parameters(algorithm("sagnet"), given);
    const torch::NoGradGuard no_grad;
    if (uniform)
      for (auto& item : setting.network->named_parameters())
        if (item.key().starts_with("linear.")) item.value().zero_();
    const auto member = algorithm("sagnet").make(setting);
    member->set_training(true);
    const Images images = toy::squares(16, 4);
    Batch batch;
    batch.x = pixels(images, 0, 16);
    batch.y = to_tensor(*images.labels, 0, 16);
    {
      const torch::AutoGradMode grad(true);
      step_ = member->update({batch});
    }
    names_.clear();
    for (const auto& item : setting.network->named_parameters()) names_.push_back(item.key());
    return member->state();
  }
  // The network's weights whose first gradients differ.
  std::vector<std::string> differing(const Tensors& a, const Tensors& b) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (!a.at("first." + std::to_string(i)).equal(b.at("first." + std::to_string(i))))
        names.push_back(names_[i]);
    return names;
  }
  Step step_;
  std::vector<std::string> names_;
};

TEST_F(SagNetStep, TheAdversaryMovesScalesAndShiftsBeforeTheStageAlone) {
  const Tensors without = after({{"stage", 2}, {"weight", 0}}), with = after({{"stage", 2}, {"weight", 1}});
  const std::vector<std::string> moved = differing(without, with);
  EXPECT_EQ(moved.size(), 2U * (1 + 6));  // the stem's and those of layer1
  for (const std::string& name : moved) {
    EXPECT_TRUE(name.find("bn") != std::string::npos) << name;
    EXPECT_TRUE(name.starts_with("bn1") || name.starts_with("layer1")) << name;
  }
  for (std::size_t i = names_.size(); i < 2 * names_.size(); ++i) {
    const std::string key = "first." + std::to_string(i), &name = names_[i - names_.size()];
    EXPECT_TRUE(without.at(key).equal(with.at(key))) << name;  // of the style network
    const bool used = name.starts_with("layer2") || name.starts_with("layer3") || name.starts_with("linear");
    EXPECT_EQ(with.at(key).any().item<bool>(), used) << name;
  }
}

TEST_F(SagNetStep, AUniformStyleNetworkIsNoAdversary) {
  const Tensors without = after({{"stage", 2}, {"weight", 0}}, true),
                with = after({{"stage", 2}, {"weight", .1}, {"clip", 0}}, true);
  EXPECT_NEAR(step_.parts.at("adversarial_loss"), .1 * std::log(4), 1e-6);
  EXPECT_TRUE(differing(without, with).empty());
}

TEST_F(SagNetStep, TheAdversarysLogarithmHasAnOffset) {
  (void)after({{"stage", 2}, {"weight", .1}, {"clip", 0}, {"log-offset", .25}}, true);
  EXPECT_NEAR(step_.parts.at("adversarial_loss"), .1 * std::log(2), 1e-6);
}

TEST_F(SagNetStep, TheAdversarysGradientIsClipped) {
  const Tensors without = after({{"stage", 2}, {"weight", 0}}),
                with = after({{"stage", 2}, {"weight", 1000}, {"clip", .1}});
  double square = 0;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::string key = "first." + std::to_string(i);
    square += ((with.at(key) - without.at(key)) / .1).square().sum().item<double>();
  }
  EXPECT_NEAR(std::sqrt(square), .1, 1e-4);
}

TEST_F(SagNetStep, PooledTheAdversaryMovesAllOfTheFeatures) {
  const Tensors without = after({{"pooled", 1}, {"weight", 0}}), with = after({{"pooled", 1}, {"weight", 1}});
  const std::vector<std::string> moved = differing(without, with);
  EXPECT_EQ(moved.size(), names_.size() - 2);
  EXPECT_EQ(with.at("style.weight").sizes(), torch::IntArrayRef({4, 64}));
}

TEST_F(SagNetStep, PooledTheStyleMayHaveWeightsOfItsOwn) {
  const Tensors own = after({{"pooled", 1}, {"own-head", 1}}), same = after({{"pooled", 1}});
  const auto distance = [](const Tensors& state) {
    return (state.at("style.weight") - state.at("network.linear.weight")).abs().max().item<double>();
  };
  EXPECT_LT(distance(same), .01);
  EXPECT_GT(distance(own), .1);
  EXPECT_EQ(message_of([&] {
              (void)after({{"stage", 2}, {"own-head", 1}});
            }),
            "algorithm sagnet: expected pooled 1, as own-head is 1, found 0");
}

// The step of an independent program has it in front of a stage; here the same masks meet the mixed features.
TEST_F(SagNetStep, DropoutIsOfTheLastHiddenLayerWherePooled) {
  const Tensors whole = after({{"pooled", 1}, {"weight", 1}});
  const double without = step_.loss;
  const Tensors some = after({{"pooled", 1}, {"weight", 1}, {"dropout", .5}});
  EXPECT_EQ(differing(whole, some).size(), names_.size());
  EXPECT_NE(step_.loss, without);
}

// Steps of gradient descent one after the other. Draws are of numbers 3, 4 and 5, so that the joint step of each of these numbers, from
// the weights there were, tells what it does.
class SagNetTurns : public testing::TestWithParam<double> {
 protected:
  [[nodiscard]] static std::unique_ptr<Algorithm> member(double separate, double weight, double decay = 0,
                                                         double held = 0) {
    AlgorithmSetting setting;
    const InputShape shape{1, 8, 8};
    setting.another = [=] { return make_network(architecture("resnet20-cifar"), shape, 4); };
    setting.network = setting.another();
    initialize(*setting.network, 3);
    setting.head = "linear.";
    setting.features = 64;
    setting.optimizer = {.kind = "sgd", .learning_rate = .1, .weight_decay = decay, .momentum = 0};
    setting.parameters = complete_parameters(algorithm("sagnet"), {{"pooled", GetParam()},
                                                                   {"stage", 2},
                                                                   {"clip", 0},
                                                                   {"weight", weight},
                                                                   {"separate", separate},
                                                                   {"style-held", held}});
    auto made = algorithm("sagnet").make(setting);
    made->set_training(true);
    return made;
  }
  // The weights after the joint step of that number from `from`.
  [[nodiscard]] Tensors joint(const Tensors& from, std::size_t number, double weight) const {
    const auto one = member(0, weight);
    one->restore(from, "weights");
    (void)one->update(batches(number));
    return copied(*one);
  }
  [[nodiscard]] Minibatches batches(std::size_t number) const {
    Batch batch;
    batch.x = pixels(images_, 0, 16);
    batch.y = to_tensor(*images_.labels, 0, 16);
    return {batch, {}, {}, 1, number, 100};
  }
  [[nodiscard]] static Tensors copied(const Algorithm& one) {
    Tensors copy;
    for (const auto& [key, tensor] : one.state()) copy[key] = tensor.clone();
    return copy;
  }
  static bool is_weight(const std::string& key, const std::string& of) {
    return key.starts_with(of) && key.find("running") == std::string::npos &&
           key.find("tracked") == std::string::npos;
  }
  Images images_ = toy::squares(16, 4);
};

TEST_P(SagNetTurns, ContentStyleAndAdversaryStepOneAfterTheOther) {
  const auto apart = member(1, 1);
  const Tensors start = copied(*apart);
  (void)apart->update(batches(1));
  const Tensors found = copied(*apart);
  // the content's step, with draw 3
  const Tensors content = joint(start, 3, 0);
  Tensors now = start;
  for (auto& [key, tensor] : now)
    if (key.starts_with("network.")) tensor = content.at(key);
  // the style's, with draw 4, from features that have moved
  const Tensors style = joint(now, 4, 0);
  for (auto& [key, tensor] : now) {
    if (!is_weight(key, "style.")) continue;
    EXPECT_TRUE(found.at(key).allclose(style.at(key), 1e-4, 1e-6)) << key;
    tensor = style.at(key);
  }
  // the adversary's, with draw 5: what it adds to a joint step
  const Tensors with = joint(now, 5, 1), without = joint(now, 5, 0);
  double moved = 0;
  for (const auto& [key, tensor] : now) {
    if (!is_weight(key, "network.")) continue;
    const torch::Tensor added = with.at(key) - without.at(key);
    moved += added.abs().max().item<double>();
    EXPECT_TRUE(found.at(key).allclose(tensor + added, 1e-3, 1e-5)) << key;
  }
  EXPECT_GT(moved, 1e-3);
}

// Of a style network that is held the content's step leaves a share, before the style's own.
TEST_P(SagNetTurns, TheContentsDecayMovesAStyleNetworkThatIsHeld) {
  constexpr double decay = .5, kept = 1 - .1 * decay;
  const auto held = member(1, 0, decay, 1), free = member(1, 0, decay);
  Tensors start = copied(*free);
  for (auto& [key, tensor] : start)
    if (is_weight(key, "style.")) tensor.mul_(kept);
  free->restore(start, "weights");
  (void)free->update(batches(1));
  (void)held->update(batches(1));
  const Tensors wanted = copied(*free), found = copied(*held);
  for (const auto& [key, tensor] : wanted)
    if (is_weight(key, "style.") || is_weight(key, "network.")) {
      EXPECT_TRUE(found.at(key).allclose(tensor, 1e-5, 1e-7)) << key;
    }
}

INSTANTIATE_TEST_SUITE_P(Where, SagNetTurns, testing::Values(0., 1.));

// Of a last hidden layer the adversary goes on with the moments that the content's step left; of maps it has its own.
TEST_F(SagNetStep, TurnsHaveTheirMoments) {
  for (const double pooled : {0., 1.}) {
    const Tensors state = after({{"pooled", pooled}, {"stage", 2}, {"separate", 1}});
    EXPECT_EQ(state.at("steps.content.steps").item<std::int64_t>(), 1);
    EXPECT_EQ(state.at("steps.style.steps").item<std::int64_t>(), 1);
    EXPECT_EQ(state.at("steps.adversary.steps").item<std::int64_t>(), pooled == 1 ? 2 : 1);
  }
  EXPECT_FALSE(after({{"stage", 2}}).contains("steps.content.steps"));
}

TEST(SagNet, ResumesItsTurns) {
  const toy::Folder folder;
  TrainOptions options = quick("sagnet");
  options.architecture = "small-cnn";
  options.parameters = {{"pooled", 1}, {"separate", 1}};
  (void)session().train(toy::squares(100, 4), options, folder / "whole");
  StopAfter stop(8);
  EXPECT_THROW((void)session().train(toy::squares(100, 4), options, folder / "broken", &stop), Interrupted);
  EXPECT_EQ(session().train(toy::squares(100, 4), options, folder / "broken").resumed_after, 2U);
  EXPECT_EQ(file_text(folder / "whole"), file_text(folder / "broken"));
}

TEST(SagNet, PooledTrainsWhateverHasAHiddenLayer) {
  const toy::Folder folder;
  TrainOptions options = quick("sagnet");
  options.architecture = "small-cnn";
  options.parameters = {{"pooled", 1}, {"clip", 0}, {"variance", 1}};
  const TrainResult result = session().train(toy::squares(300, 4), options, folder / "m");
  EXPECT_GT(*result.epochs[result.best_epoch - 1].validation_accuracy, .9);
}

TEST(SagNet, SaysWhatIsMissing) {
  const toy::Folder folder;
  const auto message = [&](const std::string& architecture, const std::map<std::string, double>& given,
                           const std::string& freeze = "none") {
    TrainOptions options = quick("sagnet");
    options.freeze = freeze;
    options.architecture = architecture;
    options.parameters = given;
    return message_of([&] { (void)session().train(toy::squares(50, 4), options, folder / "m"); });
  };
  EXPECT_EQ(message("mlp", {}),
            "algorithm sagnet: expected a backbone with stages up to 3 (stage), found none");
  EXPECT_EQ(message("resnet20-cifar", {{"stage", 4}}),
            "algorithm sagnet: expected a backbone with stages up to 4 (stage), found up to 3");
  EXPECT_EQ(message("small-cnn", {{"stage", 1}}),
            "algorithm sagnet: expected a backbone with batch normalization before stage 1 (or weight 0), "
            "found none");
  EXPECT_EQ(
      message("linear", {{"pooled", 1}}),
      "architecture linear: expected one with a last hidden layer, as algorithm sagnet needs, found none");
  for (const double pooled : {0., 1.})
    EXPECT_EQ(message("resnet20-cifar", {{"pooled", pooled}}, "backbone"),
              "algorithm sagnet: expected a backbone that learns, as the adversary moves it (or weight 0), "
              "found a frozen one");
}

}  // namespace
}  // namespace leeway::nn

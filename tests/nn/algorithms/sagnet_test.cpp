#include <gtest/gtest.h>

#include <cmath>

#include "leeway/nn/train/style.h"
#include "tests/nn/by_hand.h"

namespace leeway::nn {
namespace {

// Mean and standard deviation 0 and 1, 10 and 3; each row gets half of the other row's style.
TEST(SagNet, StylesByHand) {
  const torch::Tensor z = torch::tensor({{1., -1., 1., -1.}, {13., 7., 13., 7.}}, torch::kFloat64);
  const StyleMix half{torch::tensor({1, 0}), torch::tensor({.5, .5}, torch::kFloat64)};
  const auto expect = [](const torch::Tensor& found, std::vector<double> row) {
    EXPECT_LT((found[0] - torch::tensor(row, torch::kFloat64)).abs().max().item<double>(), 1e-4) << found;
  };
  const torch::Tensor maps = torch::cat({z.view({2, 1, 2, 2}), 2 * z.view({2, 1, 2, 2})}, 1);
  const torch::Tensor style = with_other_style(maps, half), content = with_other_content(maps, half);
  expect(style.select(1, 0).reshape({2, 4}), {7, 3, 7, 3});
  expect(style.select(1, 1).reshape({2, 4}), {14, 6, 14, 6});  // a map has its own style
  expect(content.select(1, 0).reshape({2, 4}), {1, -1, 1, -1});
  // the 1e-5 beside the variances shows where deviations are small: here .01 and .03
  const torch::Tensor flat = z.view({2, 1, 2, 2}) / 100;
  const double small = 1e-4 + 1e-5, large = 9e-4 + 1e-5;
  EXPECT_NEAR(with_other_style(flat, half)[0][0][0][0].item<double>(),
              .05 + .01 * (1 + std::sqrt(large / small)) / 2, 1e-9);
  EXPECT_NEAR(with_other_content(flat, half)[0][0][0][0].item<double>(), .03 * std::sqrt(small / large),
              1e-9);
}

TEST(SagNet, WithItselfARowStaysAsItIs) {
  const torch::Tensor z = torch::randn({4, 3, 5, 5}, torch::kFloat64);
  const StyleMix own{torch::arange(4), torch::rand({4}, torch::kFloat64)};
  EXPECT_TRUE(torch::allclose(with_other_style(z, own), z));
  EXPECT_TRUE(torch::allclose(with_other_content(z, own), z));
}

TEST(SagNet, ExchangesByAPermutationOfTheStep) {
  const StyleMix one = draw_style_mix(50, 3, 7, torch::kCPU), again = draw_style_mix(50, 3, 7, torch::kCPU),
                 next = draw_style_mix(50, 3, 8, torch::kCPU);
  EXPECT_TRUE(std::get<0>(one.order.sort()).equal(torch::arange(50)));
  EXPECT_TRUE(one.order.equal(again.order) && one.share.equal(again.share));
  EXPECT_FALSE(one.order.equal(next.order) || one.share.equal(next.share));
  EXPECT_TRUE(((one.share > 0) & (one.share < 1)).all().item<bool>());
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
  EXPECT_EQ(message("resnet20-cifar", {}, "backbone"),
            "algorithm sagnet: expected a backbone that learns, as the adversary moves it (or weight 0), "
            "found a frozen one");
}

}  // namespace
}  // namespace leeway::nn

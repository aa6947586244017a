// CORAL, MMD and CausIRL.
#include "leeway/nn/train/matching.h"

#include <gtest/gtest.h>

#include "leeway/core/random.h"
#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn::matching_test {

torch::Tensor drawn_rows(std::int64_t n, std::int64_t d, std::uint64_t sample) {
  Random random(7, stream("matching test"), sample);
  torch::Tensor rows = torch::empty({n, d}, torch::kFloat64);
  for (std::int64_t i = 0; i < n * d; ++i) rows.data_ptr<double>()[i] = random.normal();
  return rows;
}

TEST(Mmd, ByHand) {
  const torch::Tensor a = drawn_rows(6, 3, 1), near = torch::tensor({{0.}, {.1}}, torch::kFloat64);
  EXPECT_EQ(mmd_distance(a, a.clone()).item<double>(), 0);
  // far from 0, where |x|^2 + |y|^2 - 2 x y would be 0 in float32
  const auto apart = [](const torch::Tensor& two) {
    return mmd_distance(two.slice(0, 0, 1), two.slice(0, 1));
  };
  EXPECT_NEAR(apart(near + 1e6).item<double>(), apart(near).item<double>(), 1e-6);
}

// Against every kernel by itself and LibTorch's gradients.
TEST(Mmd, KernelsAreSummedAndDifferentiated) {
  for (const KernelSum& kernels : {KernelSum{1e-3, 10, 7}, KernelSum{.02, 2, 5}}) {
    std::vector<torch::Tensor> sets = {drawn_rows(9, 5, 1), drawn_rows(6, 5, 2) + .5};
    for (torch::Tensor& set : sets) set.requires_grad_();
    const auto mean = [&](const torch::Tensor& x, const torch::Tensor& y) {
      const torch::Tensor squares = (x.unsqueeze(1) - y.unsqueeze(0)).square().sum(2);
      torch::Tensor sum = torch::zeros_like(squares);
      double g = kernels.least;
      for (int i = 0; i < kernels.count; ++i, g *= kernels.factor) sum = sum + (-g * squares).exp();
      return sum.mean();
    };
    const torch::Tensor wanted = mean(sets[0], sets[0]) + mean(sets[1], sets[1]) - 2 * mean(sets[0], sets[1]);
    const torch::Tensor found = kernel_mmd(sets[0], sets[1], kernels);
    EXPECT_NEAR(found.item<double>(), wanted.item<double>(), 1e-10);
    const auto slopes = torch::autograd::grad({3 * found}, sets),
               wanted_slopes = torch::autograd::grad({3 * wanted}, sets);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_GT(wanted_slopes[i].abs().max().item<double>(), 1e-3);
      EXPECT_TRUE(slopes[i].allclose(wanted_slopes[i], 1e-8, 1e-9));
    }
  }
}

// Features are the pixels.
class PixelsAsFeatures : public Network {
 public:
  PixelsAsFeatures() { weight_ = register_parameter("weight", torch::zeros({2, 1})); }
  Forward forward(const torch::Tensor& x) override {
    return {x.flatten(1).sum(1, true).mm(weight_.t()), x.flatten(1)};
  }

 private:
  torch::Tensor weight_;
};

// One step on environments whose features these are, all of class 0.
Step matching_step(const std::string& name, const std::vector<torch::Tensor>& features,
                   std::size_t step = 1) {
  AlgorithmSetting setting;
  setting.network = std::make_shared<PixelsAsFeatures>();
  setting.parameters = complete_parameters(algorithm(name), {});
  setting.optimizer.learning_rate = 0;
  const torch::Tensor all = torch::cat(features);
  Minibatches batches{batch_of(all, std::vector<std::int64_t>(static_cast<std::size_t>(all.size(0))))};
  std::int64_t begin = 0;
  for (const torch::Tensor& part : features) {
    batches.environments.push_back(batches.labelled.slice(begin, begin + part.size(0)));
    begin += part.size(0);
  }
  batches.step = step;
  return algorithm(name).make(setting)->update(batches);
}

TEST(Matching, OneEnvironmentHasNoDistance) {
  EXPECT_EQ(matching_step("coral", {torch::eye(3)}).parts.at("penalty"), 0);
}

// In a batch of one row there is nothing to compare: the loss is that of plain training.
TEST(CausIrl, TakesAStepOfOneRow) {
  const AlgorithmMember& member = algorithm("causirl-coral");
  const auto needs = [&](double single) {
    return member.needs(complete_parameters(member, {{"single-environment", single}})).least_rows;
  };
  EXPECT_EQ(needs(0), 2U);
  EXPECT_EQ(needs(1), 1U);
  const auto loss = [](const std::string& name, const std::map<std::string, double>& given) {
    AlgorithmSetting setting;
    const auto network = std::make_shared<toy::TinyNetwork>(6, 2, false);
    initialize(*network, 3);
    setting.network = network;
    setting.parameters = complete_parameters(algorithm(name), given);
    const Batch one{torch::full({1, 1, 2, 3}, .3f), torch::tensor({1})};
    return algorithm(name).make(setting)->update({one, {one}}).loss;
  };
  EXPECT_EQ(loss("causirl-coral", {{"single-environment", 1}}), loss("erm", {}));
}

}  // namespace leeway::nn::matching_test

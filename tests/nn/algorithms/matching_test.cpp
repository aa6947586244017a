// CORAL, MMD and CausIRL.
#include "leeway/nn/train/matching.h"

#include <gtest/gtest.h>

#include <cmath>

#include "leeway/core/random.h"
#include "leeway/nn/train/kernel_mmd.h"
#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn {
namespace {

torch::Tensor of(std::initializer_list<std::initializer_list<double>> rows) {
  std::vector<torch::Tensor> list;
  for (const auto& row : rows) list.push_back(torch::tensor(std::vector<double>(row), torch::kFloat64));
  return torch::stack(list);
}

torch::Tensor normal_rows(std::int64_t n, std::int64_t d, std::uint64_t sample) {
  Random random(7, stream("matching test"), sample);
  torch::Tensor rows = torch::empty({n, d}, torch::kFloat64);
  for (std::int64_t i = 0; i < n * d; ++i) rows.data_ptr<double>()[i] = random.normal();
  return rows;
}

// The mean of `draw(sample)`, and its standard error.
template <class Draw>
std::pair<double, double> mean_of_draws(int count, const Draw& draw) {
  double sum = 0, squares = 0;
  for (int i = 0; i < count; ++i) {
    const double value = draw(static_cast<std::uint64_t>(i));
    sum += value, squares += value * value;
  }
  const double mean = sum / count;
  return {mean, std::sqrt((squares / count - mean * mean) / count)};
}

// The means over samples agree with the expectation: within 4 standard errors of it.
template <class Draw>
void expect_mean(double expected, int count, const Draw& draw) {
  const auto [mean, error] = mean_of_draws(count, draw);
  EXPECT_NEAR(mean, expected, 4 * error);
  EXPECT_LT(error, .05 * expected);
}

TEST(Coral, ByHand) {
  const torch::Tensor a = of({{0, 0}, {2, 0}, {0, 2}, {2, 2}}), b = of({{1, 1}, {5, 1}, {1, 5}, {5, 5}});
  EXPECT_NEAR(coral_distance(a, b).item<double>(), 12, 1e-12);
  EXPECT_NEAR(deep_coral_distance(a, b).item<double>(), 2, 1e-12);
  EXPECT_EQ(coral_distance(a, a).item<double>(), 0);
}

TEST(Coral, ExpectationOfTwoSamplesOfOneDistribution) {
  expect_mean(.863690, 1500, [](std::uint64_t i) {
    return coral_distance(normal_rows(5, 4, 2 * i), normal_rows(7, 4, 2 * i + 1)).item<double>();
  });
}

TEST(Mmd, ByHand) {
  EXPECT_NEAR(mmd_distance(of({{0, 0}}), of({{3, 4}})).item<double>(), 10.327609, 1e-6);
  const torch::Tensor a = normal_rows(6, 3, 1);
  EXPECT_EQ(mmd_distance(a, a.clone()).item<double>(), 0);
  // far from 0, where |x|^2 + |y|^2 - 2 x y would be 0 in float32
  EXPECT_NEAR(mmd_distance(of({{1e6}}), of({{1e6 + .1}})).item<double>(),
              mmd_distance(of({{0}}), of({{.1}})).item<double>(), 1e-6);
}

// Against every kernel by itself and LibTorch's gradients.
TEST(Mmd, KernelsAreSummedAndDifferentiated) {
  for (const KernelSum& kernels : {KernelSum{1e-3, 10, 7}, KernelSum{.02, 2, 5}}) {
    std::vector<torch::Tensor> sets = {normal_rows(9, 5, 1), normal_rows(6, 5, 2) + .5};
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

// N(0, I) against N(m, I), |m| = 1.5, d = 2, and what the biased estimate adds.
TEST(Mmd, Expectation) {
  double kernel = 0;  // of two independent rows of one distribution
  for (const double g : {1e-3, 1e-2, 1e-1, 1., 10., 100., 1000.}) kernel += 1 / (1 + 4 * g);
  const torch::Tensor shift = torch::tensor({1.5, 0.}, torch::kFloat64);
  const auto estimate = [&](std::uint64_t i) {
    return mmd_distance(normal_rows(10, 2, 2 * i), normal_rows(15, 2, 2 * i + 1) + shift).item<double>();
  };
  expect_mean(.425618 + (1. / 10 + 1. / 15) * (7 - kernel), 400, estimate);
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
Step matching_step(const std::string& name, const std::vector<torch::Tensor>& features, std::size_t step = 1,
                   std::map<std::string, double> given = {}) {
  AlgorithmSetting setting;
  setting.network = std::make_shared<PixelsAsFeatures>();
  setting.parameters = complete_parameters(algorithm(name), given);
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

torch::Tensor column(std::vector<float> values) { return torch::tensor(values).view({-1, 1}); }

TEST(Matching, AveragesOverPairsWhateverTheirOrder) {
  const torch::Tensor a = column({0, 1, 3}), b = column({2, 2.5, 1, 7}), c = column({-1, 0});
  for (const std::string name : {"coral", "mmd"}) {
    const auto distance = name == "coral" ? coral_distance : mmd_distance;
    const auto between = [&](const torch::Tensor& p, const torch::Tensor& q) {
      return distance(p.to(torch::kFloat64), q.to(torch::kFloat64)).item<double>();
    };
    const double expected = (between(a, b) + between(a, c) + between(b, c)) / 3;
    EXPECT_NEAR(matching_step(name, {a, b, c}).parts.at("penalty"), expected, 1e-5);
    EXPECT_NEAR(matching_step(name, {c, a, b}).parts.at("penalty"), expected, 1e-5);
    const Step twice = matching_step(name, {a, b, c}, 1, {{"weight", 2}});
    EXPECT_NEAR(twice.loss, std::log(2) + 2 * expected, 1e-5 * (1 + expected));
    EXPECT_EQ(matching_step(name, {a}).parts.at("penalty"), 0) << "one environment";
  }
}

// Features are 0 in one environment and 3 in the other.
TEST(CausIrl, TwoMixturesDifferByTheirShares) {
  for (std::size_t step = 1; step <= 20; ++step) {
    Random random(0, stream("two mixtures"), step);
    const auto first = static_cast<double>(random.below(6)), second = static_cast<double>(random.below(4));
    double expected = 0;
    if (first + second > 1 && 10 - first - second > 1) {
      const double share = second / (first + second), other = (4 - second) / (10 - first - second);
      expected = 9 * (share - other) * (share - other);
      const double n = first + second, m = 10 - n;
      const auto variance = [](double p, double rows) { return 9 * p * (1 - p) * rows / (rows - 1); };
      expected += std::pow(variance(share, n) - variance(other, m), 2);
    }
    const Step found = matching_step("causirl-coral", {torch::zeros({6, 1}), torch::full({4, 1}, 3.f)}, step);
    EXPECT_NEAR(found.parts.at("penalty"), expected, 1e-5 * (1 + expected)) << step;
  }
}

// Means of s and t rows differ by (1 / s + 1 / t) d in square, covariances by (d + d^2) (1 / (s - 1) + 1 / (t - 1)); over d and d^2.
TEST(CausIrl, OfOneEnvironmentCoralIsNoise) {
  const double d = 2;
  double expected = 0;  // over s = 0, ..., 11, with no penalty where a sample has fewer than two rows
  for (int s = 2; s <= 10; ++s) {
    const double t = 12 - s;
    expected += (1 / static_cast<double>(s) + 1 / t + (d + 1) / d * (1 / (s - 1.) + 1 / (t - 1))) / 12;
  }
  expect_mean(expected, 1500, [](std::uint64_t i) {
    return matching_step("causirl-coral", {normal_rows(12, 2, i).to(torch::kFloat32)}, i + 1)
        .parts.at("penalty");
  });
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

}  // namespace
}  // namespace leeway::nn

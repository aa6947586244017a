#include <gtest/gtest.h>

#include "tests/nn/by_hand.h"
#include "tests/nn/recording.h"

namespace leeway::nn {
namespace {

// The number of each row that is its own, and of the other: images are unit vectors.
TEST(Mixup, ImagesAreSumsOfTwoAndTheLossOfBothLabels) {
  const torch::Tensor weight = torch::arange(24, torch::kFloat32).view({3, 8}).sin();
  const auto [network, member] = recorded("mixup", weight, {});
  const Batch batch = batch_of(torch::eye(8), {0, 1, 2, 0, 1, 2, 0, 1});
  for (std::size_t step = 1; step <= 40; ++step) {
    const Step done = member->update({batch, {}, {}, 1, step, 100});
    const double share = done.parts.at("share");
    EXPECT_GE(share, .5);
    const torch::Tensor seen = network->seen.flatten(1).to(torch::kFloat64);
    EXPECT_LT((seen.sum(1) - 1).abs().max().item<double>(), 1e-6);
    EXPECT_LT((seen.sum(0) - 1).abs().max().item<double>(), 1e-6) << "each row is a partner once";
    for (int i = 0; i < 8; ++i) {
      const double own = seen[i][i].item<double>();
      EXPECT_TRUE(std::abs(own - share) < 1e-6 || own == 1) << own;
    }
    const torch::Tensor labels = torch::one_hot(batch.y, 3).to(torch::kFloat64);
    const torch::Tensor logs = seen.matmul(weight.t().to(torch::kFloat64)).log_softmax(1);
    EXPECT_NEAR(done.loss, -(seen.matmul(labels) * logs).sum(1).mean().item<double>(), 1e-5);
  }
}

TEST(Mixup, AcrossEnvironmentsBothAreOfDifferentOnes) {
  const auto [network, member] = recorded("mixup", torch::eye(7), {{"across-environments", 1}});
  const Batch batch = batch_of(torch::eye(7), {0, 1, 2, 0, 1, 2, 0});
  for (std::size_t step = 1; step <= 40; ++step) {
    (void)member->update(
        {batch, {batch.slice(0, 3), batch.slice(3, 5), batch.slice(5, 7)}, {}, 1, step, 100});
    const torch::Tensor seen = network->seen.flatten(1);
    const std::vector<int> ends = {3, 3, 3, 5, 5, 7, 7};
    for (int i = 0; i < 7; ++i)
      for (int j = 0; j < 7; ++j) {
        if (i != j && ends[static_cast<std::size_t>(i)] == ends[static_cast<std::size_t>(j)]) {
          EXPECT_EQ(seen[i][j].item<float>(), 0);
        }
      }
  }
}

}  // namespace
}  // namespace leeway::nn

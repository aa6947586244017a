#include <gtest/gtest.h>

#include <cmath>

#include "leeway/nn/augment/chain.h"
#include "tests/nn/by_hand.h"

namespace leeway::nn {
namespace {

// The step on one image whose three predictions have these logits, by the identity.
Step augmix_step(const std::vector<std::vector<float>>& logits) {
  const auto k = static_cast<std::int64_t>(logits[0].size());
  const auto member = made("augmix-jsd", torch::eye(k), {});
  const auto row = [&](std::size_t i) { return torch::tensor(logits[i]).view({1, k}); };
  Minibatches batches{batch_of(row(0), {0})};
  batches.labelled.views = {as_images(row(1)), as_images(row(2))};
  return member->update(batches);
}

TEST(AugmixJsd, DivergenceByHand) {
  EXPECT_NEAR(augmix_step({{99, 0, 0}, {0, 99, 0}, {0, 0, 99}}).parts.at("consistency"), std::log(3.), 1e-6);
}

TEST(AugmixJsd, AsksForTwoMixtures) {
  const AlgorithmMember& member = algorithm("augmix-jsd");
  const auto views = member.needs(complete_parameters(member, {{"severity", 7}})).views;
  ASSERT_EQ(views.size(), 2U);
  EXPECT_EQ(views[0], views[1]);
  EXPECT_EQ(augment::Chain(views[0]).text(), augment::Chain("augmix:severity=7").text());
  EXPECT_TRUE(member.needs(complete_parameters(member, {{"jsd-weight", 0}})).views.empty());
}

}  // namespace
}  // namespace leeway::nn

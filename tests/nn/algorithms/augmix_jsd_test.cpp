#include <gtest/gtest.h>

#include <cmath>

#include "leeway/nn/augment/chain.h"
#include "tests/nn/by_hand.h"

namespace leeway::nn {
namespace {

// The step on one image whose three predictions have these logits, by the identity.
Step augmix_step(const std::vector<std::vector<float>>& logits, double weight = 12) {
  const auto k = static_cast<std::int64_t>(logits[0].size());
  const auto member = nn::made("augmix-jsd", torch::eye(k), {{"jsd-weight", weight}});
  const auto row = [&](std::size_t i) { return torch::tensor(logits[i]).view({1, k}); };
  Minibatches batches{batch_of(row(0), {0})};
  batches.labelled.views = {as_images(row(1)), as_images(row(2))};
  return member->update(batches);
}

TEST(AugmixJsd, DivergenceByHand) {
  EXPECT_NEAR(augmix_step({{1, 2, 3}, {1, 2, 3}, {2, 3, 4}}).parts.at("consistency"), 0, 1e-7);
  EXPECT_NEAR(augmix_step({{99, 0, 0}, {0, 99, 0}, {0, 0, 99}}).parts.at("consistency"), std::log(3.), 1e-6);
  const Step step = augmix_step({{99, 0}, {0, 99}, {0, 99}});
  EXPECT_NEAR(step.parts.at("consistency"), .63651, 1e-5);
  EXPECT_NEAR(step.loss, 7.638, 1e-3) << "the image itself is surely of its class";
}

TEST(AugmixJsd, DivergenceIsBounded) {
  for (std::uint64_t draw = 0; draw < 50; ++draw) {
    Random random(1, stream("jsd test"), draw);
    std::vector<std::vector<float>> logits(3, std::vector<float>(4));
    for (auto& row : logits)
      for (float& x : row) x = static_cast<float>(20 * random.normal());
    const double found = augmix_step(logits).parts.at("consistency");
    EXPECT_GE(found, -1e-6);
    EXPECT_LE(found, std::log(3.) + 1e-6);
  }
}

TEST(AugmixJsd, AsksForTwoMixtures) {
  const AlgorithmMember& member = algorithm("augmix-jsd");
  const auto views = member.needs(complete_parameters(member, {{"severity", 7}})).views;
  ASSERT_EQ(views.size(), 2U);
  EXPECT_EQ(views[0], views[1]);
  EXPECT_EQ(augment::Chain(views[0]).text(), augment::Chain("augmix:severity=7").text());
  EXPECT_TRUE(member.needs(complete_parameters(member, {{"jsd-weight", 0}})).views.empty());
}

TEST(AugmixJsd, DoesNotGoWithMixtures) {
  const toy::Folder folder;
  TrainOptions options = quick("augmix-jsd");
  options.augment = "flip,mixup";
  EXPECT_EQ(
      message_of([&] { (void)session().train(toy::squares(40, 4), options, folder / "m"); }),
      "train: augment: expected augmentations that mix no images, as algorithm augmix-jsd compares views of "
      "each, found 'flip:probability=0.5,mixup:alpha=1'");
  options.augment = "flip";
  options.epochs = 1;
  EXPECT_EQ(session().train(toy::squares(40, 4), options, folder / "m").epochs.size(), 1U);
}

}  // namespace
}  // namespace leeway::nn

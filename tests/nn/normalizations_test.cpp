#include "leeway/nn/normalizations.h"

#include <gtest/gtest.h>

#include "leeway/core/error.h"
#include "leeway/nn/model.h"
#include "tests/nn/toy.h"

namespace leeway::nn {
namespace {

// Two classes of grey pictures, below and above .3: a linear network that is right behind `normalization`.
std::unique_ptr<Model> threshold_model(const Normalization& normalization) {
  const auto network = make_network(architecture("linear"), {1, 1, 1}, 2);
  const double cut = (normalization.scale * .3 - (normalization.mean.empty() ? 0 : normalization.mean[0])) /
                     (normalization.std.empty() ? 1 : normalization.std[0]);
  torch::NoGradGuard no_grad;
  const auto weights = network->named_parameters();
  for (const auto& item : weights)
    item.value().copy_(item.value().dim() == 2 ? torch::tensor({{0.f}, {1.f}})
                                               : torch::tensor({static_cast<float>(cut), 0.f}));
  ModelInfo info;
  info.input = {1, 1, 1}, info.classes = 2, info.normalization = normalization;
  return make_model(info, network);
}

Images greys(std::size_t n) {
  Images images = toy::images(n, {1, 1, 1}, 2);
  for (std::size_t i = 0; i < n; ++i) (*images.labels)[i] = images.pixels.view<float>()[i] > .3F;
  return images;
}

TEST(Normalizations, ASuitedOneIsLeftAlone) {
  for (const auto& [name, normalization] : common_normalizations(1))
    EXPECT_FALSE(threshold_model(normalization)->other_normalization(greys(200))) << name;
}

TEST(Normalizations, AForgottenOneIsNamed) {
  const auto right = threshold_model({255, {}, {}}), wrong = right->with_normalization({});
  const auto found = wrong->other_normalization(greys(400));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "pixels 0 to 255");
  EXPECT_EQ(found->n, 50U);
  EXPECT_EQ(found->accuracy, 1);
  EXPECT_LT(found->declared_accuracy, .6);
  EXPECT_FALSE(wrong->other_normalization(greys(31))) << "too few images to say";
  Images bare = greys(400);
  bare.labels.reset();
  EXPECT_FALSE(wrong->other_normalization(bare));
}

// Labels that have nothing to do with the pictures: every normalization is as bad.
TEST(Normalizations, ChanceIsNoFinding) {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    found += threshold_model({})->other_normalization(toy::images(1024, {1, 1, 1}, 2, seed)).has_value();
  EXPECT_EQ(found, 0U);
}

TEST(Normalizations, AnotherOneIsTheSameNetwork) {
  const Images images = toy::images(10, {3, 8, 8}, 4);
  const Normalization normalization{2, {.1, .2, .3}, {.5, 1, 2}};
  const auto model = toy::model("small-cnn", {3, 8, 8}, 4, 1),
             same = toy::model("small-cnn", {3, 8, 8}, 4, 1, normalization);
  const auto other = model->with_normalization(normalization);
  EXPECT_TRUE(toy::same_bits(other->outputs(images).logits, same->outputs(images).logits));
  EXPECT_EQ(other->info().normalization, normalization);
  EXPECT_EQ(model->info().normalization, Normalization{});
  EXPECT_THROW((void)model->with_normalization({1, {.5}, {}}), Error);
}

}  // namespace
}  // namespace leeway::nn

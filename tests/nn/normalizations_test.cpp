#include "leeway/nn/detail/normalizations.h"

#include <gtest/gtest.h>

#include "leeway/core/message.h"
#include "leeway/nn/detail/torch_model.h"
#include "tests/nn/toy.h"

namespace leeway::nn::normalizations_test {

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
  EXPECT_EQ(found->best.name, "pixels 0 to 255");
  EXPECT_TRUE(found->others.empty());
  EXPECT_EQ(found->n, 200U);
  EXPECT_EQ(found->accuracy, 1);
  EXPECT_LT(found->declared_accuracy, .6);
  EXPECT_FALSE(wrong->other_normalization(greys(31))) << "too few images to say";
  Images some = greys(400);
  std::fill_n(some.labels->begin(), 369, no_label);
  EXPECT_FALSE(wrong->other_normalization(some)) << "of 31 labels";
  some.labels->at(0) = 0;
  EXPECT_TRUE(wrong->other_normalization(some)) << "of 32";
  Images bare = greys(400);
  bare.labels.reset();
  EXPECT_FALSE(wrong->other_normalization(bare));
}

// Labels that have nothing to do with the pictures: every normalization is as bad.
TEST(Normalizations, ChanceIsNoFinding) {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    found += threshold_model({})->other_normalization(toy::images(1024, {1, 1, 1}, 2, seed)).has_value();
  EXPECT_EQ(found, 0U);
}

// The cut lies at .3 behind (.1307, .3081), at .41 behind the declared (.2386, .3081), and .02 of the labels are wrong.
TEST(Normalizations, AGoodModelThatWouldBeBetterIsFound) {
  const Normalization trained{1, {.1307}, {.3081}};
  const auto network = threshold_model(trained);
  const auto declared = network->with_normalization({1, {.2386}, {.3081}});
  Images images = greys(1024);
  for (std::size_t i = 0; i < images.n(); i += 200) (*images.labels)[i] ^= 1;
  const auto found = declared->other_normalization(images);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->best.name, "MNIST");
  EXPECT_EQ(found->n, 256U);
  EXPECT_NEAR(found->declared_accuracy, .88, .03);
  EXPECT_NEAR(found->accuracy, .98, .01);
  EXPECT_FALSE(network->other_normalization(images)) << "errors that no normalization mends";
}

// Two classes far apart from .5: what is right behind one normalization with a mean near .5 is right behind all of them.
TEST(Normalizations, ThoseThatFitEquallyWellAreNamedTogether) {
  Images images = toy::images(400, {3, 1, 1}, 2);
  std::vector<float> pixels(images.pixels.size());
  for (std::size_t i = 0; i < images.n(); ++i)
    for (std::size_t c = 0; c < 3; ++c)
      pixels[3 * i + c] =
          static_cast<float>((*images.labels)[i]) * .6F + .2F * images.pixels.view<float>()[3 * i + c];
  images.pixels = make_array({400, 3, 1, 1}, std::move(pixels));
  const auto network = make_network(architecture("linear"), {3, 1, 1}, 2);
  torch::NoGradGuard no_grad;
  for (const auto& item : network->named_parameters())
    item.value().copy_(item.value().dim() == 2 ? torch::tensor({{0.f, 0.f, 0.f}, {1.f, 1.f, 1.f}})
                                               : torch::zeros(2));
  ModelInfo info;
  info.input = {3, 1, 1}, info.classes = 2;  // without a normalization all sums are above 0
  const auto found = make_model(info, network)->other_normalization(images);
  ASSERT_TRUE(found);
  std::vector<std::string> names{found->best.name};
  for (const NamedNormalization& one : found->others) names.push_back(one.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"pixels -1 to 1", "ImageNet", "CIFAR-10",
                                      "CIFAR-10, standard deviations of many scripts", "CIFAR-100", "CLIP"}));
  EXPECT_EQ(found->accuracy, 1);
}

// As a shift of contrast does: another normalization mends a fifth of many errors, far beyond chance. The cut lies at .3
// behind MNIST's, at .4 behind the declared one, and half of the other labels tried are wrong: MNIST's mends 27 of 142.
TEST(Normalizations, AGainThatLeavesMostErrorsIsNoFinding) {
  const auto declared = threshold_model({1, {.1307}, {.3081}})->with_normalization({1, {.2307}, {.3081}});
  Images images = greys(1024);
  for (std::size_t i = 0; i < images.n(); i += 8)
    if (const float grey = images.pixels.view<float>()[i]; grey < .3F || grey > .4F) (*images.labels)[i] ^= 1;
  EXPECT_FALSE(declared->other_normalization(images));
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

}  // namespace leeway::nn::normalizations_test

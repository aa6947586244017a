// Models that lead to wrong answers where nobody looks: a single output, gradients of 0 or none, dropout left on
// (tests/reference/make_torchscript.py).
#include <gtest/gtest.h>

#include <cmath>

#include "leeway/core/npy.h"
#include "leeway/core/parallel.h"
#include "leeway/nn/attack/attack.h"
#include "leeway/nn/train.h"
#include "tests/nn/toy.h"

namespace leeway::nn::misleading_models_test {

std::unique_ptr<Model> load_misleading(const std::string& name, Binary binary = Binary::refuse) {
  ModelSource source = toy::source_of(std::string(LEEWAY_REFERENCE) + "/torchscript/" + name);
  source.binary = binary;
  return session().load(source);
}

// (0, v) is what the pair returns; of a probability p the pair is (log(1-p), log p), which has the same softmax.
TEST(SingleOutput, IsTwoClassesWithTheGradientsOfTwo) {
  const auto pair = load_misleading("one_logit_pair.pt");
  const auto logit = load_misleading("one_logit.pt", Binary::logit),
             probability = load_misleading("one_probability.pt", Binary::prob);
  const Images images = toy::images(40, {1, 8, 8}, 2);
  const Array logits = pair->outputs(images).logits;
  EXPECT_EQ(toy::largest_gap(logit->outputs(images).logits, logits), 0);
  EXPECT_LT(toy::largest_gap(logit->class_gradients(images), pair->class_gradients(images)), 1e-6);
  const Array logs = probability->outputs(images).logits;
  for (std::size_t i = 0; i < images.n(); ++i) {
    const double v = logits.view<float>()[2 * i + 1];
    EXPECT_NEAR(logs.view<float>()[2 * i], -std::log1p(std::exp(v)), 1e-4);
    EXPECT_NEAR(logs.view<float>()[2 * i + 1], -std::log1p(std::exp(-v)), 1e-4);
  }
  const Array gradients = pair->input_gradients(images, *images.labels);
  EXPECT_LT(toy::largest_gap(logit->input_gradients(images, *images.labels), gradients), 1e-6);
  EXPECT_LT(toy::largest_gap(probability->input_gradients(images, *images.labels), gradients), 1e-4);
  AttackOptions options;
  options.eps = .02;
  EXPECT_TRUE(toy::same_bits(logit->attack(images, options).images.pixels,
                             pair->attack(images, options).images.pixels));
  const Classifier classifier = logit->classifier({1, 8, 8});
  EXPECT_EQ(classifier.k, 2U);
  EXPECT_EQ(classifier.gradients(std::vector<float>(64, .5f), {}).gradients.size(), 128U);
}

TEST(SingleOutput, OfNamedTensorsIsTwoClasses) {
  const toy::Folder folder;
  std::vector<float> weight;
  for (int j = 0; j < 4; ++j) weight.push_back(static_cast<float>(j) - 1.5f);
  write_npz(folder / "w.npz", {{"weight", make_array<float>({1, 4}, weight)},
                               {"bias", make_array<float>({1}, std::vector<float>{.25f})}});
  ModelSource source = toy::source_of(folder / "w.npz", "linear", {1, 2, 2});
  EXPECT_NE(message_of([&] { (void)session().load(source); }).find("--binary logit or --binary prob"),
            std::string::npos);
  source.binary = Binary::logit;
  const auto model = session().load(source);
  EXPECT_EQ(model->info().classes, 2U);
  const Images images = toy::images(3, {1, 2, 2}, 2);
  const Outputs outputs = model->outputs(images);
  for (std::size_t i = 0; i < 3; ++i) {
    float v = .25f;
    for (std::size_t j = 0; j < 4; ++j) v += weight[j] * images.pixels.view<float>()[4 * i + j];
    EXPECT_EQ(outputs.logits.view<float>()[2 * i], 0);
    EXPECT_NEAR(outputs.logits.view<float>()[2 * i + 1], v, 1e-6);
  }
  const Array gradients = model->class_gradients(images);
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_EQ(gradients.view<float>()[j], 0);
    EXPECT_EQ(gradients.view<float>()[4 + j], weight[j]);
  }
}

TEST(SingleOutput, NeedsAWordAboutWhatItIs) {
  const Images images = toy::images(3, {1, 8, 8}, 2);
  EXPECT_NE(
      message_of([&] { (void)load_misleading("one_logit.pt")->outputs(images); })
          .find("one_logit.pt: expected at least two classes (for the positive class of two: --binary logit "
                "or --binary prob), found outputs of shape (3, 1)"),
      std::string::npos);
  EXPECT_NE(message_of([&] {
              (void)load_misleading("one_logit.pt", Binary::prob)->outputs(toy::images(40, {1, 8, 8}, 2));
            }).find("one_logit.pt: expected probabilities in [0,1] (--binary prob), found "),
            std::string::npos);
}

// Noise moves rows that PGD from the image itself cannot: the record must not call them robust.
TEST(ZeroGradients, AreCountedAndNoiseIsRunBesideTheAttack) {
  const auto model = load_misleading("signs.pt");
  Images images = toy::images(50, {1, 8, 8}, 3);
  images.labels.reset();
  AttackOptions options;
  options.eps = .3;
  options.parameters = {{"random-start", 0}};
  const AttackResult found = model->attack(images, options);
  EXPECT_EQ(found.zero_gradient, 1);
  ASSERT_TRUE(found.beside_noise.has_value());
  EXPECT_EQ(found.beside_noise->attack_accuracy, 1);
  EXPECT_LT(found.beside_noise->noise_accuracy, .5);
  EXPECT_EQ(found.robust_accuracy, found.beside_noise->noise_accuracy);
  for (std::size_t i = 0; i < images.n(); ++i) {
    if (found.success[i]) {
      EXPECT_LE(found.norms[i], .3);
      EXPECT_GT(found.norms[i], 0);
    }
  }
  options.attack = "noise";
  options.parameters.clear();
  const AttackResult noise = model->attack(images, options);
  EXPECT_FALSE(noise.zero_gradient.has_value());
  EXPECT_EQ(noise.robust_accuracy, found.robust_accuracy);
  options.attack = "fgsm";
  EXPECT_EQ(model->attack(images, options).robust_accuracy, found.robust_accuracy);
}

// Signs have gradients of 0, so FMN never moves: what noise of growing radius finds counts, in the norm asked for.
TEST(ZeroGradients, OfAnAttackOfMinimumNormLeaveItToNoiseOfGrowingRadius) {
  const auto model = load_misleading("signs.pt");
  Images images = toy::images(20, {1, 8, 8}, 3);
  images.labels.reset();
  for (const Norm norm : {Norm::linf, Norm::l0}) {
    AttackOptions options;
    options.attack = "fmn";
    options.norm = norm;
    options.parameters = {{"steps", 3}};
    const AttackResult found = model->attack(images, options);
    EXPECT_EQ(found.zero_gradient, 1);
    ASSERT_TRUE(found.beside_noise.has_value());
    EXPECT_EQ(found.beside_noise->attack_accuracy, 1);
    EXPECT_LT(found.beside_noise->noise_accuracy, .5);
    EXPECT_EQ(found.robust_accuracy, found.beside_noise->noise_accuracy);
    for (std::size_t i = 0; i < images.n(); ++i)
      EXPECT_EQ(std::isfinite(found.norms[i]), found.success[i] != 0);
  }
}

TEST(ZeroGradients, AreNoneOfAModelThatHasGradients) {
  const auto model = toy::model("small-cnn", {1, 8, 8}, 3);
  const AttackResult found = model->attack(toy::images(40, {1, 8, 8}, 3), {});
  EXPECT_EQ(found.zero_gradient, 0);
  EXPECT_FALSE(found.beside_noise.has_value());
}

TEST(NoGradients, AreAnErrorOfOneLineAndTheRestGoesOn) {
  const auto model = load_misleading("no_gradient.pt");
  const Images images = toy::images(5, {1, 8, 8}, 3);
  EXPECT_EQ(model->outputs(images).k(), 3U);
  const Classifier classifier = model->classifier({1, 8, 8});
  EXPECT_EQ(classifier.logits(std::vector<float>(64, .5f)).size(), 3U);
  const std::string expected = "no_gradient.pt: expected a model with input gradients";
  const auto refused = [&](const std::function<void()>& work) {
    const std::string message = message_of(work);
    EXPECT_NE(message.find(expected), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  };
  refused([&] { (void)classifier.gradients(std::vector<float>(64, .5f), {}); });
  refused([&] { (void)model->input_gradients(images, *images.labels); });
  refused([&] { (void)model->class_gradients(images); });
  refused([&] { (void)model->attack(images, {}); });
  AttackOptions noise;
  noise.attack = "noise";
  EXPECT_LE(model->attack(images, noise).robust_accuracy, 1);
}

// The model scales its input in place: gradients exist all the same, and what is attacked stays as it was.
TEST(InPlace, OperationsOfAModelDoNotReachTheImages) {
  const auto model = load_misleading("in_place.pt");
  Images images = toy::images(40, {1, 8, 8}, 3);
  images.labels.reset();
  EXPECT_EQ(model->class_gradients(images).shape, (std::vector<std::size_t>{40, 3, 64}));
  AttackOptions options;
  options.eps = 0;
  const AttackResult found = model->attack(images, options);
  EXPECT_EQ(found.robust_accuracy, 1);
  EXPECT_TRUE(toy::same_bits(found.images.pixels, images.pixels));
}

TEST(Variation, IsFoundInModelsWhoseDropoutOrBatchStatisticsAreOn) {
  const Images images = toy::images(40, {1, 8, 8}, 3);
  const auto found = load_misleading("dropout_on.pt")->variation(images);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->n, 16U);
  EXPECT_GT(found->largest, .01);
  EXPECT_FALSE(found->neighbours);
  const auto statistics = load_misleading("statistics_on.pt")->variation(images);
  ASSERT_TRUE(statistics.has_value());
  EXPECT_EQ(statistics->n, 8U);
  EXPECT_TRUE(statistics->neighbours);
  for (const std::string name : {"signs.pt", "in_place.pt", "logits.pt"})
    EXPECT_FALSE(load_misleading(name)->variation(images).has_value()) << name;
  EXPECT_FALSE(toy::model("defended-cnn", {1, 8, 8}, 3)->variation(images).has_value());
}

TEST(AdversarialTraining, RecordsTheShareOfZeroGradients) {
  const toy::Folder folder;
  TrainOptions options;
  options.architecture = "linear";
  options.algorithm = "pgd";
  options.epochs = 1;
  set_threads(1);
  const TrainResult trained =
      session().train(toy::squares(60, 3), options, folder / "m.safetensors", nullptr);
  ASSERT_TRUE(trained.epochs.front().zero_gradient.has_value());
  EXPECT_EQ(*trained.epochs.front().zero_gradient, 0);
}

}  // namespace leeway::nn::misleading_models_test

// Learning to diversify.
#include <gtest/gtest.h>

#include <cmath>

#include "leeway/nn/train/l2d_augmenter.h"
#include "leeway/nn/train/l2d_terms.h"
#include "leeway/nn/train/random_tensors.h"
#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn {
namespace {

torch::Tensor random_rows(std::int64_t n, std::int64_t d, std::uint64_t number) {
  return normal_rows({n, d}, 3, stream("l2d test"), number);
}

TEST(L2d, SupervisedContrastByHand) {
  const torch::Tensor apart = 3 * torch::eye(4);
  for (const auto& labels : {torch::tensor({0, 1, 0, 1}), torch::tensor({0, 0, 0, 0})})
    EXPECT_NEAR(supervised_contrast(apart, labels).item<double>(), std::log(3), 1e-6);
  const torch::Tensor two = torch::tensor({{1.f, 0.f}, {0.f, 2.f}, {1.f, 0.f}, {0.f, 2.f}});
  EXPECT_NEAR(supervised_contrast(two, torch::tensor({0, 1, 0, 1})).item<double>(), 1.24975e-6, 3e-7);
}

TEST(L2d, InformationBoundByHand) {
  const torch::Tensor x = random_rows(5, 3, 1), zero = torch::zeros({5, 3}),
                      order = torch::tensor({3, 0, 4, 1, 2});
  EXPECT_NEAR(information_bound(x, torch::full({5, 3}, .4f), zero, order).item<double>(), 0, 1e-6)
      << "a constant mean knows nothing";
  EXPECT_NEAR(information_bound(x, x, zero, order).item<double>(),
              (x - x.index_select(0, order)).square().sum(1).mean().item<double>() / 2, 1e-5);
}

TEST(L2d, ScaledMmdByHand) {
  for (const float far : {.001f, 1.f, 70.f})
    EXPECT_NEAR(scaled_mmd(torch::zeros({1, 1}), torch::full({1, 1}, far)).item<double>(), 6.186276, 1e-5);
  const torch::Tensor a = random_rows(4, 3, 2);
  EXPECT_NEAR(scaled_mmd(a, a.clone()).item<double>(), 0, 1e-12);
  EXPECT_EQ(scaled_mmd(torch::ones({2, 3}), torch::ones({2, 3})).item<double>(), 0) << "no width";
}

// Labels that do not occur have no part in the mean, and no NaN.
TEST(L2d, MmdByLabelSkipsAbsentClasses) {
  const torch::Tensor a = random_rows(6, 3, 3), b = random_rows(6, 3, 4).requires_grad_();
  const torch::Tensor labels = torch::tensor({7, 7, 2, 2, 2, 7});
  const auto of = [&](std::initializer_list<std::int64_t> rows) {
    const torch::Tensor numbers = torch::tensor(std::vector<std::int64_t>(rows));
    return scaled_mmd(a.index_select(0, numbers), b.index_select(0, numbers)).item<double>();
  };
  const torch::Tensor found = mmd_by_label(a, b, labels);
  EXPECT_NEAR(found.item<double>(), (of({0, 1, 5}) + of({2, 3, 4})) / 2, 1e-6);
  EXPECT_TRUE(torch::autograd::grad({found}, {b})[0].isfinite().all().item<bool>());
}

TEST(L2d, TheAugmenterVariesPictures) {
  L2dAugmenter augmenter({3, 28, 28}, 4);
  EXPECT_EQ(augmenter.parameters().size(), 9U) << "noise, and scale and shift of four kernels";
  EXPECT_EQ(L2dAugmenter({1, 8, 8}, 4).parameters().size(), 3U) << "larger kernels do not fit";
  const torch::Tensor x = toy::reference_images({5, 3, 28, 28});
  const torch::Tensor first = augmenter.forward(x, 1, true);
  EXPECT_EQ(first.sizes(), x.sizes());
  EXPECT_TRUE(first.gt(0).logical_and(first.lt(1)).all().item<bool>());
  EXPECT_TRUE(first.equal(augmenter.forward(x, 1, true)));
  EXPECT_GT((first - augmenter.forward(x, 2, true)).abs().mean().item<double>(), .01);
  // but for dropout and noise, what is fixed stays
  const torch::Tensor still = augmenter.forward(x, 1, false);
  EXPECT_LT((still - augmenter.forward(x, 2, false)).abs().mean().item<double>(), .01);
  EXPECT_TRUE(still.slice(0, 0, 2).allclose(augmenter.forward(x.slice(0, 0, 2), 1, false), 1e-5, 1e-6))
      << "each by itself";
}

TEST(L2d, OneStepOfAnotherProgram) {
  toy::ReferenceStep step("l2d");
  const auto member = algorithm("l2d").make(step.setting());
  step.fill(*member);
  member->set_training(true);
  Tensors before;
  for (const auto& [key, tensor] : member->state()) before[key] = tensor.clone();
  const Step done = member->update(step.batches());
  const Tensors after = member->state();
  step.compare(done, after);
  const double rate = step.json["parameters"]["augmenter-lr"];
  for (const auto& item : step.json["augmenter"].items()) {
    const std::string key = "augmenter." + item.key();
    const torch::Tensor found = ((before.at(key) - after.at(key)) / rate).flatten();
    const torch::Tensor wanted = torch::tensor(item.value().get<std::vector<float>>());
    EXPECT_LT((found - wanted).abs().max().item<double>(), 1e-4 * wanted.abs().max().item<double>() + 1e-7)
        << key;
  }
}

// A grey image before a backbone of three channels is the image in colours that are all the same.
TEST(L2d, GreyImagesAsColours) {
  const auto grey = make_network(architecture("l2d-colour:small-cnn"), {1, 8, 8}, 4),
             colour = make_network(architecture("l2d:small-cnn"), {3, 8, 8}, 4);
  initialize(*grey, 3);
  initialize(*colour, 3);
  const torch::NoGradGuard no_grad;
  grey->eval(), colour->eval();
  const torch::Tensor x = torch::rand({5, 1, 8, 8});
  EXPECT_TRUE(grey->forward(x).logits.allclose(colour->forward(x.repeat({1, 3, 1, 1})).logits, 1e-5, 1e-6));
  AlgorithmSetting setting;
  setting.input = {1, 8, 8};
  setting.network = grey;
  setting.parameters = complete_parameters(algorithm("l2d"), {{"colour", 1}});
  EXPECT_EQ(algorithm("l2d").make(setting)->state().at("augmenter.scale5").sizes(),
            torch::IntArrayRef({3, 4, 4}));
  const toy::Folder folder;
  TrainOptions options = quick("l2d");
  options.epochs = 1;
  options.parameters = {{"colour", 1}};
  const torch::AutoGradMode grad(true);
  const TrainResult result = session().train(toy::squares(100, 4), options, folder / "m");
  EXPECT_EQ(result.model->info().architecture, "l2d-colour:small-cnn");
  EXPECT_EQ(result.model->info().input, (InputShape{1, 8, 8}));
  EXPECT_EQ(result.model->outputs(toy::squares(5, 4)).logits.shape[0], 5U);
}

TEST(L2d, TrainsItsHeadOnAnyBackbone) {
  const toy::Folder folder;
  TrainOptions options = quick("l2d");
  options.epochs = 1;
  const TrainResult result = session().train(toy::squares(100, 4), options, folder / "m");
  EXPECT_EQ(result.model->info().architecture, "l2d:small-cnn");
  EXPECT_EQ(result.model->outputs(toy::squares(5, 4)).features->shape[1], 512U) << "the mean";
  options.architecture = "linear";
  EXPECT_EQ(message_of([&] { (void)session().train(toy::squares(100, 4), options, folder / "m"); }),
            "architecture l2d:linear: expected a backbone with a last hidden layer, found linear");
}

}  // namespace
}  // namespace leeway::nn

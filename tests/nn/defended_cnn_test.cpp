// The papers' defended network: JPEG in front, a reverse sigmoid behind.
#include <gtest/gtest.h>

#include <cmath>

#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/model/reverse_sigmoid.h"
#include "leeway/shift/jpeg.h"
#include "tests/nn/toy.h"

namespace leeway::nn {
namespace {

// gamma 1: sigmoid(logit(y)) = y, so r = beta (y - 1/2) and y - r = (1 - beta) y + beta / 2.
TEST(ReverseSigmoid, HasAClosedFormForGammaOne) {
  const torch::Tensor y = torch::tensor({{.7, .2, .1}}, torch::kFloat64);
  const torch::Tensor wanted = torch::tensor({{.6, .35, .3}}, torch::kFloat64) / 1.25;  // beta .5
  EXPECT_TRUE(torch::allclose(reverse_sigmoid(y, {.5, 1}), wanted, 1e-12, 1e-12));
  EXPECT_TRUE(torch::allclose(reverse_sigmoid(y, {1, 1}), torch::full_like(y, 1. / 3), 1e-12, 1e-12));
}

// odds 1e9 of the winner: sigmoid(.1 log 1e9) = 1e9^.1 / (1 + 1e9^.1).
TEST(ReverseSigmoid, EndsWhereProbabilitiesDo) {
  const double s = std::pow(1e9, .1) / (1 + std::pow(1e9, .1));
  const double winner = 1 - (s - .5), other = s - .5;
  const torch::Tensor y = reverse_sigmoid(torch::tensor({{1.f, 0.f}}));
  EXPECT_NEAR(y[0][0].item<double>(), winner / (winner + other), 1e-8);
  EXPECT_NEAR(y[0][1].item<double>(), other / (winner + other), 1e-8);
  EXPECT_NEAR(other, .388, 1e-3);
}

// Twenty classes: .3 for one, next to nothing for half of them.
TEST(ReverseSigmoid, MayChangeTheWinner) {
  torch::Tensor y = torch::full({1, 20}, .07, torch::kFloat64);
  y.slice(1, 0, 10).fill_(0);
  y.slice(1, 19, 20).fill_(.37);
  EXPECT_LT(reverse_sigmoid(y).argmax(1).item<std::int64_t>(), 10);
}

TEST(DefendedCnn, SeesImagesCompressedBeforeTheyAreNormalized) {
  const InputShape colour{3, 16, 24};
  const Images images = toy::images(6, colour, 4);
  Images compressed = images;
  std::vector<float> pixels(images.pixels.view<float>().begin(), images.pixels.view<float>().end());
  for (std::size_t i = 0; i < 6; ++i)
    shift::compress_jpeg(std::span(pixels).subspan(i * colour.pixels(), colour.pixels()), 16, 24, 50);
  compressed.pixels = make_array(images.pixels.shape, pixels);
  const Normalization normalization{255, {120, 110, 100}, {60, 50, 55}};
  const auto model = toy::model("defended-cnn", colour, 4, 3, normalization);
  // What lies behind the JPEG, without one.
  auto network = make_network(architecture("defended-cnn"), colour, 4);
  initialize(*network, 3);
  network->eval();
  const torch::NoGradGuard no_grad;
  const Forward bare = normalized(normalization, [&](const torch::Tensor& x) { return network->forward(x); })(
      nn::pixels(compressed, 0, compressed.n()));
  const Outputs outputs = model->outputs(images);
  EXPECT_TRUE(torch::allclose(to_tensor(outputs.logits, "logits"), bare.logits, 1e-5, 1e-6));
  EXPECT_TRUE(torch::allclose(to_tensor(outputs.logits, "logits").exp().sum(1), torch::ones({6})));
  EXPECT_EQ(outputs.features->shape, (std::vector<std::size_t>{6, std::size_t{128} * 2 * 3}));
}

TEST(DefendedCnn, TrainsOnTheLogitsBeforeTheReverseSigmoid) {
  const auto network = make_network(architecture("defended-cnn"), {1, 8, 8}, 4);
  initialize(*network, 3);
  const torch::Tensor x = torch::rand({3, 1, 8, 8});
  network->train();
  const torch::Tensor before = network->forward(x).logits;
  network->eval();
  EXPECT_TRUE(torch::allclose(network->forward(x).logits.exp(),
                              reverse_sigmoid(torch::softmax(before, 1)).to(torch::kFloat32), 1e-5, 1e-6));
}

TEST(DefendedCnn, HasFiniteGradientsThatRepeat) {
  const InputShape shape{1, 16, 16};
  const Images images = toy::images(5, shape, 3);
  const auto model = toy::model("defended-cnn", shape, 3, 3);
  const Array once = model->input_gradients(images, *images.labels);
  EXPECT_TRUE(toy::same_bits(once, model->input_gradients(images, *images.labels)));
  const torch::Tensor gradients = to_tensor(once, "gradients");
  EXPECT_TRUE(gradients.isfinite().all().item<bool>());
  EXPECT_GT(gradients.abs().sum().item<double>(), 0);
  AttackOptions options;
  options.eps = .3;
  EXPECT_LE(model->attack(images, options).robust_accuracy, 1);
}

}  // namespace
}  // namespace leeway::nn

// The papers' defended network: JPEG in front, a reverse sigmoid behind.
#include <gtest/gtest.h>

#include <cmath>

#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/model/layers.h"
#include "leeway/shift/jpeg.h"
#include "tests/nn/toy.h"

namespace leeway::nn::defended_cnn_test {

// sigmoid(.1 logit(y)) = 1 / (1 + (1/y - 1)^.1)
TEST(ReverseSigmoid, ByHand) {
  const torch::Tensor y = torch::tensor({{.7, .2, .1}}, torch::kFloat64);
  const torch::Tensor left = y - 1 / (1 + (1 / y - 1).pow(.1)) + .5;
  EXPECT_TRUE(torch::allclose(reverse_sigmoid(y), left / left.sum(), 1e-12, 1e-12));
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

}  // namespace leeway::nn::defended_cnn_test

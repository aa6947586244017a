#include <gtest/gtest.h>

#include "leeway/nn/adapt/batchnorm.h"
#include "leeway/nn/detail/tensors.h"
#include "tests/at_threads.h"
#include "tests/nn/reference_step.h"
#include "tests/nn/toy.h"

namespace leeway::nn::adapt_test {

const InputShape small_picture{3, 8, 8};

std::shared_ptr<Network> resnet() {
  auto network = make_network(architecture("resnet20-cifar"), small_picture, 4);
  initialize(*network, 5);
  return network;
}

std::vector<AdaptedLayer> adapted(const std::shared_ptr<Network>& network, const Images& images) {
  return adapt_batchnorm(network, {}, images, "network", torch::kCPU, nullptr);
}

Images turned(const Images& images) {
  std::vector<std::size_t> rows;
  for (std::size_t i = images.n(); i > 0; --i) rows.push_back(i - 1);
  return select_rows(images, rows);
}

std::map<std::string, torch::Tensor> statistics_of(const Network& network) {
  std::map<std::string, torch::Tensor> all;
  for (const auto& item : network.named_buffers())
    if (item.value().is_floating_point()) all[item.key()] = item.value().clone();
  return all;
}

// The layer's input is the first linear layer's output, whatever the statistics.
TEST(Adapt, PooledMomentsOfOneLayer) {
  const auto network = std::make_shared<toy::TinyNetwork>(64, 3, true);
  const Images images = toy::images(100, {1, 8, 8}, 3);
  const torch::Tensor z = torch::nn::functional::linear(pixels(images, 0, 100).flatten(1),
                                                        network->named_parameters()["hidden.weight"],
                                                        network->named_parameters()["hidden.bias"]);
  const auto layers = adapted(network, images);
  const auto found = statistics_of(*network);
  EXPECT_TRUE(found.at("norm.running_mean").allclose(z.mean(0), 1e-5, 1e-6));
  EXPECT_TRUE(found.at("norm.running_var").allclose(z.var(0, /*unbiased=*/false), 1e-5, 1e-6));
  ASSERT_EQ(layers.size(), 1U);
  EXPECT_EQ(layers[0].name, "norm");
  EXPECT_EQ(layers[0].channels, 5U);
  EXPECT_NEAR(layers[0].mean_shift, z.mean(0).abs().mean().item<double>(), 1e-4) << "from 0 and 1";
  EXPECT_FALSE(network->is_training());
}

// One batch of all images in training mode has the pooled statistics, layer after layer.
TEST(Adapt, PooledIsOneBatchOfAllImages) {
  const Images images = toy::images(75, small_picture, 4);
  const auto network = resnet(), other = resnet();
  const auto layers = adapted(network, images);
  EXPECT_EQ(layers.size(), 19U);
  EXPECT_EQ(layers.front().name, "bn1");
  for (const auto& module : other->modules())
    if (auto* layer = module->as<torch::nn::BatchNorm2d>()) layer->options.momentum(1.);
  other->train();
  (void)other->forward(pixels(images, 0, 75));
  const auto found = statistics_of(*network), wanted = statistics_of(*other);
  for (const auto& [name, tensor] : wanted)  // variances of a training are divided by N - 1
    EXPECT_TRUE(found.at(name).allclose(tensor, 5e-3, 1e-4)) << name;
  for (const auto& item : other->named_parameters())
    EXPECT_TRUE(network->named_parameters()[item.key()].equal(item.value())) << item.key();
}

TEST(Adapt, NeitherOrderNorThreadsMatter) {
  const Images images = toy::images(90, small_picture, 4);
  const auto network = resnet(), reversed_rows = resnet(), one_thread = resnet();
  at_threads(2, [&] {
    (void)adapted(network, images);
    return adapted(reversed_rows, turned(images));
  });
  at_threads(1, [&] { return adapted(one_thread, images); });
  const auto all = statistics_of(*network), back = statistics_of(*reversed_rows),
             one = statistics_of(*one_thread);
  for (const auto& [name, tensor] : all) {
    EXPECT_TRUE(tensor.equal(one.at(name))) << name;
    EXPECT_TRUE(tensor.allclose(back.at(name), 1e-4, 1e-5)) << name;
  }
  for (const AdaptedLayer& layer : adapted(network, images)) {  // of the same images: nothing is left to do
    EXPECT_LT(layer.mean_shift, 1e-4) << layer.name;
    EXPECT_NEAR(layer.variance_ratio, 1, 1e-4) << layer.name;
  }
}

TEST(Adapt, TheModelIsSavedLikeOthers) {
  const toy::Folder folder;
  const auto model = toy::model("resnet20-cifar", small_picture, 4, 5, {255, {1, 2, 3}, {40, 50, 60}});
  const Images images = toy::images(40, small_picture, 4);
  const Outputs before = model->outputs(images);
  const Adapted found = model->adapt(images);
  EXPECT_TRUE(toy::same_bits(model->outputs(images).logits, before.logits)) << "the model itself stays";
  const Outputs after = found.model->outputs(images);
  EXPECT_FALSE(toy::same_bits(after.logits, before.logits));
  found.model->save(folder / "adapted");
  EXPECT_TRUE(toy::same_bits(toy::loaded(folder / "adapted")->outputs(images).logits, after.logits));
}

TEST(Adapt, RefusesInOneLine) {
  const Images images = toy::images(10, small_picture, 4);
  const auto model = toy::model("resnet20-cifar", small_picture, 4);
  const auto message = [](const Model& of, const Images& from) {
    return message_of([&] { (void)of.adapt(from); });
  };
  EXPECT_EQ(message(*toy::model("small-cnn", small_picture, 4), images),
            "model: expected a network with batch normalization, found none");
  EXPECT_EQ(message(*model, toy::images(10, {3, 9, 9}, 4)),
            "toy.npz: expected images of shape (3, 8, 8), which model takes, found (3, 9, 9)");
  EXPECT_EQ(message(*model, toy::images(1, small_picture, 4)),
            "toy.npz: expected at least 2 images, found 1");
  ModelInfo info;
  info.format = "onnx";
  const auto graph = make_model(
      info,
      [](const torch::Tensor& x) {
        return Forward{x.flatten(1), {}};
      },
      nullptr);
  EXPECT_EQ(message(*graph, images),
            "model: expected a model of a known architecture, to adapt its batch normalization, found ONNX");
}

}  // namespace leeway::nn::adapt_test

#include "leeway/nn/model/heads.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "leeway/nn/io/weights.h"
#include "leeway/nn/model/heads/l2d.h"
#include "leeway/nn/model/heads/occamnet.h"
#include "leeway/nn/model/heads/pnd.h"
#include "leeway/nn/model/heads/ubnet.h"
#include "tests/case_name.h"
#include "tests/nn/toy.h"

namespace leeway::nn::heads_test {

std::string shapes_of(const std::string& name, const InputShape& input) {
  std::string text;
  for (const StageShape& shape : stage_shapes(*make_network(architecture(name), input, 4), input))
    text += fmt::format("{}{}x{}x{}", text.empty() ? "" : " ", shape.channels, shape.height, shape.width);
  return text;
}

TEST(Stages, AreTheStemAndTheBlocks) {
  EXPECT_EQ(shapes_of("resnet18", {3, 64, 32}), "64x16x8 64x16x8 128x8x4 256x4x2 512x2x1");
  EXPECT_EQ(shapes_of("resnet50", {3, 32, 32}), "64x8x8 256x8x8 512x4x4 1024x2x2 2048x1x1");
  EXPECT_EQ(shapes_of("resnet18-cifar", {1, 8, 8}), "64x8x8 64x8x8 128x4x4 256x2x2 512x1x1");
  EXPECT_EQ(shapes_of("resnet20-cifar", {1, 8, 8}), "16x8x8 16x8x8 32x4x4 64x2x2");
  EXPECT_EQ(shapes_of("preact-resnet18", {3, 8, 8}), "64x8x8 64x8x8 128x4x4 256x2x2 512x1x1");
  EXPECT_EQ(shapes_of("wrn-28-10", {3, 8, 8}), "16x8x8 160x8x8 320x4x4 640x2x2");
  EXPECT_EQ(shapes_of("densenet121", {3, 32, 32}), "64x8x8 256x8x8 512x4x4 1024x2x2 1024x1x1");
  EXPECT_EQ(shapes_of("small-cnn", {1, 28, 28}), "16x14x14 32x7x7");
  EXPECT_EQ(shapes_of("defended-cnn", {1, 8, 8}), "32x4x4 64x2x2 128x1x1");
  for (const char* const name : {"linear", "mlp", "vit"}) EXPECT_EQ(shapes_of(name, {3, 32, 32}), "");
}

TEST(Stages, LeaveTheirInputAndMakeTheWholePass) {
  const torch::NoGradGuard no_grad;
  for (const char* const name :
       {"resnet18", "resnet20-cifar", "preact-resnet18", "densenet121", "small-cnn"}) {
    const InputShape input{3, 32, 32};
    const auto network = make_network(architecture(name), input, 4);
    initialize(*network, 3);
    network->eval();
    const torch::Tensor x = torch::rand({2, 3, 32, 32});
    torch::Tensor maps = x;
    for (std::size_t i = 0; i < network->stages(); ++i) {
      const torch::Tensor before = maps.clone(), after = network->stage(i, maps);
      EXPECT_TRUE(maps.equal(before)) << name << " " << i;
      maps = after;
    }
    EXPECT_TRUE(network->finish(maps).logits.equal(network->forward(x).logits)) << name;
    EXPECT_EQ(network->forward(x).features.size(1), hidden_units(*network, input)) << name;
  }
}

TEST(Stages, AreAskedForWithoutATrace) {
  const auto network = make_network(architecture("resnet20-cifar"), {1, 8, 8}, 4);
  initialize(*network, 3);
  const ArrayMap before = weights_of(*network);
  (void)stage_shapes(*network, {1, 8, 8});
  for (const auto& [name, array] : weights_of(*network))
    EXPECT_TRUE(toy::same_bits(array, before.at(name))) << name;
  EXPECT_TRUE(network->is_training());
}

constexpr InputShape tiny{1, 8, 8};

class EveryHead : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static std::shared_ptr<Network> made(std::uint64_t seed = 5) {
    auto network = make_network(architecture(GetParam() + ":resnet20-cifar"), tiny, 4);
    initialize(*network, seed);
    return network;
  }
  // The network that the head stands on, by itself.
  [[nodiscard]] static std::shared_ptr<Network> plain_backbone(std::size_t classes) {
    return make_network(architecture("resnet20-cifar"), tiny, classes);
  }
};

TEST_P(EveryHead, BeginsAsItsBackboneDoes) {
  const auto network = made(), other = made(), plain = plain_backbone(4);
  initialize(*plain, 5);
  const ArrayMap all = weights_of(*network), again = weights_of(*other);
  for (const auto& [name, array] : all) EXPECT_TRUE(toy::same_bits(array, again.at(name))) << name;
  for (const auto& [name, array] : weights_of(*plain))
    EXPECT_TRUE(toy::same_bits(array, all.at("backbone." + name))) << name;
  for (const auto& item : network->named_parameters())
    EXPECT_TRUE(item.value().isfinite().all().item<bool>()) << item.key();
}

TEST_P(EveryHead, IsAModelLikeOthers) {
  const toy::Folder folder;
  const Images images = toy::squares(6, 4);
  const std::string name = GetParam() + ":resnet20-cifar";
  const auto model = toy::model(name, tiny, 4);
  const Outputs outputs = model->outputs(images);
  EXPECT_EQ(outputs.logits.shape, (std::vector<std::size_t>{6, 4}));
  EXPECT_TRUE(to_tensor(model->input_gradients(images, *images.labels), "gradients").any().item<bool>());
  model->save(folder / "weights");
  const auto loaded = toy::loaded(folder / "weights");
  EXPECT_EQ(loaded->info().architecture, name);
  EXPECT_EQ(loaded->info().classes, 4U);
  EXPECT_EQ(loaded->info().parameters, session().weights_of(name, tiny, 4));
  EXPECT_TRUE(toy::same_bits(loaded->outputs(images).logits, outputs.logits));
  (void)loaded->classifier(tiny);
  EXPECT_EQ(toy::attacked(*loaded, images, {.attack = "fgsm"}).success.size(), 6U);
}

TEST_P(EveryHead, TakesWeightsOfAPlainBackbone) {
  const auto plain = plain_backbone(7);  // other classes than the head's
  initialize(*plain, 9);
  const auto network = made();
  copy_backbone(weights_of(*plain), *network, "plain");
  auto* const headed = network->as<HeadedNetwork>();
  const ArrayMap before = weights_of(*made());
  for (Network* const backbone : headed->backbones()) {
    const ArrayMap taken = weights_of(*backbone);
    for (const auto& [name, array] : weights_of(*plain))
      EXPECT_EQ(toy::same_bits(array, taken.at(name)), !name.starts_with("linear.")) << name;
  }
  for (const auto& [name, array] : weights_of(*network))
    if (!name.starts_with("backbone.") && !name.starts_with("biased.")) {
      EXPECT_TRUE(toy::same_bits(array, before.at(name))) << name;
    }
  const auto other = made(6);
  copy_backbone(weights_of(*network), *other, "whole");
  const ArrayMap copied = weights_of(*other);
  for (const auto& [name, array] : weights_of(*network))
    EXPECT_TRUE(toy::same_bits(array, copied.at(name))) << name;
  EXPECT_THROW(copy_backbone(weights_of(*make_network(architecture("small-cnn"), tiny, 4)), *other, "other"),
               Error);
}

std::vector<std::string> all_heads() {
  std::vector<std::string> names;
  for (const HeadMember& one : heads()) names.emplace_back(one.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, EveryHead, ::testing::ValuesIn(all_heads()), case_name);

std::size_t head_weights(const std::string& name, const InputShape& input, std::size_t k) {
  const auto network = make_network(architecture(name), input, k);
  std::size_t count = count_weights(*network);
  for (Network* const backbone : network->as<HeadedNetwork>()->backbones()) count -= count_weights(*backbone);
  return count;
}

TEST(Head, HasTheWeightsOfItsMethod) {
  const InputShape input{3, 32, 32};
  EXPECT_EQ(head_weights("ubnet:resnet18", input, 7), 266'176U + 325 * 7);
  double exits = 0;
  for (const double c : {64., 128., 256., 512.}) exits += 4.5 * c * c + 17.75 * c + 65 + (c + 1) * 7;
  EXPECT_EQ(head_weights("occamnet:resnet18", input, 7), static_cast<std::size_t>(exits));
  EXPECT_EQ(head_weights("bottleneck:resnet18", input, 7), 512U * 256 + 256 + 257 * 7);
  EXPECT_EQ(head_weights("l2d:resnet18", input, 7), 2 * (512U * 512 + 512) + 513 * 7);
  std::size_t experts = (4 * 7 + 1) * 4;
  for (const std::size_t c : {64U, 128U, 256U, 512U})
    experts += 2 * (9 * c * 128 + 3 * 128 + 9 * 128 * 512 + 512) + 2 * (1024 * 16 + 3 * 16 + 17 * 7);
  EXPECT_EQ(head_weights("pnd:resnet18", input, 7), experts);
}

TEST(Head, IsRefusedWhereItHasNothingToStandOn) {
  const auto refused = [](const std::string& name) {
    return message_of([&] { (void)make_network(architecture(name), {3, 32, 32}, 4); });
  };
  EXPECT_THAT(refused("occamnet:mlp"), Says("architecture occamnet:mlp: ... found mlp, which has none"));
  EXPECT_THAT(refused("occamnet:small-cnn"), Says("architecture ... found 2 of small-cnn"));
  EXPECT_THAT(refused("occam:resnet18"), Says("head: expected ... found 'occam'; did you mean occamnet?"));
  EXPECT_THAT(refused("occamnet:resnet"), Says("found 'resnet'; did you mean resnet20-cifar?"));
  EXPECT_REFUSED(make_network(architecture("ubnet:densenet121"), {3, 8, 40}, 4),
                 "architecture ubnet:densenet121: expected images of at least 29 x 29 ... found (3, 8, 40)");
}

template <class Head>
std::shared_ptr<Head> evaluated(const std::string& name) {
  auto network = make_network(architecture(name), tiny, 4);
  initialize(*network, 5);
  network->eval();
  return std::dynamic_pointer_cast<Head>(network);
}

TEST(OccamNetHead, LeavesWhereTheGateOpens) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor x = torch::rand({5, 1, 8, 8});
  const auto network = evaluated<OccamNet>("occamnet:resnet20-cifar");
  auto parameters = network->named_parameters();
  const auto set_gates = [&](float zero, float one) {
    parameters["exits.0.gate.3.bias"].fill_(zero);
    parameters["exits.1.gate.3.bias"].fill_(one);
  };
  const auto exits = network->exits(x);
  ASSERT_EQ(exits.size(), 3U);
  set_gates(100, -100);  // exit 0 is never taken
  EXPECT_TRUE(network->forward(x).logits.equal(exits[2].logits));
  set_gates(-100, 100);
  EXPECT_TRUE(network->forward(x).logits.equal(exits[1].logits));
  set_gates(0, 0);
  const torch::Tensor gate = network->exits(x)[1].gate;
  set_gates(0, -gate.median().item<float>());
  const torch::Tensor opens = network->exits(x)[1].gate >= 0;
  EXPECT_EQ(opens.sum().item<std::int64_t>(), 3);
  EXPECT_TRUE(
      network->forward(x).logits.equal(torch::where(opens.unsqueeze(1), exits[1].logits, exits[2].logits)));
  EXPECT_TRUE(torch::allclose(exits[2].logits, exits[2].maps.mean({2, 3})));
}

// Variances 2 / (k^2 c) of k x k cells and c maps; what is no convolution of an exit is as in every network.
TEST(OccamNetHead, BeginsAsItsMethodDoes) {
  const auto network = make_network(architecture("occamnet:resnet20-cifar"), {1, 8, 8}, 4);
  initialize(*network, 5);
  auto weights = network->named_parameters();
  const auto scaled = [&](const std::string& name, double variance) {
    return weights[name].square().mean().item<double>() / variance;
  };
  EXPECT_NEAR(scaled("exits.2.conv1.weight", 2. / (9 * 16)), 1, .08);
  EXPECT_NEAR(scaled("exits.2.conv2.weight", 2. / (9 * 64)), 1, .08);
  EXPECT_NEAR(scaled("exits.2.cam.weight", 2. / 4), 1, .4);
  EXPECT_LE(weights["exits.2.gate.0.weight"].abs().max().item<double>(), 1 / std::sqrt(64.));
  const auto again = make_network(architecture("occamnet:resnet20-cifar"), {1, 8, 8}, 4);
  initialize(*again, 5);
  EXPECT_TRUE(weights["exits.2.conv1.weight"].equal(again->named_parameters()["exits.2.conv1.weight"]));
}

TEST(UbNetHead, BeginsAsItsMethodSaysAndLeavesTheBackboneAlone) {
  const auto network = evaluated<UbNet>("ubnet:resnet20-cifar");
  EXPECT_NEAR(network->cell_rows().std().item<double>(), 1, .02);
  EXPECT_EQ(network->cell_rows().sizes(), torch::IntArrayRef({4, 64 * 49}));
  EXPECT_EQ(network->convolution_rows().sizes(), torch::IntArrayRef({4, 64 * 64 * 9}));
  const double bound = std::sqrt(6. / ((256 + 64) * 9));
  EXPECT_NEAR(network->convolution_rows().abs().max().item<double>(), bound, .01 * bound);
  network->train();
  EXPECT_TRUE(network->is_training());
  EXPECT_FALSE(network->backbone().is_training());
  for (const torch::Tensor& weight : network->backbone().parameters()) EXPECT_FALSE(weight.requires_grad());
}

TEST(PndHead, AGateOfZerosIsTheMeanOfTheExperts) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor x = torch::rand({3, 1, 8, 8});
  const auto network = evaluated<Pnd>("pnd:resnet20-cifar");
  const auto experts = network->experts(x);
  ASSERT_EQ(experts.size(), 3U);
  EXPECT_TRUE(torch::allclose(network->mixture(experts), network->forward(x).logits));
  for (auto& item : network->named_parameters())
    if (item.key().starts_with("gate.")) item.value().zero_();
  EXPECT_TRUE(torch::allclose(network->forward(x).logits,
                              (experts[0].debiased + experts[1].debiased + experts[2].debiased) / 3));
}

TEST(L2dHead, LooksAtTheMean) {
  const torch::NoGradGuard no_grad;
  const auto network = evaluated<L2d>("l2d:small-cnn");
  const torch::Tensor x = torch::rand({3, 1, 8, 8});
  const L2d::Embedding embedding = network->embed(x);
  EXPECT_TRUE(network->forward(x).features.equal(embedding.mean));
  EXPECT_TRUE(network->forward(x).logits.equal(network->classify(embedding.mean)));
  EXPECT_TRUE((embedding.log_variance >= 0).all().item<bool>());
}

}  // namespace leeway::nn::heads_test

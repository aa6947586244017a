// Attacks on models of LibTorch. tests/attack covers the attacks themselves.
#include <gmock/gmock.h>

#include "tests/at_threads.h"
#include "tests/nn/toy.h"

namespace leeway::nn::attack_test {

using attack::AttackOptions;
using attack::AttackResult;
using attack::Norm;

// For any number of threads; of 64 rows, which are two shards, alone and among others. Minimum-norm attacks leave out rows
// that are wrong as they are, so their passes hold other rows there.
TEST(AttackedNetwork, HasTheSameBits) {
  const auto model = toy::model("small-cnn", {1, 12, 12}, 3, 4);
  const Images images = toy::images(150, {1, 12, 12}, 3, 7), first = toy::images(64, {1, 12, 12}, 3, 7);
  for (const AttackOptions& options : std::vector<AttackOptions>{
           {.eps = .1, .parameters = {{"steps", 2}, {"restarts", 2}}},
           {.attack = "fgsm", .norm = Norm::l2, .eps = .5},
           {.attack = "noise", .norm = Norm::l2, .eps = .5, .parameters = {{"steps", 2}}},
           {.attack = "fmn", .norm = Norm::linf, .parameters = {{"steps", 8}}},
           {.attack = "fmn", .norm = Norm::l0, .parameters = {{"steps", 8}}}}) {
    const auto found = [&](int threads, const Images& rows) {
      return at_threads(threads, [&] { return toy::attacked(*model, rows, options); });
    };
    const AttackResult one = found(1, images), many = found(3, images), few = found(1, first);
    EXPECT_TRUE(toy::same_bits(many.x, one.x)) << options.attack;
    EXPECT_EQ(many.norms, one.norms);
    for (std::size_t i = 0; i < first.n(); ++i)
      if (few.norms[i] != one.norms[i]) {
        EXPECT_NEAR(few.norms[i], one.norms[i], options.eps ? 0 : 1e-3) << options.attack << i;
      }
    if (options.eps) {
      EXPECT_TRUE(toy::same_bits(few.x, std::span(one.x).first(few.x.size()))) << options.attack;
    }
    EXPECT_EQ(one.zero_gradient.value_or(0), 0);
    Images moved = images;
    moved.pixels = make_array(images.pixels.shape, one.x);
    const std::vector<std::int64_t> predicted = predictions(model->outputs(moved).logits);
    for (std::size_t i = 0; i < images.n(); ++i)
      EXPECT_EQ(one.success[i] != 0, predicted[i] != (*images.labels)[i]) << options.attack;
  }
}

TEST(AttackedNetwork, HasLabelsOfAllImagesOrOfNone) {
  const auto model = toy::model("linear", {1, 2, 2}, 3);
  Images images = toy::images(4, {1, 2, 2}, 3);
  images.labels->at(1) = no_label;
  EXPECT_EQ(model->outputs(images).labels, images.labels);
  EXPECT_REFUSED(toy::attacked(*model, images, {}), "found 1 of 4 rows without a label...");
}

// A small network with random weights, and its logits times `scale`.
std::unique_ptr<Model> scaled(float scale) {
  ModelInfo info;
  info.architecture = "small-cnn", info.input = {1, 8, 8}, info.classes = 5;
  const auto network = make_network(architecture(info.architecture), info.input, info.classes);
  initialize(*network, 4);
  network->eval();
  const auto forward = [=](const torch::Tensor& x) {
    const Forward found = network->forward(x);
    return Forward{found.logits * scale, found.features};
  };
  return make_model(info, forward, nullptr);
}

// A scale that is a power of two multiplies without rounding.
TEST(FixedBudget, DoesNotDependOnTheScaleOfTheLogits) {
  const auto whole = scaled(1), small = scaled(1. / 128);
  const Images images = toy::images(60, {1, 8, 8}, 5, 9);
  for (const char* const name : {"pgd", "fgsm", "noise"})
    for (const Norm norm : {Norm::linf, Norm::l2}) {
      const AttackOptions options{.attack = name, .norm = norm, .eps = norm == Norm::l2 ? .4 : .05};
      EXPECT_TRUE(
          toy::same_bits(toy::attacked(*whole, images, options).x, toy::attacked(*small, images, options).x))
          << name << " " << name_of(norm);
    }
}

}  // namespace leeway::nn::attack_test

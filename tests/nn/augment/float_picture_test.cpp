#include "leeway/nn/augment/float_picture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "leeway/data/resize.h"
#include "leeway/nn/augment/imagenet.h"
#include "tests/message_of.h"
#include "tests/nn/augment/pictures.h"

namespace leeway::nn::augment {
namespace {

using Floats = std::vector<float>;

nlohmann::json reference(const char* what) {
  std::ifstream file(LEEWAY_REFERENCE "/augment.json");
  return nlohmann::json::parse(file).at(what);
}

Floats floats_of(const Shape& shape) {
  const Levels levels = picture_of(shape);
  Floats floats(levels.size());
  put_levels(levels, floats);
  return floats;
}

Floats changed(const Chain& chain, Floats image, const Shape& shape, std::uint64_t draw) {
  Random random(5, stream("augment test"), draw);
  chain.change(image, shape[0], shape[1], shape[2], random);
  return image;
}

void expect_near(const Floats& found, const Floats& wanted, const std::string& what) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], wanted[i], 2e-6) << what << " at " << i;
}

TEST(FloatPicture, OperationsAreTorchvisions) {
  for (const auto& one : reference("floats")) {
    const auto shape = one.at("shape").get<Shape>();
    const auto name = one.at("operation").get<std::string>();
    Floats picture = floats_of(shape);
    apply(operation(name), FloatPicture{picture, shape[0], shape[1], shape[2]},
          one.at("magnitude").get<double>());
    expect_near(picture, one.at("numbers").get<Floats>(), one.at("operation"));
  }
  Floats one = {.5f};
  EXPECT_THROW(apply(Operation::rotate, FloatPicture{one, 1, 1, 1}, 1), std::logic_error);
}

TEST(FloatPicture, PartsAreResizedAsByTorchvision) {
  for (const auto& one : reference("crops")) {
    const auto shape = one.at("shape").get<Shape>();
    const auto [top, left, height, width] = one.at("crop").get<std::array<std::size_t, 4>>();
    const Floats picture = floats_of(shape);
    Floats part, found(picture.size());
    for (std::size_t c = 0; c < shape[0]; ++c)
      for (std::size_t y = top; y < top + height; ++y)
        for (std::size_t x = left; x < left + width; ++x)
          part.push_back(picture[(c * shape[1] + y) * shape[2] + x]);
    data::resize(part, {shape[0], height, width}, found, shape);
    expect_near(found, one.at("numbers").get<Floats>(), "crop");
  }
}

// The same draws as on levels. What is cut to whole levels after the crop (to the nearest) and after each of three changes is lost there.
TEST(FloatPicture, ImagenetOnFloatsIsTheSameButForRounding) {
  const Shape shape = {3, 16, 13};
  const Floats image = floats_of(shape);
  double lost = 0, count = 0;
  for (std::uint64_t draw = 0; draw < 200; ++draw) {
    const Floats whole = changed(Chain("imagenet:flip=0.5:gray=0.1:hue=0.1"), image, shape, draw);
    const Floats exact = changed(Chain("imagenet:flip=0.5:gray=0.1:hue=0.1:floats=1"), image, shape, draw);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      EXPECT_GE(exact[i], 0);
      EXPECT_LE(exact[i], 1);
      EXPECT_NEAR(exact[i], whole[i], 8. / 255) << draw;
      lost += 255. * (exact[i] - whole[i]);
      ++count;
    }
  }
  EXPECT_GT(lost / count, .5);
  EXPECT_LT(lost / count, 2.5);
}

TEST(FloatPicture, ImagenetKeepsEveryStepByItself) {
  const Shape shape = {3, 8, 8};
  const Floats image = floats_of(shape);
  const std::string still = "imagenet:floats=1:crop-scale=1:crop-ratio=1:jitter=0";
  expect_near(changed(Chain(still), image, shape, 1), image, "nothing");
  Floats mirrored = image, grey = image;
  mirror({mirrored, 3, 8, 8});
  for (std::size_t i = 0; i < image.size(); ++i) EXPECT_EQ(mirrored[i], image[i / 8 * 8 + 7 - i % 8]);
  expect_near(changed(Chain(still + ":flip=1"), image, shape, 1), mirrored, "flip");
  apply(Operation::gray, FloatPicture{grey, 3, 8, 8}, 0);
  expect_near(changed(Chain(still + ":gray=1"), image, shape, 1), grey, "gray");
  for (std::uint64_t draw = 0; draw < 20; ++draw) {
    Random random(5, stream("augment test"), draw);
    const Crop crop = draw_crop(8, 8, .08, .75, random);
    Floats part, wanted(image.size());
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t y = crop.top; y < crop.top + crop.height; ++y)
        for (std::size_t x = crop.left; x < crop.left + crop.width; ++x)
          part.push_back(image[(c * 8 + y) * 8 + x]);
    data::resize(part, {3, crop.height, crop.width}, wanted, {3, 8, 8});
    expect_near(changed(Chain("imagenet:floats=1:jitter=0"), image, shape, draw), wanted, "crop");
  }
}

TEST(FloatPicture, AMixtureOnFloatsRoundsToThatOnLevels) {
  const Shape shape = {3, 16, 13};
  const Floats image = floats_of(shape);
  double between = 0;
  for (std::uint64_t draw = 0; draw < 50; ++draw) {
    const Floats whole = changed(Chain("augmix:all-ops=1"), image, shape, draw);
    const Floats exact = changed(Chain("augmix:all-ops=1:floats=1"), image, shape, draw);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      EXPECT_NEAR(255 * exact[i], 255 * whole[i], .5001);
      between += std::abs(exact[i] - whole[i]) > .1f / 255 ? 1 : 0;
    }
  }
  EXPECT_GT(between, 1000);
  EXPECT_EQ(message_of([] { Chain("augmix:floats=1:truncate=1"); }),
            "augmentation augmix: expected truncate 0, as floats is 1, found 1");
}

// Members on levels beside members on floats: levels where the former stand.
TEST(FloatPicture, ChainsGoFromOneKindToTheOther) {
  const std::string still = "imagenet:crop-scale=1:crop-ratio=1:jitter=0";
  const Shape one = {1, 1, 1};
  const auto after = [&](const std::string& text, float x) { return changed(Chain(text), {x}, one, 0)[0]; };
  EXPECT_EQ(after(still + ":floats=1", .1234f), .1234f);
  EXPECT_EQ(after(still + ":floats=1", 1.5f), 1.f);
  EXPECT_EQ(after(still, .1234f), 31.f / 255);
  EXPECT_EQ(after(still + ":floats=1," + still, .1234f), 31.f / 255);
  EXPECT_EQ(after(still + "," + still + ":floats=1", .1234f), 31.f / 255);
  Levels level = {31};
  Random random(5, stream("augment test"));
  Chain(still + ":floats=1").change({level, 1, 1, 1}, random);
  EXPECT_EQ(level[0], 31);
}

}  // namespace
}  // namespace leeway::nn::augment

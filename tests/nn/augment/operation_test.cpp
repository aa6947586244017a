#include "leeway/nn/augment/operation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "leeway/nn/augment/parts.h"
#include "tests/nn/augment/pictures.h"

namespace leeway::nn::augment::operation_test {

nlohmann::json reference() {
  std::ifstream file(LEEWAY_REFERENCE "/augment.json");
  return nlohmann::json::parse(file);
}

Operation named(const std::string& name) {
  if (name == "AutoContrast") return Operation::autocontrast;
  std::string word;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z' && !word.empty()) word += '-';
    word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return operation(word);
}

Levels bytes_of(const std::string& hex) {
  Levels levels;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    levels.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return levels;
}

// Every level as torchvision 0.14, but where float32 cuts a whole number or takes the other of two pixels that are equally near:
// there the exact number stands in the reference, whose generator says how many levels these are and that rounding explains each.
TEST(Operations, AsTorchvisionInExactArithmetic) {
  std::size_t levels = 0, otherwise = 0;
  const auto found = reference();
  for (const auto& one : found.at("cases")) {
    const auto shape = one.at("shape").get<Shape>();
    const auto name = one.at("operation").get<std::string>();
    const auto magnitude = one.at("magnitude").get<double>();
    const Sampling sampling = one.at("sampling") == "bilinear" ? Sampling::bilinear : Sampling::nearest;
    const Levels wanted = bytes_of(one.at("levels"));
    EXPECT_EQ(after(name, picture_of(shape, one.at("narrow")), magnitude, shape, sampling), wanted)
        << name << " " << magnitude << " " << one.at("sampling") << " " << one.at("shape");
    levels += wanted.size();
    otherwise += one.at("torchvision_differs").get<std::size_t>();
  }
  EXPECT_GT(levels, 15000U);
  EXPECT_LT(otherwise, levels / 50);
}

// The column "identity at" of the definitions. That of color on grey pictures holds of one channel alone: .2989 + .587 + .114 = .9999,
// so that g of a grey pixel is one level below it.
TEST(Operations, Identities) {
  for (const Shape& shape : {Shape{3, 9, 7}, Shape{1, 6, 5}, Shape{3, 1, 1}, Shape{1, 2, 3}}) {
    const Levels picture = picture_of(shape);
    for (const std::string_view name : {"brightness", "color", "contrast", "sharpness"})
      EXPECT_EQ(after(name, picture, 1, shape), picture) << name;
    EXPECT_EQ(after("posterize", picture, 8, shape), picture);
    EXPECT_EQ(after("solarize", picture, 256, shape), picture);
    for (const Sampling sampling : {Sampling::nearest, Sampling::bilinear}) {
      for (const std::string_view name : {"shear-x", "shear-y", "rotate", "translate-x", "translate-y"})
        EXPECT_EQ(after(name, picture, 0, shape, sampling), picture) << name;
      EXPECT_EQ(after("translate-x", picture, .99, shape, sampling), picture);
    }
    EXPECT_EQ(after("hue", picture, 0, shape), picture);
    EXPECT_EQ(after("invert", after("invert", picture, 0, shape), 0, shape), picture);
    if (shape[0] == 1) {
      EXPECT_EQ(after("color", picture, .3, shape), picture);
      EXPECT_EQ(after("hue", picture, .3, shape), picture);
    }
  }
  EXPECT_EQ(after("color", {100, 100, 100}, .5, {3, 1, 1}), (Levels{99, 99, 99}));
  for (int v = 0; v < 256; ++v)
    for (const double factor : {.1, .3, .7, 1.1, 1.9}) {
      const Levels flat(25, static_cast<std::uint8_t>(v));
      EXPECT_EQ(after("sharpness", flat, factor, {1, 5, 5}), flat);
      EXPECT_EQ(after("autocontrast", flat, 0, {1, 5, 5}), flat);
      EXPECT_EQ(after("equalize", flat, 0, {1, 5, 5}), flat);
    }
  const Levels stretched = {0, 77, 200, 255};
  EXPECT_EQ(after("autocontrast", stretched, 0, {1, 2, 2}), stretched);
}

// 256 levels twice each: steps of 510 / 255 = 2, half a step added.
TEST(Operations, EqualizeGivesEveryLevelItsRank) {
  Levels levels(512);
  for (std::size_t i = 0; i < 512; ++i) levels[i] = static_cast<std::uint8_t>(i / 2);
  EXPECT_EQ(after("equalize", levels, 0, {1, 16, 32}), levels);
  EXPECT_EQ(after("equalize", {3, 3, 9}, 0, {1, 1, 3}), (Levels{3, 3, 9})) << "too few pixels";
}

TEST(Operations, AnySize) {
  for (std::size_t code = 0; code <= static_cast<std::size_t>(Operation::gray); ++code)
    for (const Shape& shape :
         {Shape{1, 1, 1}, Shape{3, 1, 1}, Shape{3, 1, 4}, Shape{1, 3, 2}, Shape{3, 5, 4}, Shape{2, 4, 3}})
      for (const double t : {-1., -.4, 0., 1.})
        for (const Sampling sampling : {Sampling::nearest, Sampling::bilinear}) {
          const auto operation = static_cast<Operation>(code);
          Levels levels = picture_of(shape);
          const Picture picture{levels, shape[0], shape[1], shape[2]};
          apply(operation, picture, magnitude_of(operation, is_signed(operation) ? t : std::abs(t), picture),
                sampling);
        }
}

TEST(Operations, MoveMirrorsFirst) {
  Levels levels = {1, 2, 3, 4};
  move({levels, 1, 1, 4}, 0, 0, true);
  EXPECT_EQ(levels, (Levels{4, 3, 2, 1}));
  move({levels, 1, 1, 4}, 1, 0, true);
  EXPECT_EQ(levels, (Levels{2, 3, 4, 0}));
  move({levels, 1, 1, 4}, 9, 9, false);
  EXPECT_EQ(levels, Levels(4, 0));
}

TEST(Magnitudes, AreTorchvisions) {
  const auto found = reference();
  const auto size = found.at("size").get<std::array<std::size_t, 2>>();
  Levels levels(size[0] * size[1]);
  const Picture picture{levels, 1, size[0], size[1]};
  for (const std::string transform : {"randaugment", "autoaugment"}) {
    for (const auto& [name, one] : found.at("spaces").at(transform).items()) {
      const auto wanted = one.at("magnitudes").get<std::vector<double>>();
      EXPECT_EQ(is_signed(named(name)), one.at("signed").get<bool>()) << name;
      if (wanted.empty()) {
        EXPECT_EQ(magnitude_of(named(name), .5, picture), 0) << name;
      }
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double t = static_cast<double>(i) / (static_cast<double>(wanted.size()) - 1);
        const double factor =
            name == "Brightness" || name == "Color" || name == "Contrast" || name == "Sharpness";
        EXPECT_NEAR(magnitude_of(named(name), t, picture), wanted[i] + factor, 2e-5) << name << " " << i;
        if (one.at("signed")) {
          EXPECT_NEAR(magnitude_of(named(name), -t, picture), factor - wanted[i], 2e-5) << name << " " << i;
        }
      }
    }
  }
}

// Level L is 10 t.
TEST(Magnitudes, OfTheAuthorsOfAugMix) {
  Levels levels(30 * 60);
  const Picture picture{levels, 1, 30, 60};
  const auto at = [&](Operation operation, double level) {
    return augmix_magnitude(operation, level / 10, picture);
  };
  EXPECT_EQ(at(Operation::rotate, 2.5), 7);
  EXPECT_EQ(at(Operation::rotate, -2.5), -7);
  EXPECT_NEAR(at(Operation::shear_x, 3), .09, 1e-12);
  EXPECT_NEAR(at(Operation::shear_y, -3), -.09, 1e-12);
  EXPECT_NEAR(at(Operation::translate_x, 3), 6, 1e-12);  // without its fraction where it is applied
  EXPECT_NEAR(at(Operation::translate_y, -3), -3, 1e-12);
  EXPECT_EQ(at(Operation::posterize, .1), 4);
  EXPECT_EQ(at(Operation::posterize, 3), 3);
  EXPECT_EQ(at(Operation::solarize, .1), 254);
  EXPECT_EQ(at(Operation::solarize, 10), 0);
}

TEST(Policies, AreTorchvisions) {
  const auto found = reference();
  for (const auto& [name, policy] : {std::pair("imagenet", imagenet_policy), {"cifar10", cifar10_policy}}) {
    const auto& pairs = found.at("policies").at(name);
    ASSERT_EQ(pairs.size(), policy.size());
    for (std::size_t i = 0; i < policy.size(); ++i)
      for (std::size_t j = 0; j < 2; ++j) {
        EXPECT_EQ(policy[i][j].operation, named(pairs[i][j][0])) << name << " " << i;
        EXPECT_EQ(policy[i][j].probability, pairs[i][j][1].get<double>()) << name << " " << i;
        EXPECT_EQ(policy[i][j].level, pairs[i][j][2].is_null() ? 0 : pairs[i][j][2].get<int>()) << name << i;
      }
  }
}

}  // namespace leeway::nn::augment::operation_test

#include "leeway/nn/augment/tensorflow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/message_of.h"
#include "tests/nn/augment/pictures.h"

namespace leeway::nn::augment {
namespace {

Levels applied(std::string_view name, Levels levels, double level, const Shape& shape,
               std::uint64_t draw = 0) {
  const std::size_t number = tensorflow_number(name);
  EXPECT_LT(number, tensorflow_operations) << name;
  Random random(3, stream("tensorflow test"), draw);
  apply_tensorflow(number, {levels, shape[0], shape[1], shape[2]}, level, random);
  return levels;
}

TEST(TensorFlow, MagnitudesByHand) {
  const Shape row = {1, 1, 4};
  const Levels levels = {0, 100, 128, 255};
  EXPECT_EQ(applied("brightness", levels, 5, row), levels);                            // factor 1
  EXPECT_EQ(applied("brightness", levels, 10, row), (Levels{0, 190, 243, 255}));       // 1.9
  EXPECT_EQ(applied("brightness", levels, 0, row), (Levels{0, 10, 12, 25}));           // .1
  EXPECT_EQ(applied("solarize", levels, 4, row), (Levels{0, 100, 127, 0}));            // at 102
  EXPECT_EQ(applied("solarize", levels, 10, row), levels) << "weaker with the level";  // at 256
  EXPECT_EQ(applied("posterize", levels, 9, row), (Levels{0, 96, 128, 224}));          // 3 bits
  EXPECT_EQ(applied("posterize", levels, 20, row), levels);                            // 8
  EXPECT_EQ(applied("solarize-add", levels, 9, row), (Levels{99, 199, 128, 255}));     // 99
  EXPECT_EQ(applied("solarize-add", {127, 1}, 15, {1, 1, 2}), (Levels{255, 166}));     // 165
  EXPECT_EQ(applied("invert", levels, 3, row), (Levels{255, 155, 127, 0}));
  // 4 pixels: about 0, whatever their mean
  EXPECT_EQ(applied("contrast", levels, 10, row), (Levels{0, 190, 243, 255}));
  const Levels flat(256 * 300, 100);  // about 255, though the count is 300 times 256
  EXPECT_EQ(applied("contrast", flat, 0, {1, 256, 300}), Levels(flat.size(), 239));
}

// Pixels from outside are grey, black ones from inside stay. 100/224 of 224 pixels at level 10, 3/224 of them at .3.
TEST(TensorFlow, GreyComesFromOutside) {
  const Shape wide = {3, 2, 224};
  const Levels black(3 * 2 * 224, 0);
  std::map<std::ptrdiff_t, int> greys;
  for (std::uint64_t draw = 0; draw < 40; ++draw) {
    const Levels moved = applied("translate-x", black, 10, wide, draw);
    const auto count = std::ranges::count(moved, 128);
    EXPECT_EQ(count, 6 * 100);
    ++greys[moved[0] == 128 ? 1 : -1];
    EXPECT_EQ(std::ranges::count(applied("translate-x", black, .3, wide, draw), 128), 6 * 3);
    EXPECT_EQ(std::ranges::count(applied("translate-y", black, 10, wide, draw), 128), 0) << "under a pixel";
  }
  EXPECT_EQ(greys.size(), 2U) << "to either side";
  const Shape square = {1, 9, 9};
  for (const char* const name : {"rotate", "shear-x", "shear-y"}) {
    const Levels turned = applied(name, Levels(81, 0), 10, square);
    EXPECT_GT(std::ranges::count(turned, 128), 0) << name;
    EXPECT_EQ(applied(name, Levels(81, 0), 0, square), Levels(81, 0)) << name;
  }
}

TEST(TensorFlow, CutoutIsASquareAboutAPixel) {
  const Shape square = {1, 112, 112};
  std::set<std::size_t> first;
  for (std::uint64_t draw = 0; draw < 50; ++draw) {
    const Levels cut = applied("cutout", Levels(112 * 112, 7), 10, square, draw);
    std::size_t rows = 0, columns = 0, count = 0;
    for (std::size_t i = 0; i < 112; ++i) {
      const auto row = std::span(cut).subspan(112 * i, 112);
      const auto here = static_cast<std::size_t>(std::ranges::count(row, 128));
      count += here, rows += here > 0, columns = std::max(columns, here);
    }
    EXPECT_EQ(count, rows * columns);
    EXPECT_TRUE(rows >= 20 && rows <= 40 && columns >= 20 && columns <= 40);  // 2 x 20, cut at the border
    first.insert(static_cast<std::size_t>(std::ranges::find(cut, 128) - cut.begin()));
  }
  EXPECT_GT(first.size(), 40U);
}

TEST(TensorFlow, RandAugmentDrawsAllOfThem) {
  const Shape shape = {3, 24, 33};
  const Chain chain("randaugment:num-ops=1:magnitude=7:tensorflow=1");
  std::set<Levels> possible;
  for (std::size_t number = 0; number < tensorflow_operations; ++number)
    if (tensorflow_operation(number) != "cutout")
      for (std::uint64_t draw = 0; draw < 20; ++draw)
        possible.insert(applied(tensorflow_operation(number), picture_of(shape), 7, shape, draw));
  EXPECT_EQ(possible.size(), 5U * 2 + 10);
  double known = 0;
  std::set<Levels> seen;
  for (std::uint64_t draw = 0; draw < 800; ++draw) {
    const Levels found = after(chain, picture_of(shape), shape, draw);
    known += possible.contains(found) ? 1. / 800 : 0;
    if (possible.contains(found)) seen.insert(found);
  }
  EXPECT_EQ(seen.size(), possible.size());
  EXPECT_NEAR(known, 15. / 16, .035) << "the rest is Cutout";
  EXPECT_EQ(message_of([] { Chain("randaugment:tensorflow=1:bins=11"); }),
            "augmentation randaugment: expected no bins, as tensorflow is 1, found 11");
}

// Posterize at level 2 keeps no bit; what comes after it, solarize at level 10, leaves black as it is.
TEST(TensorFlow, ThePolicyV0BlackensOnePictureInThirty) {
  const Shape shape = {3, 9, 8};
  const Chain chain("autoaugment-v0");
  std::set<Levels> seen;
  double black = 0;
  for (std::uint64_t draw = 0; draw < 3000; ++draw) {
    const Levels found = after(chain, picture_of(shape), shape, draw);
    black += std::ranges::count(found, 0) == 216 ? 1. / 3000 : 0;
    seen.insert(found);
  }
  EXPECT_NEAR(black, .8 / 25, .012);
  EXPECT_GT(seen.size(), 40U);
}

// Of AutoAugment's operations: 3 L degrees, L pixels of 32, 4 - .4 L bits, factors .1 + .18 L.
TEST(TensorFlow, AutoAugmentWithTheAuthorsMagnitudes) {
  const Shape shape = {3, 32, 32};
  const Chain ours("autoaugment-cifar10"), authors("autoaugment-cifar10:tensorflow=1");
  const auto turned = after("rotate", picture_of(shape), 6, shape),
             back = after("rotate", picture_of(shape), -6, shape);
  const auto moved = after("translate-x", picture_of(shape), 9, shape);
  std::size_t turns = 0, differ = 0, moves = 0;
  for (std::uint64_t draw = 0; draw < 2000; ++draw) {
    const Levels found = after(authors, picture_of(shape), shape, draw);
    turns += found == turned || found == back ? 1 : 0;  // Rotate .7 2 without the translation after it
    moves += found == moved ? 1 : 0;                    // TranslateX .3 9 by itself
    differ += found != after(ours, picture_of(shape), shape, draw) ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(turns), 2000. / 25 * .7 * .7, 25);
  EXPECT_GT(moves, 0U);
  EXPECT_GT(differ, 900U);
}

}  // namespace
}  // namespace leeway::nn::augment

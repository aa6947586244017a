#include "leeway/nn/augment/view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "tests/message_of.h"

namespace leeway::nn {
namespace {

using Levels = std::vector<std::uint8_t>;

Levels after(std::string_view name, Levels levels, double magnitude, std::size_t channels, std::size_t height,
             std::size_t width) {
  apply_operation(name, {levels, channels, height, width}, magnitude);
  return levels;
}

TEST(Views, OperationsByHand) {
  const Levels row = {10, 100, 200, 255};
  EXPECT_EQ(after("identity", row, 1, 1, 1, 4), row);
  EXPECT_EQ(after("brightness", row, .5, 1, 1, 4), (Levels{5, 50, 100, 127}));
  EXPECT_EQ(after("brightness", row, 1, 1, 1, 4), row);
  EXPECT_EQ(after("contrast", row, 0, 1, 1, 4), (Levels{141, 141, 141, 141}));
  EXPECT_EQ(after("posterize", row, 4, 1, 1, 4), (Levels{0, 96, 192, 240}));
  EXPECT_EQ(after("posterize", row, 8, 1, 1, 4), row);
  EXPECT_EQ(after("solarize", row, 200, 1, 1, 4), (Levels{10, 100, 55, 0}));
  EXPECT_EQ(after("solarize", row, 256, 1, 1, 4), row);
  EXPECT_EQ(after("autocontrast", {10, 60, 110}, 0, 1, 1, 3), (Levels{0, 127, 255}));
  EXPECT_EQ(after("autocontrast", {7, 7, 7}, 0, 1, 1, 3), (Levels{7, 7, 7}));
  EXPECT_EQ(after("color", {10, 20, 30}, 0, 3, 1, 1),
            (Levels{18, 18, 18}));  // .2989 10 + .587 20 + .114 30 = 18.1
  EXPECT_EQ(after("color", row, 0, 1, 1, 4), row);
  EXPECT_EQ(after("translate-x", row, .25, 1, 1, 4), (Levels{0, 10, 100, 200}));
  EXPECT_EQ(after("translate-y", row, -.5, 1, 4, 1), (Levels{200, 255, 0, 0}));
  EXPECT_EQ(after("rotate", {1, 2, 3, 4}, 90, 1, 2, 2), (Levels{2, 4, 1, 3}));  // counter-clockwise
  EXPECT_EQ(after("shear-x", {1, 2, 3, 4}, 0, 1, 2, 2), (Levels{1, 2, 3, 4}));
  EXPECT_EQ(after("shear-x", {1, 2, 3, 4}, 1, 1, 2, 2)[2], 0) << "the second line reads 1.5 to the right";
  Levels flat(25, 80);
  EXPECT_EQ(after("sharpness", flat, .1, 1, 5, 5), flat);
  flat[12] = 132;  // the mean around it: (8 80 + 5 132) / 13 = 100
  EXPECT_EQ(after("sharpness", flat, 0, 1, 5, 5)[12], 100);
}

// 255 levels twice, one once: steps of 510 / 255 = 2, half a step added.
TEST(Views, EqualizeGivesEveryLevelItsRank) {
  Levels levels(512);
  for (std::size_t i = 0; i < 512; ++i) levels[i] = static_cast<std::uint8_t>(i / 2);
  EXPECT_EQ(after("equalize", levels, 0, 1, 16, 32), levels);
  EXPECT_EQ(after("equalize", {3, 3, 9}, 0, 1, 1, 3), (Levels{3, 3, 9})) << "too few pixels";
}

TEST(Views, AreFunctionsOfTheRandomNumbers) {
  const Levels picture = [] {
    Levels levels(3 * 16 * 16);
    for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = static_cast<std::uint8_t>(i * 37 % 251 + 4);
    return levels;
  }();
  for (const std::string_view name : {"weak", "strong"}) {
    std::set<Levels> seen;
    for (std::uint64_t draw = 0; draw < 40; ++draw) {
      Levels first = picture, second = picture;
      Random one(5, stream("view test"), draw), two(5, stream("view test"), draw);
      make_view(name, {first, 3, 16, 16}, one);
      make_view(name, {second, 3, 16, 16}, two);
      EXPECT_EQ(first, second);
      seen.insert(first);
    }
    EXPECT_GT(seen.size(), 20U) << name;  // "weak" has 50
  }
  Levels levels = picture;
  Random random(1, stream("view test"));
  EXPECT_EQ(message_of([&] {
              make_view("mild", {levels, 3, 16, 16}, random);
            }),
            "view: expected one of weak, strong, found 'mild'");
}

// What is moved in is 0; what was there stands mirrored or not, at most 2 of 16 pixels away.
TEST(Views, WeakMovesByAnEighth) {
  for (std::uint64_t draw = 0; draw < 50; ++draw) {
    Levels levels(256, 0);
    levels[8 * 16 + 5] = 200;
    Random random(2, stream("view test"), draw);
    make_view("weak", {levels, 1, 16, 16}, random);
    const auto at = std::ranges::find(levels, 200) - levels.begin();
    ASSERT_LT(at, 256);
    const auto x = at % 16, y = at / 16;
    EXPECT_LE(std::abs(y - 8), 2);
    EXPECT_TRUE(std::abs(x - 5) <= 2 || std::abs(x - 10) <= 2) << x;
  }
}

}  // namespace
}  // namespace leeway::nn

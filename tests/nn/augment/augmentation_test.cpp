#include "leeway/nn/augment/augmentation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "leeway/nn/augment/parts.h"
#include "tests/nn/augment/pictures.h"

namespace leeway::nn::augment::augmentation_test {

const Shape rgb = {3, 12, 15}, grey = {1, 16, 16};

// All that a picture may become by one operation at t of torchvision's range.
std::set<Levels> outcomes(Operation operation, const Levels& before, const Shape& shape, double t) {
  std::set<Levels> all;
  for (const double sign : {1., -1.}) {
    Levels levels = before;
    const Picture picture{levels, shape[0], shape[1], shape[2]};
    apply(operation, picture, magnitude_of(operation, is_signed(operation) ? sign * t : t, picture),
          Sampling::nearest);
    all.insert(levels);
  }
  return all;
}

TEST(Augmentations, AreFunctionsOfTheRandomNumbersForAnySize) {
  for (const Augmentation& member : augmentations()) {
    EXPECT_NE(member.change == nullptr, member.plan == nullptr) << member.name;
    if (!member.change) continue;
    const Chain chain(member.name);
    for (const Shape& shape : {rgb, grey, Shape{1, 1, 1}, Shape{3, 1, 1}, Shape{3, 2, 5}, Shape{1, 7, 1}}) {
      std::set<Levels> seen;
      for (std::uint64_t draw = 0; draw < 60; ++draw) {
        const Levels first = after(chain, picture_of(shape), shape, draw);
        EXPECT_EQ(first, after(chain, picture_of(shape), shape, draw)) << member.name;
        seen.insert(first);
      }
      if (shape == rgb) {
        EXPECT_GE(seen.size(), member.name == "flip" ? 2U : 10U) << member.name;
      }
    }
  }
}

TEST(Augmentations, Identities) {
  const Shape square = {3, 12, 12};
  for (const std::string text :
       {"flip:probability=0", "crop:padding=0", "jitter:brightness=0:contrast=0:saturation=0",
        "imagenet:crop-scale=1:crop-ratio=1:jitter=0", "randaugment:num-ops=0"})
    for (std::uint64_t draw = 0; draw < 20; ++draw)
      EXPECT_EQ(after(Chain(text), picture_of(square), square, draw), picture_of(square)) << text;
}

TEST(Flip, HasItsProbability) {
  Levels mirrored = picture_of(rgb);
  move({mirrored, 3, 12, 15}, 0, 0, true);
  for (const double probability : {.5, .1}) {
    const Chain chain("flip:probability=" + std::to_string(probability));
    double flipped = 0;
    for (std::uint64_t draw = 0; draw < 2000; ++draw)
      flipped += after(chain, picture_of(rgb), rgb, draw) == mirrored ? 1 : 0;
    EXPECT_NEAR(flipped / 2000, probability, .04);
  }
}

TEST(Crop, MovesEvenlyByItsPadding) {
  std::map<std::ptrdiff_t, int> places;
  for (std::uint64_t draw = 0; draw < 2500; ++draw) {
    Levels levels(256, 0);
    levels[8 * 16 + 8] = 1;
    const Levels moved = after(Chain("crop:padding=2"), levels, grey, draw);
    ++places[std::ranges::find(moved, 1) - moved.begin()];
  }
  EXPECT_EQ(places.size(), 25U);
  for (const auto& [place, count] : places) {
    EXPECT_LE(std::abs(place / 16 - 8), 2);
    EXPECT_LE(std::abs(place % 16 - 8), 2);
    EXPECT_NEAR(count, 100, 45);
  }
}

TEST(Imagenet, CropsHaveTheirAreaAndAspect) {
  double area = 0, aspect = 0;
  const int draws = 20000;
  for (int i = 0; i < draws; ++i) {
    Random random(1, stream("crop test"), static_cast<std::uint64_t>(i));
    const Crop square = draw_crop(1000, 1000, .08, 1, random);
    area += static_cast<double>(square.height * square.width) / 1e6;
    const Crop crop = draw_crop(400, 300, .3, .75, random);
    EXPECT_TRUE(crop.height >= 1 && crop.top + crop.height <= 400 && crop.left + crop.width <= 300);
    const double ratio = static_cast<double>(crop.width) / static_cast<double>(crop.height);
    EXPECT_TRUE(ratio > .74 && ratio < 1.35) << ratio;
    aspect += std::log(ratio);
  }
  EXPECT_NEAR(area / draws, .54, .01);
  EXPECT_LT(aspect / draws, 0) << "wide ones do not fit as often";
  Random random(1, stream("crop test"));
  for (int i = 0; i < 100; ++i) {  // nothing fits: the largest in the middle
    const Crop tall = draw_crop(100, 10, 1, .75, random), wide = draw_crop(10, 100, 1, .75, random),
               one = draw_crop(1, 1, .0001, .01, random);
    EXPECT_EQ(tall.width, 10U);
    EXPECT_EQ(tall.height, 13U);
    EXPECT_EQ(tall.top, 43U);
    EXPECT_EQ(wide.height, 10U);
    EXPECT_EQ(wide.width, 13U);
    EXPECT_EQ(one.height * one.width, 1U);
  }
}

TEST(Imagenet, ColoursAndGrey) {
  const Shape square = {3, 12, 12};
  const std::string whole = "imagenet:crop-scale=1:crop-ratio=1";
  const auto changed = after(Chain(whole + ":jitter=0:gray=1"), picture_of(square), square, 3);
  EXPECT_EQ(changed, after("gray", picture_of(square), 0, square));
  EXPECT_EQ(after(Chain(whole + ":jitter=0:gray=1:flip=1"), Levels(432, 9), square, 3), Levels(432, 8));
  // a flat grey picture of one channel shows the product of brightness alone: uniform in [.6, 1.4]
  double sum = 0;
  for (std::uint64_t draw = 0; draw < 2000; ++draw) {
    const Levels flat = after(Chain("imagenet"), Levels(256, 100), grey, draw);
    EXPECT_TRUE(flat[0] >= 60 && flat[0] <= 140 && flat == Levels(256, flat[0]));
    sum += flat[0];
  }
  EXPECT_NEAR(sum / 2000, 99.5, 2);
}

// The order of contrast and brightness shows where levels are cut at 255.
TEST(Jitter, IsInARandomOrder) {
  const Chain chain("jitter:brightness=1:contrast=1:saturation=0");
  std::set<bool> orders;
  for (std::uint64_t draw = 0; draw < 200; ++draw) {
    const Levels levels = after(chain, {0, 255}, {1, 1, 2}, draw);
    orders.insert(levels[0] > 0);
  }
  EXPECT_EQ(orders.size(), 2U);
}

TEST(RandAugment, EveryOperationIsAsFrequent) {
  constexpr int draws = 14000;
  const Chain chain("randaugment:num-ops=1:magnitude=15");
  const Levels before = picture_of({3, 20, 17});
  const Shape shape = {3, 20, 17};
  std::map<Levels, std::size_t> known;
  for (std::size_t code = 0; code <= static_cast<std::size_t>(Operation::equalize); ++code)
    for (const Levels& levels : outcomes(static_cast<Operation>(code), before, shape, .5))
      known[levels] = code;
  EXPECT_EQ(known.size(), 23U) << "nine with a sign, five without";
  std::map<std::size_t, int> counts;
  std::map<Levels, int> each;
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    const Levels levels = after(chain, before, shape, draw);
    const auto found = known.find(levels);
    ASSERT_NE(found, known.end());
    ++counts[found->second];
    ++each[levels];
  }
  double chi = 0;
  for (const auto& [code, count] : counts) chi += std::pow(count - draws / 14., 2) / (draws / 14.);
  EXPECT_EQ(counts.size(), 14U);
  EXPECT_LT(chi, 40) << "13 degrees of freedom";
  for (const auto& [levels, count] : each)
    if (is_signed(static_cast<Operation>(known.at(levels)))) {
      EXPECT_NEAR(count, draws / 28., 110);
    }
}

TEST(AutoAugment, OutcomesAreThoseOfItsPairs) {
  const Shape shape = {3, 20, 17};
  const Levels before = picture_of(shape, true);
  for (const auto& [name, policy] :
       {std::pair("autoaugment-imagenet", imagenet_policy), {"autoaugment-cifar10", cifar10_policy}}) {
    std::set<Levels> possible;
    double unchanged = 0;
    for (const SubPolicy& pair : policy) {
      std::set<Levels> first = {before};
      if (pair[0].probability > 0)
        first.merge(outcomes(pair[0].operation, before, shape, pair[0].level / 9.));
      for (const Levels& one : first) {
        if (pair[1].probability < 1) possible.insert(one);
        if (pair[1].probability > 0)
          possible.merge(outcomes(pair[1].operation, one, shape, pair[1].level / 9.));
      }
      unchanged += (1 - pair[0].probability) * (1 - pair[1].probability) / 25;
    }
    const Chain chain(name);
    double same = 0;
    std::set<Levels> seen;
    for (std::uint64_t draw = 0; draw < 4000; ++draw) {
      const Levels levels = after(chain, before, shape, draw);
      EXPECT_TRUE(possible.contains(levels)) << name << " " << draw;
      seen.insert(levels);
      same += levels == before ? 1. / 4000 : 0;
    }
    EXPECT_GT(seen.size(), possible.size() * 4 / 5) << name;
    EXPECT_GT(same, unchanged - .02) << name << ": operations may change nothing, too";
    EXPECT_LT(same, unchanged + .1) << name;
  }
}

TEST(AugMix, MixtureByHand) {
  Levels levels = {10, 100, 200, 255};
  const Levels before = levels, first = {20, 0, 201, 255}, second = {0, 50, 201, 0};
  const std::vector<Levels> chains = {first, second};
  const std::vector<double> weights = {.25, .75};
  const Picture picture{levels, 1, 1, 4};
  mix_chains(picture, chains, weights, 0);
  EXPECT_EQ(levels, before);
  mix_chains(picture, chains, weights, .5);
  EXPECT_EQ(levels, (Levels{8, 69, 200, 159}));  // 7.5, 68.75, 200.5, 159.375: halves to the even number
  levels = before;
  mix_chains(picture, std::span(chains).first(1), std::vector<double>{1}, 1);
  EXPECT_EQ(levels, first);
}

// With alpha near 0 the mixture is the picture or the end of its only chain; of nine operations only posterize may change level 8.
TEST(AugMix, OneChainOfOneOperation) {
  double sum = 0;
  const int draws = 4000;
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    const std::uint8_t level =
        after(Chain("augmix:width=1:depth=1:alpha=0.01:severity=1"), {8}, {1, 1, 1}, draw)[0];
    sum += level;
  }
  EXPECT_NEAR(sum / draws, 8 * (1 - .5 / 9), .15);
}

TEST(AugMix, MagnitudesGrowWithSeverity) {
  const Shape shape = {3, 24, 24};
  const Levels before = picture_of(shape);
  const auto change = [&](const std::string& text) {
    double sum = 0;
    for (std::uint64_t draw = 0; draw < 100; ++draw) {
      const Levels levels = after(Chain(text), before, shape, draw);
      for (std::size_t i = 0; i < levels.size(); ++i) sum += std::abs(levels[i] - before[i]);
    }
    return sum;
  };
  EXPECT_LT(change("augmix:severity=1"), change("augmix:severity=9"));
  EXPECT_EQ(change("augmix"), change("augmix:depth=-1"));
}

// What is moved in is 0; what was there stands mirrored or not, at most 2 of 16 pixels away.
TEST(Weak, MovesByAnEighth) {
  for (std::uint64_t draw = 0; draw < 50; ++draw) {
    Levels levels(256, 0);
    levels[8 * 16 + 5] = 200;
    const Levels moved = after(Chain("weak"), levels, grey, draw);
    const auto at = std::ranges::find(moved, 200) - moved.begin();
    ASSERT_LT(at, 256);
    const auto x = at % 16, y = at / 16;
    EXPECT_LE(std::abs(y - 8), 2);
    EXPECT_TRUE(std::abs(x - 5) <= 2 || std::abs(x - 10) <= 2) << x;
  }
}

TEST(Strong, EndsWithAGreySquare) {
  for (std::uint64_t draw = 0; draw < 50; ++draw) {
    const Levels levels = after(Chain("strong"), Levels(768, 0), {3, 16, 16}, draw);
    std::ptrdiff_t inside = 0;
    for (std::size_t i = 0; i < 256; ++i)
      inside += levels[i] == 125 && levels[256 + i] == 123 && levels[512 + i] == 114 ? 1 : 0;
    EXPECT_LE(inside, 81);
  }
}

}  // namespace leeway::nn::augment::augmentation_test

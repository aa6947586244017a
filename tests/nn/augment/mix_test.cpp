#include "leeway/nn/augment/mix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "leeway/nn/augment/chain.h"
#include "leeway/nn/augment/parts.h"
#include "tests/message_of.h"
#include "tests/nn/augment/pictures.h"

namespace leeway::nn::augment::mix_test {

std::vector<float> images(std::size_t rows, std::size_t size) {
  std::vector<float> all(rows * size);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<float>(i % 97) / 97.f;
  return all;
}

TEST(Draws, BetaAndDirichletHaveTheirMoments) {
  for (const double alpha : {.2, 1., 2.}) {
    double sum = 0, squares = 0, shares = 0, share_squares = 0;
    const int draws = 20000;
    for (int i = 0; i < draws; ++i) {
      Random random(3, stream("draw test"), static_cast<std::uint64_t>(i));
      const double x = draw_beta(alpha, alpha, random);
      sum += x, squares += x * x;
      const std::vector<double> w = draw_dirichlet(alpha, 3, random);
      EXPECT_NEAR(w[0] + w[1] + w[2], 1, 1e-12);
      EXPECT_TRUE(std::ranges::all_of(w, [](double one) { return one >= 0 && one <= 1; }));
      shares += w[2], share_squares += w[1] * w[1];
    }
    EXPECT_NEAR(sum / draws, .5, .01) << alpha;
    EXPECT_NEAR(squares / draws - .25, 1 / (4 * (2 * alpha + 1)), .005) << alpha;
    EXPECT_NEAR(shares / draws, 1 / 3., .01) << alpha;  // the last is drawn as the others
    EXPECT_NEAR(share_squares / draws - 1 / 9., 2 / (9 * (3 * alpha + 1)), .007) << alpha;
  }
  Random random(1, stream("draw test"));
  EXPECT_EQ(draw_dirichlet(1, 1, random), std::vector<double>{1});
  for (const double alpha : {.01, 100.})
    for (int i = 0; i < 2000; ++i) {
      const double x = draw_beta(alpha, alpha, random);
      EXPECT_TRUE(x >= 0 && x <= 1);
    }
}

// 128 x 128 and a share of .75: 64 x 64 pixels about a uniform one.
TEST(Cutmix, BoxesByHand) {
  std::set<std::size_t> lefts;
  for (std::uint64_t draw = 0; draw < 3000; ++draw) {
    Random first(1, stream("box test"), draw), second(1, stream("box test"), draw);
    const Box box = draw_box(.75, 128, 128, first);
    const std::size_t x = second.below(128), y = second.below(128);
    EXPECT_EQ(box.left, x < 32 ? 0 : x - 32);
    EXPECT_EQ(box.right, std::min<std::size_t>(128, x + 32));
    EXPECT_EQ(box.top, y < 32 ? 0 : y - 32);
    EXPECT_EQ(box.bottom, std::min<std::size_t>(128, y + 32));
    if (x == 0 && y == 0) {
      EXPECT_EQ(box.area(), 1024U);
    }
    lefts.insert(x);
  }
  EXPECT_EQ(lefts.size(), 128U);
  Random random(1, stream("box test"));
  EXPECT_EQ(draw_box(1, 9, 9, random).area(), 0U);
  for (int i = 0; i < 100; ++i) {
    const Box odd = draw_box(1 - 9. / 81, 9, 9, random);  // a side of 3
    if (odd.left > 0 && odd.right < 9) {
      EXPECT_EQ(odd.right - odd.left, 3U);
    }
  }
}

TEST(Cutmix, PastesTheBoxAndSharesByArea) {
  const Chain chain("cutmix");
  const std::size_t rows = 6, c = 3, h = 8, w = 10;
  for (std::uint64_t draw = 0; draw < 200; ++draw) {
    Random random(2, stream("mix test"), draw);
    const Mix mix = chain.plan(rows, h, w, random);
    ASSERT_TRUE(mix.box);
    EXPECT_EQ(mix.share, 1 - static_cast<double>(mix.box->area()) / 80);
    const std::vector<float> before = images(rows, c * h * w);
    std::vector<float> after = before;
    apply(mix, after, {c, h, w});
    for (std::size_t i = 0; i < after.size(); ++i) {
      const std::size_t row = i / (c * h * w), y = i / w % h, x = i % w;
      const bool inside =
          y >= mix.box->top && y < mix.box->bottom && x >= mix.box->left && x < mix.box->right;
      EXPECT_EQ(after[i], inside ? before[mix.partner[row] * c * h * w + i % (c * h * w)] : before[i]);
    }
  }
}

TEST(Cutmix, ProbabilityOfABatch) {
  for (const double probability : {0., .25, 1.}) {
    const Chain chain("cutmix:probability=" + std::to_string(probability));
    double mixed = 0;
    for (std::uint64_t draw = 0; draw < 2000; ++draw) {
      Random random(4, stream("mix test"), draw);
      mixed += chain.plan(4, 64, 64, random).share < 1 ? 1 : 0;
    }
    // a box may have no pixel: share above 1 - 1/64^2
    EXPECT_NEAR(mixed / 2000, probability, probability == .25 ? .04 : .005);
  }
}

TEST(Mixup, IsAWeightedSumWithAPermutation) {
  const Chain chain("mixup:alpha=0.4");
  double sum = 0;
  std::set<std::vector<std::size_t>> orders;
  for (std::uint64_t draw = 0; draw < 500; ++draw) {
    Random random(2, stream("mix test"), draw);
    const Mix mix = chain.plan(4, 2, 3, random);
    EXPECT_FALSE(mix.box);
    sum += mix.share;
    orders.insert(mix.partner);
    std::vector<std::size_t> sorted = mix.partner;
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted, (std::vector<std::size_t>{0, 1, 2, 3}));
    const std::vector<float> before = images(4, 6);
    std::vector<float> after = before;
    apply(mix, after, {1, 2, 3});
    for (std::size_t i = 0; i < 24; ++i)
      EXPECT_NEAR(after[i], mix.share * before[i] + (1 - mix.share) * before[mix.partner[i / 6] * 6 + i % 6],
                  1e-6);
  }
  Random random(1, stream("mix test"));
  EXPECT_EQ(chain.plan(1, 1, 1, random).partner, std::vector<std::size_t>{0});
  EXPECT_NEAR(sum / 500, .5, .06);
  EXPECT_EQ(orders.size(), 24U);
}

std::string error_of(const std::string& text) {
  return message_of([&] { (void)Chain(text); });
}

TEST(Chain, IsWrittenWithEveryParameter) {
  const Chain chain("flip,randaugment:magnitude=5:num-ops=3,cutmix:alpha=1/2");
  EXPECT_EQ(chain.text(),
            "flip:probability=0.5,randaugment:num-ops=3:magnitude=5:bins=31,cutmix:alpha=0.5:probability=1");
  EXPECT_TRUE(chain.changes_pixels() && chain.mixes());
  EXPECT_EQ(Chain("").text(), "");
  EXPECT_FALSE(Chain("").changes_pixels() || Chain().mixes());
  EXPECT_TRUE(Chain("mixup").mixes());
  EXPECT_FALSE(Chain("mixup").changes_pixels());
  EXPECT_EQ(Chain("weak,weak").text(), "weak,weak");
  for (const Augmentation& member : augmentations()) {
    const std::string text = Chain(member.name).text();
    EXPECT_EQ(Chain(text).text(), text);
  }
}

TEST(Chain, SaysWhatIsWrong) {
  EXPECT_EQ(error_of("flop"), "augmentation: expected one of " + names_of(augmentations()) +
                                  ", found 'flop'; did you mean flip?");
  EXPECT_EQ(error_of("flip,"), "augmentation: expected one of " + names_of(augmentations()) + ", found ''");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"flip:p=1", " flip: expected parameters among probability, found 'p'"},
      {"flip:probability=2", " flip: probability: expected a number from 0 to 1, found 2"},
      {"crop:padding=1.5", " crop: padding: expected an integer from 0 to 1000, found 1.5"},
      {"augmix:severity=11", " augmix: severity: expected an integer from 1 to 10, found 11"},
      {"flip:probability=1:probability=0", " flip: expected 'probability' once, found it twice"},
      {"randaugment:magnitude=31",
       " randaugment: magnitude: expected a number below the number of bins, 31, found 31"},
      {"mixup,flip", "s: expected mixup, which mixes images, at the end, found flip after it"},
      {"mixup,cutmix", "s: expected mixup, which mixes images, at the end, found cutmix after it"}};
  for (const auto& [text, said] : cases) EXPECT_EQ(error_of(text), "augmentation" + said);
  for (const std::string part :
       {"half", "", "probability", "probability=", "probability=x", "probability=nan"})
    EXPECT_EQ(error_of("flip:" + part), "augmentation flip: expected PARAMETER=NUMBER, found '" + part + "'");
}

// What an algorithm made outside [0,1] becomes the nearest level.
TEST(Chain, CutsWhatIsNoPixel) {
  std::vector<float> image = {-3.f, .5f, 7.f, 1.f};
  Random random(1, stream("chain test"));
  Chain("flip:probability=0").change(image, 1, 2, 2, random);
  EXPECT_EQ(image, (std::vector<float>{0.f, 127.f / 255.f, 1.f, 1.f}));
}

TEST(Chain, AppliesItsMembersInOrder) {
  const Shape shape = {3, 6, 7};
  const Levels picture = picture_of(shape);
  EXPECT_EQ(after(Chain(""), picture, shape, 0), picture);
  EXPECT_EQ(after(Chain("mixup"), picture, shape, 0), picture);
  EXPECT_EQ(after(Chain("flip:probability=1,flip:probability=1"), picture, shape, 0), picture);
  for (std::uint64_t draw = 0; draw < 20; ++draw) {
    Levels levels = picture;
    Random random(5, stream("augment test"), draw);
    const Picture one{levels, 3, 6, 7};
    Chain("crop:padding=2").change(one, random);
    Chain("jitter").change(one, random);
    EXPECT_EQ(after(Chain("crop:padding=2,jitter"), picture, shape, draw), levels);
  }
}

TEST(Chain, ImagesAreLevelsAndBack) {
  std::vector<float> image(256), same;
  for (std::size_t i = 0; i < 256; ++i) image[i] = static_cast<float>(i) / 255.f;
  same = image;
  Random random(5, stream("augment test")), again(5, stream("augment test"));
  Chain("flip:probability=0").change(same, 1, 16, 16, random);
  EXPECT_EQ(same, image) << "every level comes back";
  Levels levels(256);
  for (std::size_t i = 0; i < 256; ++i) levels[i] = static_cast<std::uint8_t>(i);
  const Chain chain("strong");
  Random one(6, stream("augment test")), two(6, stream("augment test"));
  chain.change(image, 1, 16, 16, one);
  chain.change({levels, 1, 16, 16}, two);
  for (std::size_t i = 0; i < 256; ++i) EXPECT_EQ(image[i], static_cast<float>(levels[i]) / 255.f);
  std::vector<float> between = {.1234f};
  Chain("mixup").change(between, 1, 1, 1, again);
  EXPECT_EQ(between[0], .1234f) << "without pixel members not even rounded";
}

}  // namespace leeway::nn::augment::mix_test

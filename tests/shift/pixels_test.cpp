// Shifts of pixels, by hand.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/shift/pictures.h"

namespace leeway::shift::pixels_test {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::FloatNear;
using ::testing::Pair;
using ::testing::Pointwise;

std::vector<float> shifted(std::string_view name, const Images& images, double strength) {
  return floats(apply(name, images, strength).images);
}

// Grey .5 and sigma .1: five sigmas from the clip, so mean .5 and deviation .1.
TEST(GaussianNoise, HasTheMomentsAsked) {
  constexpr std::size_t n = 100 * 30 * 30;
  const auto noisy = shifted("gaussian-noise", make_images({100, 1, 30, 30}, std::vector<float>(n, .5f)), .1);
  double sum = 0, squares = 0;
  for (const double x : noisy) sum += x - .5, squares += (x - .5) * (x - .5);
  EXPECT_NEAR(sum / n, 0, 5 * .1 / std::sqrt(n));
  EXPECT_NEAR(squares / n, .01, 5 * .01 * std::sqrt(2. / n));
}

TEST(GaussianNoise, IsTheSameDrawAtEveryStrength) {
  const Images grey = make_images({2, 1, 4, 4}, std::vector<float>(32, .5f));
  const auto weak = shifted("gaussian-noise", grey, .01), strong = shifted("gaussian-noise", grey, .04);
  for (std::size_t i = 0; i < weak.size(); ++i) EXPECT_NEAR(strong[i] - .5, 4 * (weak[i] - .5), 1e-6);
  EXPECT_NE(std::vector(weak.begin(), weak.begin() + 16), std::vector(weak.begin() + 16, weak.end()));
  EXPECT_NE(weak, floats(apply("gaussian-noise", grey, .01, 1).images));
}

// One bright pixel far from the border becomes the product of two kernels, and keeps its sum.
TEST(GaussianBlur, OfAnImpulseIsTheKernel) {
  constexpr std::size_t side = 21, middle = 10;
  std::vector<float> pixels(side * side, 0);
  pixels[middle * side + middle] = 1;
  const double sigma = 1.3;
  const auto blurred = shifted("gaussian-blur", make_images({1, 1, side, side}, pixels), sigma);
  std::vector<double> kernel(side, 0);  // |j| <= ceil(5.2) = 6
  double total = 0;
  for (int j = -6; j <= 6; ++j)
    total += kernel[static_cast<std::size_t>(10 + j)] = std::exp(-j * j / (2 * sigma * sigma));
  double sum = 0;
  for (std::size_t y = 0; y < side; ++y)
    for (std::size_t x = 0; x < side; ++x) {
      EXPECT_NEAR(blurred[y * side + x], kernel[x] * kernel[y] / total / total, 1e-8);
      sum += blurred[y * side + x];
    }
  EXPECT_NEAR(sum, 1, 1e-6);
}

// A column (a, b, c) mirrored as c b a b c. At sigma .25 the radius is 1; with e = exp(-8) the middle weighs
// 1/(1+2e), a neighbour e/(1+2e). The first pixel becomes (a + 2 e b)/(1 + 2e).
TEST(GaussianBlur, MirrorsAtTheBorder) {
  const double e = std::exp(-8.), whole = 1 + 2 * e, a = .125, b = 1, c = .5;
  const std::vector<float> column{.125f, 1, .5f};
  const std::vector<double> expected{(a + 2 * e * b) / whole, (e * a + b + e * c) / whole,
                                     (2 * e * b + c) / whole};
  EXPECT_THAT(shifted("gaussian-blur", make_images({1, 1, 3, 1}, column), .25),
              Pointwise(FloatNear(1e-7f), expected));
  EXPECT_THAT(shifted("gaussian-blur", make_images({1, 1, 1, 3}, column), .25),
              Pointwise(FloatNear(1e-7f), expected));
}

// A kernel much wider than the picture reflects many times; flat pictures and single pixels stay.
TEST(GaussianBlur, OfSmallPictures) {
  EXPECT_THAT(shifted("gaussian-blur", make_images({1, 1, 3, 2}, std::vector<float>(6, .3f)), 100),
              ::testing::Each(FloatEq(.3f)));
  EXPECT_THAT(shifted("gaussian-blur", make_images({1, 1, 1, 1}, {.7f}), 5), ElementsAre(FloatEq(.7f)));
  // two pixels under a very wide kernel: both become the mean of (0, 1, 0, 1, ...)
  EXPECT_THAT(shifted("gaussian-blur", make_images({1, 1, 1, 2}, {0, 1}), 50),
              ::testing::Each(FloatNear(.5f, 1e-4f)));
}

TEST(GaussianBlur, OfATinyWidthChangesNothing) {
  const Images images = random_images(3, 1, 4, 4);
  for (const double sigma : {1e-3, 1e-200, 5e-324})
    EXPECT_EQ(shifted("gaussian-blur", images, sigma), floats(images));
}

TEST(GaussianBlur, KeepsChannelsApart) {
  std::vector<float> pixels(2 * 9, 0);
  std::fill(pixels.begin(), pixels.begin() + 9, 1.f);
  const auto blurred = shifted("gaussian-blur", make_images({1, 2, 3, 3}, pixels), 2);
  EXPECT_THAT(blurred, Pointwise(FloatEq(), pixels));
}

// Channel (0, .5, .5, 1) has mean .5; the second, (.8, .8, .8, .8), is flat and stays.
TEST(Contrast, ScalesAroundTheMeanOfAChannel) {
  const Images images = make_images({1, 2, 2, 2}, {0, .5f, .5f, 1, .8f, .8f, .8f, .8f});
  EXPECT_THAT(shifted("contrast", images, .4),
              ElementsAre(FloatEq(.3f), FloatEq(.5f), FloatEq(.5f), FloatEq(.7f), FloatEq(.8f), FloatEq(.8f),
                          FloatEq(.8f), FloatEq(.8f)));
  EXPECT_THAT(shifted("contrast", make_images({1, 1, 1, 2}, {.25f, .75f}), 0), ElementsAre(.5f, .5f));
  EXPECT_THAT(shifted("contrast", make_images({1, 1, 1, 2}, {.25f, .75f}), 4), ElementsAre(0.f, 1.f));
}

TEST(Brightness, IsAddedAndClipped) {
  const Images images = make_images({1, 1, 1, 3}, {0, .5f, .875f});
  EXPECT_THAT(shifted("brightness", images, .25), ElementsAre(.25f, .75f, 1.f));
  EXPECT_THAT(shifted("brightness", images, -.625), ElementsAre(0.f, 0.f, .25f));
}

//   a b c          c f i          i h g
//   d e f  by 90:  b e h  by 180: f e d
//   g h i          a d g          c b a
TEST(Rotation, ByQuarterTurnsIsExact) {
  const std::vector<float> p{.1f, .2f, .3f, .4f, .5f, .6f, .7f, .8f, .9f};
  const Images images = make_images({1, 1, 3, 3}, p);
  const std::vector<float> left{p[2], p[5], p[8], p[1], p[4], p[7], p[0], p[3], p[6]};
  const std::vector<float> right{p[6], p[3], p[0], p[7], p[4], p[1], p[8], p[5], p[2]};
  const std::vector<float> half(p.rbegin(), p.rend());
  EXPECT_EQ(shifted("rotation", images, 90), left);
  EXPECT_EQ(shifted("rotation", images, -90), right);
  EXPECT_EQ(shifted("rotation", images, 180), half);
  EXPECT_EQ(shifted("rotation", images, -180), half);
}

// Four pixels around a centre between them: a quarter turn moves each to its neighbour.
TEST(Rotation, OfAnEvenPicture) {
  EXPECT_THAT(shifted("rotation", make_images({1, 1, 2, 2}, {.1f, .2f, .3f, .4f}), 90),
              ElementsAre(.2f, .4f, .1f, .3f));
}

// 2 x 4, turned by 90: only the middle 2 x 2 is covered by the picture, the rest is black.
//   a b c d  ->  0 c g 0
//   e f g h      0 b f 0
TEST(Rotation, IsBlackOutside) {
  EXPECT_THAT(shifted("rotation", make_images({1, 1, 2, 4}, {.1f, .2f, .3f, .4f, .5f, .6f, .7f, .8f}), 90),
              ElementsAre(0.f, .3f, .7f, 0.f, 0.f, .2f, .6f, 0.f));
}

// By 45 degrees the corner at distance sqrt 2 is read at (sqrt 2, 0) from the centre of 3 x 3, .414 beyond
// the border column: .586 of the middle right pixel. The pixel right of the centre is read at (.707, .707)
// (45 degrees clockwise from it, y down), between centre, right, lower and lower right.
TEST(Rotation, IsBilinear) {
  const std::vector<float> p{0, 0, 0, 0, .5f, 1, 0, .25f, .75f};
  const auto turned = shifted("rotation", make_images({1, 1, 3, 3}, p), 45);
  const double beyond = std::sqrt(2.) - 1, near = std::sqrt(.5), far = 1 - near;
  EXPECT_NEAR(turned[2], 1 * (1 - beyond), 1e-7);
  EXPECT_NEAR(turned[4], .5, 1e-7);
  EXPECT_NEAR(turned[5], far * far * .5 + near * far * 1 + near * far * .25 + near * near * .75, 1e-7);
}

// 3 x 5 in squares of 2: two whole ones, a column of two, two rows of two, a corner.
TEST(Pixelation, AveragesSquares) {
  const Images images =
      make_images({1, 1, 3, 5}, {0, 1, .5f, .5f, .25f, 0, 1, .5f, 0, .75f, .25f, .5f, 1, 0, .125f});
  EXPECT_THAT(shifted("pixelation", images, 2), ElementsAre(.5f, .5f, .375f, .375f, .5f, .5f, .5f, .375f,
                                                            .375f, .5f, .375f, .375f, .5f, .5f, .125f));
}

TEST(Pixelation, RefusesPartsOfAPixel) {
  EXPECT_REFUSED(apply("pixelation", random_images(1, 1, 2, 2), 1.5), "shift pixelation: ... found 1.5");
}

std::map<std::int64_t, std::size_t> counts(const Shifted& shifted) {
  std::map<std::int64_t, std::size_t> all;
  for (const auto label : *shifted.images.labels) ++all[label];
  return all;
}

// 300 rows, 100 a class. At rho = .04 the shares are 1, .2, .04.
TEST(Imbalance, SharesFallAlongTheOrder) {
  const Images images = random_images(300, 1, 1, 1);
  EXPECT_THAT(counts(apply("imbalance", images, .04)), ElementsAre(Pair(0, 100u), Pair(1, 20u), Pair(2, 4u)));
  EXPECT_THAT(counts(apply("imbalance", images, .04, 0, {1, 2, 0})),
              ElementsAre(Pair(0, 4u), Pair(1, 100u), Pair(2, 20u)));
  EXPECT_THAT(counts(apply("imbalance", images, 1e-6)), ElementsAre(Pair(0, 100u), Pair(1, 1u), Pair(2, 1u)));
}

TEST(Imbalance, ChoiceDependsOnTheSeedAndNests) {
  const Images images = random_images(300, 1, 1, 1);
  const auto wide = apply("imbalance", images, .5, 3).rows, narrow = apply("imbalance", images, .1, 3).rows;
  EXPECT_LT(narrow.size(), wide.size());
  EXPECT_TRUE(std::includes(wide.begin(), wide.end(), narrow.begin(), narrow.end()));
  EXPECT_NE(wide, apply("imbalance", images, .5, 4).rows);
}

TEST(Imbalance, OfOneClassKeepsAll) {
  const Images images = make_images({4, 1, 1, 1}, {0, 0, 0, 0}, {5, 5, 5, 5});
  EXPECT_EQ(apply("imbalance", images, .1).rows.size(), 4u);
}

TEST(LabelSubset, KeepsTheClassesNamed) {
  const Images images = make_images({5, 1, 1, 1}, {.1f, .2f, .3f, .4f, .5f}, {7, 0, 3, 7, 0});
  const Shifted kept = apply("label-subset", images, 0, 0, {3, 7});
  EXPECT_THAT(kept.rows, ElementsAre(0u, 2u, 3u));
  EXPECT_THAT(*kept.images.labels, ElementsAre(7, 3, 7));
  EXPECT_THAT(floats(kept.images), ElementsAre(.1f, .3f, .4f));
}

TEST(RowShifts, Errors) {
  const Images images = make_images({3, 1, 1, 1}, {0, 0, 0}, {0, 1, 2});
  Images unlabelled = images;
  unlabelled.labels.reset();
  const auto error = [](std::string_view name, const Images& set, std::vector<std::int64_t> classes) {
    return message_of([&] { (void)apply(name, set, member(name).strength().value, 0, classes); });
  };
  EXPECT_THAT(error("label-subset", images, {}), Says("shift label-subset: expected the ... found none"));
  EXPECT_THAT(error("label-subset", images, {0, 5}), Says("set.npz: shift ... found 5, which is in no row"));
  EXPECT_THAT(error("label-subset", images, {1, 1}), Says("shift label-subset: expected ... found 1 twice"));
  EXPECT_THAT(error("label-subset", unlabelled, {1}), Says("set.npz: shift label-subset: ... found none"));
  EXPECT_THAT(error("imbalance", unlabelled, {}), Says("set.npz: shift imbalance: expected ... found none"));
  EXPECT_THAT(error("imbalance", images, {2, 0}), Says("set.npz: shift ... found none for class 1"));
  EXPECT_THAT(error("imbalance", images, {0, 1, 2, 5}), ::testing::HasSubstr("found 5, which is in no row"));
  EXPECT_THAT(error("imbalance", images, {0, 1, 1, 2}), ::testing::HasSubstr("found 1 twice"));
}

}  // namespace leeway::shift::pixels_test

// What every common corruption owes, whatever it does: a new member is tested the day it is listed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "leeway/shift/jpeg.h"
#include "tests/at_threads.h"
#include "tests/message_of.h"
#include "tests/shift/corrupted.h"
#include "tests/stopping.h"

namespace leeway::shift {
namespace {

class EveryCorruption : public testing::TestWithParam<Corruption> {
 protected:
  static Images run(const Images& images, int severity, std::uint64_t seed = 0) {
    CorruptionOptions options;
    options.severity = severity;
    options.seed = seed;
    return GetParam().apply(images, options, nullptr);
  }
  static Levels levels(const Images& images, int severity, std::uint64_t seed = 0) {
    return levels_of(run(images, severity, seed));
  }
};

TEST_P(EveryCorruption, DescribesItself) {
  const Corruption& m = GetParam();
  EXPECT_LT(m.summary.size(), 80u);
  EXPECT_FALSE(m.source.empty());
  EXPECT_NE(m.change == nullptr, m.change_levels == nullptr);
}

TEST_P(EveryCorruption, OfSeverityZeroChangesNothing) {
  const Images images = random_levels({3, 3, 6, 5});
  EXPECT_EQ(levels(images, 0), levels_of(images));
  EXPECT_EQ(run(images, 0).labels, images.labels);
  // pixels that are floats become levels, half up
  const auto found = levels(
      Images{"floats", make_array<float>({1, 1, 1, 6}, {0, .5f, 1, .1f, 1.5f / 255, 1.49f / 255}), {}}, 0);
  EXPECT_THAT(found, testing::ElementsAre(0, 128, 255, 26, 2, 1));
}

TEST_P(EveryCorruption, RefusesOtherSeverities) {
  for (const int severity : {-1, 6, 100})
    EXPECT_EQ(
        message_of([&] {
          (void)run(random_levels({1, 1, 2, 2}), severity);
        }),
        fmt::format("corruption {}: expected a severity from 0 to 5, found {}", GetParam().name, severity));
}

TEST_P(EveryCorruption, TakesPicturesOfEveryShape) {
  for (const Shape& shape :
       {Shape{1, 1, 1, 1}, {1, 3, 1, 9}, {1, 4, 8, 1}, {1, 2, 2, 2}, {1, 3, 31, 17}, {1, 1, 50, 3}})
    for (int severity = 1; severity <= 5; ++severity)
      for (const ConstantSet set :
           {ConstantSet::automatic, ConstantSet::cifar, ConstantSet::tiny, ConstantSet::imagenet}) {
        const Images images = random_levels(shape);
        const Images after = GetParam().apply(images, options_of(severity, set), nullptr);
        EXPECT_EQ(after.pixels.shape, shape);
        EXPECT_EQ(after.pixels.type, ElementType::u8);
        EXPECT_EQ(after.labels, images.labels);
      }
}

// Blurs and what else moves pixels leave a flat picture as it is, in both roundings.
TEST_P(EveryCorruption, KeepsFlatPicturesWhereItOnlyMovesPixels) {
  const std::set<std::string_view> movers{"gaussian-blur", "defocus-blur", "glass-blur",        "motion-blur",
                                          "zoom-blur",     "contrast",     "elastic-transform", "pixelate"};
  if (!movers.contains(GetParam().name)) return;
  Levels all;
  for (int level = 0; level < 256; level += 15)
    all.insert(all.end(), 3 * 20 * 23, static_cast<std::uint8_t>(level));
  const Images images = level_images({18, 3, 20, 23}, all);
  for (const ConstantSet set : {ConstantSet::cifar, ConstantSet::tiny, ConstantSet::imagenet})
    for (int severity = 1; severity <= 5; ++severity) {
      EXPECT_EQ(corrupted(GetParam().name, images, options_of(severity, set)), all) << severity;
      if (set == ConstantSet::cifar) {
        EXPECT_EQ(corrupted(GetParam().name, images, options_of(severity, set, Variant::published)), all);
      }
    }
}

// Noise is each channel's own; what moves or covers pixels does the same in all.
TEST_P(EveryCorruption, DoesTheSameToEachOfTwoChannels) {
  const Levels grey = levels_of(random_levels({1, 1, 24, 30}));
  Levels twice = grey;
  twice.insert(twice.end(), grey.begin(), grey.end());
  const Images images{"set.npz", make_array({1, 2, 24, 30}, std::move(twice)), {}};
  const Levels found = levels(images, 4);
  const auto half = static_cast<std::ptrdiff_t>(grey.size());
  EXPECT_EQ(std::equal(found.begin(), found.begin() + half, found.begin() + half),
            !GetParam().name.ends_with("noise"));
}

TEST_P(EveryCorruption, ChangesSomethingAtEverySeverity) {
  const Images images = random_levels({4, 3, 32, 32});
  for (int severity = 1; severity <= 5; ++severity) {
    EXPECT_NE(levels(images, severity), levels_of(images)) << severity;
  }
  const Images grey = random_levels({4, 1, 28, 28});
  for (int severity = 1; severity <= 5; ++severity)
    EXPECT_EQ(levels(grey, severity) != levels_of(grey), GetParam().on_grey) << severity;
}

TEST_P(EveryCorruption, DependsOnNoThreads) {
  const Images images = random_levels({40, 3, 12, 11});
  for (const int severity : {1, 4, 5}) {
    const auto one = at_threads(1, [&] { return levels(images, severity); });
    EXPECT_EQ(at_threads(3, [&] { return levels(images, severity); }), one);
    EXPECT_EQ(levels(images, severity), one);
  }
}

// Row i is the same whatever stands in the others, and whatever was computed before with other constants.
TEST_P(EveryCorruption, DependsOnNoOtherRows) {
  const Images images = random_levels({6, 3, 20, 20});
  const std::size_t size = images.pixels_per_image();
  for (const int severity : {1, 3, 5}) {
    const auto all = levels(images, severity);
    (void)levels(images, 2);
    const auto first = levels(select_rows(images, std::array<std::size_t, 2>{0, 1}), severity);
    EXPECT_EQ(first, std::vector(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(2 * size)));
  }
}

// A channel of grey pictures: one, or one of two or four, the first of which draws the same numbers.
TEST_P(EveryCorruption, TakesOtherNumbersOfChannelsOneByOne) {
  const Images two = random_levels({1, 2, 16, 16}), four = random_levels({1, 4, 16, 16});
  const auto plane = [](const Images& images) {
    const auto all = levels_of(images);
    return std::vector(all.begin(), all.begin() + 256);
  };
  for (const int severity : {1, 5}) {
    for (const Images& images : {two, four}) {
      const Images one{"one", make_array({1, 1, 16, 16}, plane(images)), {}};
      EXPECT_EQ(plane(run(images, severity)), levels(one, severity));
    }
  }
}

TEST_P(EveryCorruption, DependsOnTheSeedAlone) {
  const Images images = random_levels({3, 3, 32, 32});
  EXPECT_EQ(levels(images, 3), levels(images, 3));
  const std::set<std::string_view> without_chance{"defocus-blur",     "zoom-blur", "gaussian-blur",
                                                  "brightness",       "contrast",  "pixelate",
                                                  "jpeg-compression", "saturate"};
  EXPECT_EQ(levels(images, 3) == levels(images, 3, 2), without_chance.contains(GetParam().name));
}

// Pixels that are floats give what their levels give.
TEST_P(EveryCorruption, TakesFloats) {
  const Images images = random_levels({3, 3, 12, 17});
  std::vector<float> values;
  for (const std::uint8_t x : levels_of(images)) values.push_back(static_cast<float>(x) / 255);
  const Images floats{"set.npz", make_array(images.pixels.shape, std::move(values)), {}};
  for (int severity = 1; severity <= 5; ++severity)
    EXPECT_EQ(levels(floats, severity), levels(images, severity));
}

// Rounded down, levels are the nearest ones or one less; those of tiny and imagenet then become JPEG of quality 85.
TEST_P(EveryCorruption, PublishedIsRoundedDownAndCompressed) {
  const Images images = random_levels({3, 3, 32, 32});
  const auto nearest = corrupted(GetParam().name, images, options_of(2, ConstantSet::cifar)),
             down = corrupted(GetParam().name, images, options_of(2, ConstantSet::cifar, Variant::published));
  std::size_t lower = 0;
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    const int difference = nearest[i] - down[i];
    ASSERT_TRUE(difference == 0 || difference == 1) << i;
    lower += static_cast<std::size_t>(difference);
  }
  const std::set<std::string_view> whole{"motion-blur", "impulse-noise", "pixelate", "jpeg-compression"};
  EXPECT_EQ(lower == 0, whole.contains(GetParam().name));
  if (!whole.contains(GetParam().name)) return;  // for the others JPEG is in the recorded levels
  for (const ConstantSet set : {ConstantSet::tiny, ConstantSet::imagenet}) {
    auto expected = corrupted(GetParam().name, images, options_of(3, set));
    for (std::size_t i = 0; i < 3; ++i)
      compress_jpeg(std::span(expected).subspan(i * images.pixels_per_image(), images.pixels_per_image()), 32,
                    32, 85);
    EXPECT_EQ(corrupted(GetParam().name, images, options_of(3, set, Variant::published)), expected);
  }
  EXPECT_EQ(corrupted(GetParam().name, images, options_of(0, ConstantSet::tiny, Variant::published)),
            levels_of(images));
}

TEST_P(EveryCorruption, HearsAStop) {
  Stopping progress(512);
  CorruptionOptions options;
  try {
    (void)GetParam().apply(random_levels({600, 1, 2, 2}), options, &progress);
    FAIL() << "was not stopped";
  } catch (const Interrupted& stop) {
    EXPECT_EQ(stop.what(),
              fmt::format("{} stopped after 512 of 600 images; nothing was written", GetParam().name));
  }
}

INSTANTIATE_TEST_SUITE_P(Corruptions, EveryCorruption,
                         testing::ValuesIn(corruptions().begin(), corruptions().end()),
                         [](const testing::TestParamInfo<Corruption>& of) {
                           std::string name(of.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Corruptions, AreFoundByNameInThePublishedOrder) {
  EXPECT_EQ(corruption("shot-noise").group, CorruptionGroup::noise);
  EXPECT_EQ(corruption("gaussian-blur").group, CorruptionGroup::extra);
  EXPECT_THAT(
      message_of([] { (void)corruption("blur"); }),
      testing::HasSubstr(
          "gaussian-noise, shot-noise, impulse-noise, defocus-blur, glass-blur, motion-blur, zoom-blur, "
          "snow, frost, fog, brightness, contrast, elastic-transform, pixelate, jpeg-compression, "
          "speckle-noise, gaussian-blur, spatter, saturate"));
}

TEST(Scale, FollowsTheShorterSide) {
  struct Row {
    std::size_t height, width;
    ConstantSet set;
    double lengths;
  };
  for (const Row& row : {Row{28, 28, ConstantSet::cifar, 1},
                         {28, 400, ConstantSet::cifar, 1},
                         {400, 45, ConstantSet::cifar, 45. / 32},
                         {36, 36, ConstantSet::cifar, 1},
                         {37, 37, ConstantSet::cifar, 37. / 32},
                         {27, 27, ConstantSet::cifar, 27. / 32},
                         {46, 46, ConstantSet::tiny, 46. / 64},
                         {64, 70, ConstantSet::tiny, 1},
                         {119, 119, ConstantSet::tiny, 119. / 64},
                         {120, 120, ConstantSet::imagenet, 120. / 224},
                         {256, 256, ConstantSet::imagenet, 1},
                         {299, 299, ConstantSet::imagenet, 299. / 224},
                         {1, 1, ConstantSet::cifar, 1. / 32}}) {
    const Scale scale = scale_for(ConstantSet::automatic, row.height, row.width);
    EXPECT_EQ(scale.set, row.set) << row.height << " x " << row.width;
    EXPECT_DOUBLE_EQ(scale.lengths, row.lengths) << row.height << " x " << row.width;
    EXPECT_EQ(scale_for(row.set, 100, 500).set, row.set);
    EXPECT_EQ(scale_for(row.set, 100, 500).lengths, 1);
  }
}

}  // namespace
}  // namespace leeway::shift

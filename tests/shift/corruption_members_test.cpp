// What every common corruption owes, whatever it does: a new member is tested the day it is listed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "leeway/shift/corruption.h"
#include "leeway/shift/jpeg.h"
#include "tests/at_threads.h"
#include "tests/shift/pictures.h"

namespace leeway::shift {
namespace {

std::vector<std::uint8_t> levels_of(const Images& images) {
  const auto levels = images.pixels.view<std::uint8_t>();
  return {levels.begin(), levels.end()};
}

// Random levels.
Images level_images(std::size_t n, std::size_t channels, std::size_t height, std::size_t width) {
  std::vector<std::uint8_t> levels(n * channels * height * width);
  Random random(5, stream("levels"));
  for (std::uint8_t& level : levels) level = static_cast<std::uint8_t>(random.below(256));
  std::vector<std::int64_t> labels(n);
  std::iota(labels.begin(), labels.end(), 0);
  return {"set.npz", make_array({n, channels, height, width}, std::move(levels)), std::move(labels)};
}

std::vector<std::size_t> numbers_below(std::size_t n) {
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

class EveryCorruption : public testing::TestWithParam<Corruption> {
 protected:
  static Images run(const Images& images, int severity, std::uint64_t seed = 7) {
    CorruptionOptions options;
    options.severity = severity;
    options.seed = seed;
    return GetParam().apply(images, options, nullptr);
  }
  static std::vector<std::uint8_t> levels(const Images& images, int severity, std::uint64_t seed = 7) {
    return levels_of(run(images, severity, seed));
  }
};

TEST_P(EveryCorruption, DescribesItself) {
  const Corruption& m = GetParam();
  EXPECT_THAT(m.name, testing::Not(testing::IsEmpty()));
  EXPECT_TRUE(std::all_of(m.name.begin(), m.name.end(), [](char c) { return std::islower(c) || c == '-'; }));
  EXPECT_THAT(m.summary, testing::Not(testing::IsEmpty()));
  EXPECT_LT(m.summary.size(), 80u);
  EXPECT_THAT(m.source, testing::Not(testing::IsEmpty()));
  EXPECT_EQ(corruption(m.name).change, m.change);
  EXPECT_EQ(corruption(m.name).change_levels, m.change_levels);
  EXPECT_NE(m.change == nullptr, m.change_levels == nullptr);
}

TEST_P(EveryCorruption, OfSeverityZeroChangesNothing) {
  const Images images = level_images(3, 3, 6, 5);
  EXPECT_EQ(levels(images, 0), levels_of(images));
  EXPECT_EQ(run(images, 0).labels, images.labels);
  // pixels that are floats become levels, half up
  const auto found = levels(make_images({1, 1, 1, 6}, {0, .5f, 1, .1f, 1.5f / 255, 1.49f / 255}), 0);
  EXPECT_THAT(found, testing::ElementsAre(0, 128, 255, 26, 2, 1));
}

TEST_P(EveryCorruption, RefusesOtherSeverities) {
  for (const int severity : {-1, 6, 100})
    EXPECT_EQ(
        message_of([&] { (void)run(level_images(1, 1, 2, 2), severity); }),
        fmt::format("corruption {}: expected a severity from 0 to 5, found {}", GetParam().name, severity));
}

TEST_P(EveryCorruption, TakesPicturesOfEveryShape) {
  for (const std::size_t channels : {1, 2, 3, 4})
    for (const auto& [height, width] : std::vector<std::pair<std::size_t, std::size_t>>{
             {1, 1}, {1, 9}, {8, 1}, {2, 2}, {3, 5}, {31, 17}, {28, 28}, {50, 64}})
      for (int severity = 1; severity <= 5; ++severity) {
        const Images images = random_images(1, channels, height, width);
        const Images corrupted = run(images, severity);
        EXPECT_EQ(corrupted.pixels.shape, images.pixels.shape);
        EXPECT_EQ(corrupted.pixels.type, ElementType::u8);
        EXPECT_EQ(corrupted.labels, images.labels);
      }
}

// Noise is each channel's own; what moves or covers pixels does the same in all.
TEST_P(EveryCorruption, DoesTheSameToEachOfTwoChannels) {
  const std::vector<std::uint8_t> grey = levels_of(level_images(1, 1, 24, 30));
  std::vector<std::uint8_t> twice = grey;
  twice.insert(twice.end(), grey.begin(), grey.end());
  const Images images{"set.npz", make_array({1, 2, 24, 30}, std::move(twice)), {}};
  const std::vector<std::uint8_t> found = levels(images, 4);
  const auto half = static_cast<std::ptrdiff_t>(grey.size());
  EXPECT_EQ(std::equal(found.begin(), found.begin() + half, found.begin() + half),
            !GetParam().name.ends_with("noise"));
}

TEST_P(EveryCorruption, ChangesSomethingAtEverySeverity) {
  const Images images = level_images(4, 3, 32, 32);
  for (int severity = 1; severity <= 5; ++severity) {
    EXPECT_NE(levels(images, severity), levels_of(images)) << severity;
  }
  const Images grey = level_images(4, 1, 28, 28);
  for (int severity = 1; severity <= 5; ++severity)
    EXPECT_EQ(levels(grey, severity) != levels_of(grey), GetParam().on_grey) << severity;
}

TEST_P(EveryCorruption, DependsOnNoThreads) {
  const Images images = level_images(40, 3, 12, 11);
  for (const int severity : {1, 4, 5}) {
    const auto one = at_threads(1, [&] { return levels(images, severity); });
    EXPECT_EQ(at_threads(3, [&] { return levels(images, severity); }), one);
    EXPECT_EQ(levels(images, severity), one);
  }
}

// Row i is the same whatever stands in the others, and whatever was computed before with other constants.
TEST_P(EveryCorruption, DependsOnNoOtherRows) {
  const Images images = level_images(6, 3, 20, 20);
  const std::size_t size = images.pixels_per_image();
  for (const int severity : {1, 3, 5}) {
    const auto all = levels(images, severity);
    (void)levels(images, 2);
    const auto first = levels(select_rows(images, numbers_below(2)), severity);
    EXPECT_EQ(first, std::vector(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(2 * size)));
  }
}

// A channel of grey pictures: one, or one of two or four, the first of which draws the same numbers.
TEST_P(EveryCorruption, TakesOtherNumbersOfChannelsOneByOne) {
  const Images two = level_images(1, 2, 16, 16), four = level_images(1, 4, 16, 16);
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
  const Images images = level_images(3, 3, 32, 32);
  EXPECT_EQ(levels(images, 3, 1), levels(images, 3, 1));
  const std::set<std::string_view> without_chance{"defocus-blur",     "zoom-blur", "gaussian-blur",
                                                  "brightness",       "contrast",  "pixelate",
                                                  "jpeg-compression", "saturate"};
  EXPECT_EQ(levels(images, 3, 1) == levels(images, 3, 2), without_chance.contains(GetParam().name));
}

// Truncated levels are those or one less.
TEST_P(EveryCorruption, RoundsAsAsked) {
  const Images images = level_images(3, 3, 32, 32);
  CorruptionOptions options;
  options.severity = 2;
  const auto nearest = levels_of(GetParam().apply(images, options, nullptr));
  options.rounding = Rounding::truncate;
  const auto truncated = levels_of(GetParam().apply(images, options, nullptr));
  std::size_t lower = 0;
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    const int difference = nearest[i] - truncated[i];
    ASSERT_TRUE(difference == 0 || difference == 1) << i;
    lower += static_cast<std::size_t>(difference);
  }
  // whole levels already: 0; else half of them, but for those at 0 and 255
  const std::set<std::string_view> whole{"motion-blur", "impulse-noise", "pixelate", "jpeg-compression"};
  if (whole.contains(GetParam().name)) {
    EXPECT_EQ(lower, 0u);
  } else {
    EXPECT_GT(lower, 0u);
  }
}

// Saved as JPEG: what corruption leaves, compressed at quality 85. Severity 0 is the identity still.
TEST_P(EveryCorruption, IsSavedAsAsked) {
  const Images images = level_images(3, 3, 24, 17);
  CorruptionOptions options;
  options.severity = 3;
  auto expected = levels_of(GetParam().apply(images, options, nullptr));
  for (std::size_t i = 0; i < 3; ++i)
    compress_jpeg(std::span(expected).subspan(i * images.pixels_per_image(), images.pixels_per_image()), 24,
                  17, 85);
  options.saved = Saved::jpeg;
  EXPECT_EQ(levels_of(GetParam().apply(images, options, nullptr)), expected);
  options.severity = 0;
  EXPECT_EQ(levels_of(GetParam().apply(images, options, nullptr)), levels_of(images));
}

class Stopping : public Progress {
 public:
  explicit Stopping(std::size_t after) : after_(after) {}
  void update(std::string_view, std::size_t done, std::size_t, std::string_view) override { done_ = done; }
  [[nodiscard]] bool stop_requested() const override { return done_ >= after_; }

 private:
  std::size_t after_, done_ = 0;
};

TEST_P(EveryCorruption, HearsAStop) {
  Stopping progress(512);
  CorruptionOptions options;
  try {
    (void)GetParam().apply(level_images(600, 1, 2, 2), options, &progress);
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

TEST(Corruptions, AreFoundByName) {
  EXPECT_EQ(corruption("shot-noise").group, CorruptionGroup::noise);
  EXPECT_EQ(corruption("zoom-blur").group, CorruptionGroup::blur);
  EXPECT_EQ(corruption("speckle-noise").group, CorruptionGroup::extra);
  EXPECT_EQ(corruption("gaussian-blur").group, CorruptionGroup::extra);
  EXPECT_THAT(message_of([] { (void)corruption("blur"); }), testing::HasSubstr("gaussian-noise"));
}

TEST(Corruptions, StandInThePublishedOrder) {
  const std::vector<std::string_view> published{"gaussian-noise",
                                                "shot-noise",
                                                "impulse-noise",
                                                "defocus-blur",
                                                "glass-blur",
                                                "motion-blur",
                                                "zoom-blur",
                                                "snow",
                                                "frost",
                                                "fog",
                                                "brightness",
                                                "contrast",
                                                "elastic-transform",
                                                "pixelate",
                                                "jpeg-compression",
                                                "speckle-noise",
                                                "gaussian-blur",
                                                "spatter",
                                                "saturate"};
  auto place = published.begin();
  for (const Corruption& member : corruptions()) {
    place = std::find(place, published.end(), member.name);
    ASSERT_NE(place, published.end()) << member.name;
  }
}

TEST(Scale, FollowsTheShorterSide) {
  const auto expect = [](std::size_t height, std::size_t width, ConstantSet set, double lengths) {
    const Scale scale = scale_for(ConstantSet::automatic, height, width);
    EXPECT_EQ(scale.set, set) << height << " x " << width;
    EXPECT_DOUBLE_EQ(scale.lengths, lengths) << height << " x " << width;
  };
  expect(28, 28, ConstantSet::cifar, 1);
  expect(32, 32, ConstantSet::cifar, 1);
  expect(28, 400, ConstantSet::cifar, 1);
  expect(400, 45, ConstantSet::cifar, 45. / 32);
  expect(36, 36, ConstantSet::cifar, 1);
  expect(37, 37, ConstantSet::cifar, 37. / 32);
  expect(27, 27, ConstantSet::cifar, 27. / 32);
  expect(46, 46, ConstantSet::tiny, 46. / 64);
  expect(64, 70, ConstantSet::tiny, 1);
  expect(96, 96, ConstantSet::tiny, 1.5);
  expect(119, 119, ConstantSet::tiny, 119. / 64);
  expect(120, 120, ConstantSet::imagenet, 120. / 224);
  expect(128, 128, ConstantSet::imagenet, 128. / 224);
  expect(224, 224, ConstantSet::imagenet, 1);
  expect(256, 256, ConstantSet::imagenet, 1);
  expect(299, 299, ConstantSet::imagenet, 299. / 224);
  expect(1, 1, ConstantSet::cifar, 1. / 32);
}

TEST(Scale, IsOneForASetByName) {
  for (const ConstantSet set : {ConstantSet::cifar, ConstantSet::tiny, ConstantSet::imagenet}) {
    EXPECT_EQ(scale_for(set, 100, 500).set, set);
    EXPECT_EQ(scale_for(set, 100, 500).lengths, 1);
  }
}

}  // namespace
}  // namespace leeway::shift

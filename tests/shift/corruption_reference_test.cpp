// All corruptions beside programs in numpy, scipy and Pillow (tests/reference/corruptions*.py), and recorded levels.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "leeway/shift/jpeg.h"
#include "tests/at_threads.h"
#include "tests/case_name.h"
#include "tests/message_of.h"
#include "tests/shift/corrupted.h"
#include "tests/stopping.h"

namespace leeway::shift::corruption_reference_test {

nlohmann::json reference(const std::string& file) {
  return nlohmann::json::parse(std::ifstream(std::string(LEEWAY_REFERENCE) + "/" + file));
}

Levels levels_of_hex(const std::string& hex) {
  Levels levels;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    levels.push_back(static_cast<std::uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return levels;
}

// How many of every `every`-th level differ; one that differs by more than `most` fails.
std::size_t different(const Levels& found, const Levels& expected, std::size_t every, int most) {
  EXPECT_EQ(expected.size(), (found.size() + every - 1) / every);
  std::size_t count = 0;
  for (std::size_t i = 0; i < expected.size() && i * every < found.size(); ++i) {
    EXPECT_LE(std::abs(found[i * every] - expected[i]), most) << "level " << i * every;
    count += found[i * every] != expected[i];
  }
  return count;
}

// The two pictures of frost_pictures() in corruptions_weather.py.
std::shared_ptr<const FrostPictures> frost_by_formula() {
  auto frost = std::make_shared<FrostPictures>();
  for (const auto& [height, width] :
       {std::array<std::size_t, 2>{200, 260}, std::array<std::size_t, 2>{180, 300}}) {
    FrostPicture picture{height, width, {}};
    const auto p = static_cast<double>(frost->size());
    for (std::size_t i = 0; i < 3 * height * width; ++i) {
      const auto y = static_cast<double>(i / width % height), x = static_cast<double>(i % width),
                 c = static_cast<double>(i / (height * width));
      picture.levels.push_back(
          static_cast<std::uint8_t>(std::floor(150 - 50 * p + 60 * std::sin(.13 * x + .07 * y + p) +
                                               20 * std::cos(.4 * y - .3 * x) + 10 * c + .5)));
    }
    frost->push_back(std::move(picture));
  }
  return frost;
}

// Mean and standard deviation of x' - x; texture: root mean square difference between neighbours of x'.
struct Figures {
  double mean = 0, sd = 0, texture = 0;
};

Figures figures_of(const Images& images, const Levels& after) {
  const Levels before = levels_of(images);
  const std::size_t height = images.height(), width = images.width();
  double sum = 0, squares = 0, steps = 0, neighbours = 0;
  const auto step = [&](std::size_t i, std::size_t j) {
    const double difference = (after[i] - after[j]) / 255.;
    steps += difference * difference;
    ++neighbours;
  };
  for (std::size_t i = 0; i < after.size(); ++i) {
    const double change = (after[i] - before[i]) / 255.;
    sum += change;
    squares += change * change;
    if (i % width + 1 < width) step(i + 1, i);
    if (i / width % height + 1 < height) step(i + width, i);
  }
  const auto n = static_cast<double>(after.size());
  const double mean = sum / n;
  return {mean, std::sqrt(squares / n - mean * mean), std::sqrt(steps / neighbours)};
}

// Five standard errors of the difference, 1e-4 for roundings, and 5e-4 of the value for roundings that are the same in all pixels.
void expect_figures(const nlohmann::json& entry, const Images& pictures,
                    const std::shared_ptr<const FrostPictures>& frost) {
  Options options = options_of(entry.at("severity"), ConstantSet::cifar);
  options.seed = 11, options.frost = frost;
  const std::string name = entry.at("name");
  const Figures found = figures_of(pictures, corrupted(name, pictures, options));
  const double errors = 5 * std::sqrt(1 + 1 / entry.at("runs").get<double>());
  for (const auto& [key, value] :
       {std::pair("mean", found.mean), {"sd", found.sd}, {"texture", found.texture}}) {
    const double expected = entry.at(key), error = entry.at(std::string(key) + "_error");
    EXPECT_NEAR(value, expected, errors * error + 1e-4 + 5e-4 * std::abs(expected))
        << fmt::format("{} of {} at severity {}", key, name, *options.severity);
  }
}

std::size_t compare_figures(const Images& pictures, const std::string& label) {
  const auto frost = frost_by_formula();
  std::size_t compared = 0;
  for (const char* file : {"corruptions.json", "corruptions_weather.json"}) {
    const auto entries = reference(file).at("figures");
    for (const auto& entry : entries)
      if (entry.at("pictures") == label) expect_figures(entry, pictures, frost), ++compared;
  }
  return compared;
}

TEST(CorruptionReferenceTier2, FiguresOfPicturesByFormula) {
  EXPECT_EQ(compare_figures(formula_pictures({200, 3, 32, 32}), "formula"), 19u * 5);
}

TEST(CorruptionReferenceTier2, FiguresOfPhotographs) {
  const std::filesystem::path file =
      std::filesystem::path(LEEWAY_SHARED_DATA) / "cifar10/test_lossless_first1017.npz";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is missing";
  std::vector<std::size_t> rows(1000);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  EXPECT_EQ(compare_figures(select_rows(read_images(file.string()), rows), "cifar10"), 19u * 5);
}

// Blurs without chance, constants and lengths by the size: the other program rounds some ties otherwise.
TEST(CorruptionReference, LevelsOfBlursOfAnySize) {
  const auto entries = reference("corruptions.json").at("pixels");
  EXPECT_EQ(entries.size(), 8u * 3 * 5);
  for (const auto& entry : entries) {
    SCOPED_TRACE(fmt::format("{} {} {}", entry.at("name").dump(), entry.at("severity").dump(),
                             entry.at("height").dump()));
    const Images images = formula_pictures({1, entry.at("channels"), entry.at("height"), entry.at("width")},
                                           entry.at("picture"));
    const Levels found =
        corrupted(entry.at("name").get<std::string>(), images, options_of(entry.at("severity")));
    const Levels expected = levels_of_hex(entry.at("levels"));
    EXPECT_LE(different(found, expected, entry.at("every"), 1), expected.size() / 200 + 1);
  }
}

TEST(CorruptionReference, LevelsOfDigitalCorruptions) {
  const auto entries = reference("corruptions_weather.json").at("levels");
  EXPECT_EQ(entries.size(), 55u);
  for (const auto& entry : entries) {
    const std::string name = entry.at("name");
    SCOPED_TRACE(name + " " + entry.at("severity").dump());
    const Shape shape = entry.at("shape");
    const Images images = formula_pictures({1, shape[0], shape[1], shape[2]}, 1);
    const Levels found = corrupted(name, images, options_of(entry.at("severity"), ConstantSet::cifar));
    const bool by_levels = name == "pixelate" || name == "jpeg-compression";
    EXPECT_LE(different(found, levels_of_hex(entry.at("levels")), 1, 1),
              by_levels ? 0 : 1 + found.size() / 100);
  }
}

class RecordedLevels : public ::testing::TestWithParam<Member> {};

// Every set of constants, size and variant: one of the sampled levels may differ, next to a threshold.
TEST_P(RecordedLevels, AreFound) {
  static const auto cases = reference("corruption_levels.json");
  for (const auto& one : cases) {
    const std::string set = one.at("set"), variant = one.at("variant");
    const Images images = formula_pictures(one.at("shape"));
    for (int severity = 1; severity <= 5; ++severity) {
      SCOPED_TRACE(fmt::format("{} {} {} severity {}", one.at("shape").dump(), set, variant, severity));
      const auto options = options_of(severity,
                                      set == "auto"    ? ConstantSet::automatic
                                      : set == "tiny"  ? ConstantSet::tiny
                                      : set == "cifar" ? ConstantSet::cifar
                                                       : ConstantSet::imagenet,
                                      variant == "published" ? Variant::published : Variant::corrected);
      const auto& recorded = one.at("levels").at(std::string(GetParam().name));
      const Levels expected = levels_of_hex(recorded.at(static_cast<std::size_t>(severity - 1)));
      EXPECT_LE(different(corrupted(GetParam().name, images, options), expected, one.at("every"), 255), 1u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Corruptions, RecordedLevels,
                         ::testing::ValuesIn(corruptions().begin(), corruptions().end()), case_name);

class EveryCorruption : public ::testing::TestWithParam<Member> {
 protected:
  static Images run(const Images& images, int severity, std::uint64_t seed = 0) {
    Options options;
    options.severity = severity;
    options.seed = seed;
    return GetParam().apply(images, options, nullptr).images;
  }
  static Levels levels(const Images& images, int severity, std::uint64_t seed = 0) {
    return levels_of(run(images, severity, seed));
  }
};

TEST_P(EveryCorruption, OfSeverityZeroChangesNothing) {
  const Images images = random_levels({3, 3, 6, 5});
  EXPECT_EQ(levels(images, 0), levels_of(images));
  EXPECT_EQ(run(images, 0).labels, images.labels);
  const auto found = levels(
      Images{"floats", make_array<float>({1, 1, 1, 6}, {0, .5f, 1, .1f, 1.5f / 255, 1.49f / 255}), {}}, 0);
  EXPECT_THAT(found, ::testing::ElementsAre(0, 128, 255, 26, 2, 1));
}

TEST_P(EveryCorruption, RefusesOtherSeverities) {
  for (const int severity : {-1, 6, 100})
    EXPECT_REFUSED(
        run(random_levels({1, 1, 2, 2}), severity),
        fmt::format("corruption {}: expected a severity from 0 to 5, found {}", GetParam().name, severity));
}

TEST_P(EveryCorruption, TakesPicturesOfEveryShape) {
  for (const Shape& shape :
       {Shape{1, 1, 1, 1}, {1, 3, 1, 9}, {1, 4, 8, 1}, {1, 2, 2, 2}, {1, 3, 31, 17}, {1, 1, 50, 3}})
    for (int severity = 1; severity <= 5; ++severity)
      for (const ConstantSet set :
           {ConstantSet::automatic, ConstantSet::cifar, ConstantSet::tiny, ConstantSet::imagenet}) {
        const Images images = random_levels(shape);
        const Images after = GetParam().apply(images, options_of(severity, set), nullptr).images;
        EXPECT_EQ(after.pixels.shape, shape);
        EXPECT_EQ(after.pixels.type, ElementType::u8);
        EXPECT_EQ(after.labels, images.labels);
      }
}

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
  Options options = options_of(1);
  EXPECT_REFUSED(GetParam().apply(random_levels({600, 1, 2, 2}), options, &progress),
                 fmt::format("{} stopped after 512 of 600 images; nothing was written", GetParam().name));
}

INSTANTIATE_TEST_SUITE_P(Corruptions, EveryCorruption,
                         ::testing::ValuesIn(corruptions().begin(), corruptions().end()), case_name);

TEST(Corruptions, AreFoundByNameInThePublishedOrder) {
  EXPECT_EQ(corruptions().front().group, "noise");
  EXPECT_EQ(corruptions().back().group, "extra");
  EXPECT_REFUSED(member("blur"), "jpeg-compression, speckle-noise, gaussian-blur, spatter, saturate...");
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

}  // namespace leeway::shift::corruption_reference_test

// All corruptions beside independent programs in numpy, scipy and Pillow (tests/reference/corruptions*.py), and beside their own
// recorded levels, which hold every set of constants, severity and variant (tests/reference/recorded_levels.py).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/shift/corrupted.h"

namespace leeway::shift {
namespace {

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
  CorruptionOptions options = options_of(entry.at("severity"), ConstantSet::cifar);
  options.seed = 11, options.frost = frost;
  const std::string name = entry.at("name");
  const Figures found = figures_of(pictures, corrupted(name, pictures, options));
  const double errors = 5 * std::sqrt(1 + 1 / entry.at("runs").get<double>());
  for (const auto& [key, value] :
       {std::pair("mean", found.mean), {"sd", found.sd}, {"texture", found.texture}}) {
    const double expected = entry.at(key), error = entry.at(std::string(key) + "_error");
    EXPECT_NEAR(value, expected, errors * error + 1e-4 + 5e-4 * std::abs(expected))
        << fmt::format("{} of {} at severity {}", key, name, options.severity);
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

class RecordedLevels : public testing::TestWithParam<Corruption> {};

// Every set of constants, sizes that scale lengths, and both variants: one of the sampled levels may differ, since a value may lie
// next to a threshold.
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
                         testing::ValuesIn(corruptions().begin(), corruptions().end()),
                         [](const testing::TestParamInfo<Corruption>& of) {
                           std::string name(of.param.name);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace leeway::shift

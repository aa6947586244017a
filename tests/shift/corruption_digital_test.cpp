// Brightness, saturate, contrast, pixelate and JPEG compression: closed forms, loops, and another program's levels
// (tests/reference/corruptions_weather.py).
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "leeway/core/error.h"
#include "leeway/shift/detail/hsv.h"
#include "leeway/shift/jpeg.h"
#include "tests/shift/corrupted.h"
#include "tests/shift/corruption_pictures.h"

namespace leeway::shift {
namespace {

using testing::Each;

constexpr std::array all_sets{ConstantSet::cifar, ConstantSet::tiny, ConstantSet::imagenet};
constexpr std::array<std::string_view, 10> ten{"snow",
                                               "frost",
                                               "fog",
                                               "brightness",
                                               "contrast",
                                               "pixelate",
                                               "elastic-transform",
                                               "saturate",
                                               "jpeg-compression",
                                               "spatter"};

// Hue in sixths of a turn, saturation, value, and back: the textbook's way.
std::array<double, 3> to_hsv(const Colour& rgb) {
  const auto [r, g, b] = rgb;
  const double value = std::max({r, g, b}), range = value - std::min({r, g, b});
  if (range == 0) return {0, 0, value};
  const double hue = value == r ? (g - b) / range : value == g ? 2 + (b - r) / range : 4 + (r - g) / range;
  return {hue < 0 ? hue + 6 : hue, range / value, value};
}
Colour from_hsv(const std::array<double, 3>& hsv) {
  const auto [hue, saturation, value] = hsv;
  const double sector = std::floor(hue), f = hue - sector;
  const double p = value * (1 - saturation), q = value * (1 - f * saturation),
               t = value * (1 - (1 - f) * saturation);
  switch (static_cast<int>(sector) % 6) {
    case 0:
      return {value, t, p};
    case 1:
      return {q, value, p};
    case 2:
      return {p, value, t};
    case 3:
      return {p, q, value};
    case 4:
      return {t, p, value};
    default:
      return {value, p, q};
  }
}

std::vector<Colour> colours() {
  std::vector<Colour> all{{0, 0, 0}, {1, 1, 1}, {.5, .5, .5}, {1, 0, 0},
                          {0, 1, 0}, {0, 0, 1}, {.2, .2, .7}, {.7, .2, .2}};
  Random random(1, stream("colours"));
  for (int i = 0; i < 500; ++i) all.push_back({random.uniform(), random.uniform(), random.uniform()});
  return all;
}

TEST(Brightness, IsValueAddedInHsv) {
  for (const double add : {0., .05, .3, .5})
    for (const Colour& colour : colours()) {
      auto hsv = to_hsv(colour);
      hsv[2] = std::min(hsv[2] + add, 1.);
      const Colour expected = from_hsv(hsv), found = with_value_added(colour, add);
      for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(found[c], expected[c], 1e-12);
    }
}

TEST(Saturate, IsSaturationScaledInHsv) {
  for (const auto& [mul, add] :
       {std::array{.3, 0.}, std::array{1., 0.}, std::array{2., .1}, std::array{30., .2}, std::array{0., 0.}})
    for (const Colour& colour : colours()) {
      auto hsv = to_hsv(colour);
      hsv[1] = std::clamp(hsv[1] * mul + add, 0., 1.);
      const Colour expected = from_hsv(hsv), found = with_saturation(colour, mul, add);
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_NEAR(found[c], expected[c], 1e-12);
        if (mul == 1) {
          EXPECT_NEAR(found[c], colour[c], 1e-15);
        }
      }
    }
}

// Constants of every set, on black, on grey and on a colour of value .4 and saturation .5.
TEST(Brightness, HasItsConstants) {
  constexpr std::array<std::array<double, 5>, 3> added{
      {{.05, .1, .15, .2, .3}, {.1, .2, .3, .4, .5}, {.1, .2, .3, .4, .5}}};
  const Images pixels = level_images({1, 3, 1, 3}, {0, 102, 255, 0, 51, 255, 0, 51, 255});
  for (const ConstantSet set : all_sets)
    for (int severity = 1; severity <= 5; ++severity) {
      const double c = added[static_cast<std::size_t>(set) - 1][static_cast<std::size_t>(severity - 1)];
      const std::uint8_t grey = level(c), value = level(.4 + c), low = level(.2 + c / 2);
      EXPECT_THAT(corrupted("brightness", pixels, options_of(severity, set)),
                  testing::ElementsAre(grey, value, 255, grey, low, 255, grey, low, 255));
      EXPECT_THAT(
          corrupted("brightness", level_images({1, 1, 1, 3}, {0, 51, 240}), options_of(severity, set)),
          testing::ElementsAre(grey, level(.2 + c), level(240 / 255. + c)));
    }
}

TEST(Saturate, HasItsConstants) {
  constexpr std::array<std::array<std::array<double, 2>, 5>, 3> constants{
      {{{{.3, 0}, {.1, 0}, {1.5, 0}, {2, .1}, {2.5, .2}}},
       {{{.3, 0}, {.1, 0}, {2, 0}, {5, .1}, {30, .2}}},
       {{{.3, 0}, {.1, 0}, {2, 0}, {5, .1}, {20, .2}}}}};
  // a colour of saturation 1/51, which no multiplier takes to 1, and grey, which turns red
  const Images pixels = level_images({1, 3, 1, 2}, {255, 200, 250, 200, 250, 200});
  for (const ConstantSet set : all_sets)
    for (int severity = 1; severity <= 5; ++severity) {
      const auto [mul, add] =
          constants[static_cast<std::size_t>(set) - 1][static_cast<std::size_t>(severity - 1)];
      const std::uint8_t other = level(1 - (mul / 51 + add)), tinted = level(200 / 255. * (1 - add));
      EXPECT_THAT(corrupted("saturate", pixels, options_of(severity, set)),
                  testing::ElementsAre(255, 200, other, tinted, other, tinted));
    }
}

TEST(Saturate, LeavesPicturesWithoutColour) {
  EXPECT_FALSE(corruption("saturate").on_grey);
  for (const std::size_t channels : {1, 2, 4}) {
    const Images images = random_levels({2, channels, 5, 7});
    for (int severity = 1; severity <= 5; ++severity)
      EXPECT_EQ(corrupted("saturate", images, options_of(severity)), levels_of(images));
  }
  for (const std::string_view name : ten)
    if (name != "saturate") {
      EXPECT_TRUE(corruption(name).on_grey) << name;
    }
}

TEST(CommonContrast, HasItsConstants) {
  constexpr std::array<std::array<double, 5>, 3> factors{
      {{.75, .5, .4, .3, .15}, {.4, .3, .2, .1, .05}, {.4, .3, .2, .1, .05}}};
  const Images images = level_images({1, 2, 1, 2}, {0, 200, 255, 255});
  for (const ConstantSet set : all_sets)
    for (int severity = 1; severity <= 5; ++severity) {
      const double c = factors[static_cast<std::size_t>(set) - 1][static_cast<std::size_t>(severity - 1)];
      EXPECT_THAT(corrupted("contrast", images, options_of(severity, set)),
                  testing::ElementsAre(level((100 - 100 * c) / 255), level((100 + 100 * c) / 255), 255, 255));
    }
}

// Columns 0, step, 2 step, ... of a line of `side`.
Images ramp(std::size_t side, std::size_t step) {
  Levels levels(side);
  for (std::size_t x = 0; x < side; ++x) levels[x] = static_cast<std::uint8_t>(x * step);
  return level_images({1, 1, 1, side}, levels);
}

TEST(Pixelate, HasTheSizesExpected) {
  const std::vector<std::pair<std::size_t, std::array<std::size_t, 5>>> sizes{{224, {134, 112, 89, 67, 56}},
                                                                              {64, {57, 51, 44, 38, 32}},
                                                                              {32, {30, 28, 27, 24, 20}},
                                                                              {28, {26, 25, 23, 21, 18}}};
  for (const auto& [side, expected] : sizes)
    for (int severity = 1; severity <= 5; ++severity) {
      const ConstantSet set = scale_for(ConstantSet::automatic, side, side).set;
      const auto levels = corrupted("pixelate", ramp(side, side > 64 ? 1 : 4), options_of(severity, set));
      EXPECT_EQ(std::set<std::uint8_t>(levels.begin(), levels.end()).size(),
                expected[static_cast<std::size_t>(severity - 1)])
          << side << " " << severity;
    }
}

// Columns that change belong to bins of two: 7 and 22 of 30, 1, 4, 7, ... 22 of 24, 6 and 19 of 26.
TEST(Pixelate, HasTheBinsExpected) {
  const auto changed = [](std::size_t side, int severity) {
    const Images images = ramp(side, 8);
    const auto before = levels_of(images), after = corrupted("pixelate", images, options_of(severity));
    std::vector<std::size_t> columns;
    for (std::size_t x = 0; x < side; ++x)
      if (before[x] != after[x]) columns.push_back(x);
    return columns;
  };
  EXPECT_THAT(changed(32, 1), testing::ElementsAre(7, 8, 23, 24));
  EXPECT_THAT(changed(28, 1), testing::ElementsAre(6, 7, 20, 21));
  std::vector<std::size_t> thirds;
  for (std::size_t bin = 1; bin <= 22; bin += 3)
    thirds.insert(thirds.end(), {bin / 3 * 4 + 1, bin / 3 * 4 + 2});
  EXPECT_EQ(changed(32, 4), thirds);
  // their mean, half up
  const auto levels = corrupted("pixelate", ramp(32, 1), options_of(1));
  EXPECT_EQ(levels[7], 8);
  EXPECT_EQ(levels[8], 8);
}

// Bins of every number of pixels that there is, on the levels where halves are rounded.
TEST(Pixelate, RoundsMeansHalfUp) {
  for (const std::size_t side : {1, 2, 3, 4, 5, 6, 7, 13}) {
    const Images images = random_levels({200, 1, 1, side});
    const auto before = levels_of(images),
               after = corrupted("pixelate", images, options_of(5, ConstantSet::imagenet));
    const std::size_t columns = std::max<std::size_t>(1, side / 4);
    for (std::size_t row = 0; row < 200; ++row)
      for (std::size_t x = 0; x < side; ++x) {
        const std::size_t own = (2 * x + 1) * columns / (2 * side);
        double sum = 0, count = 0;
        for (std::size_t i = 0; i < side; ++i)
          if (((2 * i + 1) * columns + 2 * side - 1) / (2 * side) - 1 == own)
            sum += before[row * side + i], ++count;
        ASSERT_EQ(after[row * side + x], std::floor(sum / count + .5)) << side;
      }
  }
}

// By the definition alone: centres in (j n/k, (j + 1) n/k], along rows and then along columns.
TEST(Pixelate, IsItsDefinition) {
  const Images images = random_levels({1, 1, 31, 45});
  const auto before = levels_of(images);
  for (int severity = 1; severity <= 5; ++severity) {
    const double fraction = std::array{.95, .9, .85, .75, .65}[static_cast<std::size_t>(severity - 1)];
    const auto bin_of = [](std::size_t x, std::size_t n, std::size_t k) {
      return ((2 * x + 1) * k + 2 * n - 1) / (2 * n) - 1;
    };
    const auto rows = static_cast<std::size_t>(31 * fraction),
               columns = static_cast<std::size_t>(45 * fraction);
    std::vector<double> narrow(31 * columns), small(rows * columns);
    for (std::size_t y = 0; y < 31; ++y)
      for (std::size_t j = 0; j < columns; ++j) {
        double sum = 0, count = 0;
        for (std::size_t x = 0; x < 45; ++x)
          if (bin_of(x, 45, columns) == j) sum += before[y * 45 + x], ++count;
        narrow[y * columns + j] = std::floor(sum / count + .5);
      }
    for (std::size_t i = 0; i < rows * columns; ++i) {
      double sum = 0, count = 0;
      for (std::size_t y = 0; y < 31; ++y)
        if (bin_of(y, 31, rows) == i / columns) sum += narrow[y * columns + i % columns], ++count;
      small[i] = std::floor(sum / count + .5);
    }
    const auto after = corrupted("pixelate", images, options_of(severity, ConstantSet::cifar));
    for (std::size_t i = 0; i < after.size(); ++i)
      ASSERT_EQ(after[i], small[(2 * (i / 45) + 1) * rows / 62 * columns + (2 * (i % 45) + 1) * columns / 90])
          << i;
  }
}

// The tables of Annex K of the JPEG standard, row after row.
constexpr std::array<int, 64> luminance{
    16, 11,  10,  16, 24, 40, 51, 61, 12,  12,  14,  19,  26, 58, 60, 55,  14,  13,  16,  24, 40, 57,
    69, 56,  14,  17, 22, 29, 51, 87, 80,  62,  18,  22,  37, 56, 68, 109, 103, 77,  24,  35, 55, 64,
    81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98,  112, 100, 103, 99};
constexpr std::array<int, 64> zigzag{0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,
                                     12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
                                     35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
                                     58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

struct Segment {
  int marker = 0;
  std::vector<unsigned char> content;
};

// Those before the scan.
std::vector<Segment> segments_of(const std::vector<unsigned char>& file) {
  std::vector<Segment> all;
  for (std::size_t i = 2; i + 4 <= file.size() && file[i + 1] != 0xda;) {
    const std::size_t length = file[i + 2] * 256u + file[i + 3];
    all.push_back({file[i + 1], {file.data() + i + 4, file.data() + i + 2 + length}});
    i += 2 + length;
  }
  return all;
}

int quantiser(int base, int quality) {
  const int scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  return std::clamp((base * scale + 50) / 100, 1, 255);
}

TEST(JpegCompression, HasTheQuantisersOfItsQualities) {
  const std::vector<std::array<int, 3>> first{{80, 6, 7},   {65, 11, 12}, {58, 13, 14}, {50, 16, 17},
                                              {40, 20, 21}, {25, 32, 34}, {18, 44, 47}, {15, 53, 57},
                                              {10, 80, 85}, {7, 114, 121}};
  const std::vector<float> picture(3 * 24 * 16, .3f);
  for (const auto& [quality, light, colour] : first) {
    std::vector<std::vector<unsigned char>> tables;
    for (const Segment& segment : segments_of(jpeg_file_of(picture, 24, 16, quality))) {
      if (segment.marker == 0xdb)
        for (std::size_t start = 0; start + 65 <= segment.content.size(); start += 65)
          tables.emplace_back(segment.content.begin() + static_cast<std::ptrdiff_t>(start) + 1,
                              segment.content.begin() + static_cast<std::ptrdiff_t>(start) + 65);
      if (segment.marker ==
          0xc0) {  // baseline: precision, height, width, and of 3 components id, sampling, table
        EXPECT_EQ(segment.content,
                  (std::vector<unsigned char>{8, 0, 24, 0, 16, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1}));
      }
    }
    ASSERT_EQ(tables.size(), 2u);
    EXPECT_EQ(tables[0][0], light) << quality;
    EXPECT_EQ(tables[1][0], colour) << quality;
    for (std::size_t i = 0; i < 64; ++i)
      EXPECT_EQ(tables[0][i], quantiser(luminance[static_cast<std::size_t>(zigzag[i])], quality))
          << quality << " " << i;
  }
  EXPECT_THROW((void)jpeg_file_of(std::span(picture).first(2 * 24 * 16), 24, 16, 50), Error);
}

TEST(JpegCompression, HasItsQualities) {
  constexpr std::array<std::array<int, 5>, 3> qualities{
      {{80, 65, 58, 50, 40}, {65, 58, 50, 40, 25}, {25, 18, 15, 10, 7}}};
  for (const std::size_t channels : {1, 3}) {
    const Images images = random_levels({1, channels, 19, 30});
    for (const ConstantSet set : all_sets)
      for (int severity = 1; severity <= 5; ++severity) {
        std::vector<float> picture(images.pixels_per_image());
        images.copy_row(0, picture);
        compress_jpeg(picture, 19, 30,
                      qualities[static_cast<std::size_t>(set) - 1][static_cast<std::size_t>(severity - 1)]);
        const auto found = corrupted("jpeg-compression", images, options_of(severity, set));
        for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], level(picture[i]));
      }
  }
}

TEST(DigitalLevels, AreThoseOfAnotherProgram) {
  const auto reference =
      nlohmann::json::parse(std::ifstream(std::string(LEEWAY_REFERENCE) + "/corruptions_weather.json"));
  for (const auto& entry : reference.at("levels")) {
    const Shape shape = entry.at("shape");
    const Images images =
        select_rows(formula_pictures(2, shape[1], shape[2], shape[0]), std::array<std::size_t, 1>{1});
    const std::string name = entry.at("name"), hex = entry.at("levels");
    const auto found = corrupted(name, images, options_of(entry.at("severity"), ConstantSet::cifar));
    ASSERT_EQ(hex.size(), 2 * found.size());
    Levels expected(found.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      expected[i] = static_cast<std::uint8_t>(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
    SCOPED_TRACE(name + " " + entry.at("severity").dump());
    const bool by_levels = name == "pixelate" || name == "jpeg-compression";
    expect_levels(found, expected, by_levels ? 0 : .01);
  }
  EXPECT_EQ(reference.at("levels").size(), 55u);
}

// What must leave a flat picture as it is, at any size and number of channels. JPEG rounds the mean of a block to multiples of an
// eighth of its first quantiser.
TEST(DigitalCorruptions, KeepFlatPictures) {
  for (const Shape& shape :
       {Shape{2, 1, 28, 28}, {1, 3, 32, 32}, {1, 3, 128, 96}, {2, 3, 1, 1}, {1, 4, 9, 2}, {1, 2, 1, 40}})
    for (const std::uint8_t value : Levels{0, 100, 255})
      for (int severity = 1; severity <= 5; ++severity) {
        for (const std::string_view name : {"contrast", "pixelate", "elastic-transform"})
          EXPECT_THAT(corrupted(name, flat_images(shape, value), options_of(severity)), Each(value))
              << name << " " << severity;
        const auto compressed = corrupted("jpeg-compression", flat_images(shape, value),
                                          options_of(severity, ConstantSet::cifar));
        const double step =
            quantiser(16, std::array{80, 65, 58, 50, 40}[static_cast<std::size_t>(severity) - 1]) / 8.;
        const double mean = 128 + std::floor(std::nearbyint((value - 128) / step) * step + .5);
        EXPECT_THAT(compressed, Each(std::clamp(mean, 0., 255.)));
      }
}

// Pixels that are floats give what their levels give.
TEST(TenCorruptions, TakeFloats) {
  const Images images = random_levels({3, 3, 12, 17});
  std::vector<float> values;
  for (const std::uint8_t x : levels_of(images)) values.push_back(static_cast<float>(x) / 255);
  const Images floats{"set.npz", make_array({3, 3, 12, 17}, std::move(values)), {}};
  for (const std::string_view name : ten)
    for (int severity = 1; severity <= 5; ++severity)
      EXPECT_EQ(corrupted(name, floats, options_of(severity)), corrupted(name, images, options_of(severity)))
          << name;
}

// Constants of one size on pictures of another.
TEST(TenCorruptions, TakeAnyShape) {
  for (const Shape& shape : {Shape{1, 1, 1, 1},
                             {1, 3, 1, 1},
                             {1, 2, 2, 2},
                             {1, 4, 3, 5},
                             {2, 3, 1, 9},
                             {1, 1, 50, 3},
                             {1, 3, 128, 130}})
    for (const std::string_view name : ten)
      for (const int severity : {1, 2, 3, 4, 5})
        for (const ConstantSet set :
             {ConstantSet::automatic, ConstantSet::cifar, ConstantSet::tiny, ConstantSet::imagenet}) {
          if (set != ConstantSet::automatic && shape[2] > 100) continue;
          EXPECT_EQ(corrupted(name, random_levels(shape), options_of(severity, set)).size(),
                    shape[0] * shape[1] * shape[2] * shape[3]);
        }
}

}  // namespace
}  // namespace leeway::shift

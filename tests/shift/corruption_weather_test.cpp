// Snow, frost and fog: beside loops pixel by pixel that draw the same numbers, and their distributions beside another program's
// (tests/reference/corruptions_weather.py), which has all ten of its members here.
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <fstream>
#include <numbers>

#include "leeway/core/png.h"
#include "leeway/shift/detail/normals.h"
#include "leeway/shift/detail/plasma.h"
#include "tests/message_of.h"
#include "tests/shift/corrupted.h"
#include "tests/shift/corruption_pictures.h"

namespace leeway::shift {
namespace {

using testing::Each;

// By hand: every draw at its top, noise +100^2 in the first round, +50^2 in the second.
TEST(Plasma, WithEveryDrawAtItsTopIsKnown) {
  const auto map = plasma_map(4, 2, [] { return 1.; });
  const std::vector<double> sixths{0, 5, 6, 5, 5, 5, 6, 5, 6, 6, 4, 6, 5, 5, 6, 5};
  for (std::size_t i = 0; i < 16; ++i) EXPECT_NEAR(map[i], sixths[i] / 6, 1e-12) << i;
}

double step_between(const std::vector<double>& map, std::size_t side, std::size_t row, std::size_t other) {
  double sum = 0;
  for (std::size_t x = 0; x < side; ++x)
    sum += std::abs(map[row * side + x] - map[other * side + x]) +
           std::abs(map[x * side + row] - map[x * side + other]);
  return sum;
}

// Maps go on beyond their ends: the step from the last to the first row is no larger than those inside.
TEST(Plasma, IsPeriodic) {
  constexpr std::size_t side = 32;
  double across = 0, inside = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    Random random(1, stream("plasma"), i);
    const auto map = plasma_map(side, 2, [&] { return 2 * random.uniform() - 1; });
    across += step_between(map, side, side - 1, 0);
    for (std::size_t row = 0; row + 1 < side; ++row)
      inside += step_between(map, side, row, row + 1) / (side - 1);
  }
  EXPECT_LE(across, 1.02 * inside);
  EXPECT_GE(across, .5 * inside);
}

// Mean over maps of a map's mean and standard deviation.
TEST(Plasma, HasTheMomentsExpected) {
  for (const auto& [decay, expected] : {std::array{3., .15}, std::array{1.4, .19}}) {
    constexpr std::size_t side = 32, maps = 400;
    double means = 0, deviations = 0;
    for (std::size_t i = 0; i < maps; ++i) {
      Random random(2, stream("plasma"), i);
      double sum = 0, squares = 0;
      for (const double value : plasma_map(side, decay, [&] { return 2 * random.uniform() - 1; }))
        sum += value, squares += value * value;
      sum /= side * side;
      means += sum / maps;
      deviations += std::sqrt(squares / (side * side) - sum * sum) / maps;
    }
    EXPECT_NEAR(means, .5, .02) << decay;
    EXPECT_NEAR(deviations, expected, .008) << decay;
  }
}

struct FogConstants {
  double weight = 0, decay = 0;
};
constexpr std::array<std::array<FogConstants, 5>, 3> fogs{{
    {{{.2, 3}, {.5, 3}, {.75, 2.5}, {1, 2}, {1.5, 1.75}}},
    {{{.4, 3}, {.7, 3}, {1, 2.5}, {1.5, 2}, {2, 1.75}}},
    {{{1.5, 2}, {2, 2}, {2.5, 1.7}, {2.5, 1.5}, {3, 1.4}}},
}};

TEST(Fog, IsItsEquation) {
  for (const Shape& shape : {Shape{2, 3, 32, 32}, {2, 1, 28, 28}, {1, 3, 9, 33}, {1, 1, 1, 1}})
    for (std::size_t set = 0; set < 3; ++set)
      for (int severity = 1; severity <= 5; ++severity) {
        const Images images = random_levels(shape);
        Levels expected = levels_of(images);
        const std::size_t area = shape[2] * shape[3], size = shape[1] * area;
        const auto [weight, decay] = fogs[set][static_cast<std::size_t>(severity - 1)];
        std::size_t side = 2;
        while (side < std::max(shape[2], shape[3])) side *= 2;
        for (std::size_t row = 0; row < shape[0]; ++row) {
          Random random(0, stream("fog"), row);
          const auto map = plasma_map(side, decay, [&] { return 2 * random.uniform() - 1; });
          std::uint8_t* const picture = expected.data() + row * size;
          const double most = *std::max_element(picture, picture + size) / 255.;
          for (std::size_t i = 0; i < size; ++i) {
            const double fog = weight * map[i % area / shape[3] * side + i % shape[3]];
            picture[i] = level((picture[i] / 255. + fog) * most / (most + weight));
          }
        }
        expect_levels(corrupted("fog", images, options_of(severity, static_cast<ConstantSet>(set + 1))),
                      expected, .01);
      }
}

// A flat picture v: from v^2 / (v + weight), where the map is 0, to v, where it is 1; both are in a map of the picture's size.
TEST(Fog, OfAFlatPictureHasItsRange) {
  const double v = 153 / 255.;
  for (int severity = 1; severity <= 5; ++severity) {
    const auto [weight, decay] = fogs[0][static_cast<std::size_t>(severity - 1)];
    const auto whole = corrupted("fog", flat_images({1, 3, 32, 32}, 153), options_of(severity));
    EXPECT_EQ(*std::min_element(whole.begin(), whole.end()), level(v * v / (v + weight)));
    EXPECT_EQ(*std::max_element(whole.begin(), whole.end()), 153);
    const auto part = corrupted("fog", flat_images({20, 1, 28, 28}, 153), options_of(severity));
    EXPECT_THAT(part, Each(testing::AllOf(testing::Ge(level(v * v / (v + weight))), testing::Le(153))));
  }
  EXPECT_THAT(corrupted("fog", flat_images({1, 3, 8, 8}, 0), options_of(5)), Each(0));
}

struct SnowConstants {
  double mean = 0, sd = 0, zoom = 0, threshold = 0, radius = 0, sigma = 0, mix = 0;
};
constexpr std::array<std::array<SnowConstants, 5>, 3> snows{{
    {{{.1, .2, 1, .6, 8, 3, .95},
      {.1, .2, 1, .5, 10, 4, .9},
      {.15, .3, 1.75, .55, 10, 4, .9},
      {.25, .3, 2.25, .6, 12, 6, .85},
      {.3, .3, 1.25, .65, 14, 12, .8}}},
    {{{.1, .2, 1, .6, 8, 3, .8},
      {.1, .2, 1, .5, 10, 4, .8},
      {.15, .3, 1.75, .55, 10, 4, .7},
      {.25, .3, 2.25, .6, 12, 6, .65},
      {.3, .3, 1.25, .65, 14, 12, .6}}},
    {{{.1, .3, 3, .5, 10, 4, .8},
      {.2, .3, 2, .5, 12, 4, .7},
      {.55, .3, 4, .9, 12, 8, .7},
      {.55, .3, 4.5, .85, 12, 8, .65},
      {.55, .3, 2.5, .85, 12, 12, .55}}},
}};

// Where pixel i of a zoomed line of `side` is read.
double zoomed_place(std::size_t i, std::size_t side, double factor) {
  const auto length = static_cast<double>(side), part = std::ceil(length / factor);
  const double whole = std::nearbyint(part * factor), trimmed = std::floor((whole - length) / 2);
  const double first = std::floor((length - part) / 2);
  return whole > 1 ? first + (static_cast<double>(i) + trimmed) * (part - 1) / (whole - 1) : first;
}

Levels snow_by_loops(const Images& images, int severity, ConstantSet set) {
  Levels out = levels_of(images);
  const std::size_t height = images.height(), width = images.width(), area = height * width;
  const Scale scale = scale_for(set, height, width);
  const SnowConstants& c =
      snows[static_cast<std::size_t>(scale.set) - 1][static_cast<std::size_t>(severity - 1)];
  for (std::size_t row = 0; row < images.n(); ++row) {
    Random random(0, stream("snow"), row);
    std::vector<float> drawn(area);
    draw_normals(random, drawn);
    std::vector<double> layer(area), blurred(area, 0);
    for (float& value : drawn) value = static_cast<float>(c.mean + c.sd * value);
    const double angle = (-135 + 90 * random.uniform()) * std::numbers::pi / 180;
    const double zoom = std::max(1., c.zoom * scale.lengths);
    for (std::size_t i = 0; i < area; ++i) {
      const double y = zoomed_place(i / width, height, zoom), x = zoomed_place(i % width, width, zoom);
      const auto top = static_cast<std::size_t>(y), left = static_cast<std::size_t>(x);
      const std::size_t bottom = std::min(top + 1, height - 1), right = std::min(left + 1, width - 1);
      const double v = y - static_cast<double>(top), u = x - static_cast<double>(left);
      const double value = (1 - v) * ((1 - u) * drawn[top * width + left] + u * drawn[top * width + right]) +
                           v * ((1 - u) * drawn[bottom * width + left] + u * drawn[bottom * width + right]);
      layer[i] = value < c.threshold ? 0 : std::floor(255 * std::min(value, 1.));
    }
    const double sigma = c.sigma * scale.lengths;
    const auto terms = 2 * static_cast<int>(std::ceil(c.radius * scale.lengths)) + 1;
    double total = 0;
    for (int k = 0; k < terms; ++k) total += std::exp(-k * k / (2 * sigma * sigma));
    for (std::size_t i = 0; i < area; ++i) {
      for (int k = 0; k < terms; ++k) {
        const auto y = std::clamp(static_cast<double>(i / width) + std::ceil(k * std::sin(angle) - .5), 0.,
                                  static_cast<double>(height - 1));
        const auto x = std::clamp(static_cast<double>(i % width) + std::ceil(k * std::cos(angle) - .5), 0.,
                                  static_cast<double>(width - 1));
        blurred[i] += std::exp(-k * k / (2 * sigma * sigma)) / total *
                      layer[static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)];
      }
      blurred[i] = std::floor(blurred[i] + .5) / 255;
    }
    std::uint8_t* const picture = out.data() + row * images.channels() * area;
    for (std::size_t i = 0; i < area; ++i) {
      const double grey =
          images.channels() == 1
              ? picture[i] / 255.
              : (.299 * picture[i] + .587 * picture[area + i] + .114 * picture[2 * area + i]) / 255;
      for (std::size_t channel = 0; channel < images.channels(); ++channel) {
        const double x = picture[channel * area + i] / 255.;
        picture[channel * area + i] = level(c.mix * x + (1 - c.mix) * std::max(x, 1.5 * grey + .5) +
                                            blurred[i] + blurred[area - 1 - i]);
      }
    }
  }
  return out;
}

TEST(Snow, IsItsEquation) {
  for (int severity = 1; severity <= 5; ++severity) {
    for (const ConstantSet set : {ConstantSet::cifar, ConstantSet::tiny, ConstantSet::imagenet})
      for (const Images& images :
           {random_levels({2, 3, 32, 32}), flat_images({2, 1, 28, 28}, 100), random_levels({1, 3, 20, 33}),
            flat_images({1, 3, 1, 1}, 30), random_levels({1, 1, 1, 7})})
        expect_levels(corrupted("snow", images, options_of(severity, set)),
                      snow_by_loops(images, severity, set), .01);
    for (const std::size_t side : {64, 96, 128, 224}) {
      const Images images = flat_images({1, 1, side, side}, 50);
      expect_levels(corrupted("snow", images, options_of(severity)),
                    snow_by_loops(images, severity, ConstantSet::automatic), .01);
    }
  }
}

// Two pictures, as frost_pictures() of corruptions_weather.py.
std::shared_ptr<const FrostPictures> frost_by_formula() {
  auto frost = std::make_shared<FrostPictures>();
  frost->procedural = false;
  for (const auto& [height, width] :
       {std::array<std::size_t, 2>{200, 260}, std::array<std::size_t, 2>{180, 300}}) {
    FrostPicture picture{height, width, {}};
    const auto p = static_cast<double>(frost->pictures.size());
    for (std::size_t i = 0; i < 3 * height * width; ++i) {
      const auto y = static_cast<double>(i / width % height), x = static_cast<double>(i % width),
                 c = static_cast<double>(i / (height * width));
      picture.levels.push_back(
          static_cast<std::uint8_t>(std::floor(150 - 50 * p + 60 * std::sin(.13 * x + .07 * y + p) +
                                               20 * std::cos(.4 * y - .3 * x) + 10 * c + .5)));
    }
    frost->pictures.push_back(std::move(picture));
  }
  return frost;
}

constexpr std::array<std::array<std::array<double, 2>, 5>, 3> frosts{{
    {{{1, .2}, {1, .3}, {.9, .4}, {.85, .4}, {.75, .45}}},
    {{{1, .3}, {.9, .4}, {.8, .45}, {.75, .5}, {.7, .55}}},
    {{{1, .4}, {.8, .6}, {.7, .7}, {.65, .7}, {.6, .75}}},
}};

double read_bilinearly(const FrostPicture& picture, std::size_t channel, double y, double x) {
  y = std::clamp(y, 0., static_cast<double>(picture.height - 1));
  x = std::clamp(x, 0., static_cast<double>(picture.width - 1));
  double sum = 0;
  for (const double row : {std::floor(y), std::floor(y) + 1})
    for (const double column : {std::floor(x), std::floor(x) + 1}) {
      const double weight = (1 - std::abs(y - row)) * (1 - std::abs(x - column));
      if (weight > 0)
        sum += weight *
               picture.levels[(channel * picture.height + static_cast<std::size_t>(row)) * picture.width +
                              static_cast<std::size_t>(column)];
    }
  return sum / 255;
}

TEST(Frost, IsItsEquation) {
  const auto frost = frost_by_formula();
  for (const Shape& shape : {Shape{5, 3, 32, 32},
                             {5, 1, 28, 28},
                             {2, 3, 96, 70},
                             {1, 1, 96, 96},
                             {1, 3, 128, 128},
                             {1, 3, 1, 1},
                             {2, 1, 40, 500}})
    for (int severity = 1; severity <= 5; ++severity) {
      const Images images = random_levels(shape);
      CorruptionOptions options = options_of(severity);
      options.frost = frost;
      const Scale scale = scale_for(ConstantSet::automatic, shape[2], shape[3]);
      const auto set = static_cast<std::size_t>(scale.set) - 1;
      const auto [own, other] = frosts[set][static_cast<std::size_t>(severity - 1)];
      Levels expected = levels_of(images);
      const std::size_t area = shape[2] * shape[3], size = shape[1] * area;
      for (std::size_t row = 0; row < shape[0]; ++row) {
        Random random(0, stream("frost"), row);
        const FrostPicture& picture = frost->pictures[random.below(2)];
        const auto height = static_cast<double>(picture.height), width = static_cast<double>(picture.width);
        const double factor =
            std::max({std::array{.2, .3, 1.}[set] * scale.lengths, static_cast<double>(shape[2]) / height,
                      static_cast<double>(shape[3]) / width});
        const auto offset = [&](double side, std::size_t wanted) {
          const auto room = static_cast<std::size_t>(std::nearbyint(factor * side)) - wanted;
          return static_cast<double>(random.below(std::max<std::size_t>(room, 1)));
        };
        const double top = offset(height, shape[2]), left = offset(width, shape[3]);
        for (std::size_t i = 0; i < size; ++i) {
          const double y = (top + static_cast<double>(i % area / shape[3]) + .5) / factor - .5,
                       x = (left + static_cast<double>(i % shape[3]) + .5) / factor - .5;
          const double value = shape[1] == 3 ? read_bilinearly(picture, i / area, y, x)
                                             : .2989 * read_bilinearly(picture, 0, y, x) +
                                                   .587 * read_bilinearly(picture, 1, y, x) +
                                                   .114 * read_bilinearly(picture, 2, y, x);
          std::uint8_t& x0 = expected[row * size + i];
          x0 = level(own * x0 / 255. + other * value);
        }
      }
      expect_levels(corrupted("frost", images, options), expected, .01);
    }
}

// On black: w2 (145.9, 167.2, 178.9), the mean colour of the published pictures. On white nothing is left of weights (1, .4).
TEST(Frost, HasTheColourExpected) {
  constexpr std::array mean{145.9, 167.2, 178.9};
  constexpr std::size_t n = 2000, area = 32 * 32;
  for (int severity = 1; severity <= 5; ++severity) {
    const auto levels = corrupted("frost", flat_images({n, 3, 32, 32}, 0), options_of(severity));
    const double weight = frosts[0][static_cast<std::size_t>(severity - 1)][1];
    for (std::size_t c = 0; c < 3; ++c) {
      double sum = 0;
      for (std::size_t i = 0; i < levels.size(); ++i)
        if (i / area % 3 == c) sum += levels[i];
      EXPECT_NEAR(sum / (n * area), weight * mean[c], weight * 6) << severity << " " << c;
    }
  }
  EXPECT_THAT(corrupted("frost", flat_images({20, 3, 32, 32}, 255), options_of(1, ConstantSet::imagenet)),
              Each(255));
}

// In every pool, whatever the seed.
TEST(FrostPictures, HaveTheStatisticsOfThePublishedOnes) {
  for (const std::uint64_t seed : {0, 1, 2}) {
    const auto frost = procedural_frost_pictures(seed);
    ASSERT_EQ(frost->pictures.size(), 8u);
    EXPECT_TRUE(frost->procedural);
    std::array<double, 3> mean{};
    for (const FrostPicture& picture : frost->pictures) {
      ASSERT_EQ(picture.height, 480u);
      ASSERT_EQ(picture.width, 640u);
      const std::size_t area = picture.height * picture.width;
      ASSERT_EQ(picture.levels.size(), 3 * area);
      double sum = 0, squares = 0;
      for (std::size_t i = 0; i < area; ++i) {
        const double luminance =
            .299 * picture.levels[i] + .587 * picture.levels[area + i] + .114 * picture.levels[2 * area + i];
        sum += luminance;
        squares += luminance * luminance;
        for (std::size_t c = 0; c < 3; ++c)
          mean[c] += picture.levels[c * area + i] / (8. * static_cast<double>(area));
      }
      const double own = sum / static_cast<double>(area),
                   sd = std::sqrt(squares / static_cast<double>(area) - own * own);
      EXPECT_GE(sd, 19);
      EXPECT_LE(sd, 42);
      EXPECT_GE(own, 104);
      EXPECT_LE(own, 210);
    }
    EXPECT_NEAR(mean[0], 145.9, 5);
    EXPECT_NEAR(mean[1], 167.2, 5);
    EXPECT_NEAR(mean[2], 178.9, 5);
  }
}

// The power of rows and columns of luminance falls as f^-slope; of an isotropic f^-s, lines have f^-(s - 1): 1 to 1.8 at a
// fifth of the size.
TEST(FrostPictures, HaveAPowerSpectrumThatFalls) {
  const auto frost = procedural_frost_pictures(0);
  constexpr std::size_t side = 96;
  std::vector<double> power(side / 2, 0);
  for (const FrostPicture& picture : frost->pictures)
    for (const bool turned : {false, true})
      for (std::size_t line = 0; line < side; ++line) {
        std::array<double, side> values{};
        double mean = 0;
        for (std::size_t i = 0; i < side; ++i) {
          const std::size_t y = turned ? i : line, x = turned ? line : i;
          mean += values[i] = picture.levels[(480 + 5 * y + 2) * 640 + 5 * x + 2];  // green
        }
        for (std::size_t i = 0; i < side; ++i)
          values[i] = (values[i] - mean / side) *
                      (1 - std::cos(2 * std::numbers::pi * (static_cast<double>(i) + .5) / side));
        for (std::size_t f = 1; f < side / 2; ++f) {
          double real = 0, imaginary = 0;
          for (std::size_t i = 0; i < side; ++i) {
            const double angle = 2 * std::numbers::pi * static_cast<double>(f * i % side) / side;
            real += values[i] * std::cos(angle);
            imaginary += values[i] * std::sin(angle);
          }
          power[f] += real * real + imaginary * imaginary;
        }
      }
  // of means over octaves 3-5, 6-11, 12-23, 24-44
  std::vector<double> octaves;
  for (std::size_t low = 3; low < 40; low *= 2) {
    double sum = 0;
    const std::size_t high = std::min<std::size_t>(2 * low, 45);
    for (std::size_t f = low; f < high; ++f) sum += power[f] / static_cast<double>(high - low);
    octaves.push_back(std::log2(sum));
  }
  const double slope = (octaves.front() - octaves.back()) / 3;
  EXPECT_GE(slope, .8);
  EXPECT_LE(slope, 1.8);
}

TEST(FrostPictures, AreMadeOnceForASeed) {
  const auto first = procedural_frost_pictures(5), again = procedural_frost_pictures(5);
  EXPECT_EQ(first, again);
  const auto other = procedural_frost_pictures(6), later = procedural_frost_pictures(5);
  EXPECT_NE(first, later);
  for (std::size_t p = 0; p < 8; ++p) {
    EXPECT_EQ(first->pictures[p].levels, later->pictures[p].levels);
    EXPECT_NE(first->pictures[p].levels, other->pictures[p].levels);
  }
  EXPECT_NE(first->pictures[0].levels, first->pictures[1].levels);
  CorruptionOptions given = options_of(3);
  given.seed = 5;
  const Images images = random_levels({2, 3, 32, 32});
  const auto lazily = corrupted("frost", images, given);
  given.frost = first;
  EXPECT_EQ(lazily, corrupted("frost", images, given));
}

TEST(FrostPictures, AreReadFromAFolder) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("frost-{}", ::getpid());
  std::filesystem::create_directories(folder / "inner");
  const auto refused = [&] { return message_of([&] { (void)read_frost_pictures(folder); }); };
  EXPECT_THAT(refused(), testing::EndsWith(": expected pictures of frost (.png, .jpg, .jpeg), found none"));
  write_png(folder / "b.png", {3, 1, 2, {1, 2, 3, 4, 5, 6}});
  write_png(folder / "a.PNG", {1, 2, 1, {7, 9}});
  write_png(folder / "inner" / "c.png", {1, 1, 1, {7}});
  std::ofstream(folder / "readme.txt") << "no picture";
  const auto frost = read_frost_pictures(folder);
  ASSERT_EQ(frost->pictures.size(), 2u);
  EXPECT_FALSE(frost->procedural);
  EXPECT_EQ(frost->pictures[0].height, 2u);
  EXPECT_EQ(frost->pictures[0].levels, (Levels{7, 9, 7, 9, 7, 9}));
  EXPECT_EQ(frost->pictures[1].width, 2u);
  EXPECT_EQ(frost->pictures[1].levels, (Levels{1, 4, 2, 5, 3, 6}));
  std::ofstream(folder / "c.jpg") << "no picture";
  EXPECT_THAT(refused(), testing::EndsWith("c.jpg: expected a PNG or JPEG picture, found other content"));
  std::ofstream(folder / "c.jpg") << "\xff\xd8\xff\xe0";
  EXPECT_THAT(refused(), testing::HasSubstr("c.jpg: expected a whole JPEG picture, found "));
  std::filesystem::remove_all(folder);
  EXPECT_THAT(refused(), testing::EndsWith(": expected a folder of pictures of frost, found nothing"));
  CorruptionOptions options = options_of(1);
  options.frost = std::make_shared<FrostPictures>();
  EXPECT_EQ(message_of([&] {
              (void)corrupted("frost", random_levels({1, 1, 2, 2}), options);
            }),
            "corruption frost: expected at least one picture of frost, found none");
}

TEST(WeatherFigures, AreThoseOfAnotherProgram) {
  expect_figures_of("corruptions_weather.json", formula_pictures(), "formula", frost_by_formula());
}

TEST(WeatherFigures, AreThoseOfAnotherProgramOnPhotographs) {
  if (!std::filesystem::exists(cifar10_file())) GTEST_SKIP() << cifar10_file() << " is absent";
  expect_figures_of("corruptions_weather.json", cifar10_pictures(), "cifar10", frost_by_formula());
}

}  // namespace
}  // namespace leeway::shift

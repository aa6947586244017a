// Blurs among the common corruptions: closed forms and cases by hand.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <set>

#include "leeway/shift/detail/glass.h"
#include "tests/shift/corruption_case.h"
#include "tests/shift/corruption_pictures.h"

namespace leeway::shift {
namespace {

constexpr std::array sets{ConstantSet::cifar, ConstantSet::tiny, ConstantSet::imagenet};

class EveryBlur : public testing::TestWithParam<const char*> {};

// Every level, every set and severity, both roundings.
TEST_P(EveryBlur, LeavesAFlatPicture) {
  for (const Rounding rounding : {Rounding::nearest, Rounding::truncate})
    for (const ConstantSet set :
         {ConstantSet::automatic, ConstantSet::cifar, ConstantSet::tiny, ConstantSet::imagenet})
      for (int severity = 1; severity <= 5; ++severity) {
        std::vector<std::uint8_t> levels;
        for (std::size_t level = 0; level < 256; level += severity == 5 && set == ConstantSet::cifar ? 1 : 15)
          levels.insert(levels.end(), 3 * 20 * 23, static_cast<std::uint8_t>(level));
        const Images images{"flat", make_array({levels.size() / (3 * 20 * 23), 3, 20, 23}, levels), {}};
        CorruptionOptions options;
        options.severity = severity, options.set = set, options.rounding = rounding;
        const Images after = corruption(GetParam()).apply(images, options, nullptr);
        const auto found = after.pixels.view<std::uint8_t>();
        ASSERT_TRUE(std::equal(found.begin(), found.end(), levels.begin())) << severity;
      }
}
INSTANTIATE_TEST_SUITE_P(Blurs, EveryBlur,
                         testing::Values("gaussian-blur", "defocus-blur", "glass-blur", "motion-blur",
                                         "zoom-blur"),
                         [](const testing::TestParamInfo<const char*>& of) {
                           return std::string(of.param, std::string_view(of.param).find('-'));
                         });

std::vector<float> impulse(std::size_t side) {
  std::vector<float> values(side * side, 0);
  values[side / 2 * side + side / 2] = 1;
  return values;
}

// The first three severities are Gaussians over 3 x 3, the fourth the plus of five, the last the square of nine.
TEST(CorruptionDefocusBlur, OfAnImpulseIsTheKernel) {
  const auto at = [](const std::vector<float>& values, std::size_t down, std::size_t right) {
    return values[(16 + down) * 33 + 16 + right];
  };
  const std::array side{.04038789, .10650698, .16637851};
  for (int severity = 1; severity <= 3; ++severity) {
    const auto kernel = changed("defocus-blur", impulse(33), {1, 33, 33, severity});
    const double s = side[static_cast<std::size_t>(severity - 1)];
    EXPECT_NEAR(at(kernel, 0, 0), (1 - 2 * s) * (1 - 2 * s), 1e-6);
    EXPECT_NEAR(at(kernel, 0, 1), (1 - 2 * s) * s, 1e-6);
    EXPECT_NEAR(at(kernel, 1, 1), s * s, 1e-6);
    EXPECT_EQ(at(kernel, 2, 0), 0);
  }
  const auto plus = changed("defocus-blur", impulse(33), {1, 33, 33, 4});
  EXPECT_NEAR(at(plus, 0, 0), .2, 1e-5);
  EXPECT_NEAR(at(plus, 1, 0), .2, 1e-5);
  EXPECT_NEAR(at(plus, 1, 1), 0, 1e-5);
  const auto square = changed("defocus-blur", impulse(33), {1, 33, 33, 5});
  EXPECT_NEAR(at(square, 1, 1), 1. / 9, 1e-6);
  EXPECT_NEAR(at(square, 2, 0), 0, 1e-6);
}

// The authors' programs: the disc on a grid of 17 or 21 cells a side, smoothed there by loops, the grid mirrored at its edge.
TEST(CorruptionDefocusBlur, OfAnImpulseIsThePublishedKernelWhereSlipsAre) {
  struct Published {
    int severity;
    long radius, most, reach;
    double alias;
  };
  for (const Published& own :
       {Published{1, 3, 8, 1, .1}, Published{2, 4, 8, 1, .5}, Published{3, 6, 8, 1, .5},
        Published{4, 8, 8, 1, .5}, Published{5, 10, 10, 2, .5}}) {
    const auto disc = [&](long y, long x) {
      const auto inside = [&](long i) {
        i = std::abs(i);
        return i > own.most ? 2 * own.most - i : i;
      };
      return inside(y) * inside(y) + inside(x) * inside(x) <= own.radius * own.radius ? 1. : 0.;
    };
    double cells = 0, weights = 0;
    for (long y = -own.most; y <= own.most; ++y)
      for (long x = -own.most; x <= own.most; ++x) cells += disc(y, x);
    const auto weight = [&](long i, long j) {
      return std::exp(-static_cast<double>(i * i + j * j) / (2 * own.alias * own.alias));
    };
    for (long i = -own.reach; i <= own.reach; ++i)
      for (long j = -own.reach; j <= own.reach; ++j) weights += weight(i, j);
    Case published{1, 61, 61, own.severity, {ConstantSet::imagenet, 1}};
    published.slips = Slips::published;
    const auto found = changed("defocus-blur", impulse(61), published);
    for (long y = -30; y <= 30; ++y)
      for (long x = -30; x <= 30; ++x) {
        double expected = 0;
        if (std::abs(y) <= own.most && std::abs(x) <= own.most)
          for (long i = -own.reach; i <= own.reach; ++i)
            for (long j = -own.reach; j <= own.reach; ++j)
              expected += weight(i, j) * disc(y + i, x + j) / weights / cells;
        ASSERT_NEAR(found[static_cast<std::size_t>((30 + y) * 61 + 30 + x)], expected, 1e-6)
            << own.severity << " " << y << " " << x;
      }
  }
}

// Numbers of cells of the discs: where nothing is smoothed, that many pixels are equal.
TEST(CorruptionDefocusBlur, HasTheCountedCells) {
  const auto count = [](ConstantSet set, int severity, double above) {
    int cells = 0;
    for (const float x : changed("defocus-blur", impulse(61), {1, 61, 61, severity, {set, 1}}))
      cells += x > above;
    return cells;
  };
  EXPECT_EQ(count(ConstantSet::tiny, 2, .1), 5);
  EXPECT_EQ(count(ConstantSet::tiny, 3, .1), 9);
  EXPECT_EQ(count(ConstantSet::tiny, 4, .04), 21);
  EXPECT_EQ(count(ConstantSet::tiny, 5, .03), 29);
  EXPECT_EQ(count(ConstantSet::imagenet, 1, .03), 29);
}

TEST(CorruptionDefocusBlur, KeepsTheSum) {
  for (const ConstantSet set : sets)
    for (int severity = 1; severity <= 5; ++severity)
      for (const double lengths : {1., .03, .4, 1.27, 2.}) {
        const auto after = changed("defocus-blur", impulse(61), {1, 61, 61, severity, {set, lengths}});
        double sum = 0;
        for (const double x : after) sum += x;
        EXPECT_NEAR(sum, 1, 1e-5) << lengths;
      }
}

// A scaled disc has the area and the second moment of a disc, r^2/4 along an axis, plus the cell's and the smoothing's.
TEST(CorruptionDefocusBlur, OfAScaledRadiusIsSmooth) {
  double before = 0;
  for (int step = 0; step <= 20; ++step) {
    const double lengths = .801 + .02 * step, radius = 4 * lengths;
    const auto after = changed("defocus-blur", impulse(61), {1, 61, 61, 2, {ConstantSet::imagenet, lengths}});
    double second = 0;
    for (std::size_t i = 0; i < after.size(); ++i) {
      const std::size_t row = i / 61;
      const double down = static_cast<double>(row) - 30;
      second += down * down * after[i];
    }
    const double e = std::exp(-2.), smoothing = 2 * e / (1 + 2 * e);  // sigma .5 over three cells
    EXPECT_NEAR(second, radius * radius / 4 + 1. / 12 + smoothing, .08) << radius;
    EXPECT_GT(second, before);
    before = second;
  }
}

// Per row the angle is drawn first and nothing else; k_i lies at the cell that the angle gives.
TEST(CorruptionMotionBlur, MovesALightAlongItsAngle) {
  const std::array<std::array<double, 2>, 5> constants{{{6, 1}, {6, 1.5}, {6, 2}, {8, 2}, {9, 2.5}}};
  std::set<int> sectors;
  for (std::size_t row = 0; row < 60; ++row)
    for (int severity = 1; severity <= 5; ++severity) {
      const auto [radius, sigma] = constants[static_cast<std::size_t>(severity - 1)];
      const auto after =
          changed("motion-blur", impulse(61), {1, 61, 61, severity, {}, GlassExchange::by_channels, row});
      Random random(7, stream("motion-blur"), row);
      const double angle = 90 * random.uniform() - 45, turn = angle * std::numbers::pi / 180;
      sectors.insert(static_cast<int>((angle + 45) / 15));
      std::vector<double> expected(61 * 61, 0);
      double sum = 0;
      for (int i = 0; i <= 2 * radius; ++i) sum += std::exp(-i * i / (2 * sigma * sigma));
      for (int i = 0; i <= 2 * radius; ++i) {
        const auto down = static_cast<long>(std::ceil(i * std::sin(turn) - .5));
        const auto right = static_cast<long>(std::ceil(i * std::cos(turn) - .5));
        expected[static_cast<std::size_t>((30 - down) * 61 + 30 - right)] +=
            std::exp(-i * i / (2 * sigma * sigma)) / sum;
      }
      for (std::size_t i = 0; i < after.size(); ++i) ASSERT_NEAR(after[i], expected[i], .5 / 255 + 1e-6);
    }
  EXPECT_EQ(sectors.size(), 6u);
}

// The mean of i under the weights: by how much the picture moves. A ramp along x tells it at small angles.
TEST(CorruptionMotionBlur, MovesThePicture) {
  const std::array moved{.520, .910, 1.302, 1.302, 1.697};
  std::vector<float> ramp(120 * 120);
  for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<float>(i % 120) / 255;
  for (int severity = 1; severity <= 5; ++severity) {
    double greatest = 0;
    for (std::size_t row = 0; row < 40; ++row) {
      const auto after =
          changed("motion-blur", ramp, {1, 120, 120, severity, {}, GlassExchange::by_channels, row});
      greatest = std::max(greatest, 255. * (after[60 * 120 + 60] - ramp[60 * 120 + 60]));
    }
    EXPECT_NEAR(greatest, moved[static_cast<std::size_t>(severity - 1)], .51);  // whole levels
  }
}

TEST(CorruptionMotionBlur, TurnsAllColoursTogether) {
  const auto grey = impulse(33);
  std::vector<float> colour;
  for (int c = 0; c < 3; ++c) colour.insert(colour.end(), grey.begin(), grey.end());
  const auto after = changed("motion-blur", colour, {3, 33, 33, 5});
  const auto one = changed("motion-blur", grey, {1, 33, 33, 5});
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_TRUE(std::equal(one.begin(), one.end(), after.begin() + static_cast<std::ptrdiff_t>(c * 33 * 33)));
}

// A ramp of slope 1 becomes one of the mean of the zooms' slopes: (part - 1) / (whole - 1).
TEST(CorruptionZoomBlur, OfARamp) {
  constexpr std::size_t height = 28, width = 32;
  const std::array counts{7, 12, 16, 21, 26};
  std::vector<float> across, down;
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x) {
      across.push_back(static_cast<float>(x) / 32);
      down.push_back(static_cast<float>(y) / 32);
    }
  for (int severity = 1; severity <= 5; ++severity) {
    const int count = counts[static_cast<std::size_t>(severity - 1)];
    const auto slope = [&](double side) {
      double sum = 1;
      for (int i = 0; i < count; ++i) {
        const double factor = 1 + .01 * i, part = std::ceil(side / factor - 1e-9);
        sum += (part - 1) / (std::nearbyint(part * factor + 1e-9) - 1);
      }
      return sum / (count + 1) / 32;
    };
    const Case of{1, height, width, severity};
    const auto a = changed("zoom-blur", across, of), d = changed("zoom-blur", down, of);
    for (std::size_t i = 0; i + width < a.size(); ++i) {
      if (i % width + 1 < width) {
        ASSERT_NEAR(a[i + 1] - a[i], slope(width), 1e-6);
      }
      ASSERT_NEAR(d[i + width] - d[i], slope(height), 1e-6);
    }
  }
}

std::vector<float> numbered(std::size_t size) {
  std::vector<float> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<float>(i);
  return values;
}

TEST(CorruptionGlassBlur, ByMovesOfOneKind) {
  constexpr std::size_t side = 8;
  const auto before = numbered(3 * side * side);
  const std::vector<std::ptrdiff_t> stay(visited_pixels(side, side, 1), 0), up_left(stay.size(), -9);
  ASSERT_EQ(stay.size(), 36u);
  for (const bool swap : {false, true}) {
    auto values = before;
    exchange_pixels({values, 3, side, side}, 1, swap, stay);
    EXPECT_EQ(values, before);
  }
  auto values = before;
  exchange_pixels({values, 3, side, side}, 1, false, up_left);
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t y = 0; y < side; ++y)
      for (std::size_t x = 0; x < side; ++x) {
        const std::size_t at = (c * side + y) * side + x;
        EXPECT_EQ(values[at], before[y >= 2 && x >= 2 ? at - side - 1 : at]);
      }
  values = before;
  exchange_pixels({values, 3, side, side}, 1, true, up_left);
  EXPECT_THAT(values, testing::UnorderedElementsAreArray(before));
}

TEST(CorruptionGlassBlur, VisitsTheMiddle) {
  EXPECT_EQ(visited_pixels(32, 32, 1), 900u);
  EXPECT_EQ(visited_pixels(10, 7, 2), 18u);
  EXPECT_EQ(visited_pixels(2, 9, 1), 0u);
  EXPECT_EQ(visited_pixels(1, 1, 4), 0u);
}

// Severity 1 does not blur: the draws, one after another, by hand. delta and the passes of ImageNet-C's second severity.
TEST(CorruptionGlassBlur, FollowsItsDraws) {
  for (const auto& [channels, glass, swap] :
       std::vector<std::tuple<std::size_t, GlassExchange, bool>>{{3, GlassExchange::by_channels, false},
                                                                 {1, GlassExchange::by_channels, true},
                                                                 {3, GlassExchange::swap, true},
                                                                 {1, GlassExchange::copy, false}}) {
    constexpr std::size_t height = 12, width = 10, area = height * width;
    const Case of{channels, height, width, 1, {}, glass};
    std::vector<float> values(channels * area);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 256) / 255;
    auto expected = values;
    Random random(7, stream("glass-blur"), 0);
    for (std::size_t y = height - 1; y >= 2; --y)
      for (std::size_t x = width - 1; x >= 2; --x) {
        const long right = static_cast<long>(random.below(2)) - 1,
                   down = static_cast<long>(random.below(2)) - 1;
        for (std::size_t c = 0; c < channels; ++c) {
          float& one = expected[c * area + y * width + x];
          float& other = expected[c * area + static_cast<std::size_t>(static_cast<long>(y) + down) * width +
                                  static_cast<std::size_t>(static_cast<long>(x) + right)];
          const float kept = one;
          one = other;
          if (swap) other = kept;
        }
      }
    const auto found = changed("glass-blur", values, of);
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-6);
  }
}

// Neighbours that a copy loses, a swap keeps.
TEST(CorruptionGlassBlur, KeepsAllPixelsWhereTheyChangePlaces) {
  Case of{3, 32, 32, 1, {}, GlassExchange::swap};
  std::vector<float> values(3 * 1024);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 256) / 255;
  auto sorted = values, after = changed("glass-blur", values, of);
  std::sort(sorted.begin(), sorted.end());
  std::sort(after.begin(), after.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) ASSERT_NEAR(after[i], sorted[i], 1e-6);
  of.glass = GlassExchange::copy;
  after = changed("glass-blur", values, of);
  std::sort(after.begin(), after.end());
  EXPECT_NE(after, sorted);
}

}  // namespace
}  // namespace leeway::shift

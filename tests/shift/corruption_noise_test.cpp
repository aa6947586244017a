// Noises among the common corruptions: closed forms and cases by hand; noises and blurs beside another program
// (tests/reference/corruptions.py).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <map>
#include <set>

#include "tests/shift/corruption_case.h"
#include "tests/shift/corruption_pictures.h"

namespace leeway::shift {
namespace {

using testing::Each;

constexpr std::array sets{ConstantSet::cifar, ConstantSet::tiny, ConstantSet::imagenet};

struct Moments {
  double mean = 0, variance = 0;
};
Moments moments(const std::vector<float>& values) {
  double sum = 0, squares = 0;
  for (const double x : values) sum += x;
  const auto n = static_cast<double>(values.size());
  for (const double x : values) squares += (x - sum / n) * (x - sum / n);
  return {sum / n, squares / n};
}

TEST(CorruptionGaussianNoise, HasTheMomentsOfItsSeverity) {
  const std::array<std::array<double, 5>, 3> sigmas{
      {{.04, .06, .08, .09, .10}, {.04, .08, .12, .15, .18}, {.08, .12, .18, .26, .38}}};
  for (std::size_t set = 0; set < 3; ++set)
    for (int severity = 1; severity <= 5; ++severity) {
      const Case of{1, 300, 300, severity, {sets[set], 1}};
      const double sigma = sigmas[set][static_cast<std::size_t>(severity - 1)];
      const auto [mean, variance] = moments(changed("gaussian-noise", flat(.5f, of), of));
      EXPECT_NEAR(mean, .5, 5 * sigma / 300);
      EXPECT_NEAR(variance, sigma * sigma, 5 * sigma * sigma * std::sqrt(2.) / 300);
    }
}

// Nearest levels keep the mean; truncated ones are half a level too dark.
TEST(CorruptionGaussianNoise, RoundsWithoutBias) {
  const Images grey{"grey", make_array({10, 1, 100, 100}, std::vector<std::uint8_t>(100000, 128)), {}};
  CorruptionOptions options;
  options.set = ConstantSet::cifar;
  const auto mean = [&] {
    const Images noisy = corruption("gaussian-noise").apply(grey, options, nullptr);
    double sum = 0;
    for (const double level : noisy.pixels.view<std::uint8_t>()) sum += level;
    return sum / 1e5;
  };
  const double error = 5 * .04 * 255 / std::sqrt(1e5);
  EXPECT_NEAR(mean(), 128, error);
  options.rounding = Rounding::truncate;
  EXPECT_NEAR(mean(), 127.5, error);
}

TEST(CorruptionSpeckleNoise, IsProportionalToThePixel) {
  const std::array<std::array<double, 5>, 3> sigmas{
      {{.06, .1, .12, .16, .2}, {.15, .2, .25, .3, .35}, {.15, .2, .35, .45, .6}}};
  for (std::size_t set = 0; set < 3; ++set)
    for (int severity = 1; severity <= 5; ++severity)
      for (const float v : {0.f, .2f, .7f}) {
        const Case of{1, 200, 200, severity, {sets[set], 1}};
        const double sigma = sigmas[set][static_cast<std::size_t>(severity - 1)] * v;
        const auto [mean, variance] = moments(changed("speckle-noise", flat(v, of), of));
        EXPECT_NEAR(mean, v, 5 * sigma / 200 + 1e-7);
        EXPECT_NEAR(variance, sigma * sigma, 5 * sigma * sigma * std::sqrt(2.) / 200 + 1e-12);
      }
}

// The same z at every severity, for normal noise: the change grows as sigma does.
TEST(CorruptionNoise, IsTheSameDrawAtEverySeverity) {
  const Case weak{3, 20, 20, 1}, strong{3, 20, 20, 5};
  for (const auto& [name, times] :
       std::vector<std::pair<const char*, double>>{{"gaussian-noise", 2.5}, {"speckle-noise", 10. / 3}}) {
    const auto a = changed(name, flat(.5f, weak), weak), b = changed(name, flat(.5f, strong), strong);
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(b[i] - .5, times * (a[i] - .5), 1e-6) << name;
  }
}

// Chi-squared against the Poisson probabilities, classes of at least 20; levels, and values between levels.
TEST(CorruptionShotNoise, IsPoisson) {
  const std::array<std::array<double, 5>, 3> photons{
      {{500, 250, 100, 75, 50}, {250, 100, 50, 30, 15}, {60, 25, 12, 5, 3}}};
  constexpr double n = 250000;
  for (std::size_t set = 0; set < 3; ++set)
    for (int severity = 1; severity <= 5; severity += 2)
      for (const float v : {1.f / 255, 20.f / 255, 77.4f / 255, 128.f / 255, .6249f, 254.999f / 255, 1.f}) {
        const Case of{1, 500, 500, severity, {sets[set], 1}};
        const double c = photons[set][static_cast<std::size_t>(severity - 1)], mean = c * v;
        std::map<long, double> counts;
        for (const float x : changed("shot-noise", flat(v, of), of)) {
          const double k = x * c;
          ASSERT_NEAR(k, std::round(k), 1e-3);
          counts[std::lround(k)] += 1;
        }
        double statistic = 0, expected = 0, found = 0, left = n, not_found = n, classes = 0;
        for (long k = 0; left > 40 && k < 2000; ++k) {
          expected += n * std::exp(static_cast<double>(k) * std::log(mean) - mean -
                                   std::lgamma(static_cast<double>(k) + 1));
          found += counts.contains(k) ? counts[k] : 0;
          if (expected < 20) continue;
          statistic += (found - expected) * (found - expected) / expected;
          left -= expected, not_found -= found, classes += 1;
          expected = found = 0;
        }
        if (left > 0) statistic += (not_found - left) * (not_found - left) / left;
        ASSERT_GT(classes, 0);
        const boost::math::chi_squared reference(classes);
        EXPECT_GT(boost::math::cdf(boost::math::complement(reference, statistic)), 1e-5)
            << "c " << c << " v " << v << " statistic " << statistic << " of " << classes;
        const auto [m, variance] = moments(changed("shot-noise", flat(v, of), of));
        EXPECT_NEAR(m, v, 5 * std::sqrt(v / c / n));
        EXPECT_NEAR(variance, v / c, 5 * v / c * std::sqrt((2 + 1 / mean) / n));
      }
}

TEST(CorruptionShotNoise, LeavesBlackBlack) {
  const Case of{3, 20, 20, 5};
  EXPECT_THAT(changed("shot-noise", flat(0, of), of), Each(0.f));
}

// The same uniform: the pixels that are brighter than before at one severity are so at the others.
TEST(CorruptionShotNoise, IsCoupledOverSeverities) {
  const Case strong{1, 100, 100, 5}, weak{1, 100, 100, 1};
  for (const float v : {128.f / 255, .4f}) {
    const auto a = changed("shot-noise", flat(v, strong), strong),
               b = changed("shot-noise", flat(v, weak), weak);
    double product = 0;
    for (std::size_t i = 0; i < a.size(); ++i) product += (a[i] - v) * (b[i] - v);
    EXPECT_GT(product / 1e4, .98 * std::sqrt(moments(a).variance * moments(b).variance));
  }
}

// Values that are levels give the same numbers whether the picture is stored as levels or as floats.
TEST(CorruptionShotNoise, TakesFloatsAsLevels) {
  const Images levels = formula_pictures(3);
  std::vector<float> floats(3 * levels.pixels_per_image());
  for (std::size_t row = 0; row < 3; ++row)
    levels.copy_row(row,
                    std::span(floats).subspan(row * levels.pixels_per_image(), levels.pixels_per_image()));
  const Images same{"floats", make_array(levels.pixels.shape, std::move(floats)), {}};
  const auto of = [](const Images& images) {
    const Images after = corruption("shot-noise").apply(images, {}, nullptr);
    const auto view = after.pixels.view<std::uint8_t>();
    return std::vector(view.begin(), view.end());
  };
  EXPECT_EQ(of(levels), of(same));
}

TEST(CorruptionImpulseNoise, HitsEveryChannelByItself) {
  const std::array<std::array<double, 5>, 3> amounts{
      {{.01, .02, .03, .05, .07}, {.01, .02, .05, .08, .14}, {.03, .06, .09, .17, .27}}};
  constexpr std::size_t area = 400 * 400;
  for (std::size_t set = 0; set < 3; ++set)
    for (int severity = 1; severity <= 5; ++severity) {
      const Case of{3, 400, 400, severity, {sets[set], 1}};
      const double amount = amounts[set][static_cast<std::size_t>(severity - 1)];
      const auto after = changed("impulse-noise", flat(.5f, of), of);
      double both = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        double black = 0, white = 0;
        for (std::size_t i = 0; i < area; ++i) {
          const float x = after[c * area + i];
          ASSERT_TRUE(x == 0 || x == .5f || x == 1);
          black += x == 0, white += x == 1;
          both += x != .5f && after[(c + 1) % 3 * area + i] != .5f;
        }
        const double error = 5 * std::sqrt(amount / 2 / area);
        EXPECT_NEAR(black / area, amount / 2, error);
        EXPECT_NEAR(white / area, amount / 2, error);
      }
      EXPECT_NEAR(both / 3 / area, amount * amount, 5 * amount / std::sqrt(3. * area));
    }
}

TEST(CorruptionImpulseNoise, HitsMoreAtHigherSeverities) {
  const Case weak{3, 64, 64, 2}, strong{3, 64, 64, 4};
  const auto a = changed("impulse-noise", flat(.5f, weak), weak),
             b = changed("impulse-noise", flat(.5f, strong), strong);
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != .5f) {
      ASSERT_EQ(a[i], b[i]);
    }
}

TEST(Corruptions, HaveTheFiguresOfAnotherProgram) {
  expect_figures_of("corruptions.json", formula_pictures(), "formula");
}

TEST(Corruptions, HaveTheFiguresOfAnotherProgramOnPhotographs) {
  if (!std::filesystem::exists(cifar10_file())) GTEST_SKIP() << cifar10_file() << " is not there";
  expect_figures_of("corruptions.json", cifar10_pictures(), "cifar10");
}

// Blurs without chance, pixel by pixel: half a level decides where the other program rounds a tie otherwise.
TEST(Corruptions, HaveThePixelsOfAnotherProgram) {
  const auto reference =
      nlohmann::json::parse(std::ifstream(std::string(LEEWAY_REFERENCE) + "/corruptions.json")).at("pixels");
  EXPECT_EQ(reference.size(), 8u * 3 * 5);
  for (const auto& entry : reference) {
    const std::size_t picture = entry.at("picture");
    const Images all =
        formula_pictures(picture + 1, entry.at("height"), entry.at("width"), entry.at("channels"));
    CorruptionOptions options;
    options.severity = entry.at("severity");
    const Images after = corruption(entry.at("name").get<std::string>())
                             .apply(select_rows(all, std::array{picture}), options, nullptr);
    const auto found = after.pixels.view<std::uint8_t>();
    const std::string expected = entry.at("levels");
    const std::size_t every = entry.at("every");
    ASSERT_EQ(expected.size() / 2, (found.size() + every - 1) / every);
    std::size_t different = 0;
    for (std::size_t i = 0; i < expected.size() / 2; ++i) {
      const int level = std::stoi(expected.substr(2 * i, 2), nullptr, 16);
      ASSERT_LE(std::abs(level - found[i * every]), 1)

          << entry.at("name") << " " << options.severity << " " << entry.at("height") << " " << i;
      different += level != found[i * every];
    }
    EXPECT_LE(different, expected.size() / 2 / 200 + 1) << entry.at("name") << " " << options.severity;
  }
}

}  // namespace
}  // namespace leeway::shift

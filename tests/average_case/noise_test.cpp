#include "leeway/average_case/noise.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "leeway/core/random.h"
#include "tests/average_case/classifiers.h"
#include "tests/case_name.h"
#include "tests/message_of.h"

namespace leeway::average_case::noise_test {

constexpr std::uint32_t purpose = 7;

std::vector<float> drawn(const Noise& noise, std::uint64_t sample = 0, std::uint64_t draw = 0,
                         std::uint64_t seed = 3) {
  std::vector<float> e(noise.d());
  noise.draw(seed, purpose, sample, draw, e);
  return e;
}

class EveryNoise : public ::testing::TestWithParam<NoiseKind> {};

TEST_P(EveryNoise, ANumberDoesNotDependOnHowManyAreDrawn) {
  const std::vector<float> all = drawn(Noise(1000, GetParam()), 5, 9);
  EXPECT_EQ(all, drawn(Noise(1000, GetParam()), 5, 9));
  for (const std::size_t d : {1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129, 784}) {
    const std::vector<float> some = drawn(Noise(d, GetParam()), 5, 9);
    EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin())) << d;
  }
}

INSTANTIATE_TEST_SUITE_P(, EveryNoise, ::testing::ValuesIn(noises().begin(), noises().end()), case_name);

// Number j is made of word (j % 64) / 16 of block (j / 64) * 16 + j % 16.
std::uint32_t word_of(std::size_t j, std::uint64_t seed, std::uint32_t sample, std::uint32_t draw,
                      int word = -1) {
  const auto block = static_cast<std::uint32_t>(j / 64 * 16 + j % 16);
  return philox4x32_10(
      {block, purpose, sample, draw},
      {static_cast<std::uint32_t>(seed),
       static_cast<std::uint32_t>(seed >> 32)})[word < 0 ? j % 64 / 16 : static_cast<std::size_t>(word)];
}

TEST(Noise, IsMadeOfTheWordsOfPhilox) {
  const std::uint64_t seed = 0x123456789abcdef0;
  const std::uint32_t sample = 77, draw = 4000000000U;
  constexpr std::size_t d = 1 << 17;  // far into the tails
  const std::vector<float> uniform = drawn(Noise(d, noise_kind("uniform")), sample, draw, seed),
                           laplace = drawn(Noise(d, noise_kind("laplace")), sample, draw, seed),
                           normal = drawn(Noise(d), sample, draw, seed);
  for (std::size_t j = 0; j < d; ++j) {
    const std::uint32_t word = word_of(j, seed, sample, draw);
    const double centred = double(static_cast<std::int32_t>(word)) * 0x1p-31;
    EXPECT_NEAR(double(uniform[j]), std::numbers::sqrt3 * centred, 4e-7) << j;
    const double u = (double(word & 0x7fffffffU) + .5) * 0x1p-31;
    const double size = -std::log(u) / std::numbers::sqrt2;
    EXPECT_NEAR(double(laplace[j]), word >> 31 ? -size : size, 2e-6) << j;
    // Box and Muller: words 0 and 1 of a block make the numbers of words 0 and 1, words 2 and 3 the others.
    const int first = j % 64 < 32 ? 0 : 2;
    const double radius = std::sqrt(-2 * std::log((word_of(j, seed, sample, draw, first) + .5) * 0x1p-32));
    const double angle = 2 * std::numbers::pi * word_of(j, seed, sample, draw, first + 1) * 0x1p-32;
    const double expected = radius * (j % 32 < 16 ? std::cos(angle) : std::sin(angle));
    EXPECT_NEAR(double(normal[j]), expected, 1e-5) << j;
  }
}

Array covariance_of(std::size_t d, std::vector<double> values) {
  return values.size() == d ? make_array<double>({d}, std::move(values))
                            : make_array<double>({d, d}, std::move(values));
}

std::vector<double> naive_gram(const std::vector<double>& jacobian, const std::vector<double>& c,
                               std::size_t d) {
  const std::size_t m = jacobian.size() / d;
  std::vector<double> gram(m * m, 0);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j)
      for (std::size_t a = 0; a < d; ++a)
        for (std::size_t b = 0; b < d; ++b)
          gram[i * m + j] += jacobian[i * d + a] * c[a * d + b] * jacobian[j * d + b];
  return gram;
}

struct Covariance {
  const char* name;
  std::size_t d;
  std::vector<double> given, full;
};

class EveryCovariance : public ::testing::TestWithParam<Covariance> {};

TEST_P(EveryCovariance, DrawsHaveIt) {
  const auto& [name, d, given, full] = GetParam();
  const Noise noise(d, noise_kind("gaussian"), covariance_of(d, given));
  constexpr std::size_t n = 1 << 16;
  std::vector<double> mean(d, 0), products(d * d, 0);
  for (std::size_t draw = 0; draw < n; ++draw) {
    const std::vector<float> e = drawn(noise, 0, draw);
    for (std::size_t i = 0; i < d; ++i) {
      mean[i] += double(e[i]) / n;
      for (std::size_t j = 0; j < d; ++j) products[i * d + j] += double(e[i]) * double(e[j]) / n;
    }
  }
  for (std::size_t i = 0; i < d; ++i) {
    EXPECT_NEAR(mean[i], 0, 5 * std::sqrt(full[i * d + i] / n));
    for (std::size_t j = 0; j < d; ++j) {
      const double c = full[i * d + j],
                   deviation = std::sqrt((full[i * d + i] * full[j * d + j] + c * c) / n);
      EXPECT_NEAR(products[i * d + j], c, 5 * deviation + 1e-12) << i << ' ' << j;
    }
  }
}

TEST_P(EveryCovariance, GramIsThatOfANaiveLoop) {
  const auto& [name, d, given, full] = GetParam();
  const Noise noise(d, noise_kind("gaussian"), covariance_of(d, given));
  Random random(1, stream("gram test"));
  for (const std::size_t m : {1, 2, 9}) {
    std::vector<double> jacobian(m * d);
    for (double& value : jacobian) value = random.normal();
    const std::vector<double> gram = gram_of(noise, jacobian), naive = naive_gram(jacobian, full, d);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < m; ++j) {
        EXPECT_NEAR(gram[i * m + j], naive[i * m + j], 1e-11) << i << ' ' << j;
        EXPECT_EQ(gram[i * m + j], gram[j * m + i]) << i << ' ' << j;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(
    , EveryCovariance,
    ::testing::Values(Covariance{"variances", 3, {4, 0, .25}, {4, 0, 0, 0, 0, 0, 0, 0, .25}},
                      Covariance{
                          "full", 3, {2, .5, -1, .5, 1, .3, -1, .3, 3}, {2, .5, -1, .5, 1, .3, -1, .3, 3}},
                      Covariance{"singular", 3, {1, 1, 0, 1, 1, 0, 0, 0, 2}, {1, 1, 0, 1, 1, 0, 0, 0, 2}},
                      Covariance{"zero", 2, {0, 0, 0, 0}, {0, 0, 0, 0}}, Covariance{"one", 1, {9}, {9}}),
    case_name);

TEST(Noise, RefusesWhatIsNoCovariance) {
  const auto message = [](std::size_t d, Array covariance, const NoiseKind& kind = noise_kind("gaussian")) {
    return message_of([&] { Noise(d, kind, covariance); });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::pair<std::string, const char*> refused[] = {
      {message(3, covariance_of(2, {1, 2})), "shape (2)"},
      {message(3, make_array<double>({3, 2}, {1, 0, 0, 1, 0, 0})), "shape (3, 2)"},
      {message(2, covariance_of(2, {1, nan})), "nan at 1"},
      {message(2, covariance_of(2, {1, -1})), "-1 at 1"},
      {message(2, covariance_of(2, {1, 0, 0, -2})), "-2 at 1"},
      {message(2, covariance_of(2, {1, .5, .4, 1})), "0.4 at (1, 0), 0.5 at (0, 1)"},
      {message(2, covariance_of(2, {1, 2, 2, 1})), "eigenvalues of -1 and 3"}};
  for (const auto& [text, found] : refused) {
    EXPECT_THAT(text, ::testing::StartsWith("noise covariance: expected"));
    EXPECT_THAT(text, ::testing::EndsWith(found));
  }
  for (const NoiseKind& kind : {noise_kind("uniform"), noise_kind("laplace")})
    EXPECT_THAT(message(2, covariance_of(2, {1, 1}), kind), ::testing::HasSubstr("noise, found another"));
}

TEST(Noise, TakesACovarianceOfFloat32AsItIsRounded) {
  // Asymmetric and indefinite by no more than rounding: correlation 1 - 3e-8 to one side, 1 + 3e-8 to the other.
  const Noise noise(2, noise_kind("gaussian"), make_array<float>({2, 2}, {.1F, .3F, .30000003F, .9F}));
  const std::vector<double> gram = gram_of(noise, {1, 0, 0, 1});
  EXPECT_NEAR(gram[1], .3, 1e-6);
}

}  // namespace leeway::average_case::noise_test

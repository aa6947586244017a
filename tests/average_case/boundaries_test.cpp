#include "leeway/average_case/detail/boundaries.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/average_case/classifiers.h"

namespace leeway::average_case::boundaries_test {

constexpr double infinity = std::numeric_limits<double>::infinity();
using Doubles = std::vector<double>;

double probability_of(const Boundaries& boundaries, double sigma) {
  return probability(boundaries, sigma, {.tolerance = 1e-6}).probability;
}

Boundaries boundaries(const Doubles& logits, const Doubles& gradients, std::size_t target,
                      std::span<const std::int32_t> classes = {}) {
  return boundaries_of(logits, gradients, target, Noise(gradients.size() / logits.size()), classes);
}

TEST(Boundaries, OfTwoClassesByHand) {
  // g = 3, grad g = (1,2) - (-2,-2) = (3,4), norm 5: z = .6.
  const Boundaries found = boundaries({-1, 2}, {-2, -2, 1, 2}, 1);
  ASSERT_EQ(found.z.size(), 1U);
  EXPECT_DOUBLE_EQ(found.z[0], .6);
  EXPECT_EQ(found.correlation, Doubles{1});
  for (const double sigma : {.1, .5, 2.}) {
    EXPECT_NEAR(probability_of(found, sigma), phi(.6 / sigma), 1e-6);
    EXPECT_DOUBLE_EQ(mv_sigmoid(found, sigma), 1 / (1 + std::exp(-.6 / sigma)));
  }
}

// Squares of such entries underflow or overflow. Logits and gradients times 2^e have the same z and R, to the bit.
TEST(Boundaries, GradientsOfAnySizeAreScaled) {
  const Doubles logits = {1, 2, -1}, gradients = {0, 1, 1, 1, 1, -1.5};
  const Boundaries plain = boundaries(logits, gradients, 1);
  const Noise diagonal(2, noise_kind("gaussian"), make_array<double>({2}, {4, 1}));
  const Boundaries weighted = boundaries_of(logits, gradients, 1, diagonal);
  for (const int exponent : {-900, -565, -541, -30, 541, 900}) {
    const auto scaled = [&](Doubles values) {
      for (double& value : values) value = std::ldexp(value, exponent);
      return values;
    };
    const Boundaries found = boundaries(scaled(logits), scaled(gradients), 1);
    EXPECT_EQ(found.z, plain.z) << exponent;
    EXPECT_EQ(found.correlation, plain.correlation) << exponent;
    EXPECT_EQ(found.steepest, std::ldexp(plain.steepest, exponent));
    const Boundaries other = boundaries_of(scaled(logits), scaled(gradients), 1, diagonal);
    EXPECT_EQ(other.z, weighted.z) << exponent;
    EXPECT_EQ(other.correlation, weighted.correlation) << exponent;
  }
  // One class alone: its margin of 1e-170 against a gradient of 1e-170.
  EXPECT_NEAR(probability_of(boundaries({1e-170, 0}, {1e-170, 0, 0, 0}, 0), 1), phi(1), 1e-12);
  // Variances of noise that are as small.
  const Noise quiet(1, noise_kind("gaussian"), make_array<double>({1}, {1e-300}));
  EXPECT_NEAR(probability_of(boundaries_of(Doubles{1e-250, 0}, Doubles{1e-100, 0}, 0, quiet), 1), phi(1),
              1e-12);
}

TEST(Boundaries, OfThreeClassesByHand) {
  // Target 1 of gradient (1,1): differences (1,0) and (0,2) are orthogonal, margins 1 and 3.
  const Boundaries orthogonal = boundaries({1, 2, -1}, {0, 1, 1, 1, 1, -1}, 1);
  EXPECT_EQ(orthogonal.z, (Doubles{1, 1.5}));
  EXPECT_EQ(orthogonal.correlation, (Doubles{1, 0, 0, 1}));
  EXPECT_NEAR(probability_of(orthogonal, 2), phi(.5) * phi(.75), 1e-6);
  EXPECT_DOUBLE_EQ(mv_sigmoid(orthogonal, .5), 1 / (1 + std::exp(-2.) + std::exp(-3.)));
  // On the corner of two boundaries at a right angle, at 60 and 120 degrees: 1/4 + asin(R)/(2 pi).
  const double root = std::sqrt(.75);
  EXPECT_NEAR(probability_of(boundaries({0, 0, 0}, {0, 0, -1, 0, -.5, -root}, 0), 1), 1. / 3, 1e-6);
  EXPECT_NEAR(probability_of(boundaries({0, 0, 0}, {0, 0, -1, 0, .5, -root}, 0), 1), 1. / 6, 1e-6);
}

TEST(Boundaries, UnderACovarianceNormaliseBothMarginsAndCorrelations) {
  // grad g_1 = (1,1), grad g_2 = (-1,2), C = diag(4,1): grad' C grad = 5 and 8, across -4 + 2 = -2; margins 1 and 2.
  //   R = -2 / sqrt(40), z = 1/sqrt 5, 2/sqrt 8
  // scipy 1.10: multivariate_normal(cov=[[1, R], [R, 1]]).cdf(z) = .477554003
  // With Euclidean directions u_1 = (1,1)/sqrt 2, u_2 = (-1,2)/sqrt 5 in U C U': .394535.
  constexpr double exact = .477554003;
  const Doubles logits = {0, -1, -2}, gradients = {0, 0, -1, -1, 1, -2};
  const Noise diagonal(2, noise_kind("gaussian"), make_array<double>({2}, {4, 1}));
  const Noise full(2, noise_kind("gaussian"), make_array<double>({2, 2}, {4, 0, 0, 1}));
  for (const Noise* noise : {&diagonal, &full}) {
    const Boundaries found = boundaries_of(logits, gradients, 0, *noise);
    EXPECT_NEAR(found.z[0], 1 / std::sqrt(5.), 1e-15);
    EXPECT_NEAR(found.z[1], 2 / std::sqrt(8.), 1e-15);
    EXPECT_NEAR(found.correlation[1], -2 / std::sqrt(40.), 1e-15);
    EXPECT_EQ(found.correlation[1], found.correlation[2]);
    EXPECT_NEAR(probability_of(found, 1), exact, 1e-6);
  }
}

TEST(Boundaries, FromGramMatricesAreThoseFromGradients) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed, stream("boundaries test"));
    const std::size_t k = 2 + seed % 6, d = 1 + seed % 11, target = seed % k;
    Doubles logits(k), gradients(k * d), variances(d);
    for (double& value : logits) value = random.normal();
    for (double& value : gradients) value = random.normal();
    for (double& value : variances) value = random.uniform();
    const Noise noise(d, noise_kind("gaussian"), make_array<double>({d}, variances));
    const Boundaries a = boundaries_of(logits, gradients, target, noise),
                     b = boundaries_of_gram(logits, gram_of(noise, gradients), target);
    for (std::size_t i = 0; i + 1 < k; ++i) EXPECT_NEAR(a.z[i], b.z[i], 1e-9 * std::abs(a.z[i]));
    for (std::size_t i = 0; i < a.correlation.size(); ++i)
      EXPECT_NEAR(a.correlation[i], b.correlation[i], 1e-9);
  }
}

TEST(Boundaries, WithoutGradientAreNeverCrossed) {
  // The others share the target's gradient: ahead, behind, and ties with a higher and a lower class.
  const Doubles same(10, .7);
  const Boundaries found = boundaries({0, -1, 0, 1, 0}, same, 2);
  EXPECT_EQ(found.z, (Doubles{-infinity, infinity, -infinity, infinity}));
  EXPECT_EQ(found.correlation, (Doubles{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}));
  EXPECT_EQ(found.steepest, 0);
  for (const double sigma : {0., 1., 1e30}) {
    EXPECT_EQ(probability_of(found, sigma), 0);
    EXPECT_EQ(mv_sigmoid(found, sigma), 0);
    EXPECT_EQ(probability_of(boundaries({0, 0, -1}, Doubles(6, 2.), 0), sigma), 1);
    EXPECT_EQ(mv_sigmoid(boundaries({0, 0, -1}, Doubles(6, 2.), 0), sigma), 1);
  }
  EXPECT_EQ(boundaries_of_gram(Doubles{0, -1, 0, 1, 0}, Doubles(25, .3), 2).z, found.z);
}

TEST(Boundaries, TiesGoByTheNumberOfTheClass) {
  const std::int32_t above[] = {9, 4}, below[] = {4, 9};
  EXPECT_EQ(boundaries({1, 1}, Doubles(4, 1.), 0, above).z, Doubles{-infinity});
  EXPECT_EQ(boundaries({1, 1}, Doubles(4, 1.), 0, below).z, Doubles{infinity});
}

TEST(Boundaries, AtSigmaZeroAndWithoutEnd) {
  const Boundaries ahead = boundaries({2, 1, 0}, {1, 0, 0, 1, -1, 0}, 0);
  EXPECT_EQ(probability_of(ahead, 0), 1);
  EXPECT_EQ(mv_sigmoid(ahead, 0), 1);
  EXPECT_EQ(probability_of(boundaries({1, 2}, {1, 0, 0, 1}, 0), 0), 0);
  EXPECT_EQ(probability_of(boundaries({2, 2}, {1, 0, 0, 1}, 1), 0), 1);  // on a boundary: its own
  // Far away margins do not count: the angle between two boundaries, R = (1,-1).(2,0) / (sqrt 2 2) = sqrt(1/2).
  const double orthant = .25 + std::asin(std::sqrt(.5)) / (2 * 3.14159265358979323846);
  EXPECT_NEAR(probability_of(ahead, 1e30), orthant, 1e-6);
  EXPECT_NEAR(mv_sigmoid(ahead, 1e30), 1. / 3, 1e-15);
}

TEST(Boundaries, MassLeftOutByHand) {
  Boundaries some;
  some.steepest = 2, some.left_out = {1, 4};
  EXPECT_NEAR(some.left_out_mass(.5), phi(-.5) + phi(-2), 1e-7);
  EXPECT_EQ(some.left_out_mass(0), 0);
  some.left_out = {1, -1};
  EXPECT_EQ(some.left_out_mass(0), 1);
  EXPECT_EQ(Boundaries{}.left_out_mass(1), 0);
}

}  // namespace leeway::average_case::boundaries_test

// Gram matrices made elsewhere: what rounding may do to them, and what is refused. Edge cases of files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "leeway/average_case/average_case.h"
#include "leeway/average_case/detail/ordering.h"
#include "tests/average_case/classifiers.h"
#include "tests/message_of.h"

namespace leeway::average_case {
namespace {

using Doubles = std::vector<double>;
using ::testing::HasSubstr;

// n samples of k classes whose gradients are normal about a common vector of norm `common`, at margins of a few
// deviations; float64.
struct Made {
  Array logits, jacobian;
  Doubles gram;
};
Made made(std::size_t n, std::size_t k, std::size_t d, double common, std::uint64_t seed) {
  Random random(seed, stream("gram test"));
  Doubles logits(n * k), jacobian(n * k * d), gram(n * k * k);
  for (double& value : logits) value = random.normal();
  const double each = common / std::sqrt(static_cast<double>(d));
  for (double& value : jacobian) value = each + random.normal();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t a = 0; a < k; ++a)
      for (std::size_t b = 0; b < k; ++b)
        for (std::size_t j = 0; j < d; ++j)
          gram[(i * k + a) * k + b] += jacobian[(i * k + a) * d + j] * jacobian[(i * k + b) * d + j];
  return {make_array<double>({n, k}, logits), make_array<double>({n, k, d}, jacobian), gram};
}

std::vector<float> narrow(const Doubles& values) { return {values.begin(), values.end()}; }

Column taylor(const MadeElsewhere& files, std::size_t d, double sigma) {
  AverageCaseOptions options;
  options.methods = {"taylor"}, options.sigmas = {sigma}, options.mvn.tolerance = 1e-5;
  return average_case(files, Noise(d), options).columns[0];
}

// Seven boundaries in three dimensions: R is singular, and what float32 does to the products makes it indefinite,
// the more the longer the part that all gradients share.
TEST(GramMatrices, OfFloat32AreTakenAsTheyAreRounded) {
  const std::size_t n = 12, k = 8, d = 3;
  for (const double common : {0., 10., 100.}) {
    const Made all = made(n, k, d, common, 1);
    const Column expected = taylor({"a.npz", all.logits, all.jacobian, {}}, d, .5);
    const std::vector<float> rounded = narrow(all.gram);
    // Such numbers in a float64 file are no better.
    for (const Array& gram : {make_array<float>({n, k, k}, rounded),
                              make_array<double>({n, k, k}, Doubles(rounded.begin(), rounded.end()))}) {
      const Column found = taylor({"a.npz", all.logits, {}, gram}, d, .5);
      // Relative to s^2 of about 6 the products err by 1e-7 common^2 / 6.
      for (std::size_t i = 0; i < n; ++i)
        EXPECT_NEAR(found.p[i], expected.p[i], 1e-4 + 2e-6 * common * common) << common << " row " << i;
    }
  }
}

TEST(GramMatrices, ThatAreIndefiniteAreRefusedByRow) {
  const std::size_t n = 3, k = 4, d = 6;
  const Made all = made(n, k, d, 0, 2);
  const auto refusal = [&](const Array& gram) {
    const MadeElsewhere files{"a.npz", all.logits, {}, gram};
    return message_of([&] { (void)taylor(files, d, 1); });
  };
  const auto with = [&](std::size_t at, double value) {
    Doubles gram = all.gram;
    gram[at] = value;
    return gram;
  };
  // Row 1: one class's gradient loses a length that the others say it has.
  const Doubles shorter = with(k * k + 2 * k + 2, .1 * all.gram[k * k + 2 * k + 2]);
  for (const Array& gram :
       {make_array<double>({n, k, k}, shorter), make_array<float>({n, k, k}, narrow(shorter))})
    EXPECT_THAT(
        refusal(gram),
        HasSubstr("a.npz: row 1: Gram matrix: expected a positive semi-definite matrix, found one with"));
  const Doubles asymmetric = with(2 * k * k + 1, all.gram[2 * k * k + 1] + 1e-3);
  EXPECT_THAT(refusal(make_array<double>({n, k, k}, asymmetric)), HasSubstr("a.npz: row 2: "));
  EXPECT_THAT(refusal(make_array<double>({n, k, k}, with(0, -1))), HasSubstr("a.npz: row 0: "));
}

// (4 2; 2 1) has rank 1: rows 2 and 1. (1 2; 2 1) has the eigenvalue -1: of 1 - 4 nothing real is left.
TEST(GramMatrices, FactorsByHand) {
  const GramFactor flat = gram_factor(Doubles{4, 2, 2, 1}, 2, 1e-12);
  EXPECT_EQ(flat.rank, 1u);
  EXPECT_EQ(flat.rows, (Doubles{2, 0, 1, 0}));
  EXPECT_EQ(flat.defect, 0);
  EXPECT_EQ(gram_factor(Doubles{1, 2, 2, 1}, 2, 1e-12).defect, 3);
  EXPECT_EQ(gram_factor(Doubles{1, .5, .25, 1}, 2, 1e-12).defect, .25);  // asymmetry
  EXPECT_EQ(gram_factor(Doubles(9, 0.), 3, 1e-12).defect, 0);
  EXPECT_EQ(gram_factor(Doubles{0, 1, 1, 4}, 2, 1e-12).defect, .25);
  EXPECT_EQ(gram_factor(Doubles{-1, 0, 0, 4}, 2, 1e-12).defect, .25);
}

TEST(Files, ConstantLogitsAndGradientsThatAreDead) {
  // Row 0: constant logits, no gradients. Row 1: classes 1 and 2 have none, class 0 has (1, 0): it is ahead by 1.
  const Array logits = make_array<float>({2, 3}, {1, 1, 1, 1, 0, 0});
  Doubles jacobian(12, 0), gram(18, 0);
  jacobian[6] = 1, gram[9] = 1;
  const MadeElsewhere from_jacobian{"a.npz", logits, make_array<double>({2, 3, 2}, jacobian), {}},
      from_gram{"a.npz", logits, {}, make_array<double>({2, 3, 3}, gram)};
  for (const MadeElsewhere* files : {&from_jacobian, &from_gram})
    for (const double sigma : {0., .5, 1e30}) {
      const Column found = taylor(*files, 2, sigma);
      EXPECT_EQ(found.p[0], 1) << sigma;
      EXPECT_NEAR(found.p[1],
                  sigma == 0    ? 1
                  : sigma == .5 ? .5 * std::erfc(-2 / std::sqrt(2.))
                                : .5,
                  1e-5)
          << sigma;
    }
}

}  // namespace
}  // namespace leeway::average_case

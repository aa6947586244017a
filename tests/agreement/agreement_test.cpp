#include "leeway/agreement/agreement.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/statistics.h"
#include "tests/agreement/brute_force.h"
#include "tests/agreement/cases.h"
#include "tests/at_threads.h"
#include "tests/case_name.h"
#include "tests/message_of.h"

namespace leeway::agreement::agreement_test {

using ::testing::HasSubstr;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Array f64(std::size_t n, std::size_t k, std::vector<double> values) {
  return make_array<double>({n, k}, std::move(values));
}

// Argmaxes, ties to the lowest class: F' 0, 2, 1, 1 and F'' 0, 2, 2, 0.
const std::vector<double> clean_rows = {1, 1, 0, /**/ 0, 1, 2, /**/ 0, 3, 3, /**/ -2, -1, -1};
const std::vector<double> shifted_rows = {5, 4, 5, /**/ 1, 1, 4, /**/ 0, 1, 3, /**/ 0, 0, 0};

TEST(Predictions, TiesGoToTheLowestClass) {
  const std::vector<std::int64_t> labels = {0, 2, 2, 2};  // F'' is right on rows 0, 1 and 2
  const Agreement found = posterior_agreement(f64(4, 3, clean_rows), f64(4, 3, shifted_rows), labels);
  EXPECT_EQ(found.afr_pred, .5);
  ASSERT_TRUE(found.afr_true && found.afr_true_interval && found.attack_success);
  EXPECT_EQ(*found.afr_true, .75);
  EXPECT_EQ(*found.attack_success, .25);
  EXPECT_EQ(found.afr_pred_interval.low, clopper_pearson(2, 4).low);
  EXPECT_EQ(found.afr_true_interval->high, clopper_pearson(3, 4).high);
  const Agreement bare = posterior_agreement(f64(4, 3, clean_rows), f64(4, 3, shifted_rows));
  EXPECT_FALSE(bare.afr_true || bare.afr_true_interval || bare.attack_success);
}

TEST(Predictions, TiesBeyondTheFirstVectorOfClasses) {
  for (const std::size_t k : {2, 10, 129, 1000}) {
    std::vector<double> clean(2 * k, 0.0), shifted(2 * k, 0.0);
    clean[k - 1] = clean[k - 2] = 1;      // row 0: class k-2 ...
    shifted[k - 2] = 2;                   // ... in both
    clean[k + k - 1] = 1;                 // row 1: class k-1 ...
    shifted[k + k - 1] = shifted[k] = 3;  // ... and class 0
    EXPECT_EQ(posterior_agreement(f64(2, k, clean), f64(2, k, shifted)).afr_pred, .5) << k;
  }
}

class PerRowOfCase : public ::testing::TestWithParam<Case> {};

TEST_P(PerRowOfCase, IsThatOfTheNaiveLoop) {
  const Pair pair = GetParam().make();
  const brute::Objective objective(pair);
  const double scale = objective.grid().front() * 1e9;
  for (const double beta : {0.0, .01 * scale, scale, 30 * scale, 1e4 * scale, infinity}) {
    const auto naive = objective.per_row(beta);
    const auto values = agreement_per_row(clean_array(pair), shifted_array(pair), beta);
    ASSERT_EQ(values.size(), naive.size());
    for (std::size_t i = 0; i < naive.size(); ++i) {
      if (std::isinf(naive[i])) {
        EXPECT_EQ(values[i], naive[i]) << "row " << i;
      } else {
        EXPECT_NEAR(values[i], naive[i], 1e-13 * std::max(1., std::abs(naive[i])))
            << "row " << i << ", beta " << beta;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(NaiveLoop, PerRowOfCase, ::testing::ValuesIn(cases()), case_name);

// Theorems 1 and 2 of Carvalho et al. 2025: the posterior of a hypothesis c, one class for each row, is exp(beta
// sum_i F_i(c_i)) over the sum for all k^n hypotheses; the kernel sums the products of two posteriors.
TEST(PerRow, AddsUpToTheKernelOfAllHypotheses) {
  constexpr double beta = .7;
  for (const auto& [n, k] : {std::pair<std::size_t, std::size_t>{1, 2}, {3, 2}, {4, 3}, {3, 5}}) {
    const Pair pair = gaussian(n, k, .5, n + k);
    double clean = 0, shifted = 0, both = 0;
    for (std::size_t c = 0, last = static_cast<std::size_t>(std::pow(k, n)); c < last; ++c) {
      double of_clean = 0, of_shifted = 0;
      for (std::size_t i = 0, rest = c; i < n; ++i, rest /= k) {
        of_clean += beta * pair.clean[i * k + rest % k];
        of_shifted += beta * pair.shifted[i * k + rest % k];
      }
      clean += std::exp(of_clean), shifted += std::exp(of_shifted), both += std::exp(of_clean + of_shifted);
    }
    const Array x = clean_array(pair), y = shifted_array(pair);
    const std::vector<double> rows = agreement_per_row(x, y, beta);
    EXPECT_NEAR(std::accumulate(rows.begin(), rows.end(), 0.), std::log(both / clean / shifted), 1e-12);
    EXPECT_NEAR(posterior_agreement(y, x).pa, posterior_agreement(x, y).pa, 1e-12);
  }
}

// Two classes, equal confidence: if a share p of predictions changes, PA is log 2 - H(p), and 0 from p = 1/2 on.
// p = 0 is a perfect classifier, and a constant one.
TEST(PosteriorAgreement, OfAShareOfChangesIsTheCapacityOfABinaryChannel) {
  for (std::size_t changed = 0; changed < 10; ++changed) {
    std::vector<double> clean, shifted;
    for (std::size_t i = 0; i < 10; ++i) {
      clean.insert(clean.end(), {1, 0});
      shifted.insert(shifted.end(), {i < changed ? 0. : 1., i < changed ? 1. : 0.});
    }
    const double p = std::min(.5, static_cast<double>(changed) / 10);
    const double entropy = p > 0 ? -p * std::log(p) - (1 - p) * std::log(1 - p) : 0;
    EXPECT_NEAR(posterior_agreement(f64(10, 2, clean), f64(10, 2, shifted)).pa, std::log(2) - entropy, 1e-9);
  }
}

TEST(DeltaInterval, OnePairSaysNothing) {
  const Agreement found = posterior_agreement(f64(1, 2, {1, 0}), f64(1, 2, {2, 0}));
  EXPECT_EQ(found.pa_interval.low, 0);
  EXPECT_DOUBLE_EQ(found.pa_interval.high, std::log(2));
}

// 39 replicates at level .9: each end lies between the first and third, or 37th and 39th, of the sorted replicates.
TEST(BootstrapInterval, AgreesWithALoop) {
  const Pair pair = gaussian(60, 3, 1, 84);
  Options options;
  options.bootstrap = 39;
  options.level = .9;
  options.seed = 1234;
  const Agreement found = posterior_agreement(clean_array(pair), shifted_array(pair), {}, options);

  std::vector<double> replicates;
  for (std::size_t b = 0; b < options.bootstrap; ++b) {
    const Pair drawn = resample(pair, options.seed, b);
    replicates.push_back(std::log(3) + brute::Objective(drawn).maxima().front().value);
  }
  std::sort(replicates.begin(), replicates.end());
  EXPECT_LE(found.pa_interval.low,
            replicates[2] + 2e-6);  // that of the rows and one more, which was not drawn
  EXPECT_GE(found.pa_interval.low, replicates[0] - (replicates[2] - replicates[0]) - .05);
  EXPECT_GE(found.pa_interval.high, replicates[36] - 2e-6);
  EXPECT_LE(found.pa_interval.high, replicates[38] + 2e-6);
  EXPECT_LT(replicates[2], replicates[36]);
}

class ThreadsTest : public ::testing::TestWithParam<Case> {};

TEST_P(ThreadsTest, SameBitsForAnyNumber) {
  const Pair pair = GetParam().make();
  const Array clean = clean_array(pair), shifted = shifted_array(pair);
  Options options;
  options.curve_points = 5;
  options.bootstrap = pair.n <= 100 ? 20 : 0;
  const auto result = [&] { return numbers_of(posterior_agreement(clean, shifted, {}, options)); };
  const auto rows = [&] { return agreement_per_row(clean, shifted, 1.25); };
  const auto result_at_one = at_threads(1, result), rows_at_one = at_threads(1, rows);
  for (const int count : {2, 7}) {
    EXPECT_EQ(at_threads(count, result), result_at_one) << count;
    EXPECT_EQ(at_threads(count, rows), rows_at_one) << count;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Bits, ThreadsTest,
    ::testing::Values(Case{"many_rows", [] { return gaussian(20011, 10, .9, 91); }},
                      Case{"many_rows_single", [] { return in_single(gaussian(20011, 10, .9, 92)); }},
                      Case{"large_tiles_single", [] { return in_single(gaussian(60001, 10, .9, 93)); }},
                      Case{"many_classes", [] { return gaussian(1501, 300, .9, 94); }},
                      Case{"many_classes_single", [] { return in_single(gaussian(1501, 300, .9, 95)); }},
                      Case{"two_classes", [] { return gaussian(5003, 2, .9, 96); }},
                      Case{"identical", [] { return gaussian(5003, 10, 0, 97); }},
                      Case{"bootstrap", [] { return gaussian(97, 5, .9, 98); }}),
    case_name);

// Inputs too large for the other tests, against the naive objective at the beta found and around it.
class LargeTest : public ::testing::TestWithParam<Case> {};

TEST_P(LargeTest, IsALocalMaximumOfTheNaiveObjective) {
  const Pair pair = GetParam().make();
  const Agreement found = posterior_agreement(clean_array(pair), shifted_array(pair));
  const brute::Objective objective(pair);
  EXPECT_TRUE(found.converged);
  EXPECT_LE(found.evaluations, 40);
  EXPECT_NEAR(objective(found.beta), found.value, 1e-11);
  for (const double factor : {.5, .99, 1.01, 2.})
    EXPECT_LE(objective(factor * found.beta), found.value + found.gap + 1e-12) << factor;
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, LargeTest,
    ::testing::Values(Case{"f64_beyond_small_tiles", [] { return gaussian(60007, 10, .9, 101); }},
                      Case{"f32_beyond_small_tiles", [] { return in_single(gaussian(60007, 10, .9, 102)); }},
                      Case{"f32_k128", [] { return in_single(gaussian(1003, 128, .9, 103)); }},
                      Case{"f32_k129", [] { return in_single(gaussian(1003, 129, .9, 104)); }},
                      Case{"f64_k129", [] { return gaussian(1003, 129, .9, 105); }}),
    case_name);

TEST(Layouts, MixedTypes) {
  Pair pair = in_single(gaussian(50, 6, .9, 106));
  const Array narrow_clean = clean_array(pair), narrow_shifted = shifted_array(pair);
  pair.single = false;
  const Array clean = clean_array(pair), shifted = shifted_array(pair);
  const double expected = posterior_agreement(clean, shifted).value;
  EXPECT_NEAR(posterior_agreement(narrow_clean, shifted).value, expected, 1e-13);
  EXPECT_NEAR(posterior_agreement(clean, narrow_shifted).value, expected, 1e-13);
}

std::string message_of(const Array& clean, const Array& shifted,
                       const std::vector<std::int64_t>& labels = {}) {
  Options options;
  options.clean_name = "a.npy";
  options.shifted_name = "b.npy";
  return leeway::message_of([&] { (void)posterior_agreement(clean, shifted, labels, options); });
}

TEST(Errors, Shapes) {
  using ::testing::AllOf;
  const Array good = f64(2, 3, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(message_of(good, f64(3, 2, {1, 2, 3, 4, 5, 6})),
              AllOf(HasSubstr("b.npy"), HasSubstr("(2, 3)"), HasSubstr("(3, 2)")));
  EXPECT_THAT(message_of(make_array<double>({6}, {1, 2, 3, 4, 5, 6}), good),
              AllOf(HasSubstr("a.npy"), HasSubstr("(6")));
  EXPECT_THAT(message_of(good, make_array<double>({1, 2, 3}, {1, 2, 3, 4, 5, 6})),
              AllOf(HasSubstr("b.npy"), HasSubstr("(1, 2, 3)")));
  EXPECT_THAT(message_of(f64(2, 1, {1, 2}), f64(2, 1, {1, 2})),
              AllOf(HasSubstr("a.npy"), HasSubstr("(2, 1)")));
  EXPECT_THAT(message_of(f64(0, 3, {}), f64(0, 3, {})), AllOf(HasSubstr("a.npy"), HasSubstr("(0, 3)")));
  EXPECT_THAT(message_of(make_array<std::int64_t>({2, 3}, {1, 2, 3, 4, 5, 6}), good),
              AllOf(HasSubstr("a.npy"), HasSubstr("int64")));
}

TEST(Errors, NonFiniteLogitsNameRowAndClass) {
  for (const std::size_t k : {3, 10, 200}) {
    const Pair good = gaussian(1037, k, .5, 111);
    for (const bool single : {false, true})
      for (const double value : {nan, infinity, -infinity})
        for (const std::size_t row : {0, 17, 599, 1036})
          for (const bool in_clean : {true, false}) {
            Pair pair = good;
            pair.single = single;
            const std::size_t column = (row + 2) % k;
            (in_clean ? pair.clean : pair.shifted)[row * k + column] = value;
            const std::string message = message_of(clean_array(pair), shifted_array(pair));
            EXPECT_THAT(message, ::testing::StartsWith(in_clean ? "a.npy: " : "b.npy: "));
            EXPECT_THAT(message, HasSubstr(std::isnan(value) ? "nan" : value > 0 ? "found inf" : "-inf"));
            EXPECT_THAT(message, HasSubstr("row " + std::to_string(row) + ","));
            EXPECT_THAT(message, ::testing::EndsWith("class " + std::to_string(column)));
          }
  }
}

TEST(Errors, NamesTheFirstBadRow) {
  Pair pair = gaussian(5000, 10, .5, 112);
  pair.clean[4321 * 10] = nan;
  pair.shifted[1234 * 10 + 4] = infinity;
  const auto message = [&] { return message_of(clean_array(pair), shifted_array(pair)); };
  for (const int count : {1, 2, 7})
    EXPECT_THAT(at_threads(count, message), HasSubstr("row 1234, class 4")) << count;
}

TEST(Errors, Labels) {
  using ::testing::AllOf;
  const Array good = f64(2, 3, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(message_of(good, good, {0}), AllOf(HasSubstr("labels"), HasSubstr("2"), HasSubstr("1")));
  EXPECT_THAT(message_of(good, good, {0, 3}), AllOf(HasSubstr("labels"), HasSubstr("3"), HasSubstr("row 1")));
  EXPECT_THAT(message_of(good, good, {-2, 0}), AllOf(HasSubstr("-2"), HasSubstr("row 0")));
}

// Row i is a function of i alone, so that parts can be made one by one.
template <class T>
Array some_rows(std::size_t begin, std::size_t end, std::size_t k, double noise) {
  std::vector<T> values;
  values.reserve((end - begin) * k);
  for (std::size_t i = begin; i < end; ++i)
    for (std::size_t j = 0; j < k; ++j) {
      const std::size_t t = i * k + j;
      const auto fraction = [&](std::size_t factor, std::size_t modulus) {
        return static_cast<double>(t * factor % modulus) / static_cast<double>(modulus);
      };
      values.push_back(static_cast<T>(6 * fraction(7919, 10'007) + 2 * noise * fraction(104'729, 65'537)));
    }
  return make_array({end - begin, k}, std::move(values));
}

template <class T>
Rows cut(std::size_t n, std::size_t k, std::size_t parts, double noise) {
  std::vector<Array> arrays;
  for (std::size_t p = 0; p < parts; ++p)
    arrays.push_back(some_rows<T>(p * n / parts, (p + 1) * n / parts, k, noise));
  return Rows(std::move(arrays));
}

void expect_same_bits(const Agreement& a, const Agreement& b) { EXPECT_EQ(numbers_of(a), numbers_of(b)); }

template <class T>
void check(std::size_t n, std::size_t k, std::initializer_list<std::size_t> counts, double noise = 1) {
  SCOPED_TRACE(::testing::Message() << n << " rows, " << k << " classes");
  const Rows clean = cut<T>(n, k, 1, 0), shifted = cut<T>(n, k, 1, noise);
  const Agreement whole = posterior_agreement(clean, shifted);
  EXPECT_TRUE(whole.converged);
  for (const std::size_t parts : counts) {
    SCOPED_TRACE(parts);
    expect_same_bits(whole, posterior_agreement(cut<T>(n, k, parts, 0), cut<T>(n, k, parts, noise)));
    // Cut at different places in the two sets.
    expect_same_bits(whole, posterior_agreement(cut<T>(n, k, parts, 0), cut<T>(n, k, parts + 1, noise)));
  }
  const auto rows = agreement_per_row(clean, shifted, 1.5);
  EXPECT_EQ(rows, agreement_per_row(cut<T>(n, k, 3, 0), cut<T>(n, k, 4, noise), 1.5));
}

TEST(Shards, SameBits) {
  check<float>(5003, 10, {2, 5, 13});
  check<double>(5003, 10, {5});
  check<float>(40, 3, {2, 5, 13, 40});
  check<float>(1200, 300, {5});  // rows in place
  check<double>(1200, 300, {5});
  check<float>(60'000, 20, {5});  // float32 tiles
}

TEST(ShardsTier2, SameBitsWhereNothingIsKept) {
  const std::size_t n = 132'001, k = 128;
  Options options;
  options.gap = 1e-2;
  const auto whole = posterior_agreement(cut<double>(n, k, 1, 0), cut<double>(n, k, 1, 1), {}, options);
  expect_same_bits(whole, posterior_agreement(cut<double>(n, k, 5, 0), cut<double>(n, k, 3, 1), {}, options));
}

TEST(Shards, SameBitsAtInfinity) { check<float>(3000, 5, {2, 5}, 0); }

TEST(Shards, TheLastOfManyIsNamed) {
  Rows clean = cut<float>(100, 3, 4, 0);
  std::vector<float> bad(75, 1);
  bad[10] = NAN;
  const Rows shifted(
      std::vector<Array>{some_rows<float>(0, 75, 3, 1), make_array<float>({25, 3}, std::move(bad))});
  EXPECT_REFUSED(posterior_agreement(clean, shifted), "found nan at row 78 (row 3 of part 2), class 1");
}

}  // namespace leeway::agreement::agreement_test

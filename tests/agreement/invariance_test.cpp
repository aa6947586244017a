// What must change nothing: swapping the sets, row constants, the order of rows and classes; and scaling,
// which only divides beta. Values are compared within the two certified gaps.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "leeway/agreement/agreement.h"
#include "tests/agreement/brute_force.h"
#include "tests/agreement/cases.h"

namespace leeway::agreement {
namespace {

constexpr double tolerance = 1.1e-9;

// Small pairs of every kind: identical to unrelated, tied logits (rounded to halves), rows of different
// scales.
Pair any_pair() {
  const auto n = *rc::gen::inRange<std::size_t>(1, 40);
  const auto k = *rc::gen::inRange<std::size_t>(2, 12);
  const auto noise = .25 * *rc::gen::inRange(0, 9);
  const auto rounded = *rc::gen::arbitrary<bool>();
  const auto spread = *rc::gen::inRange(0, 4);
  Pair pair = gaussian(n, k, noise, *rc::gen::inRange<std::uint64_t>(1, 1000000));
  Draws draws(n + 100 * k);
  for (std::size_t i = 0; i < n; ++i) {
    const double factor = std::exp2(spread * std::round(2 * draws.normal()));
    for (std::size_t j = i * k; j < (i + 1) * k; ++j)
      for (auto* logits : {&pair.clean, &pair.shifted}) {
        double& x = (*logits)[j];
        if (rounded) x = std::round(2 * x) / 2;
        x *= factor;
      }
  }
  return pair;
}

Agreement solve(const Pair& pair) { return posterior_agreement(clean_array(pair), shifted_array(pair)); }

// `found` solves `transformed`, whose maximum is that of `original` at beta * factor.
void require_same(const Pair& original, const Agreement& expected, const Agreement& found,
                  double factor = 1) {
  RC_ASSERT(expected.converged && found.converged);
  RC_ASSERT(std::abs(found.value - expected.value) <= tolerance);
  RC_ASSERT(std::abs(found.pa - expected.pa) <= tolerance);
  RC_ASSERT(found.afr_pred == expected.afr_pred);
  const double there = brute::Objective(original)(found.beta * factor);
  RC_ASSERT(std::abs(there - expected.value) <= tolerance);
}

RC_GTEST_PROP(Invariance, Swap, ()) {
  const Pair pair = any_pair();
  const Pair swapped{pair.n, pair.k, pair.shifted, pair.clean};
  require_same(pair, solve(pair), solve(swapped));
}

// Constants that are multiples of 1/4 up to 1e3: with such logits as these the sums keep 1e-13 of a
// difference.
RC_GTEST_PROP(Invariance, RowConstants, ()) {
  const Pair pair = any_pair();
  Pair moved = pair;
  for (std::size_t i = 0; i < pair.n; ++i) {
    const double a = .25 * *rc::gen::inRange(-4000, 4000), b = .25 * *rc::gen::inRange(-4000, 4000);
    for (std::size_t j = i * pair.k; j < (i + 1) * pair.k; ++j) {
      moved.clean[j] += a;
      moved.shifted[j] += b;
    }
  }
  // Rounding may join or part logits that nearly tie; only what is left after it is compared.
  Pair back = moved;
  for (std::size_t i = 0; i < pair.n; ++i) {
    const auto clean = back.clean.begin() + static_cast<std::ptrdiff_t>(i * pair.k);
    const auto shifted = back.shifted.begin() + static_cast<std::ptrdiff_t>(i * pair.k);
    const auto k = static_cast<std::ptrdiff_t>(pair.k);
    const double top_clean = *std::max_element(clean, clean + k),
                 top_shifted = *std::max_element(shifted, shifted + k);
    std::for_each(clean, clean + k, [&](double& x) { x -= top_clean; });
    std::for_each(shifted, shifted + k, [&](double& x) { x -= top_shifted; });
  }
  require_same(back, solve(back), solve(moved));
  const double original = solve(pair).value;
  RC_ASSERT(std::abs(solve(moved).value - original) <= 1e-7);
}

RC_GTEST_PROP(Invariance, OrderOfRows, ()) {
  const Pair pair = any_pair();
  std::vector<std::size_t> order(pair.n);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(*rc::gen::inRange<std::uint64_t>(0, 1000)));
  Pair permuted = pair;
  for (std::size_t i = 0; i < pair.n; ++i)
    for (std::size_t j = 0; j < pair.k; ++j) {
      permuted.clean[i * pair.k + j] = pair.clean[order[i] * pair.k + j];
      permuted.shifted[i * pair.k + j] = pair.shifted[order[i] * pair.k + j];
    }
  require_same(pair, solve(pair), solve(permuted));
}

RC_GTEST_PROP(Invariance, OrderOfClasses, ()) {
  const Pair pair = any_pair();
  std::vector<std::size_t> order(pair.k);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(*rc::gen::inRange<std::uint64_t>(0, 1000)));
  Pair permuted = pair;
  for (std::size_t i = 0; i < pair.n; ++i)
    for (std::size_t j = 0; j < pair.k; ++j) {
      permuted.clean[i * pair.k + j] = pair.clean[i * pair.k + order[j]];
      permuted.shifted[i * pair.k + j] = pair.shifted[i * pair.k + order[j]];
    }
  Agreement found = solve(permuted);
  const Agreement expected = solve(pair);
  found.afr_pred = expected.afr_pred;  // ties go to the lowest class, so this share may change
  require_same(pair, expected, found);
}

// Subnormal logits too: the objective has no scale of its own. Some betas are then beyond float64.
TEST(Invariance, LogitsNearTheSmallestNumbers) {
  const Pair pair = gaussian(40, 3, .5, 11);
  const Agreement found = posterior_agreement(clean_array(pair), shifted_array(pair));
  for (const int exponent : {-90, -130, -400, -900, -1000}) {
    const Pair tiny = scaled(pair, std::ldexp(1, exponent));
    const Agreement same = posterior_agreement(clean_array(tiny), shifted_array(tiny));
    EXPECT_TRUE(same.converged);
    EXPECT_NEAR(same.value, found.value, 1e-9) << exponent;
    EXPECT_NEAR(std::scalbn(same.beta, exponent), found.beta, 1e-6 * found.beta) << exponent;
  }
  const Pair least = {1, 2, {0, 0x1p-1074}, {0x1p-1070, 0}};
  EXPECT_EQ(posterior_agreement(clean_array(least), shifted_array(least)).pa, 0);
  const Pair sure = {1, 2, {0, 0x1p-1074}, {5, 5}};
  EXPECT_TRUE(posterior_agreement(clean_array(sure), shifted_array(sure)).converged);
}

RC_GTEST_PROP(Invariance, ScaleDividesBeta, ()) {
  const Pair pair = any_pair();
  const double factor = std::pow(10, .5 * *rc::gen::inRange(-6, 13));
  const Pair larger = scaled(pair, factor);
  const Agreement expected = solve(pair), found = solve(larger);
  RC_ASSERT(std::abs(found.value - expected.value) <= tolerance);
  const double there = brute::Objective(larger)(found.beta);
  RC_ASSERT(std::abs(there - expected.value) <= tolerance);
  if (expected.beta > 0 && std::isfinite(expected.beta) && std::isfinite(found.beta))
    RC_ASSERT(std::abs(brute::Objective(pair)(found.beta * factor) - expected.value) <= tolerance);
}

// Twice the same rows: the same mean, twice the sum.
RC_GTEST_PROP(Invariance, RepeatedRows, ()) {
  const Pair pair = any_pair();
  Pair twice = pair;
  twice.n *= 2;
  twice.clean.insert(twice.clean.end(), pair.clean.begin(), pair.clean.end());
  twice.shifted.insert(twice.shifted.end(), pair.shifted.begin(), pair.shifted.end());
  const Agreement expected = solve(pair), found = solve(twice);
  require_same(pair, expected, found);
  RC_ASSERT(std::abs(found.log_pa_sum - 2 * expected.log_pa_sum) <= tolerance * static_cast<double>(twice.n));
}

RC_GTEST_PROP(Invariance, ValueIsBounded, ()) {
  const Pair pair = any_pair();
  const Agreement found = solve(pair);
  RC_ASSERT(found.value <= 0);
  RC_ASSERT(found.value >= -std::log(static_cast<double>(pair.k)));
  RC_ASSERT(found.pa_interval.low <= found.pa && found.pa <= found.pa_interval.high);
}

}  // namespace
}  // namespace leeway::agreement

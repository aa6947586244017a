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

std::vector<std::size_t> any_order(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(*rc::gen::inRange<std::uint64_t>(0, 1000)));
  return order;
}

RC_GTEST_PROP(Invariance, OrderOfSetsRowsAndClasses, ()) {
  const Pair pair = any_pair();
  const auto rows = any_order(pair.n), classes = any_order(pair.k);
  Pair permuted = pair;
  for (std::size_t i = 0; i < pair.n; ++i)
    for (std::size_t j = 0; j < pair.k; ++j) {
      permuted.clean[i * pair.k + j] = pair.shifted[rows[i] * pair.k + classes[j]];
      permuted.shifted[i * pair.k + j] = pair.clean[rows[i] * pair.k + classes[j]];
    }
  const Agreement expected = solve(pair), found = solve(permuted);
  RC_ASSERT(expected.converged && found.converged);
  RC_ASSERT(std::abs(found.value - expected.value) <= tolerance);
  RC_ASSERT(std::abs(brute::Objective(pair)(found.beta) - expected.value) <= tolerance);
  RC_ASSERT(found.pa_interval.low <= found.pa && found.pa <= found.pa_interval.high);
}

// Constants that are multiples of 1/4: what is left of differences near ties is compared to 1e-7.
RC_GTEST_PROP(Invariance, RowConstants, ()) {
  const Pair pair = any_pair();
  Pair moved = pair;
  for (std::size_t i = 0; i < pair.n; ++i) {
    const double a = .25 * *rc::gen::inRange(-4000, 4000), b = .25 * *rc::gen::inRange(-4000, 4000);
    for (std::size_t j = i * pair.k; j < (i + 1) * pair.k; ++j) moved.clean[j] += a, moved.shifted[j] += b;
  }
  RC_ASSERT(std::abs(solve(moved).value - solve(pair).value) <= 1e-7);
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
  const Agreement expected = solve(pair), found = solve(scaled(pair, factor));
  RC_ASSERT(std::abs(found.value - expected.value) <= tolerance);
  if (expected.beta > 0 && std::isfinite(expected.beta) && std::isfinite(found.beta))
    RC_ASSERT(std::abs(brute::Objective(pair)(found.beta * factor) - expected.value) <= tolerance);
}

}  // namespace
}  // namespace leeway::agreement

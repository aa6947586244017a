// Exact transport against successive shortest paths on small sets, and against the dual on large ones.
#include "leeway/error_bound/detail/transport.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "leeway/core/random.h"
#include "tests/at_threads.h"
#include "tests/message_of.h"

namespace leeway::error_bound::transport_test {

struct Problem {
  std::vector<double> gains, masses;
  [[nodiscard]] std::size_t k() const { return masses.size(); }
  [[nodiscard]] std::size_t n() const { return gains.size() / masses.size(); }
};

// Mass flows from rows (1/n each) to columns along the cheapest path of the residual graph (Bellman and Ford).
double plain_cost(const Problem& problem) {
  const std::size_t n = problem.n(), k = problem.k();
  const double all = std::accumulate(problem.masses.begin(), problem.masses.end(), 0.);
  std::vector<double> supply(n, 1. / static_cast<double>(n)), demand(k), flow(n * k, 0);
  for (std::size_t j = 0; j < k; ++j) demand[j] = problem.masses[j] / all;
  const auto cost = [&](std::size_t i, std::size_t j) { return 1 - problem.gains[i * k + j]; };
  constexpr double none = std::numeric_limits<double>::infinity(), dust = 1e-14;
  while (true) {
    std::vector<double> to_row(n, none), to_column(k, none);
    std::vector<std::size_t> row_from(n, k), column_from(k, n);
    for (std::size_t i = 0; i < n; ++i)
      if (supply[i] > dust) to_row[i] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < k; ++j) {
          if (to_row[i] + cost(i, j) < to_column[j] - 1e-15)
            to_column[j] = to_row[i] + cost(i, j), column_from[j] = i, changed = true;
          if (flow[i * k + j] > dust && to_column[j] - cost(i, j) < to_row[i] - 1e-15)
            to_row[i] = to_column[j] - cost(i, j), row_from[i] = j, changed = true;
        }
    }
    std::size_t sink = k;
    for (std::size_t j = 0; j < k; ++j)
      if (demand[j] > dust && to_column[j] < none && (sink == k || to_column[j] < to_column[sink])) sink = j;
    if (sink == k) break;
    double amount = demand[sink];
    std::size_t row = n;
    for (std::size_t j = sink; j != k; j = row_from[row]) {
      row = column_from[j];
      if (row_from[row] != k) amount = std::min(amount, flow[row * k + row_from[row]]);
    }
    amount = std::min(amount, supply[row]);
    supply[row] -= amount, demand[sink] -= amount;
    for (std::size_t j = sink; j != k; j = row_from[row]) {
      row = column_from[j];
      flow[row * k + j] += amount;
      if (row_from[row] != k) flow[row * k + row_from[row]] -= amount;
    }
  }
  double total = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < k; ++j) total += flow[i * k + j] * cost(i, j);
  return total;
}

// By weak duality no plan costs less, whatever the potentials.
double dual_cost(const Problem& problem, const std::vector<double>& u) {
  const std::size_t n = problem.n(), k = problem.k();
  const double all = std::accumulate(problem.masses.begin(), problem.masses.end(), 0.);
  double rows = 0, columns = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < k; ++j) best = std::max(best, problem.gains[i * k + j] - u[j]);
    rows += best;
  }
  for (std::size_t j = 0; j < k; ++j) columns += problem.masses[j] / all * u[j];
  return 1 - columns - rows / static_cast<double>(n);
}

// Softmax rows of random logits; `levels` > 0 rounds them so that many are equal.
Problem drawn(std::size_t n, std::size_t k, double scale, std::uint64_t seed, int levels = 0) {
  Random random(seed, 0);
  Problem problem;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> e(k);
    for (double& x : e) x = std::exp(scale * random.normal());
    const double sum = std::accumulate(e.begin(), e.end(), 0.);
    for (const double x : e)
      problem.gains.push_back(levels > 0 ? std::round(levels * x / sum) / levels : x / sum);
  }
  for (std::size_t j = 0; j < k; ++j) problem.masses.push_back(.2 + random.uniform());
  return problem;
}

void expect_optimal(const Problem& problem) {
  const Transport found = optimal_transport(problem.gains, problem.k(), problem.masses);
  EXPECT_NEAR(found.cost, plain_cost(problem), 1e-11);
  EXPECT_NEAR(found.cost, dual_cost(problem, found.potentials), 1e-11);
  EXPECT_LE(found.gap, 1e-12);
  EXPECT_EQ(*std::min_element(found.potentials.begin(), found.potentials.end()), 0);
}

TEST(Transport, ByHand) {
  // Two rows that both want column 0, which holds one of them: the one that loses less (.8 - .5) moves.
  const Transport found = optimal_transport(std::vector{.9, .1, .8, .5}, 2, std::vector{1., 1.});
  EXPECT_NEAR(found.cost, 1 - (.9 + .5) / 2, 1e-15);
  EXPECT_EQ(optimal_transport(std::vector{.25}, 1, std::vector{3.}).cost, .75);
  EXPECT_NEAR(optimal_transport(std::vector{.25, .75}, 2, std::vector{.5, .5}).cost, .5,
              1e-15);  // a row is split
}

TEST(Transport, EqualsPlainShortestPaths) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    expect_optimal(drawn(5 + seed, 2 + seed % 5, seed % 3 == 0 ? .3 : 3, seed));
    expect_optimal(drawn(5 + seed, 2 + seed % 5, 2, seed, 4));  // ties
  }
  expect_optimal(drawn(120, 60, 2, 7));  // columns of which each holds two rows
  expect_optimal(drawn(120, 60, 2, 7, 6));
  expect_optimal(drawn(3, 12, 2, 8));  // fewer rows than columns
}

TEST(Transport, SaturatedRowsAndEmptyColumns) {
  Problem problem{{}, {.5, 0, .3, .2}};
  for (std::size_t i = 0; i < 50; ++i)
    for (std::size_t j = 0; j < 4; ++j) problem.gains.push_back(j == i % 2 ? 1 : 0);
  expect_optimal(problem);
  problem.masses = {0, 0, 1, 0};
  expect_optimal(problem);
  problem.gains.assign(200, .25);
  expect_optimal(problem);
}

// More rows than are looked at one by one; each many times, so that the small set tells the cost.
TEST(Transport, RepeatedRowsCostTheSame) {
  for (const int levels : {0, 8}) {
    const Problem small = drawn(400, 6, 1.5, 3, levels);
    Problem large = small;
    for (std::size_t copy = 1; copy < 200; ++copy)
      large.gains.insert(large.gains.end(), small.gains.begin(), small.gains.end());
    const Transport one = optimal_transport(small.gains, 6, small.masses),
                    many = optimal_transport(large.gains, 6, large.masses);
    EXPECT_NEAR(one.cost, plain_cost(small), 1e-11);
    EXPECT_NEAR(many.cost, one.cost, 1e-11);
  }
}

TEST(Transport, LargeSetsAreProvedAndDoNotDependOnThreads) {
  Problem problem = drawn(150000, 7, 1.5, 4);
  // In order of a column's gain: a sample must not be taken for the whole from one end.
  std::vector<std::size_t> rows(problem.n());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::ranges::sort(rows, {}, [&](std::size_t i) { return problem.gains[7 * i]; });
  Problem sorted{{}, problem.masses};
  for (const std::size_t i : rows)
    sorted.gains.insert(sorted.gains.end(), problem.gains.begin() + static_cast<std::ptrdiff_t>(7 * i),
                        problem.gains.begin() + static_cast<std::ptrdiff_t>(7 * i + 7));
  const auto solved = [](const Problem& p, int threads) {
    return at_threads(threads, [&] { return optimal_transport(p.gains, 7, p.masses); });
  };
  const Transport one = solved(problem, 1), three = solved(problem, 3), other = solved(sorted, 2);
  EXPECT_EQ(one.cost, three.cost);
  EXPECT_EQ(one.potentials, three.potentials);
  EXPECT_NEAR(one.cost, dual_cost(problem, one.potentials), 1e-12);
  EXPECT_NEAR(other.cost, one.cost, 1e-12);
  EXPECT_LE(one.gap, 1e-12);
}

// Few rows a column: their potentials start from the smoothed problem. Some columns take nothing.
TEST(Transport, ManyColumns) {
  for (const int levels : {0, 10}) {
    Problem problem = drawn(200, 80, 2, 5, levels);
    problem.masses[3] = problem.masses[70] = 0;
    const Transport found = optimal_transport(problem.gains, problem.k(), problem.masses);
    EXPECT_NEAR(found.cost, plain_cost(problem), 1e-10);
    EXPECT_NEAR(found.cost, dual_cost(problem, found.potentials), 1e-12);
    EXPECT_LE(found.gap, 1e-12);
  }
}

TEST(Transport, RefusesWhatIsNoProblem) {
  std::vector<double> gains(200000 * 2, .5);
  gains[2 * 199999 + 1] = std::nan("");
  EXPECT_REFUSED(optimal_transport(gains, 2, std::vector{1., 1.}), "found nan at row 199999, column 1");
}

}  // namespace leeway::error_bound::transport_test

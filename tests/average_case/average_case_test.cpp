#include "leeway/average_case/average_case.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/at_threads.h"
#include "tests/average_case/classifiers.h"
#include "tests/stopping.h"

namespace leeway::average_case::average_case_test {

Quadratic curved(std::size_t d, std::size_t k, std::uint64_t seed) {
  Quadratic model = random_linear(d, k, seed);
  Random random(seed, stream("curved"));
  for (std::size_t i = 0; i < d * k; ++i) model.curvature.push_back(.2 * random.normal());
  return model;
}

AverageCaseOptions small_options() {
  AverageCaseOptions options;
  options.sigmas = {.3, 1};
  options.draws = 200, options.copies = 3;
  return options;
}

void expect_same(const AverageCase& a, const AverageCase& b) {
  EXPECT_EQ(a.targets, b.targets);
  EXPECT_EQ(a.confidence, b.confidence);
  ASSERT_EQ(a.columns.size(), b.columns.size());
  for (std::size_t c = 0; c < a.columns.size(); ++c) {
    const Column &x = a.columns[c], &y = b.columns[c];
    EXPECT_EQ(x.estimator, y.estimator);
    EXPECT_EQ(x.sigma, y.sigma);
    EXPECT_EQ(x.p, y.p) << x.estimator->name;
    EXPECT_EQ(x.low, y.low);
    EXPECT_EQ(x.high, y.high);
    EXPECT_EQ(x.error, y.error);
    EXPECT_EQ(x.draws, y.draws);
    EXPECT_EQ(x.not_converged, y.not_converged);
    EXPECT_EQ(x.left_out, y.left_out);
    EXPECT_EQ(x.zero_gradients, y.zero_gradients);
  }
}

TEST(AverageCase, HasAColumnForEveryMethodAndSigma) {
  const AverageCase found = run(curved(3, 4, 1), random_inputs(7, 3, 1), small_options());
  ASSERT_EQ(found.columns.size(), estimators().size() * 2);
  for (std::size_t c = 0; c < found.columns.size(); ++c) {
    const Column& column = found.columns[c];
    EXPECT_EQ(column.estimator, &estimators()[c / 2]);
    EXPECT_EQ(column.sigma, c % 2 == 0 ? .3 : 1);
    EXPECT_EQ(column.p.size(), 7U);
    const bool mc = column.estimator->name == "mc", cdf = column.estimator->probability && !mc;
    EXPECT_EQ(column.low.size(), mc ? 7 : 0);
    EXPECT_EQ(column.high.size(), mc ? 7 : 0);
    EXPECT_EQ(column.draws.size(), mc ? 7 : 0);
    EXPECT_EQ(column.error.size(), cdf ? 7 : 0);
    EXPECT_EQ(column.left_out, 0);
    EXPECT_GE(column.seconds, column.model_seconds);
    for (const double p : column.p) EXPECT_TRUE(p >= 0 && p <= 1);
  }
  EXPECT_GE(found.seconds, found.model_seconds);
}

TEST(AverageCase, SameBitsForAnyNumberOfThreads) {
  const Quadratic model = curved(5, 4, 2), many = curved(3, 80, 2);
  const std::vector<float> x = random_inputs(40, 5, 2), y = random_inputs(12, 3, 2);
  const auto one = at_threads(1, [&] { return run(model, x, small_options()); });
  const auto one_of_many = at_threads(1, [&] { return run(many, y, small_options()); });
  for (const int threads : {2, 7}) {
    expect_same(at_threads(threads, [&] { return run(model, x, small_options()); }), one);
    expect_same(at_threads(threads, [&] { return run(many, y, small_options()); }), one_of_many);
  }
}

TEST(AverageCase, RangesAppendedAreTheWhole) {
  const Quadratic model = curved(2, 3, 3);
  const std::vector<float> x = random_inputs(2 * rows_at_once(3) + 50, 2, 3);
  AverageCaseOptions options = small_options();
  options.width = .1;  // rows of a group end at different times
  const AverageCase whole = run(model, x, options);
  AverageCase joined;
  const std::size_t step = rows_at_once(3) - 7;  // rows stand in other groups than in the whole
  for (std::size_t begin = 0; begin < x.size() / 2; begin += step)
    joined.append(average_case(model.classifier(), Noise(2), rows_of(x), begin,
                               std::min(begin + step, x.size() / 2), options));
  expect_same(joined, whole);
  EXPECT_LT(rows_at_once(200), rows_at_once(3));  // little is lost of work that was stopped
}

std::vector<float> shown_noise(const std::vector<float>& x, std::size_t d,
                               const AverageCaseOptions& options) {
  Quadratic model = curved(d, 3, 5);
  Classifier spy = model.classifier();
  std::vector<float> noise;
  bool first = true;  // the clean rows
  spy.logits = [&, inner = spy.logits](std::span<const float> shown) {
    if (!first)
      for (std::size_t j = 0; j < shown.size(); ++j) noise.push_back(shown[j] - x[j % d]);
    first = false;
    return inner(shown);
  };
  (void)average_case(spy, Noise(d), rows_of(x), 0, x.size() / d, options);
  return noise;
}

TEST(AverageCase, SigmasShareTheirDraws) {
  const std::vector<float> x(4, 0);
  AverageCaseOptions options = small_options();
  options.methods = {"mc"}, options.sigmas = {1, 2, .25};
  const std::vector<float> noise = shown_noise(x, 4, options);
  ASSERT_EQ(noise.size(), 3 * options.draws * 4);
  const std::size_t each = options.draws * 4;
  std::vector<float> e(4);
  for (std::size_t draw = 0; draw < options.draws; ++draw) {
    Noise(4).draw(options.seed, stream("monte carlo noise"), 0, draw, e);
    for (std::size_t j = 0; j < 4; ++j) {
      const std::size_t at = draw * 4 + j;
      EXPECT_EQ(noise[at], e[j]);
      EXPECT_EQ(noise[each + at], 2 * e[j]);
      EXPECT_EQ(noise[2 * each + at], e[j] / 4);
    }
  }
}

TEST(AverageCase, CopiesOfMmseHaveMeanZeroAndTheVarianceOfTheNoise) {
  // 2 rows at 0 in 1,000 dimensions, N = 4: sums of squares of 3 degrees of freedom times 4/3.
  const std::size_t d = 1000, copies = 4;
  const std::vector<float> x(2 * d, 0);
  Quadratic model = random_linear(d, 2, 6);
  Classifier spy = model.classifier();
  std::vector<float> seen;
  spy.linearize = [&, inner = spy.linearize](std::span<const float> shown) {
    seen.insert(seen.end(), shown.begin(), shown.end());
    return inner(shown);
  };
  AverageCaseOptions options = small_options();
  options.methods = {"mmse"}, options.sigmas = {.5}, options.copies = copies;
  (void)average_case(spy, Noise(d), rows_of(x), 0, 2, options);
  ASSERT_EQ(seen.size(), 2 * copies * d);
  double square = 0;
  for (std::size_t row = 0; row < 2; ++row)
    for (std::size_t j = 0; j < d; ++j) {
      double sum = 0;
      for (std::size_t c = 0; c < copies; ++c) {
        const double e = double(seen[(row * copies + c) * d + j]);
        sum += e, square += e * e / double(2 * copies * d);
      }
      EXPECT_NEAR(sum, 0, 1e-6);
    }
  EXPECT_NEAR(square, .25, 5 * .25 * std::sqrt(2. / (2 * 3 * d)));
  EXPECT_NE(std::vector<float>(seen.begin(), seen.begin() + d),
            std::vector<float>(seen.begin() + copies * d, seen.begin() + (copies + 1) * d));
}

TEST(AverageCase, MonteCarloStopsAtTheWantedWidth) {
  const Quadratic model = curved(3, 4, 8);
  const std::vector<float> x = random_inputs(60, 3, 8);
  AverageCaseOptions options = small_options();
  options.methods = {"mc"}, options.draws = 3000, options.width = .08;
  const AverageCase found = run(model, x, options);
  std::set<std::uint32_t> counts;
  for (const Column& column : found.columns)
    for (std::size_t i = 0; i < 60; ++i) {
      const std::uint32_t draws = column.draws[i];
      counts.insert(draws);
      const double width = column.high[i] - column.low[i];
      EXPECT_TRUE(width <= .08 || draws == 3000) << width;
      EXPECT_TRUE(draws == 3000 || (draws >= 128 && std::has_single_bit(draws))) << draws;
      // As if that number had been asked for; at half of it the width was not reached.
      AverageCaseOptions fixed = options;
      fixed.width = 0, fixed.draws = draws;
      if (i % 20 != 0) continue;
      const AverageCase again = average_case(model.classifier(), Noise(3), rows_of(x), i, i + 1, fixed);
      EXPECT_EQ(again.columns[&column - found.columns.data()].p[0], column.p[i]);
      fixed.draws = draws == 3000 ? 2048 : std::max(draws / 2, 1U);
      const AverageCase half = average_case(model.classifier(), Noise(3), rows_of(x), i, i + 1, fixed);
      const Column& before = half.columns[&column - found.columns.data()];
      EXPECT_TRUE(draws == 128 || before.high[0] - before.low[0] > .08);
    }
  EXPECT_GE(counts.size(), 3U);
}

TEST(AverageCase, OfNoRowsIsEmpty) {
  const std::vector<float> x;
  const AverageCase found =
      average_case(curved(3, 4, 1).classifier(), Noise(3), rows_of(x), 0, 0, small_options());
  EXPECT_TRUE(found.targets.empty());
  EXPECT_EQ(found.columns.size(), estimators().size() * 2);
}

TEST(AverageCase, FilesGiveWhatTheModelGives) {
  const std::size_t n = 30, d = 6, k = 5;
  const Quadratic model = curved(d, k, 10);
  const std::vector<float> x = random_inputs(n, d, 10);
  const Noise noise(d, noise_kind("gaussian"), make_array<double>({d}, {1, 2, .5, 1, 3, 0}));
  AverageCaseOptions options = small_options();
  options.methods = {"taylor", "taylor-mvs", "softmax"};
  const AverageCase expected = run(model, x, options, noise);
  const Linearized outputs = model.classifier().linearize(x);
  const std::vector<float> gradients = class_gradients(outputs, k);
  std::vector<double> gram;
  for (std::size_t i = 0; i < n; ++i) {
    const auto of_row = std::span(gradients).subspan(i * k * d, k * d);
    for (const double value : gram_of(noise, {of_row.begin(), of_row.end()})) gram.push_back(value);
  }
  const std::vector<double> logits64(outputs.logits.begin(), outputs.logits.end()),
      gradients64(gradients.begin(), gradients.end());
  const MadeElsewhere jacobian{"a.npz", make_array<float>({n, k}, outputs.logits),
                               make_array<float>({n, k, d}, gradients), std::nullopt};
  const MadeElsewhere jacobian64{"a.npz", make_array<double>({n, k}, logits64),
                                 make_array<double>({n, k, d}, gradients64), std::nullopt};
  const MadeElsewhere both{"a.npz", jacobian.logits, jacobian.jacobian, make_array<double>({n, k, k}, gram)};
  expect_same(average_case(jacobian, noise, options), expected);
  expect_same(average_case(jacobian64, noise, options), expected);
  expect_same(average_case(both, noise, options), expected);
  const MadeElsewhere from_gram{"a.npz", jacobian.logits, std::nullopt, both.gram};
  const MadeElsewhere from_gram32{"a.npz", jacobian.logits, std::nullopt,
                                  make_array<float>({n, k, k}, std::vector<float>(gram.begin(), gram.end()))};
  for (const MadeElsewhere* files : {&from_gram, &from_gram32}) {
    const AverageCase found = average_case(*files, noise, options);
    EXPECT_EQ(found.targets, expected.targets);
    for (std::size_t c = 0; c < found.columns.size(); ++c)
      for (std::size_t i = 0; i < n; ++i)
        EXPECT_NEAR(found.columns[c].p[i], expected.columns[c].p[i],
                    (found.columns[c].error.empty() ? 0 : 2e-4) + (files == &from_gram ? 1e-9 : 1e-5));
  }
  // Logits alone serve softmax, and all of it is the same at any number of threads.
  options.methods = {"softmax"};
  expect_same(average_case(MadeElsewhere{"a.npz", jacobian.logits, {}, {}}, noise, options),
              run(model, x, options, noise));
}

TEST(AverageCase, FilesOfManyRowsAreTakenInGroups) {
  const std::size_t n = 600, k = 3, d = 2;
  const Quadratic model = curved(d, k, 11);
  const std::vector<float> x = random_inputs(n, d, 11);
  AverageCaseOptions options = small_options();
  options.methods = {"taylor"};
  const Linearized outputs = model.classifier().linearize(x);
  const MadeElsewhere files{"a.npz", make_array<float>({n, k}, outputs.logits),
                            make_array<float>({n, k, d}, class_gradients(outputs, k)), std::nullopt};
  const AverageCase expected = run(model, x, options);
  for (const int threads : {1, 3})
    expect_same(at_threads(threads, [&] { return average_case(files, Noise(d), options); }), expected);
}

TEST(AverageCase, ReportsItsProgressAndStopsWhenAsked) {
  const Quadratic model = curved(2, 3, 12);
  const std::vector<float> x = random_inputs(rows_at_once(3) + 10, 2, 12);
  AverageCaseOptions options = small_options();
  Stopping never(Stopping::never), at_once;
  options.progress = &never;
  expect_same(run(model, x, options), run(model, x, small_options()));
  EXPECT_EQ(never.done, never.total);
  options.progress = &at_once;
  for (const std::string_view method : {"mc", "taylor", "mmse"}) {
    options.methods = {method};
    EXPECT_THROW(run(model, x, options), Interrupted) << method;
  }
}

// A model of the sign of the first coordinate is flat wherever its gradient is asked for: such rows survive any noise.
TEST(AverageCase, RowsWithoutGradientsAreCounted) {
  Classifier signs{1, 2, {}, {}};
  signs.logits = [](std::span<const float> x) {
    std::vector<float> logits;
    for (const float value : x) logits.insert(logits.end(), {0, value > 0 ? 1.f : -1.f});
    return logits;
  };
  signs.linearize = [&](std::span<const float> x) {
    return Linearized{signs.logits(x),
                      [n = x.size()](std::span<const float>) { return std::vector<float>(n, 0); }};
  };
  const AverageCase found = average_case(
      signs, Noise(1), [](std::size_t, std::span<float> out) { out[0] = .1f; }, 0, 300, small_options());
  for (const Column& column : found.columns) {
    EXPECT_EQ(column.zero_gradients, column.estimator->gradients ? 300U : 0U) << column.estimator->name;
    if (column.estimator->name == "taylor") {
      EXPECT_EQ(column.p.front(), 1);
    }
    if (column.estimator->name == "mc") {
      EXPECT_LT(column.p.front(), .8);
    }
  }
}

TEST(Convergence, EveryPointIsWhatTheMethodGivesWithSoMany) {
  const Quadratic model = curved(3, 4, 13);
  const std::vector<float> x = random_inputs(25, 3, 13);
  AverageCaseOptions options = small_options();
  options.width = .5;  // not looked at here
  const std::size_t draws[] = {50, 100, 400}, copies[] = {1, 2, 8};
  const auto points = convergence(model.classifier(), Noise(3), rows_of(x), 25, options, draws, copies);
  ASSERT_EQ(points.size(), 12U);
  options.width = 0;
  for (std::size_t r = 0; r < 12; ++r) {
    const ConvergencePoint& point = points[r];
    const bool mc = r < 6;
    EXPECT_EQ(point.method, mc ? "mc" : "mmse");
    EXPECT_EQ(point.sigma, r / 3 % 2 == 0 ? .3 : 1);
    EXPECT_EQ(point.copies, (mc ? draws : copies)[r % 3]);
    options.methods = {point.method};
    std::vector<std::vector<double>> p;
    for (const std::size_t count : {point.copies, (mc ? draws : copies)[2]}) {
      options.draws = options.copies = count;
      p.push_back(run(model, x, options).columns[r / 3 % 2].p);
    }
    double sum = 0, most = 0;
    for (std::size_t i = 0; i < 25; ++i)
      sum += std::abs(p[0][i] - p[1][i]), most = std::max(most, std::abs(p[0][i] - p[1][i]));
    EXPECT_NEAR(point.mean_change, sum / 25, 1e-12);
    EXPECT_EQ(point.most_change, most);
    if (r % 3 == 2)
      EXPECT_EQ(point.most_change, 0);
    else
      EXPECT_GT(point.most_change, 0);
  }
  EXPECT_TRUE(convergence(model.classifier(), Noise(3), rows_of(x), 25, options, {}, {}).empty());
}

}  // namespace leeway::average_case::average_case_test

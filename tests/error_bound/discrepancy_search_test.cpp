#include "leeway/error_bound/detail/discrepancy_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "leeway/core/random.h"
#include "leeway/error_bound/detail/critic_rows.h"
#include "leeway/error_bound/detail/lifted_class.h"
#include "tests/case_name.h"
#include "tests/error_bound/samples.h"

namespace leeway::error_bound::discrepancy_search_test {

using Critic = std::vector<std::vector<double>>;

struct Point {
  double x, y;
};

struct Plane {
  std::string name;
  std::vector<Point> source, target;
};

CriticRows rows_of(const Plane& plane) {
  CriticRows rows(plane.source.size(), plane.target.size(), 2, 2);
  std::size_t i = 0;
  for (const auto* set : {&plane.source, &plane.target})
    for (const Point& p : *set) {
      rows.at_row(i, 0) = static_cast<float>(p.x), rows.at_row(i, 1) = static_cast<float>(p.y);
      rows.y[i++] = p.x > 0;  // the classifier under test
    }
  return rows;
}

// A line that parts points in general position can go through two of them, each of which may fall on either side.
double exact_maximum(const CriticRows& rows) {
  const auto at = [&](std::size_t i) { return Point{rows.at_row(i, 0), rows.at_row(i, 1)}; };
  const double n_source = static_cast<double>(rows.n_source), n_target = static_cast<double>(rows.n_target);
  const auto gain = [&](std::size_t i, bool one) {  // of predicting class `one` on row i, in agreement
    return (one == (rows.y[i] == 1)) ? (i < rows.n_source ? 1 / n_source : -1 / n_target) : 0;
  };
  double all = 0, none = 0;
  for (std::size_t i = 0; i < rows.n(); ++i) all += gain(i, true), none += gain(i, false);
  double best = std::max(all, none);
  for (std::size_t a = 0; a < rows.n(); ++a)
    for (std::size_t b = a + 1; b < rows.n(); ++b) {
      double above = 0, below = 0;
      for (std::size_t i = 0; i < rows.n(); ++i) {
        if (i == a || i == b) continue;
        const Point p = at(a), q = at(b), r = at(i);
        const bool left = (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x) > 0;
        above += gain(i, left), below += gain(i, !left);
      }
      for (const bool one : {false, true})
        for (const bool other : {false, true})
          best = std::max(best, std::max(above, below) + gain(a, one) + gain(b, other));
    }
  return best;
}

std::vector<Point> cloud(std::size_t n, Point centre, double width, std::uint64_t sample) {
  Random random(11, stream("plane"), sample);
  std::vector<Point> points;
  for (std::size_t i = 0; i < n; ++i)
    points.push_back({centre.x + width * random.normal(), centre.y + width * random.normal()});
  return points;
}

std::vector<Point> both(std::vector<Point> a, const std::vector<Point>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<Plane> planes() {
  const auto source = both(cloud(30, {-1.5, 0}, 1, 1), cloud(30, {1.5, 0}, 1, 2));
  return {{"overlapping classes", source, both(cloud(30, {-1, .5}, 1, 3), cloud(30, {1, .5}, 1, 4))},
          {"target across the boundary", source, cloud(50, {.2, 3}, .8, 5)},
          {"outliers", both(source, {{40, -30}, {-25, 60}}),
           both(cloud(40, {1, 1}, 1.5, 6), {{90, 10}, {-3, -70}})},
          {"three source points", {{-1, 0}, {1, .1}, {1.2, -.7}}, cloud(40, {.5, .5}, 1, 7)},
          {"figure 2", both(cloud(30, {-2, -1}, .4, 8), cloud(30, {2, -1}, .4, 9)),
           both(cloud(30, {-2, 2}, .4, 10), cloud(30, {2, 2}, .4, 12))},
          {"the same distribution", source, both(cloud(30, {-1.5, 0}, 1, 13), cloud(30, {1.5, 0}, 1, 14))},
          {"one class in the target", source, cloud(30, {2, 2}, 1, 15)}};
}

// Never above the exact maximum and close to it.
void expect_found(const Plane& plane, Loss loss, std::size_t restarts, double share) {
  const CriticRows rows = rows_of(plane);
  const std::vector<double> centre(2, 0), scale(2, 1);
  const DiscrepancySearch search(rows, centre, scale, loss, 1);
  const double exact = exact_maximum(rows);
  double found = -1;
  for (std::size_t r = 0; r < restarts; ++r)
    search.restart(r, [&](const FoundCritic& critic) {
      EXPECT_EQ(critic.training_discrepancy, discrepancy(agreement(rows, critic.theta), rows));
      EXPECT_LE(critic.training_discrepancy, exact + 1e-12) << plane.name;
      found = std::max(found, critic.training_discrepancy);
    });
  EXPECT_GE(found, share * exact) << plane.name;
}

class Planes : public ::testing::TestWithParam<Plane> {};

TEST_P(Planes, CriticsComeCloseToTheExactMaximum) {
  expect_found(GetParam(), Loss::disagreement_logistic, 30, .95);
}

// The same from files to D: features of other units, an outlier among them, columns scaled on the way.
TEST_P(Planes, ThroughTheWholeBound) {
  Plane plane = GetParam();
  plane.target.push_back({-300, 400});
  const auto sample = [](const char* name, const std::vector<Point>& points) {
    std::vector<double> logits, features;
    for (const Point& p : points) {
      logits.insert(logits.end(), {0, p.x});
      features.insert(features.end(), {1e-3 * p.x, 1e4 + 1e2 * p.y});
    }
    const std::size_t n = points.size();
    return Sample{name, make_array<double>({n, 2}, std::move(logits)), std::vector<std::int64_t>(n, 0),
                  make_array<double>({n, 2}, std::move(features))};
  };
  Dis2Options options;
  options.representation.kind = Representation::Kind::features;
  options.holdout = 0, options.restarts = 10;
  const double found =
      dis2_bound(sample("source", plane.source), sample("target", plane.target), options).discrepancy;
  const double exact = exact_maximum(rows_of(plane));
  EXPECT_LE(found, exact + 1e-12);
  EXPECT_GE(found, .9 * exact);
}

INSTANTIATE_TEST_SUITE_P(All, Planes, ::testing::ValuesIn(planes()), case_name);

// The other losses lead to other starts; the search on D after them is the same.
TEST(Losses, AreNoWorse) {
  for (const Plane& plane : planes())
    for (const Loss loss : {Loss::d_bat, Loss::chuang}) expect_found(plane, loss, 10, .8);
}

constexpr std::size_t n_source = 1300, n_target = 500,
                      k = 3;  // six batches an epoch; the target starts again

// A critic as a plain table: theta[c][j], the bias last.

CriticRows training_rows() {
  Dis2Options options;
  options.holdout = 0;
  return critic_data(drawn(n_source, k, 2, 1), drawn(n_target, k, .5, 2), options, Scaling::none).training;
}

// Derivatives of a row's loss by its scores.
std::vector<double> slopes(const std::vector<double>& f, std::size_t y, bool target, Loss loss) {
  std::vector<double> g(f.size());
  double total = 0;
  for (const double value : f) total += std::exp(value);
  const double sign = target ? -1 : 1;  // chuang: the cross-entropy turned round
  for (std::size_t c = 0; c < f.size(); ++c) g[c] = sign * (std::exp(f[c]) / total - (c == y ? 1 : 0));
  if (!target || loss == Loss::chuang) return g;
  double others = 0, mean = 0;
  for (std::size_t c = 0; c < f.size(); ++c)
    if (c != y) others += std::exp(f[c]), mean += f[c] / (k - 1.);
  const double m = f[y] - (loss == Loss::d_bat ? std::log(others) : mean);
  const double rise = 1 / (1 + std::exp(-m)) / std::log(2.);
  for (std::size_t c = 0; c < f.size(); ++c)
    g[c] = c == y ? rise : -rise * (loss == Loss::d_bat ? std::exp(f[c]) / others : 1 / (k - 1.));
  return g;
}

class PlainAdamW {
 public:
  PlainAdamW(const CriticRows& rows, Loss loss, std::uint64_t seed)
      : rows_(rows), d_(rows.d), loss_(loss), theta_(k, std::vector<double>(rows.d + 1)) {
    Random random(seed, stream("critic start"), 0);
    for (auto& scores : theta_)
      for (double& value : scores) value = (2 * random.uniform() - 1) / std::sqrt(double(d_));
    first_ = second_ = Critic(k, std::vector<double>(d_ + 1, 0.));
  }

  void epoch(std::uint64_t seed, std::size_t number) {
    const auto order = [&](std::size_t n, const char* purpose) {
      std::vector<std::size_t> rows(n);
      std::iota(rows.begin(), rows.end(), 0);
      Random random(seed, stream(purpose), number);
      for (std::size_t i = n; i > 1; --i) std::swap(rows[i - 1], rows[random.below(i)]);
      return rows;
    };
    const auto source = order(n_source, "critic source batches"),
               target = order(n_target, "critic target batches");
    for (std::size_t begin = 0; begin < n_source; begin += 256) {
      const std::size_t end = std::min(begin + 256, n_source);
      Critic gradient(k, std::vector<double>(d_ + 1, 0.));
      for (std::size_t i = begin; i < end; ++i) {
        add(source[i], false, .5 / double(end - begin), gradient);
        add(n_source + target[i % n_target], true, .5 / double(end - begin), gradient);
      }
      step(gradient);
    }
  }

  [[nodiscard]] const Critic& theta() const { return theta_; }

 private:
  void add(std::size_t row, bool target, double weight, Critic& gradient) const {
    std::vector<double> f(k, 0);
    for (std::size_t c = 0; c < k; ++c)
      for (std::size_t j = 0; j <= d_; ++j) f[c] += theta_[c][j] * double(rows_.at_row(row, j));
    const std::vector<double> g = slopes(f, static_cast<std::size_t>(rows_.y[row]), target, loss_);
    for (std::size_t c = 0; c < k; ++c)
      for (std::size_t j = 0; j <= d_; ++j) gradient[c][j] += weight * g[c] * double(rows_.at_row(row, j));
  }

  // Loshchilov and Hutter (2019), algorithm 2, as torch's AdamW: the decay comes first.
  void step(const Critic& gradient) {
    ++steps_;
    for (std::size_t c = 0; c < k; ++c)
      for (std::size_t j = 0; j <= d_; ++j) {
        const double g = gradient[c][j];
        theta_[c][j] *= 1 - 3e-3 * 5e-4;
        first_[c][j] = .9 * first_[c][j] + .1 * g;
        second_[c][j] = .999 * second_[c][j] + .001 * g * g;
        const double m = first_[c][j] / (1 - std::pow(.9, steps_)),
                     v = second_[c][j] / (1 - std::pow(.999, steps_));
        theta_[c][j] -= 3e-3 * m / (std::sqrt(v) + 1e-8);
      }
  }

  const CriticRows& rows_;
  std::size_t d_;
  Loss loss_;
  int steps_ = 0;
  Critic theta_, first_, second_;
};

class ReferenceSearch : public ::testing::TestWithParam<Loss> {};

TEST_P(ReferenceSearch, IsAdamWOverBatches) {
  const CriticRows rows = training_rows();
  PlainAdamW plain(rows, GetParam(), 7);
  std::size_t epoch = 0;
  train_reference(rows, GetParam(), 7, 0, [&](std::span<const float> theta) {
    plain.epoch(7, epoch++);
    for (std::size_t c = 0; c < k; ++c)
      for (std::size_t j = 0; j <= rows.d; ++j)
        ASSERT_NEAR(theta[rows.at(j, c)], plain.theta()[c][j], 2e-5) << epoch << ' ' << c << j;
  });
  EXPECT_EQ(epoch, 50u);
}

INSTANTIATE_TEST_SUITE_P(Losses, ReferenceSearch,
                         ::testing::Values(Loss::disagreement_logistic, Loss::d_bat, Loss::chuang));

TEST(ValidityScore, ByHand) {
  EXPECT_EQ(validity_score(std::vector{.75}), 1);             // at once
  EXPECT_EQ(validity_score(std::vector{.25, .5, .75}), 1);    // only ever up
  EXPECT_EQ(validity_score(std::vector{.75, .25, .5}), 1);    // what follows the maximum does not count
  EXPECT_EQ(validity_score(std::vector{.5, .25, .75}), .6);   // .75 / (.5 + .25 + .5)
  EXPECT_EQ(validity_score(std::vector{.5, .25, .5}), 1);     // the first of two maxima
  EXPECT_EQ(validity_score(std::vector{0., 1., 0., 1.}), 1);  // a_1 = 0
  EXPECT_EQ(validity_score(std::vector{0., 0.}), 0);
  EXPECT_EQ(validity_score({}), 0);
}

// What dis2_bound reports for the recipe: the largest D met, and the least score, over restarts and epochs.
TEST(ReferenceSearch, ReportsTheBestEpochAndTheLeastScore) {
  const Sample source = drawn(200, 4, 2, 3), target = drawn(150, 4, .5, 4);
  Dis2Options options;
  options.search = Search::reference, options.restarts = 3, options.seed = 9;
  const Dis2 found = dis2_bound(source, target, options);
  const CriticData data = critic_data(source, target, options, Scaling::none);
  double least = 2;
  for (std::size_t restart = 0; restart < 3; ++restart) {
    double best = -1;
    std::vector<double> agreements;
    train_reference(data.training, options.loss, 9, restart, [&](std::span<const float> theta) {
      const Agreement agreed = agreement(*data.holdout.kept, theta);
      best = std::max(best, discrepancy(agreed, data.holdout));
      agreements.push_back(double(agreed.source) / double(data.holdout.n_source));
    });
    EXPECT_EQ(found.restarts[restart], best);
    EXPECT_LT(restart, found.restarts.size());
    least = std::min(least, validity_score(agreements));
  }
  EXPECT_EQ(*found.validity_score, least);
  EXPECT_LT(least, 1);
}

}  // namespace leeway::error_bound::discrepancy_search_test

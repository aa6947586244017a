#include "leeway/error_bound/detail/discrepancy_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "leeway/core/random.h"

namespace leeway::error_bound {
namespace {

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

// Every way in which a line can part points in general position: it can be moved until it goes through two of
// them, each of which may fall on either side.
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

// Scores a x and -a x differ by 2 a x; the typical difference of two scores is sqrt 2 times their deviation a.
TEST(LeadOf, CountsEveryColumnButTheBias) {
  const CriticRows rows(1, 1, 2, 2);
  for (const std::size_t column : {0u, 1u, 2u}) {
    std::vector<float> theta(rows.parameters());
    theta[rows.at(column, 0)] = 3, theta[rows.at(column, 1)] = -3;
    EXPECT_NEAR(lead_of(rows, theta), column == 2 ? 0 : 3 * std::sqrt(2.), 1e-6) << column;
  }
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

class Planes : public testing::TestWithParam<Plane> {};

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

INSTANTIATE_TEST_SUITE_P(All, Planes, testing::ValuesIn(planes()), [](const auto& plane) {
  std::string name = plane.param.name;
  std::ranges::replace(name, ' ', '_');
  return name;
});

// The other losses lead to other starts; the search on D after them is the same.
TEST(Losses, AreNoWorse) {
  for (const Plane& plane : planes())
    for (const Loss loss : {Loss::d_bat, Loss::chuang}) expect_found(plane, loss, 10, .8);
}

}  // namespace
}  // namespace leeway::error_bound

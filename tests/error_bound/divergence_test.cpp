#include "leeway/error_bound/divergence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <vector>

#include "leeway/core/random.h"

namespace leeway::error_bound::divergence_test {

// Features; the classifier predicts class 1 where x > 0.
Sample plane(const char* name, const std::vector<double>& features, std::size_t columns = 2) {
  const std::size_t n = features.size() / columns;
  std::vector<double> logits;
  for (std::size_t i = 0; i < n; ++i) logits.insert(logits.end(), {0, features[i * columns]});
  return {name, make_array<double>({n, 2}, std::move(logits)), std::vector<std::int64_t>(n),
          make_array<double>({n, columns}, features)};
}

constexpr Representation features{Representation::Kind::features, 0, 0, false};

using Side = std::vector<bool>;

// All half-planes: all cuts along a direction between each two neighboring ones along which two points tie.
std::set<Side> enumerated(const std::vector<double>& points) {
  const std::size_t n = points.size() / 2;
  std::set<double> ties{0, 2 * std::numbers::pi};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const double angle = std::atan2(points[2 * j] - points[2 * i], points[2 * i + 1] - points[2 * j + 1]);
      ties.insert(angle < 0 ? angle + 2 * std::numbers::pi : angle);
    }
  std::set<Side> sides{Side(n), Side(n, true)};
  for (auto next = std::next(ties.begin()); next != ties.end(); ++next) {
    if (*next - *std::prev(next) < 1e-9) continue;
    const double x = std::cos((*next + *std::prev(next)) / 2), y = std::sin((*next + *std::prev(next)) / 2);
    for (std::size_t cut = 0; cut < n; ++cut) {
      Side side(n);
      for (std::size_t i = 0; i < n; ++i)
        side[i] =
            x * (points[2 * i] - points[2 * cut]) + y * (points[2 * i + 1] - points[2 * cut + 1]) > 1e-12;
      sides.insert(side);
    }
  }
  return sides;
}

// Share of target rows less share of source rows on which two sides differ.
double more_on_target(const Side& a, const Side& b, std::size_t n_source) {
  double differ[2] = {};
  for (std::size_t i = 0; i < a.size(); ++i) differ[i >= n_source] += a[i] != b[i];
  return differ[1] / static_cast<double>(a.size() - n_source) - differ[0] / static_cast<double>(n_source);
}

// Normal points, and points of a grid, of which many are equal or on a line.
TEST(Divergences, AreThoseOfAllHalfPlanes) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Random random(seed, stream("divergence test"));
    constexpr std::size_t n = 20, n_source = 12;
    std::vector<double> points(2 * n);
    Side classifier(n);
    for (double& value : points)
      value = seed % 2 ? static_cast<double>(random.below(4)) - 1 : static_cast<float>(random.normal());
    for (std::size_t i = 0; i < n; ++i) classifier[i] = points[2 * i] > 0;
    const std::set<Side> sides = enumerated(points);
    const bool general = seed % 2 == 0;  // no three points on a line
    EXPECT_EQ(sides.size() == n * (n - 1) + 2, general);
    double h = 0, h_delta_h = 0, most = 0;
    for (const Side& a : sides) {
      h = std::max(h, more_on_target(a, Side(n), n_source));
      most = std::max(most, more_on_target(a, classifier, n_source));
      for (const Side& b : sides)
        if (a < b) h_delta_h = std::max(h_delta_h, std::abs(more_on_target(a, b, n_source)));
    }
    const auto middle = points.begin() + 2 * n_source;
    const auto found = divergences(plane("source", {points.begin(), middle}),
                                   plane("target", {middle, points.end()}), features);
    ASSERT_TRUE(found);
    EXPECT_NEAR(found->h, h, 1e-12) << seed;
    EXPECT_NEAR(found->h_delta_h, h_delta_h, 1e-12) << seed;
    EXPECT_NEAR(found->discrepancy, most, 1e-12) << seed;
  }
}

// As in Figure 2 of the paper: the target is below the source; a critic disagrees on half of it.
TEST(Divergences, OfAFarTargetAreOneAndTheDiscrepancyIsNot) {
  const Sample source = plane("source", {-1, 5, -2, 6, 1, 5, 2, 6}),
               target = plane("target", {-1, 0, -2, 1, 1, 0, 2, 1});
  const auto found = divergences(source, target, features);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->h, 1);
  EXPECT_EQ(found->h_delta_h, 1);
  EXPECT_EQ(found->discrepancy, .5);
  const auto same = divergences(source, source, features);
  EXPECT_EQ(same->h + same->h_delta_h + same->discrepancy, 0);
}

TEST(Divergences, OfOneColumnAndNoneOfLargeProblems) {
  const Sample source = plane("source", {-3, -1, 1, 3}, 1), target = plane("target", {-2, 0, 2}, 1);
  const auto found = divergences(source, target, features);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->h, 1. / 4, 1e-12);          // x > -3: 3/4 and 1
  EXPECT_NEAR(found->h_delta_h, 1. / 2, 1e-12);  // from -2 to 2: 2/4 and 1
  const Sample wide = plane("wide", {1, 2, 3}, 3);
  EXPECT_FALSE(divergences(wide, wide, features));
  EXPECT_FALSE(divergences(source, plane("long", std::vector<double>(65), 1), features));
  EXPECT_FALSE(divergences(source, target, {Representation::Kind::features, 0, 0, true}));
}

}  // namespace leeway::error_bound::divergence_test

// The filters of corruptions beside loops that do what their equations say, pixel by pixel; and their normal numbers.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>
#include <utility>
#include <vector>

#include "leeway/core/random.h"
#include "leeway/shift/detail/disc_filter.h"
#include "leeway/shift/detail/filter.h"
#include "leeway/shift/detail/normals.h"
#include "leeway/shift/shift.h"
#include "tests/message_of.h"

namespace leeway::shift::corruption_filter_test {

using Sides = std::pair<std::size_t, std::size_t>;  // height, width
constexpr std::array<Sides, 9> all_sides{
    {{1, 1}, {1, 7}, {9, 1}, {2, 3}, {5, 5}, {16, 17}, {28, 28}, {32, 32}, {33, 50}}};
constexpr std::array all_borders{Border::nearest, Border::symmetric, Border::mirror};

std::vector<float> random_plane(Sides sides) {
  std::vector<float> plane(sides.first * sides.second);
  Random random(3, stream("plane"));
  for (float& x : plane) x = static_cast<float>(random.uniform());
  return plane;
}

// Step by step from outside to inside.
std::size_t inside(long i, std::size_t size, Border border) {
  const long last = static_cast<long>(size) - 1;
  while (i < 0 || i > last) {
    if (border == Border::nearest || last == 0) return i < 0 ? 0 : size - 1;
    const long repeated = border == Border::symmetric ? 1 : 0;
    i = i < 0 ? -i - repeated : 2 * last - i + repeated;
  }
  return static_cast<std::size_t>(i);
}

double pixel(const std::vector<float>& plane, Sides sides, long y, long x, Border border) {
  return plane[inside(y, sides.first, border) * sides.second + inside(x, sides.second, border)];
}

// at(y, x) for every pixel
template <class At>
std::vector<float> pixel_by_pixel(Sides sides, const At& at) {
  std::vector<float> out(sides.first * sides.second);
  for (std::size_t y = 0; y < sides.first; ++y)
    for (std::size_t x = 0; x < sides.second; ++x)
      out[y * sides.second + x] = static_cast<float>(at(static_cast<long>(y), static_cast<long>(x)));
  return out;
}

void expect_near(const std::vector<float>& found, const std::vector<float>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], tolerance) << "pixel " << i;
}

TEST(GaussianFilter, IsTheSumOverASquare) {
  for (const Sides& sides : all_sides)
    for (const Border border : all_borders)
      for (const auto& widths : std::array<std::pair<double, double>, 6>{
               {{.05, 4}, {.25, 4}, {.4, 4}, {1.5, 4}, {2, 3}, {9, 3}}}) {
        const double sigma = widths.first, truncate = widths.second;
        if (sigma > 2 && sides.first > 20) continue;  // 55 x 55 terms a pixel
        SCOPED_TRACE(::testing::Message() << sides.first << " x " << sides.second << " sigma " << sigma
                                          << " border " << static_cast<int>(border));
        const std::vector<float> plane = random_plane(sides);
        std::vector<float> found = plane;
        gaussian_filter(found, sides.first, sides.second, sigma, border, truncate);
        const long radius = static_cast<long>(std::floor(truncate * sigma + .5));
        const auto weight = [&](long i) {
          return std::exp(-static_cast<double>(i * i) / (2 * sigma * sigma));
        };
        double total = 0;
        for (long i = -radius; i <= radius; ++i) total += weight(i);
        expect_near(found,
                    pixel_by_pixel(sides,
                                   [&](long y, long x) {
                                     double sum = 0;
                                     for (long i = -radius; i <= radius; ++i)
                                       for (long j = -radius; j <= radius; ++j)
                                         sum += weight(i) * weight(j) *
                                                pixel(plane, sides, y + i, x + j, border);
                                     return sum / total / total;
                                   }),
                    1e-6);
      }
}

TEST(Correlate, IsTheSumOverTheKernel) {
  Random random(4, stream("kernel"));
  for (const Sides& sides : all_sides)
    for (const std::size_t k : {1, 3, 5, 17}) {
      SCOPED_TRACE(::testing::Message() << sides.first << " x " << sides.second << " k " << k);
      std::vector<float> kernel(k * k);  // not symmetric, some of it 0
      for (float& weight : kernel)
        weight = random.uniform() < .3 ? 0 : static_cast<float>(random.normal() / static_cast<double>(k * k));
      const std::vector<float> plane = random_plane(sides);
      std::vector<float> found = plane;
      correlate(found, sides.first, sides.second, kernel, k);
      const long radius = static_cast<long>(k / 2);
      const auto sum_at = [&](long y, long x) {
        double sum = 0;
        for (std::size_t i = 0; i < k * k; ++i)
          sum += kernel[i] * pixel(plane, sides, y + static_cast<long>(i / k) - radius,
                                   x + static_cast<long>(i % k) - radius, Border::mirror);
        return sum;
      };
      expect_near(found, pixel_by_pixel(sides, sum_at), 1e-6);
    }
}

// The disc's weights and their smoothing, cell by cell: (2 middle + 1)^2 of them.
std::vector<double> disc_weights(const DiscFilter::Shape& shape, long middle) {
  const long side = 2 * middle + 1;
  const auto place = [&](long down, long right) {
    return static_cast<std::size_t>((middle + down) * side + middle + right);
  };
  std::vector<double> disc(static_cast<std::size_t>(side * side), 0), smoothed = disc;
  const int parts = shape.in_parts ? 8 : 1;
  double sum = 0, total = 0;
  for (long i = -middle; i <= middle; ++i)
    for (long j = -middle; j <= middle; ++j)
      for (int part = 0; part < parts * parts; ++part) {
        const double y = static_cast<double>(i) + (part / parts + .5) / parts - .5,
                     x = static_cast<double>(j) + (part % parts + .5) / parts - .5;
        if (std::hypot(y, x) <= shape.radius) disc[place(i, j)] += 1, sum += 1;
      }
  if (sum == 0) disc[place(0, 0)] = sum = 1;
  const long reach = static_cast<long>(shape.reach);
  const auto weight = [&](long i) {
    return std::exp(-static_cast<double>(i * i) / (2 * shape.alias * shape.alias));
  };
  for (long a = -reach; a <= reach; ++a) total += weight(a);
  for (long i = -middle + reach; i <= middle - reach; ++i)
    for (long j = -middle + reach; j <= middle - reach; ++j)
      for (long a = -reach; a <= reach; ++a)
        for (long b = -reach; b <= reach; ++b)
          smoothed[place(i + a, j + b)] += disc[place(i, j)] / sum * weight(a) * weight(b) / total / total;
  return smoothed;
}

// Levels, and numbers between them; planes narrower and lower than the disc, and a high one, whose sums are carried far.
TEST(DiscFilter, IsTheSumOverTheDisc) {
  DiscFilter filter;
  for (const Sides& sides :
       std::array<Sides, 7>{{{1, 1}, {1, 7}, {9, 1}, {5, 5}, {28, 28}, {33, 50}, {300, 3}}})
    for (const auto& [radius, in_parts, alias, reach] :
         std::vector<std::tuple<double, bool, double, std::size_t>>{{.3, false, .4, 1},
                                                                    {.04, true, .4, 1},
                                                                    {1.5, false, .1, 1},
                                                                    {3, false, .5, 1},
                                                                    {2.3, true, .5, 1},
                                                                    {10, false, .5, 2},
                                                                    {8.7, true, .5, 2}}) {
      if (radius > 5 && sides.first == 33) continue;  // 625 terms a pixel
      SCOPED_TRACE(::testing::Message() << sides.first << " x " << sides.second << " radius " << radius);
      const DiscFilter::Shape shape{radius, in_parts, alias, reach, sides.second};
      const long middle = static_cast<long>(radius + 1) + static_cast<long>(reach);
      const std::vector<double> weights = disc_weights(shape, middle);
      filter.set(shape);
      for (const bool levels : {true, false}) {
        std::vector<float> plane = random_plane(sides);
        if (levels)
          for (float& x : plane) x = std::round(x * 255) / 255;
        std::vector<float> found = plane;
        filter.apply(found, sides.first);
        expect_near(found,
                    pixel_by_pixel(sides,
                                   [&](long y, long x) {
                                     double sum = 0;
                                     for (std::size_t i = 0; i < weights.size(); ++i) {
                                       const long place = static_cast<long>(i), side = 2 * middle + 1;
                                       if (weights[i] > 0)
                                         sum += weights[i] * pixel(plane, sides, y + place / side - middle,
                                                                   x + place % side - middle, Border::mirror);
                                     }
                                     return sum;
                                   }),
                    levels ? 3e-7 : 3e-6);
      }
    }
}

TEST(DiscFilter, RefusesRadiiThatItCannotSum) {
  DiscFilter filter;
  EXPECT_REFUSED(filter.set({1600.5, true, .5, 2, 4}), "corruption defocus-blur: expected ... found 1600.5");
}

TEST(MotionFilter, IsTheOneSidedSum) {
  for (const Sides& sides : all_sides)
    for (const auto& lengths :
         std::array<std::pair<double, double>, 4>{{{6, 1}, {9, 2.5}, {1.3, .4}, {20, 15}}})
      for (const double angle : {-135., -91.5, -45., -7., 0., 17.3, 45., 90., 180.}) {
        const double radius = lengths.first, sigma = lengths.second;
        SCOPED_TRACE(::testing::Message()
                     << sides.first << " x " << sides.second << " radius " << radius << " angle " << angle);
        const std::vector<float> plane = random_plane(sides);
        std::vector<float> found = plane;
        motion_filter(found, sides.first, sides.second, radius, sigma, angle);
        const double down = std::sin(angle * std::numbers::pi / 180),
                     right = std::cos(angle * std::numbers::pi / 180);
        expect_near(found,
                    pixel_by_pixel(sides,
                                   [&](long y, long x) {
                                     double sum = 0, total = 0;
                                     for (long i = 0; i <= 2 * static_cast<long>(std::ceil(radius)); ++i) {
                                       const double at = static_cast<double>(i),
                                                    weight = std::exp(-at * at / (2 * sigma * sigma));
                                       total += weight;
                                       sum +=
                                           weight * pixel(plane, sides,
                                                          y + static_cast<long>(std::ceil(at * down - .5)),
                                                          x + static_cast<long>(std::ceil(at * right - .5)),
                                                          Border::nearest);
                                     }
                                     return sum / total;
                                   }),
                    .5 / 255 + 1e-6);
        for (const float x : found) ASSERT_EQ(x, std::round(x * 255) / 255);
      }
}

TEST(ZoomMiddle, IsBilinear) {
  for (const Sides& sides : all_sides)
    for (const double factor : {1., 1.01, 1.1, 1.25, 1.75, 4.5}) {
      SCOPED_TRACE(::testing::Message() << sides.first << " x " << sides.second << " factor " << factor);
      const std::vector<float> plane = random_plane(sides);
      std::vector<float> found(plane.size());
      zoom_middle(plane, sides.first, sides.second, factor, found);
      const auto source = [&](long i, std::size_t size) {  // where pixel i of the result lies in the plane
        const double side = static_cast<double>(size), part = std::ceil(side / factor);
        const double whole = std::nearbyint(part * factor);
        const double from = std::floor((side - part) / 2), cut = std::floor((whole - side) / 2);
        const double place = whole > 1 ? (static_cast<double>(i) + cut) * (part - 1) / (whole - 1) : 0;
        return from + place;
      };
      expect_near(
          found,
          pixel_by_pixel(
              sides,
              [&](long y, long x) {
                const double down = source(y, sides.first), right = source(x, sides.second);
                const long upper = static_cast<long>(down), left = static_cast<long>(right);
                const double below = down - std::floor(down), beside = right - std::floor(right);
                const auto at = [&](long i, long j) { return pixel(plane, sides, i, j, Border::nearest); };
                return (1 - below) * ((1 - beside) * at(upper, left) + beside * at(upper, left + 1)) +
                       below * ((1 - beside) * at(upper + 1, left) + beside * at(upper + 1, left + 1));
              }),
          1e-6);
      if (factor == 1) {
        EXPECT_EQ(found, plane);
      }
    }
}

std::vector<float> normals(std::size_t n, std::uint64_t row = 0) {
  Random random(9, stream("normals"), row);
  std::vector<float> out(n);
  draw_normals(random, out);
  return out;
}

// The same words, the transform in double: radius of one, angle of the other.
TEST(DrawNormals, IsTheTransformOfItsWords) {
  constexpr std::size_t n = 1 << 20;
  const auto found = normals(n);
  Random random(9, stream("normals"));
  for (std::size_t i = 0; i < n; i += 2) {
    const std::uint32_t first = random.bits(), second = random.bits();
    const double radius = std::sqrt(-2 * std::log((static_cast<double>(first >> 1) + .5) / 0x1p31));
    const double angle =
        static_cast<double>(static_cast<std::int32_t>(second & ~3u)) / 0x1p32 * std::numbers::pi / 2;
    double even = std::cos(angle), odd = std::sin(angle);
    if (second & 1) std::swap(even, odd);
    const double sign = second & 2 ? -radius : radius;
    ASSERT_NEAR(found[i], sign * even, 1e-6 * std::max(1., radius)) << i;
    ASSERT_NEAR(found[i + 1], sign * odd, 1e-6 * std::max(1., radius)) << i;
  }
}

TEST(DrawNormals, OfFewAreTheFirstOfMany) {
  const auto many = normals(300);
  for (const std::size_t n : {0, 1, 2, 3, 127, 128, 129, 255}) {
    const auto few = normals(n);
    EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin())) << n;
  }
  EXPECT_NE(normals(4, 1), normals(4, 0));
}

// Chi-squared against the Poisson probabilities, classes of at least 20; levels, and values between levels.
TEST(ShotNoise, IsPoisson) {
  struct Row {
    ConstantSet set;
    int severity;
    double photons;
  };
  constexpr double n = 250000;
  for (const auto& [set, severity, photons] : {Row{ConstantSet::cifar, 1, 500},
                                               {ConstantSet::cifar, 3, 100},
                                               {ConstantSet::tiny, 5, 15},
                                               {ConstantSet::imagenet, 5, 3}})
    for (const float v : {1.f / 255, 77.4f / 255, .6249f, 1.f}) {
      const double mean = photons * v;
      std::vector<float> values(250000, v);
      Random random(7, stream("shot-noise"), 0);
      member("shot-noise").by_severity({values, 1, 500, 500}, {severity, {set, 1}}, random);
      std::map<long, double> counts;
      for (const float x : values) {
        ASSERT_NEAR(x * photons, std::round(x * photons), 1e-3);
        counts[std::lround(x * photons)] += 1;
      }
      double statistic = 0, expected = 0, found = 0, left = n, not_found = n, classes = 0;
      for (long k = 0; left > 40 && k < 2000; ++k) {
        expected += n * std::exp(static_cast<double>(k) * std::log(mean) - mean -
                                 std::lgamma(static_cast<double>(k) + 1));
        found += counts.contains(k) ? counts[k] : 0;
        if (expected < 20) continue;
        statistic += (found - expected) * (found - expected) / expected;
        left -= expected, not_found -= found, classes += 1;
        expected = found = 0;
      }
      if (left > 0) statistic += (not_found - left) * (not_found - left) / left;
      ASSERT_GT(classes, 0);
      EXPECT_GT(boost::math::cdf(boost::math::complement(boost::math::chi_squared(classes), statistic)), 1e-5)
          << "photons " << photons << " value " << v;
    }
}

}  // namespace leeway::shift::corruption_filter_test

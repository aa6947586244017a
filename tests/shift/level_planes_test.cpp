// Operations on 8-bit planes that spatter is made of, beside loops that do what their definitions say.
#include "leeway/shift/detail/level_planes.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstdlib>

#include "tests/shift/corrupted.h"

namespace leeway::shift {
namespace {

using Sides = std::array<std::size_t, 2>;  // height, width
constexpr std::array<Sides, 8> all_sides{
    {{1, 1}, {1, 8}, {7, 1}, {2, 2}, {5, 9}, {16, 16}, {28, 28}, {33, 20}}};

// Blobs with edges of all directions, beside noise.
Levels blobs(const Sides& sides, std::uint64_t seed) {
  const auto [height, width] = sides;
  Random random(seed, stream("blobs"));
  Levels plane(height * width);
  const double a = 6 * random.uniform(), b = 6 * random.uniform(), low = 60 * random.uniform();
  for (std::size_t i = 0; i < plane.size(); ++i) {
    const auto y = static_cast<double>(i / width), x = static_cast<double>(i % width);
    const double wave = std::sin(.5 * x + a) + std::sin(.7 * y + b) + .4 * std::sin(.4 * (x - y));
    plane[i] = static_cast<std::uint8_t>(wave > 0 ? std::min(255., 150 + 40 * wave + 20 * random.uniform())
                                                  : low * random.uniform());
  }
  return plane;
}

int at(const Levels& plane, const Sides& sides, long y, long x) {  // border replicated
  const auto inside = [](long i, std::size_t n) {
    return static_cast<std::size_t>(std::clamp(i, 0L, static_cast<long>(n) - 1));
  };
  return plane[inside(y, sides[0]) * sides[1] + inside(x, sides[1])];
}

// As it is defined: slopes in real angles, links followed until nothing changes.
Levels edges_by_loops(const Levels& plane, const Sides& sides, int low, int high) {
  const long height = static_cast<long>(sides[0]), width = static_cast<long>(sides[1]);
  const auto slope = [&](long y, long x) {
    std::array<int, 2> d{0, 0};  // dx, dy
    for (long k = -1; k <= 1; ++k) {
      const int weight = k == 0 ? 2 : 1;
      d[0] += weight * (at(plane, sides, y + k, x + 1) - at(plane, sides, y + k, x - 1));
      d[1] += weight * (at(plane, sides, y + 1, x + k) - at(plane, sides, y - 1, x + k));
    }
    return d;
  };
  const auto size = [&](long y, long x) {
    if (y < 0 || x < 0 || y >= height || x >= width) return 0;
    const auto d = slope(y, x);
    return std::abs(d[0]) + std::abs(d[1]);
  };
  Levels weak(plane.size(), 0), edge(plane.size(), 0);
  for (long y = 0; y < height; ++y)
    for (long x = 0; x < width; ++x) {
      const auto [dx, dy] = slope(y, x);
      const int here = size(y, x);
      const double angle = std::atan2(std::abs(dy), std::abs(dx)) * 180 / 3.14159265358979;
      bool largest = false;
      if (angle < 22.5)
        largest = here > size(y, x - 1) && here >= size(y, x + 1);
      else if (angle > 67.5)
        largest = here > size(y - 1, x) && here >= size(y + 1, x);
      else if ((dx < 0) == (dy < 0))
        largest = here > size(y - 1, x - 1) && here > size(y + 1, x + 1);
      else
        largest = here > size(y - 1, x + 1) && here > size(y + 1, x - 1);
      const auto i = static_cast<std::size_t>(y * width + x);
      weak[i] = largest && here > low;
      edge[i] = weak[i] && here > high;
    }
  for (bool changed = true; changed;) {
    changed = false;
    for (long y = 0; y < height; ++y)
      for (long x = 0; x < width; ++x) {
        const auto i = static_cast<std::size_t>(y * width + x);
        if (!weak[i] || edge[i]) continue;
        for (long v = std::max(0L, y - 1); v <= std::min(height - 1, y + 1); ++v)
          for (long u = std::max(0L, x - 1); u <= std::min(width - 1, x + 1); ++u)
            if (edge[static_cast<std::size_t>(v * width + u)]) edge[i] = 1, changed = true;
      }
  }
  return edge;
}

TEST(CannyEdges, AreThoseOfTheDefinition) {
  std::size_t edges = 0;
  for (const Sides& sides : all_sides)
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      const Levels plane =
          seed % 3 == 2 ? levels_of(random_levels({1, 1, sides[0], sides[1]})) : blobs(sides, seed);
      Levels found;
      for (const auto& [low, high] : {std::array{50, 150}, std::array{200, 500}}) {
        canny_edges(plane, sides[0], sides[1], low, high, found);
        const Levels expected = edges_by_loops(plane, sides, low, high);
        ASSERT_EQ(found, expected) << sides[0] << " x " << sides[1] << " " << seed;
        for (const auto edge : expected) edges += edge;
      }
    }
  EXPECT_GT(edges, 1000u);
}

// The cheapest way of straight, diagonal and knight's steps to a pixel, in closed form.
double way(std::size_t dy, std::size_t dx) {
  const auto far = static_cast<double>(std::max(dy, dx)), near = static_cast<double>(std::min(dy, dx));
  constexpr double diagonal = 91750. / 65536, knight = 143976. / 65536;
  return far >= 2 * near ? near * knight + far - 2 * near
                         : (far - near) * knight + (2 * near - far) * diagonal;
}

TEST(ChamferDistance, IsTheLeastOverAllMarks) {
  for (const Sides& sides : all_sides)
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const auto [height, width] = sides;
      Random random(seed, stream("marks"));
      Levels marked(height * width);
      for (auto& mark : marked) mark = random.uniform() < .03 ? 1 : 0;
      std::vector<float> found;
      chamfer_distance(marked, height, width, 1000, found);
      for (std::size_t i = 0; i < marked.size(); ++i) {
        double least = 1000;
        for (std::size_t j = 0; j < marked.size(); ++j)
          if (marked[j]) {
            const auto apart = [](std::size_t a, std::size_t b) { return a > b ? a - b : b - a; };
            least = std::min(least, way(apart(i / width, j / width), apart(i % width, j % width)));
          }
        ASSERT_NEAR(found[i], least, 1e-4) << i;
      }
      chamfer_distance(marked, height, width, 3, found);
      for (const float distance : found) ASSERT_LE(distance, 3);
    }
}

TEST(EqualizedLevels, FollowTheHistogram) {
  Levels plane{10, 10, 10, 20, 30, 30, 40, 200};
  equalize_levels(plane);  // 5 above the least: 20 -> 1/5, 30 -> 3/5, 40 -> 4/5
  EXPECT_THAT(plane, testing::ElementsAre(0, 0, 0, 51, 153, 153, 204, 255));
  Levels flat(9, 33);
  equalize_levels(flat);
  EXPECT_THAT(flat, testing::Each(33));
}

}  // namespace
}  // namespace leeway::shift

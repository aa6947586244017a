// Spatter, and the operations on 8-bit planes that it is made of, beside loops that do what their definitions say.
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstdlib>

#include "leeway/shift/detail/level_planes.h"
#include "leeway/shift/detail/normals.h"
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
int mirrored(const Levels& plane, const Sides& sides, long y, long x) {
  const auto inside = [](long i, std::size_t n) {
    const long last = static_cast<long>(n) - 1;
    return static_cast<std::size_t>(last == 0 ? 0 : i < 0 ? -i : i > last ? 2 * last - i : i);
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

// A step between columns 3 and 4: both have the same slope, and the one on the left is larger than its neighbour before.
TEST(CannyEdges, OfAStepAreOnePixelWide) {
  Levels plane(6 * 8, 0), found;
  for (std::size_t i = 0; i < plane.size(); ++i) plane[i] = i % 8 >= 4 ? 200 : 0;
  canny_edges(plane, 6, 8, 50, 150, found);
  for (std::size_t i = 0; i < plane.size(); ++i) EXPECT_EQ(found[i], i % 8 == 3) << i;
  canny_edges(Levels(48, 77), 6, 8, 50, 150, found);
  EXPECT_THAT(found, testing::Each(0));
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

// Within 2 percent of the Euclidean distance.
TEST(ChamferDistance, IsNearlyEuclidean) {
  Levels marked(61 * 61, 0);
  marked[30 * 61 + 30] = 1;
  std::vector<float> found;
  chamfer_distance(marked, 61, 61, 1000, found);
  for (std::size_t i = 0; i < marked.size(); ++i) {
    const double exact = std::hypot(static_cast<double>(i / 61) - 30, static_cast<double>(i % 61) - 30);
    EXPECT_NEAR(found[i], exact, .02 * exact + 1e-6);
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

TEST(LevelPlanes, AreCorrelatedAndAveraged) {
  constexpr std::array<int, 9> kernel{-2, -1, 0, -1, 1, 1, 0, 1, 2};
  for (const Sides& sides : all_sides) {
    const Levels plane = blobs(sides, 3);
    Levels found, mean;
    correlate_levels(plane, sides[0], sides[1], kernel, found);
    mean_levels(plane, sides[0], sides[1], mean);
    for (std::size_t i = 0; i < plane.size(); ++i) {
      int sum = 0, all = 0;
      for (long k = 0; k < 9; ++k) {
        const int value = mirrored(plane, sides, static_cast<long>(i / sides[1]) + k / 3 - 1,
                                   static_cast<long>(i % sides[1]) + k % 3 - 1);
        sum += kernel[static_cast<std::size_t>(k)] * value;
        all += value;
      }
      ASSERT_EQ(found[i], std::clamp(sum, 0, 255));
      ASSERT_EQ(mean[i], std::lround(all / 9.));
    }
  }
}

struct Constants {
  double mean = 0, sd = 0, sigma = 0, threshold = 0, strength = 0;
  bool mud = false;
};
constexpr std::array<std::array<Constants, 5>, 3> constants{{
    {{{.62, .1, .7, .7, .5, false},
      {.65, .1, .8, .7, .5, false},
      {.65, .3, 1, .69, .5, false},
      {.65, .1, .7, .69, .6, true},
      {.65, .1, .5, .68, .6, true}}},
    {{{.62, .1, .7, .7, .6, false},
      {.65, .1, .8, .7, .6, false},
      {.65, .3, 1, .69, .6, false},
      {.65, .1, .7, .68, .6, true},
      {.65, .1, .5, .67, .6, true}}},
    {{{.65, .3, 4, .69, .6, false},
      {.65, .3, 3, .68, .6, false},
      {.65, .3, 2, .68, .5, false},
      {.65, .3, 1, .65, 1.5, true},
      {.67, .4, 1, .65, 1.5, true}}},
}};

std::vector<double> gaussian_weights(double sigma) {
  const auto radius = static_cast<long>(std::floor(4 * sigma + .5));
  std::vector<double> weights;
  double total = 0;
  for (long k = -radius; k <= radius; ++k) {
    weights.push_back(std::exp(-static_cast<double>(k * k) / (2 * sigma * sigma)));
    total += weights.back();
  }
  for (double& weight : weights) weight /= total;
  return weights;
}

std::vector<double> blurred(const std::vector<double>& plane, const Sides& sides, double sigma) {
  const auto weights = gaussian_weights(sigma);
  const long radius = static_cast<long>(weights.size() / 2), height = static_cast<long>(sides[0]),
             width = static_cast<long>(sides[1]);
  std::vector<double> along(plane.size(), 0), out(plane.size(), 0);
  for (std::size_t i = 0; i < plane.size(); ++i)
    for (long k = -radius; k <= radius; ++k)
      along[i] += weights[static_cast<std::size_t>(k + radius)] *
                  plane[i / sides[1] * sides[1] + static_cast<std::size_t>(std::clamp(
                                                      static_cast<long>(i % sides[1]) + k, 0L, width - 1))];
  for (std::size_t i = 0; i < plane.size(); ++i)
    for (long k = -radius; k <= radius; ++k)
      out[i] +=
          weights[static_cast<std::size_t>(k + radius)] *
          along[static_cast<std::size_t>(std::clamp(static_cast<long>(i / sides[1]) + k, 0L, height - 1)) *
                    sides[1] +
                i % sides[1]];
  return out;
}

// Of row `row`: the layer, blurred.
std::vector<double> layer_of(std::size_t row, const Sides& sides, const Constants& c, double lengths) {
  Random random(0, stream("spatter"), row);
  std::vector<float> drawn(sides[0] * sides[1]);
  draw_normals(random, drawn);
  std::vector<double> layer;
  for (const float z : drawn) layer.push_back(c.mean + c.sd * z);
  return blurred(layer, sides, c.sigma * lengths);
}

Levels spatter_by_loops(const Images& images, int severity, ConstantSet set) {
  const Sides sides{images.height(), images.width()};
  const std::size_t area = sides[0] * sides[1];
  const Scale scale = scale_for(set, sides[0], sides[1]);
  const Constants& c =
      constants[static_cast<std::size_t>(scale.set) - 1][static_cast<std::size_t>(severity - 1)];
  Levels out = levels_of(images);
  for (std::size_t row = 0; row < images.n(); ++row) {
    auto layer = layer_of(row, sides, c, scale.lengths);
    std::uint8_t* const picture = out.data() + row * images.channels() * area;
    std::vector<double> m(area, 0);
    std::array colour{63., 42., 20.};
    if (c.mud) {
      for (double& value : layer) value = value > c.threshold ? 1 : 0;
      m = blurred(layer, sides, c.strength * scale.lengths);
      for (double& value : m)
        if (value < .8) value = 0;
    } else {
      colour = {175, 238, 238};
      Levels levels(area), edges, depth(area), other;
      for (std::size_t i = 0; i < area; ++i)
        levels[i] = layer[i] < c.threshold ? std::uint8_t{0}
                                           : static_cast<std::uint8_t>(std::min(layer[i], 1.) * 255);
      std::vector<float> distances;
      canny_edges(levels, sides[0], sides[1], 50, 150, edges);
      chamfer_distance(edges, sides[0], sides[1], 20, distances);
      const auto mirror = [](long i, std::size_t n) {
        const long last = static_cast<long>(n) - 1;
        return static_cast<std::size_t>(last == 0 ? 0 : i < 0 ? -i : i > last ? 2 * last - i : i);
      };
      for (std::size_t i = 0; i < area; ++i) {
        double sum = 0;
        for (long k = 0; k < 9; ++k)
          sum += distances[mirror(static_cast<long>(i / sides[1]) + k / 3 - 1, sides[0]) * sides[1] +
                           mirror(static_cast<long>(i % sides[1]) + k % 3 - 1, sides[1])];
        depth[i] = static_cast<std::uint8_t>(sum / 9);
      }
      equalize_levels(depth);
      correlate_levels(depth, sides[0], sides[1], {-2, -1, 0, -1, 1, 1, 0, 1, 2}, other);
      mean_levels(other, sides[0], sides[1], depth);
      double most = 0;
      for (std::size_t i = 0; i < area; ++i) most = std::max<double>(most, levels[i] * depth[i]);
      for (std::size_t i = 0; i < area; ++i) m[i] = most == 0 ? 0 : c.strength * levels[i] * depth[i] / most;
    }
    const double grey = .2989 * colour[0] + .587 * colour[1] + .114 * colour[2];
    EXPECT_NEAR(grey / 255, c.mud ? .179 : .859, .0005);
    for (std::size_t channel = 0; channel < images.channels(); ++channel)
      for (std::size_t i = 0; i < area; ++i) {
        std::uint8_t& x = picture[channel * area + i];
        const double drop = m[i] * (images.channels() == 3 ? colour[channel] : grey) / 255;
        x = level((c.mud ? x / 255. * (1 - m[i]) : x / 255.) + drop);
      }
  }
  return out;
}

// A float32 layer may take other sides of thresholds than a double one, for few pixels.
void expect_spatter(const Images& images, int severity, ConstantSet set) {
  const auto found = corrupted("spatter", images, options_of(severity, set)),
             expected = spatter_by_loops(images, severity, set);
  std::size_t others = 0;
  for (std::size_t i = 0; i < found.size(); ++i) others += std::abs(found[i] - expected[i]) > 1;
  EXPECT_LE(others, found.size() / 200) << severity << " " << static_cast<int>(set);
}

TEST(Spatter, IsItsEquation) {
  for (int severity = 1; severity <= 5; ++severity) {
    for (const ConstantSet set : {ConstantSet::cifar, ConstantSet::tiny, ConstantSet::imagenet})
      for (const Images& images :
           {random_levels({3, 3, 32, 32}), random_levels({3, 1, 28, 28}), random_levels({1, 3, 20, 45}),
            flat_images({3, 1, 1, 1}, 50), random_levels({1, 3, 1, 30})})
        expect_spatter(images, severity, set);
    for (const std::size_t side : {64, 96, 128, 224})
      expect_spatter(random_levels({1, 3, side, side}), severity, ConstantSet::automatic);
  }
}

// The share of the layer above its threshold: a normal tail, far from the border.
TEST(Spatter, HasTheWetShareExpected) {
  constexpr std::array expected{.025, .079, .318, .164, .320};
  for (std::size_t s = 0; s < 5; ++s) {
    const Constants& c = constants[0][s];
    double squares = 0;
    for (const double weight : gaussian_weights(c.sigma)) squares += weight * weight;
    const double tail = .5 * std::erfc((c.threshold - c.mean) / (c.sd * squares) / std::sqrt(2.));
    EXPECT_NEAR(tail, expected[s], .001) << s;
    double wet = 0, count = 0;
    for (std::size_t row = 0; row < 200; ++row) {
      const auto layer = layer_of(row, {32, 32}, c, 1);
      for (std::size_t i = 0; i < layer.size(); ++i)
        if (const std::size_t y = i / 32, x = i % 32; y >= 4 && y < 28 && x >= 4 && x < 28)
          wet += layer[i] > c.threshold, ++count;
    }
    EXPECT_NEAR(wet / count, expected[s], .008) << s;
    // in a black picture a drop is a level above 0
    const auto levels =
        corrupted("spatter", flat_images({200, 1, 32, 32}, 0), options_of(static_cast<int>(s) + 1));
    double drops = 0;
    for (const auto value : levels) drops += value > 0;
    EXPECT_GT(drops, 0);
    EXPECT_LE(drops / static_cast<double>(levels.size()), expected[s] + .02);
  }
}

// Nothing above the threshold, where the authors' program divides 0 by 0: the picture as it was.
TEST(Spatter, LeavesAPictureWithoutDrops) {
  const Images images = flat_images({200, 1, 3, 3}, 120);
  const auto levels = corrupted("spatter", images, options_of(1));
  std::size_t untouched = 0;
  for (std::size_t row = 0; row < 200; ++row)
    untouched += std::all_of(levels.begin() + static_cast<std::ptrdiff_t>(9 * row),
                             levels.begin() + static_cast<std::ptrdiff_t>(9 * row + 9),
                             [](std::uint8_t value) { return value == 120; });
  EXPECT_GT(untouched, 100u);
  EXPECT_LT(untouched, 200u);
  EXPECT_THAT(levels, testing::Each(testing::Ge(120)));
  CorruptionOptions theirs = options_of(1);
  theirs.slips = Slips::published;
  const auto black = corrupted("spatter", images, theirs);
  for (std::size_t i = 0; i < levels.size(); i += 9) {
    const bool is_untouched = std::all_of(levels.begin() + static_cast<std::ptrdiff_t>(i),
                                          levels.begin() + static_cast<std::ptrdiff_t>(i + 9),
                                          [](std::uint8_t value) { return value == 120; });
    for (std::size_t pixel = i; pixel < i + 9; ++pixel)
      ASSERT_EQ(black[pixel], is_untouched ? 0 : levels[pixel]);
  }
}

}  // namespace
}  // namespace leeway::shift

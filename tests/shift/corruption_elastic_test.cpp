// Elastic transform: closed forms and its equation as a loop.
#include <gmock/gmock.h>

#include <array>
#include <cmath>

#include "leeway/shift/detail/elastic.h"
#include "tests/shift/corrupted.h"
#include "tests/shift/corruption_pictures.h"

namespace leeway::shift {
namespace {

std::vector<float> ramps(std::size_t height, std::size_t width) {  // x / width, y / height, 0
  std::vector<float> values(3 * height * width, 0);
  for (std::size_t i = 0; i < height * width; ++i) {
    values[i] = static_cast<float>(i % width) / static_cast<float>(width);
    values[height * width + i] = static_cast<float>(i / width) / static_cast<float>(height);
  }
  return values;
}

TEST(ElasticTransform, WithoutLengthsChangesNothing) {
  std::vector<float> values = ramps(28, 36);
  const auto before = values;
  Random random(1, stream("elastic"));
  deform({values, 3, 28, 36}, 0, 0, 0, random);
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], before[i], 1e-6);
}

// Far from the border a displacement has the sd alpha / sqrt(3) sum g^2, seen on ramps.
double displacement_sd(double alpha, double sigma, std::size_t side, std::size_t n) {
  double squares = 0, count = 0;
  const auto margin = static_cast<std::size_t>(3 * sigma + 3 + 1.8 * alpha / (1 + 3.54 * sigma));
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<float> values = ramps(side, side);
    const auto before = values;
    Random random(3, stream("displacement"), i);
    deform({values, 3, side, side}, alpha, sigma, 0, random);
    for (std::size_t y = margin; y + margin < side; ++y)
      for (std::size_t x = margin; x + margin < side; ++x)
        for (const std::size_t start : {std::size_t{0}, side * side}) {
          const double moved =
              (values[start + y * side + x] - before[start + y * side + x]) * static_cast<double>(side);
          squares += moved * moved;
          ++count;
        }
  }
  return std::sqrt(squares / count);
}

TEST(ElasticTransform, HasTheDisplacementsExpected) {
  EXPECT_NEAR(displacement_sd(.05 * 32, .2 * 32, 128, 60), .041, .002);
  EXPECT_NEAR(displacement_sd(.08 * 32, .06 * 32, 32, 60), .217, .006);
  EXPECT_NEAR(displacement_sd(.1 * 32, .04 * 32, 32, 60), .407, .008);
  EXPECT_NEAR(displacement_sd(.1 * 32, .03 * 32, 32, 60), .543, .008);
  EXPECT_NEAR(displacement_sd(2 * 244, .08 * 244, 224, 12), 4.09, .5);
  EXPECT_NEAR(displacement_sd(.05 * 244, .01 * 244, 64, 40), .82, .03);
  EXPECT_NEAR(displacement_sd(.07 * 244, .01 * 244, 64, 40), 1.15, .04);
  EXPECT_NEAR(displacement_sd(.12 * 244, .01 * 244, 64, 40), 1.96, .07);
}

// The affine part alone: what stands at a corner Q comes from its P.
TEST(ElasticTransform, SendsThreeCornersWhereTheyWereDrawn) {
  constexpr std::size_t height = 40, width = 60;
  constexpr double affine = 2.5;
  for (std::size_t i = 0; i < 20; ++i) {
    std::vector<float> values = ramps(height, width);
    Random random(4, stream("affine"), i), again(4, stream("affine"), i);
    deform({values, 3, height, width}, 0, 0, affine, random);
    constexpr double cx = 30, cy = 20, q = 13;
    for (const auto& [px, py] :
         {std::array{cx + q, cy + q}, std::array{cx + q, cy - q}, std::array{cx - q, cy - q}}) {
      const double x = px + affine * (2 * again.uniform() - 1), y = py + affine * (2 * again.uniform() - 1);
      const auto left = static_cast<std::size_t>(x), top = static_cast<std::size_t>(y);
      const double u = x - static_cast<double>(left), v = y - static_cast<double>(top);
      const auto read = [&](std::size_t channel) {
        const float* const at = values.data() + channel * height * width + top * width + left;
        return (1 - v) * ((1 - u) * at[0] + u * at[1]) + v * ((1 - u) * at[width] + u * at[width + 1]);
      };
      EXPECT_NEAR(read(0) * width, px, 1e-4);
      EXPECT_NEAR(read(1) * height, py, 1e-4);
    }
  }
}

// Both samplings by loops, with the draws in their order.
TEST(ElasticTransform, IsItsEquation) {
  constexpr std::array<std::array<std::array<double, 3>, 5>, 3> shares{
      {{{{0, 0, .08}, {.05, .2, .07}, {.08, .06, .06}, {.1, .04, .05}, {.1, .03, .03}}},
       {{{0, 0, .08}, {.05, .3, .06}, {.1, .08, .06}, {.1, .03, .03}, {.16, .03, .02}}},
       {{{2, .7, .1}, {2, .08, .2}, {.05, .01, .02}, {.07, .01, .02}, {.12, .01, .02}}}}};
  const auto turned = [](long i, long n, bool repeated) {
    while (n > 1 && (i < 0 || i >= n))
      i = i < 0 ? -i - (repeated ? 1 : 0) : 2 * n - 2 - i + (repeated ? 1 : 0);
    return static_cast<std::size_t>(n > 1 ? i : 0);
  };
  for (const Shape& shape : {Shape{1, 3, 28, 28}, {1, 1, 20, 31}, {1, 3, 64, 64}, {1, 1, 96, 96}})
    for (int severity = 1; severity <= 5; ++severity) {
      const Images images = random_levels(shape);
      const std::size_t height = shape[2], width = shape[3], area = height * width;
      const Scale scale = scale_for(ConstantSet::automatic, height, width);
      const auto set = static_cast<std::size_t>(scale.set) - 1;
      const double unit = std::array{32., 64., 244.}[set] * scale.lengths;
      const std::array<double, 3>& share = shares[set][static_cast<std::size_t>(severity - 1)];
      const double alpha = share[0], sigma = share[1], affine = share[2];
      std::vector<float> start(images.pixels_per_image());
      images.copy_row(0, start);
      std::vector<double> values(start.begin(), start.end());
      const auto sampled = [&](const auto& place, bool repeated) {
        std::vector<double> out(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
          const auto [y, x] = place(i % area);
          const long top = static_cast<long>(std::floor(y)), left = static_cast<long>(std::floor(x));
          for (long j = 0; j < 2; ++j)
            for (long k = 0; k < 2; ++k)
              out[i] +=
                  (1 - std::abs(y - static_cast<double>(top + j))) *
                  (1 - std::abs(x - static_cast<double>(left + k))) *
                  values[i / area * area + turned(top + j, static_cast<long>(height), repeated) * width +
                         turned(left + k, static_cast<long>(width), repeated)];
        }
        return out;
      };
      Random random(0, stream("elastic-transform"), 0);
      const auto q = static_cast<double>(std::min(height, width) / 3);
      std::array<std::array<double, 2>, 3> from{}, to{};
      const auto cx = static_cast<double>(width / 2), cy = static_cast<double>(height / 2);
      from = {{{cx + q, cy + q}, {cx + q, cy - q}, {cx - q, cy - q}}};
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t axis = 0; axis < 2; ++axis)
          to[k][axis] = from[k][axis] + affine * unit * (2 * random.uniform() - 1);
      // barycentric coordinates of a place in the corners Q give its source in the corners P
      values = sampled(
          [&](std::size_t i) {
            const auto x = static_cast<double>(i % width), y = static_cast<double>(i / width);
            const auto twice_area = [](const auto& a, const auto& b, const auto& c) {
              return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            };
            const std::array<double, 2> here{x, y};
            const double whole = twice_area(to[0], to[1], to[2]);
            const std::array weights{twice_area(here, to[1], to[2]) / whole,
                                     twice_area(to[0], here, to[2]) / whole,
                                     twice_area(to[0], to[1], here) / whole};
            std::array<double, 2> source{};
            for (std::size_t k = 0; k < 3; ++k)
              source[1] += weights[k] * from[k][0], source[0] += weights[k] * from[k][1];
            return source;
          },
          false);
      if (alpha > 0) {
        std::array<std::vector<double>, 2> fields;  // dx, dy
        const long radius = static_cast<long>(std::floor(3 * sigma * unit + .5));
        std::vector<double> weights;
        double total = 0;
        for (long k = -radius; k <= radius; ++k) {
          weights.push_back(std::exp(-static_cast<double>(k * k) / (2 * sigma * sigma * unit * unit)));
          total += weights.back();
        }
        for (auto& field : fields) {
          std::vector<double> drawn(area), along(area, 0);
          for (double& value : drawn) value = 2 * random.uniform() - 1;
          field.assign(area, 0);
          for (std::size_t i = 0; i < area; ++i)
            for (long k = -radius; k <= radius; ++k)
              along[i] += weights[static_cast<std::size_t>(k + radius)] / total *
                          drawn[i / width * width +
                                turned(static_cast<long>(i % width) + k, static_cast<long>(width), true)];
          for (std::size_t i = 0; i < area; ++i)
            for (long k = -radius; k <= radius; ++k)
              field[i] +=
                  weights[static_cast<std::size_t>(k + radius)] / total *
                  along[turned(static_cast<long>(i / width) + k, static_cast<long>(height), true) * width +
                        i % width];
        }
        values = sampled(
            [&](std::size_t i) {
              return std::array{static_cast<double>(i / width) + alpha * unit * fields[1][i],
                                static_cast<double>(i % width) + alpha * unit * fields[0][i]};
            },
            true);
      }
      Levels expected(values.size());
      for (std::size_t i = 0; i < values.size(); ++i) expected[i] = level(values[i]);
      expect_levels(corrupted("elastic-transform", images, options_of(severity)), expected, .01);
    }
}

}  // namespace
}  // namespace leeway::shift

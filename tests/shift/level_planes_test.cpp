#include "leeway/shift/detail/level_planes.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "leeway/io/png.h"
#include "leeway/shift/jpeg.h"
#include "tests/core/files.h"
#include "tests/shift/corrupted.h"
#include "tests/shift/pictures.h"

namespace leeway::shift::level_planes_test {

using ::testing::Each;
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
  EXPECT_THAT(plane, ::testing::ElementsAre(0, 0, 0, 51, 153, 153, 204, 255));
  Levels flat(9, 33);
  equalize_levels(flat);
  EXPECT_THAT(flat, Each(33));
}

TEST(Jpeg, HasTheBytesOfPillow) {
  const auto cases = nlohmann::json::parse(std::ifstream(std::string(LEEWAY_REFERENCE) + "/jpeg.json"));
  for (const auto& one : cases) {
    const std::vector<std::size_t> shape = one["shape"];
    const std::vector<int> wanted = one["bytes"];
    std::vector<float> picture;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      picture.push_back(static_cast<float>((7 * i * i + 13 * i) % 256 / 2 + i % shape[2]) / 255.f);
    compress_jpeg(picture, shape[1], shape[2], one["quality"]);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      ASSERT_EQ(std::lround(picture[i] * 255), wanted[i]) << one["quality"] << " " << i;
  }
}

TEST(Jpeg, OfTheMemberHasItsStrengthAsQuality) {
  const Images images = random_images(1, 3, 24, 16);
  std::vector<float> expected = floats(images);
  compress_jpeg(expected, 24, 16, 30);
  EXPECT_EQ(floats(apply("jpeg", images, 30).images), expected);
}

TEST(Jpeg, TakesOtherChannelsOneByOne) {
  const Images images = random_images(1, 4, 8, 8);
  std::vector<float> whole = floats(images), parts = whole;
  compress_jpeg(whole, 8, 8, 30);
  for (std::size_t c = 0; c < 4; ++c) compress_jpeg(std::span(parts).subspan(c * 64, 64), 8, 8, 30);
  EXPECT_EQ(whole, parts);
}

TEST(Jpeg, OfLevelsIsThatOfFloats) {
  for (const std::size_t channels : {1, 2, 3, 4}) {
    std::vector<float> picture = floats(random_images(1, channels, 13, 21));
    std::vector<std::uint8_t> levels;
    for (const float x : picture) levels.push_back(static_cast<std::uint8_t>(std::lround(x * 255)));
    compress_jpeg(picture, 13, 21, 40);
    compress_jpeg(levels, 13, 21, 40);
    for (std::size_t i = 0; i < levels.size(); ++i) ASSERT_EQ(levels[i], std::lround(picture[i] * 255)) << i;
  }
}

TEST(Jpeg, KeepsFlatPicturesAndCutsOffTheRest) {
  std::vector<float> picture(3 * 64, 2);
  compress_jpeg(picture, 8, 8, 50);
  EXPECT_THAT(picture, Each(1));
  picture.assign(64, -1);
  compress_jpeg(picture, 8, 8, 50);
  EXPECT_THAT(picture, Each(0));
}

TEST(Jpeg, RefusesWhatItCannotCompress) {
  EXPECT_REFUSED(apply("jpeg", random_images(1, 1, 2, 2), 1.5),
                 "shift jpeg: expected an integer ... found 1.5");
  std::vector<float> picture(65501);
  EXPECT_REFUSED(compress_jpeg(picture, 1, 65501, 50), "jpeg: expected at most 65500 ... found 1 x 65501");
}

void expect_published_statistics(const FrostPictures& frost) {
  ASSERT_EQ(frost.size(), 8u);
  std::array<double, 3> mean{};
  for (const FrostPicture& picture : frost) {
    ASSERT_EQ(picture.height, 480u);
    ASSERT_EQ(picture.width, 640u);
    constexpr std::size_t area = std::size_t{480} * 640;
    ASSERT_EQ(picture.levels.size(), 3 * area);
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < area; ++i) {
      const double luminance =
          .299 * picture.levels[i] + .587 * picture.levels[area + i] + .114 * picture.levels[2 * area + i];
      sum += luminance;
      squares += luminance * luminance;
      for (std::size_t c = 0; c < 3; ++c) mean[c] += picture.levels[c * area + i] / (8. * area);
    }
    const double own = sum / area;
    EXPECT_THAT(own, ::testing::AllOf(::testing::Ge(104), ::testing::Le(210)));
    EXPECT_THAT(std::sqrt(squares / area - own * own),
                ::testing::AllOf(::testing::Ge(19), ::testing::Le(42)));
  }
  EXPECT_NEAR(mean[0], 145.9, 5);
  EXPECT_NEAR(mean[1], 167.2, 5);
  EXPECT_NEAR(mean[2], 178.9, 5);
}

TEST(FrostPictures, AreMadeOnceForASeedWithThePublishedStatistics) {
  const auto first = procedural_frost_pictures(5), again = procedural_frost_pictures(5);
  EXPECT_EQ(first, again);
  Options given = options_of(3);
  given.seed = 5;
  const Images images = random_levels({2, 3, 32, 32});
  const auto lazily = corrupted("frost", images, given);
  given.frost = first;
  EXPECT_EQ(lazily, corrupted("frost", images, given));
  const auto other = procedural_frost_pictures(0), later = procedural_frost_pictures(5);
  EXPECT_NE(first, later);
  for (std::size_t p = 0; p < 8; ++p) {
    EXPECT_EQ((*first)[p].levels, (*later)[p].levels);
    EXPECT_NE((*first)[p].levels, (*other)[p].levels);
  }
  EXPECT_NE((*first)[0].levels, (*first)[1].levels);
  expect_published_statistics(*first);
  expect_published_statistics(*other);
}

TEST(FrostPictures, AreReadFromAFolder) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "inner");
  const auto refused = [&] { return message_of([&] { (void)read_frost_pictures(folder.path()); }); };
  EXPECT_THAT(refused(), ::testing::EndsWith(": expected frost images (.png, .jpg, .jpeg), found none"));
  write_png(folder / "b.png", {3, 1, 2, {1, 2, 3, 4, 5, 6}});
  write_png(folder / "a.PNG", {1, 2, 1, {7, 9}});
  write_png(folder / "inner/c.png", {1, 1, 1, {7}});
  std::ofstream(folder / "readme.txt") << "no picture";
  const auto frost = read_frost_pictures(folder.path());
  ASSERT_EQ(frost->size(), 2u);
  EXPECT_EQ((*frost)[0].height, 2u);
  EXPECT_EQ((*frost)[0].levels, (Levels{7, 9, 7, 9, 7, 9}));
  EXPECT_EQ((*frost)[1].width, 2u);
  EXPECT_EQ((*frost)[1].levels, (Levels{1, 4, 2, 5, 3, 6}));
  std::ofstream(folder / "c.jpg") << "no picture";
  EXPECT_THAT(refused(), ::testing::EndsWith("c.jpg: expected a PNG or JPEG image, found other content"));
  std::ofstream(folder / "c.jpg") << "\xff\xd8\xff\xe0";
  EXPECT_THAT(refused(), ::testing::HasSubstr("c.jpg: expected a complete JPEG image, found "));
  std::filesystem::remove_all(folder.path());
  EXPECT_THAT(refused(), ::testing::EndsWith(": expected a folder of frost images, found nothing"));
  Options options = options_of(1);
  options.frost = std::make_shared<FrostPictures>();
  EXPECT_REFUSED(corrupted("frost", random_levels({1, 1, 2, 2}), options), "corruption ... found none");
}

}  // namespace leeway::shift::level_planes_test

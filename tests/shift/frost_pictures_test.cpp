// Pictures of frost: procedural ones beside the statistics of the published ones, and those of a folder.
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>

#include "leeway/core/png.h"
#include "tests/core/files.h"
#include "tests/shift/corrupted.h"

namespace leeway::shift {
namespace {

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
  CorruptionOptions given = options_of(3);
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
  const leeway::testing::TemporaryFolder folder;
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
  CorruptionOptions options = options_of(1);
  options.frost = std::make_shared<FrostPictures>();
  EXPECT_EQ(message_of([&] {
              (void)corrupted("frost", random_levels({1, 1, 2, 2}), options);
            }),
            "corruption frost: expected at least one frost image, found none");
}

}  // namespace
}  // namespace leeway::shift

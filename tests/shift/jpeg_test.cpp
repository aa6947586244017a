// JPEG compression against Pillow's (tests/reference/jpeg.py).
#include "leeway/shift/jpeg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/shift/pictures.h"

namespace leeway::shift {
namespace {

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

// Two channels are two grey pictures, and so are four.
TEST(Jpeg, TakesOtherChannelsOneByOne) {
  const Images images = random_images(1, 4, 8, 8);
  std::vector<float> whole = floats(images), parts = whole;
  compress_jpeg(whole, 8, 8, 30);
  for (std::size_t c = 0; c < 4; ++c) compress_jpeg(std::span(parts).subspan(c * 64, 64), 8, 8, 30);
  EXPECT_EQ(whole, parts);
}

// Levels and their shares of 255, at a width that is no multiple of anything.
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

// A flat picture has nothing to lose; what lies outside [0,1] is cut off.
TEST(Jpeg, KeepsFlatPicturesAndCutsOffTheRest) {
  std::vector<float> picture(3 * 64, 2);
  compress_jpeg(picture, 8, 8, 50);
  EXPECT_THAT(picture, testing::Each(1));
  picture.assign(64, -1);
  compress_jpeg(picture, 8, 8, 50);
  EXPECT_THAT(picture, testing::Each(0));
}

TEST(Jpeg, RefusesWhatItCannotCompress) {
  EXPECT_EQ(message_of([] { (void)apply("jpeg", random_images(1, 1, 2, 2), 1.5); }),
            "shift jpeg: expected a whole number from 1 to 100, found 1.5");
  std::vector<float> picture(65501);
  EXPECT_EQ(message_of([&] { compress_jpeg(picture, 1, 65501, 50); }),
            "jpeg: expected at most 65500 pixels per side, found 1 x 65501");
}

}  // namespace
}  // namespace leeway::shift

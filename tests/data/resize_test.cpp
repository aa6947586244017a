// Resampling against torch's (tests/reference/resize.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "leeway/data/picture_file.h"

namespace leeway::data {
namespace {

using Shape = std::array<std::size_t, 3>;

std::vector<std::uint8_t> pixels_of(const Shape& shape) {
  std::vector<std::uint8_t> pixels(shape[0] * shape[1] * shape[2]);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = static_cast<std::uint8_t>((7 * i * i + 13 * i) % 256);
  return pixels;
}

std::vector<std::uint8_t> resized_to(const std::vector<std::uint8_t>& from, const Shape& shape,
                                     std::size_t height, std::size_t width) {
  std::vector<std::uint8_t> to(shape[0] * height * width);
  resize(from, shape, to, {shape[0], height, width});
  return to;
}

TEST(Resize, IsTorchsBilinearInterpolationWithAntialiasing) {
  const auto cases = nlohmann::json::parse(std::ifstream(std::string(LEEWAY_REFERENCE) + "/resize.json"));
  for (const auto& one : cases) {
    const Shape shape = one["shape"];
    const std::vector<double> wanted = one["values"];
    const auto found = resized_to(pixels_of(shape), shape, one["to"][0], one["to"][1]);
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found[i], wanted[i], .5001) << one["to"] << i;
  }
}

// Halving: scale 2, weights 1/4, 3/4, 3/4, 1/4 over their sum 2, at the edge 3/4, 3/4, 1/4 over 7/4.
TEST(Resize, HalvesByHand) {
  EXPECT_THAT(resized_to({0, 70, 140, 210}, {1, 1, 4}, 1, 2), testing::ElementsAre(50, 160));
}

TEST(Resize, KeepsPicturesOfThatSizeAndFlatOnes) {
  const Shape shape = {3, 9, 6};
  const auto from = pixels_of(shape);
  EXPECT_EQ(resized_to(from, shape, 9, 6), from);
  EXPECT_THAT(resized_to(std::vector<std::uint8_t>(77, 255), {1, 7, 11}, 5, 30), testing::Each(255));
}

TEST(Resize, ShapesMustBeThoseOfThePixels) {
  std::vector<std::uint8_t> from(12), to(4);
  EXPECT_THROW(resize(from, {1, 4, 4}, to, {1, 2, 2}), std::logic_error);
  EXPECT_THROW(resize(from, {3, 2, 2}, to, {1, 2, 2}), std::logic_error);
  EXPECT_THROW(resize(from, {1, 3, 4}, std::span(to).first(0), {1, 0, 2}), std::logic_error);
}

}  // namespace
}  // namespace leeway::data

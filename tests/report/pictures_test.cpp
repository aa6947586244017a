#include "leeway/tasks/pictures.h"

#include <gmock/gmock.h>
#include <png.h>

#include "tests/message_of.h"
#include "tests/report/pages.h"

namespace leeway::tasks::pictures_test {

using ::testing::ElementsAre;

std::vector<std::uint8_t> from_base64(const std::string& text) {
  std::vector<std::uint8_t> out;
  std::uint32_t word = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    const auto digit =
        std::string("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").find(c);
    word = word << 6 | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits >= 8) out.push_back(static_cast<std::uint8_t>(word >> (bits -= 8) & 255));
  }
  return out;
}

// Decodes a data URI with libpng into interleaved pixels.
std::vector<std::uint8_t> pixels_of(const std::string& uri, bool grey) {
  const std::string head = "data:image/png;base64,";
  EXPECT_EQ(uri.substr(0, head.size()), head);
  const auto bytes = from_base64(uri.substr(head.size()));
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()), 0);
  image.format = grey ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(image));
  EXPECT_NE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr), 0);
  return pixels;
}

Images grey_images(const std::string& path, std::size_t n, std::size_t side, float step) {
  std::vector<float> values(n * side * side);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::min(1.f, step * static_cast<float>(i % (side * side)));
  return {path, make_array<float>({n, 1, side, side}, values), std::nullopt};
}

TEST(Pictures, SurviveTheRoundTripThroughPng) {
  const Picture grey{1, 2, 3, {0, 50, 100, 150, 200, 255}};
  EXPECT_EQ(pixels_of(png_data_uri(grey), true), grey.pixels);
  const Picture colour{3, 1, 2, {1, 2, 3, 4, 5, 6}};  // red 1 2, green 3 4, blue 5 6
  EXPECT_THAT(pixels_of(png_data_uri(colour), false), ElementsAre(1, 3, 5, 2, 4, 6));
}

TEST(Pictures, TheDifferenceIsGreyWhereNothingChanged) {
  const Difference found = difference({1, 1, 4, {10, 20, 30, 40}}, {1, 1, 4, {10, 40, 20, 40}});
  EXPECT_EQ(found.largest, 20);
  EXPECT_THAT(found.picture.pixels, ElementsAre(128, 255, 64, 128));  // 128 + round(127 d/20), d = 0 20 -10 0
  EXPECT_THAT(difference({1, 1, 1, {7}}, {1, 1, 1, {7}}).picture.pixels, ElementsAre(128));
}

TEST(Pictures, AreTakenFromTheRowsThatFlip) {
  const Assess record = test::full_record(2, 2, 3);
  const Images clean = grey_images("clean.npz", 30, 4, .01f),
               shifted = grey_images("shifted.npz", 30, 4, .02f), own = grey_images("own.npz", 30, 4, .05f);
  const Pictures none = flip_pictures(record, {{"shift 0", &shifted}});
  EXPECT_TRUE(none.flips.empty());  // no source
  const Pictures found =
      flip_pictures(record, {{"", &clean}, {"shift 0", &shifted}, {"model 1/shift 0", &own}});
  ASSERT_EQ(found.flips.size(), 2u * 8);
  EXPECT_EQ(found.flips[0].result, 0u);
  EXPECT_EQ(found.flips[8].result, 2u);               // model 1, shift 0
  EXPECT_EQ(found.flips[0].shifted.pixels[10], 51);   // 255 * .2
  EXPECT_EQ(found.flips[8].shifted.pixels[10], 128);  // 255 * .5, rounded
  EXPECT_EQ(found.flips[3].row, 3u);
}

TEST(Pictures, LargeImagesAreAveraged) {
  const Assess record = test::full_record(1, 1, 3);
  const Images large = grey_images("large.npz", 24, 130, 1e-5f);
  const Pictures found = flip_pictures(record, {{"", &large}, {"shift 0", &large}});
  EXPECT_EQ(found.flips[0].clean.width, 44u);  // 130 = 43 boxes of 3 and one of 1
  EXPECT_EQ(found.flips[0].clean.height, 44u);
  EXPECT_EQ(found.flips[0].clean.pixels.size(), 44u * 44);
}

std::string complaint(const Assess& record, const std::vector<PictureSource>& sources) {
  return message_of([&] { (void)flip_pictures(record, sources); });
}

TEST(Pictures, RefusesImagesThatDoNotFit) {
  const Assess record = test::full_record(1, 1, 3);
  const Images clean = grey_images("clean.npz", 30, 4, .01f), few = grey_images("few.npz", 5, 4, .01f),
               other = grey_images("other.npz", 30, 5, .01f);
  EXPECT_THAT(complaint(record, {{"", &clean}, {"shift 0", &other}}),
              ::testing::HasSubstr("found (1, 5, 5)"));
  EXPECT_THAT(complaint(record, {{"", &clean}, {"shift 0", &few}}), ::testing::HasSubstr("found 5 images"));
  const Images two{"two.npz", make_array<float>({1, 2, 1, 1}, {0.f, 0.f}), std::nullopt};
  EXPECT_EQ(complaint(record, {{"", &two}}), "two.npz: expected images with 1 or 3 channels, found 2");
}

}  // namespace leeway::tasks::pictures_test

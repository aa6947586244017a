#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "leeway/data/picture_file.h"
#include "leeway/shift/jpeg.h"
#include "tests/data/layouts.h"
#include "tests/message_of.h"

namespace leeway::data {
namespace {

using ::testing::HasSubstr;

std::vector<std::byte> bytes_of(const std::string& name) {
  const MappedFile file = map_file(layout("jpeg/" + name));
  return {file.bytes.begin(), file.bytes.end()};
}

std::string said(const std::vector<std::byte>& bytes) {
  return message_of([&] { (void)parse_jpeg(bytes, "a.jpg"); });
}

// compress_jpeg has Pillow's bytes (jpeg_test.cpp): a file of the same pixels and quality must decode to the same.
TEST(JpegFile, HoldsWhatCompressionLeaves) {
  for (const std::string name : {"half.jpg", "grey.jpg"}) {
    const Bitmap bitmap = parse_jpeg(bytes_of(name), name);
    EXPECT_EQ(bitmap.channels, name == "grey.jpg" ? 1 : 3);
    ASSERT_EQ(bitmap.height, 19);
    ASSERT_EQ(bitmap.width, 22);
    const std::size_t area = 19 * 22;
    std::vector<float> planes(bitmap.pixels.size());
    for (std::size_t i = 0; i < planes.size(); ++i)
      planes[i % bitmap.channels * area + i / bitmap.channels] = static_cast<float>(made(0, i)) / 255.f;
    shift::compress_jpeg(planes, 19, 22, 50);
    for (std::size_t i = 0; i < planes.size(); ++i)
      ASSERT_EQ(bitmap.pixels[i], std::lround(planes[i % bitmap.channels * area + i / bitmap.channels] * 255))
          << name << " " << i;
  }
}

// The order of the coefficients in the file changes nothing.
TEST(JpegFile, MayBeProgressive) {
  EXPECT_EQ(parse_jpeg(bytes_of("progressive.jpg"), "a").pixels,
            parse_jpeg(bytes_of("half.jpg"), "a").pixels);
}

TEST(JpegFile, EveryCutIsAnError) {
  for (const std::string name : {"half.jpg", "progressive.jpg", "grey.jpg"}) {
    const auto whole = bytes_of(name);
    for (std::size_t size = 0; size < whole.size() - 2; ++size)
      ASSERT_THAT(said({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}),
                  HasSubstr("a.jpg: expected a whole JPEG picture, found"))
          << name << " " << size;
  }
}

TEST(JpegFile, SaysWhatIsWrong) {
  EXPECT_THAT(said(bytes_of("inks.jpg")), HasSubstr("found one of four inks (CMYK)"));
  EXPECT_THAT(said({}), HasSubstr("found an empty file"));
  EXPECT_THAT(said(std::vector<std::byte>(100)), HasSubstr("a whole JPEG picture"));
  // The frame's header says its height in bytes 5 and 6 of the segment FFC0.
  auto tall = bytes_of("half.jpg");
  for (std::size_t i = 0; i + 8 < tall.size(); ++i)
    if (tall[i] == std::byte{0xff} && tall[i + 1] == std::byte{0xc0}) tall[i + 5] = std::byte{0x7f};
  EXPECT_THAT(said(tall), HasSubstr("at most 16384 pixels a side, found 32531 x 22"));
  // A marker in the middle of the coefficients.
  auto damaged = bytes_of("half.jpg");
  damaged[damaged.size() - 40] = std::byte{0xff};
  damaged[damaged.size() - 39] = std::byte{0xd9};
  EXPECT_THAT(said(damaged), HasSubstr("a whole JPEG picture"));
}

}  // namespace
}  // namespace leeway::data

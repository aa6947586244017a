#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

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
                  HasSubstr("a.jpg: expected a complete JPEG image, found"))
          << name << " " << size;
  }
}

TEST(JpegFile, SaysWhatIsWrong) {
  EXPECT_THAT(said(bytes_of("inks.jpg")), HasSubstr("found a CMYK image"));
  EXPECT_THAT(said({}), HasSubstr("found an empty file"));
  EXPECT_THAT(said(std::vector<std::byte>(100)), HasSubstr("a complete JPEG image"));
  // The frame's header says its height in bytes 5 and 6 of the segment FFC0.
  auto tall = bytes_of("half.jpg");
  for (std::size_t i = 0; i + 8 < tall.size(); ++i)
    if (tall[i] == std::byte{0xff} && tall[i + 1] == std::byte{0xc0}) tall[i + 5] = std::byte{0x7f};
  EXPECT_THAT(said(tall), HasSubstr("at most 16384 pixels per side, found 32531 x 22"));
  // A marker in the middle of the coefficients.
  auto damaged = bytes_of("half.jpg");
  damaged[damaged.size() - 40] = std::byte{0xff};
  damaged[damaged.size() - 39] = std::byte{0xd9};
  EXPECT_THAT(said(damaged), HasSubstr("a complete JPEG image"));
}

TEST(PngFile, OfTooManyPixelsIsRefused) {
  const std::string wide = encode_png({1, 1, 16385, std::vector<std::uint8_t>(16385)});
  EXPECT_THAT(message_of([&] { (void)parse_png(std::as_bytes(std::span(wide)), "a.png"); }),
              HasSubstr("found 1 x 16385"));
}

// A header claims pixels that the file's bytes cannot hold: no memory is taken for them.
TEST(PngFile, OfMorePixelsThanItsBytesIsRefused) {
  std::string small = encode_png({1, 1, 1, {0}});
  small.replace(16, 8, std::string("\0\0\x3e\x80\0\0\x3e\x80", 8));
  const auto checksum = static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(&small[12]), 17));
  for (std::size_t i = 0; i < 4; ++i) small[29 + i] = static_cast<char>(checksum >> (24 - 8 * i));
  EXPECT_THAT(message_of([&] { (void)parse_png(std::as_bytes(std::span(small)), "a.png"); }),
              HasSubstr("found 256000000 bytes of pixels"));
  const std::string white = encode_png({1, 999, 999, std::vector<std::uint8_t>(998001, 255)});
  EXPECT_EQ(parse_png(std::as_bytes(std::span(white)), "a.png").pixels.size(), 998001U);
}

}  // namespace
}  // namespace leeway::data

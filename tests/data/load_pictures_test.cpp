// Pictures in files of their own, of one size or of several.
#include <gmock/gmock.h>
#include <zlib.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "leeway/data/picture_file.h"
#include "leeway/data/resize.h"
#include "leeway/shift/jpeg.h"
#include "tests/core/files.h"
#include "tests/data/layouts.h"
#include "tests/message_of.h"

namespace leeway::data::load_pictures_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Shape = std::array<std::size_t, 3>;

TEST(LoadPictures, FoldersOfJpegAndPng) {
  const Loaded set = load("folder", {"mixed"});
  EXPECT_THAT(texts(set, "image"), ElementsAre("Art/Bed/00001.jpg", "Art/Bed/00002.jpeg",
                                               "Clipart/Bed/00001.png", "Clipart/Bed/00002.JPG"));
  EXPECT_THAT(set.shape, ElementsAre(3, 30, 40));
  EXPECT_LE(distance_from_smooth(picture(set, 0), 0, 30, 40), 4);
  const auto grey = picture(set, 3);  // its first channel, three times
  for (std::size_t i = 0; i < 1200; ++i) {
    EXPECT_NEAR(grey[i], smooth(3, 0, i / 40, i % 40), 4);
    EXPECT_EQ(grey[i], grey[1200 + i]);
    EXPECT_EQ(grey[i], grey[2400 + i]);
  }
}

TEST(LoadPictures, OtherSizesAreRefusedOrResized) {
  Loaded set = load("folder", {"mixed"});
  EXPECT_REFUSED(picture(set, 1), "00002.jpeg: expected 30 x 40 pixels, as in the ... found 20 x 16...");
  const Planes stored = set.stored(2);  // PNG: nothing is lost
  EXPECT_THAT(stored.shape, ElementsAre(3, 8, 12));
  set = resized(std::move(set), 9);
  EXPECT_THAT(set.shape, ElementsAre(3, 9, 9));
  std::vector<std::uint8_t> wanted(3 * 81);
  resize(stored.pixels, stored.shape, wanted, {3, 9, 9});
  EXPECT_EQ(picture(set, 2), wanted);
  // Pixel centres: (y + 1/2) 30/9 and (x + 1/2) 40/9, away from the edge.
  EXPECT_NEAR(picture(set, 0)[81 + 4 * 9 + 4], 60 + 40 + 2 * 19.5 + 14.5, 3);
}

// As Waterbirds' metadata.csv and CelebA's list_attr_celeba.csv.
TEST(LoadPictures, TablesNameTheirImages) {
  const TemporaryFolder folder;
  const auto table = [&](const std::string& text, const std::string& path_column = "") {
    write_text(folder / "t.csv", text);
    return load_table({folder / "t.csv", layout("mixed")}, path_column);
  };
  const Loaded birds = table(
      "img_id,img_filename,y,split,place,place_filename\n"
      "9,Clipart/Bed/00001.png,1,0,0,a/1.jpg\n10,Art/Bed/00001.jpg,0,2,,b/2.jpg\n");
  EXPECT_THAT(column_names(birds),
              ElementsAre("y", "img_id", "split", "place", "place_filename", "img_filename"));
  EXPECT_THAT(texts(birds, "y"), ElementsAre("1", "0"));
  EXPECT_THAT(texts(birds, "place"), ElementsAre("0", "unknown"));
  EXPECT_THAT(birds.stored(1).shape, ElementsAre(3, 30, 40));
  EXPECT_THAT(birds.shape, ElementsAre(3, 8, 12));
  const Loaded faces = table("image_id,Smiling,Male\nArt/Bed/00001.jpg,-1,1\n");
  EXPECT_THAT(column_names(faces), ElementsAre("Smiling", "Male", "image_id"));
}

TEST(LoadPictures, TablesWithoutImagesAreRefused) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& text, const std::string& path_column = "") {
    write_text(folder / "t.csv", text);
    return message_of([&] { (void)load_table({folder / "t.csv", layout("mixed")}, path_column); });
  };
  EXPECT_THAT(refused("a,b\n1,2\n"), HasSubstr("a column of image files"));
  EXPECT_THAT(refused("a,b\n1.png,2\n", "file"), HasSubstr("--path-column"));
  EXPECT_THAT(refused("a,b\n1.png,2\n ,3\n"), HasSubstr("an image file, found none at row 1"));
  EXPECT_THAT(refused("a,b\n../1.png,2\n"), HasSubstr("'../1.png' at row 0"));
  EXPECT_THAT(refused("a,b\n1.png,2\n"), HasSubstr("1.png"));
  EXPECT_THAT(refused("a,b\n"), HasSubstr("found none"));
}

TEST(LoadPictures, AnyFormatIsResized) {
  const Loaded set = resized(load("smallnorb", {"norb-dat.mat"}), 3);
  EXPECT_THAT(set.shape, ElementsAre(1, 3, 3));
  std::vector<std::uint8_t> from(20), wanted(9);
  for (std::size_t j = 0; j < 20; ++j) from[j] = made(9, j);
  resize(from, {1, 4, 5}, wanted, {1, 3, 3});
  EXPECT_EQ(picture(set, 9), wanted);
  EXPECT_REFUSED(resized(load("camelyon17", {"camelyon17.csv"}), 8), "a data set ... found a table only...");
  EXPECT_REFUSED(resized(load("smallnorb", {"norb-dat.mat"}), 0), "1 to 16384, found 0...");
}

TEST(PictureSheet, EmptyPlacesAreWhite) {
  PictureSheet sheet(1, 1, 1, 2);
  sheet.add({"", make_array<std::uint8_t>({1, 1, 1, 1}, {77}), {}}, 0);
  sheet.leave_empty();
  const Bitmap bitmap = sheet.bitmap();  // pictures of 64 x 64, two pixels of white around each
  ASSERT_EQ(bitmap.height, 68);
  ASSERT_EQ(bitmap.width, 134);
  for (std::size_t i = 0; i < bitmap.pixels.size(); ++i) {
    const std::size_t y = i / 134, x = i % 134;
    ASSERT_EQ(bitmap.pixels[i], y >= 2 && y < 66 && x >= 2 && x < 66 ? 77 : 255) << y << " " << x;
  }
}

TEST(LoadPictures, OthersMakeATableAndNothingElse) {
  const TemporaryFolder folder;
  for (const std::string name : {"dog", "cat"}) std::filesystem::create_directories(folder / name);
  write_bytes(folder / "dog/a.bmp", "BM");
  write_bytes(folder / "cat/a.jpg", "");
  const Loaded set = load_set("folder", {folder.path()});
  EXPECT_EQ(set.n, 2);
  EXPECT_FALSE(set.has_pictures());
  std::filesystem::remove(folder / "dog/a.bmp");
  EXPECT_REFUSED(load_set("folder", {folder.path()}), "a.jpg: expected a PNG or ... found an empty file...");
  write_bytes(folder / "cat/a.jpg", "GIF89a");
  EXPECT_REFUSED(load_set("folder", {folder.path()}), "found other content...");
}

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
  EXPECT_THAT(said({}), HasSubstr("found an empty file"));
  EXPECT_THAT(said(std::vector<std::byte>(100)), HasSubstr("a complete JPEG image"));
  // The frame's header says its height in bytes 5 and 6 of the segment FFC0.
  auto tall = bytes_of("half.jpg");
  for (std::size_t i = 0; i + 8 < tall.size(); ++i)
    if (tall[i] == std::byte{0xff} && tall[i + 1] == std::byte{0xc0}) tall[i + 5] = std::byte{0x7f};
  EXPECT_THAT(said(tall), HasSubstr("at most 16384 pixels per side, found 32531 x 22"));
  auto damaged = bytes_of("half.jpg");
  damaged[damaged.size() - 40] = std::byte{0xff};
  damaged[damaged.size() - 39] = std::byte{0xd9};
  EXPECT_THAT(said(damaged), HasSubstr("a complete JPEG image"));
}

TEST(PngFile, OfTooManyPixelsIsRefused) {
  const std::string wide = encode_png({1, 1, 16385, std::vector<std::uint8_t>(16385)});
  EXPECT_REFUSED(parse_png(std::as_bytes(std::span(wide)), "a.png"), "found 1 x 16385...");
}

TEST(PngFile, OfMorePixelsThanItsBytesIsRefused) {
  for (const auto& [side, found] :
       {std::pair('\x27', "found 99680256 bytes of pixels..."), {'\x3e', "found 15872 x 15872..."}}) {
    std::string small = encode_png({1, 1, 1, {0}});
    small.replace(16, 8, std::string("\0\0", 2) + side + std::string("\0\0\0", 3) + side + '\0');
    const auto checksum =
        static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(&small[12]), 17));
    for (std::size_t i = 0; i < 4; ++i) small[29 + i] = static_cast<char>(checksum >> (24 - 8 * i));
    EXPECT_REFUSED(parse_png(std::as_bytes(std::span(small)), "a.png"), found);
  }
  const std::string white = encode_png({1, 999, 999, std::vector<std::uint8_t>(998001, 255)});
  EXPECT_EQ(parse_png(std::as_bytes(std::span(white)), "a.png").pixels.size(), 998001U);
}

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

nlohmann::json reference(const char* key) {
  return nlohmann::json::parse(std::ifstream(std::string(LEEWAY_REFERENCE) + "/pictures.json"))[key];
}

TEST(Resize, HasThePixelsOfPillow) {
  const std::map<std::string, Interpolation> names = {{"bilinear", Interpolation::bilinear},
                                                      {"bicubic", Interpolation::bicubic},
                                                      {"nearest", Interpolation::nearest}};
  for (const auto& one : reference("resized")) {
    const Shape shape = one["shape"], to = {shape[0], one["to"][0], one["to"][1]};
    const std::array<std::size_t, 4> of = one["of"];
    std::vector<std::uint8_t> found(to[0] * to[1] * to[2]);
    resize(pixels_of(shape), shape, found, to, {of[0], of[1], of[2], of[3]}, names.at(one["how"]));
    EXPECT_EQ(found, one["pixels"].get<std::vector<std::uint8_t>>()) << one["how"] << one["of"];
  }
}

TEST(PictureFile, HasThePixelsOfPillow) {
  const TemporaryFolder folder;
  for (const auto& one : reference("files")) {
    const std::vector<char> bytes = one["file"];
    write_bytes(folder / "a", std::string(bytes.begin(), bytes.end()));
    const Bitmap bitmap = read_picture(folder / "a");
    EXPECT_THAT((std::array{bitmap.height, bitmap.width}), ElementsAre(one["size"][0], one["size"][1]));
    EXPECT_EQ(color_planes(bitmap), one["pixels"].get<std::vector<std::uint8_t>>()) << one["name"];
  }
}

// Halving: scale 2, weights 1/4, 3/4, 3/4, 1/4 over their sum 2, at the edge 3/4, 3/4, 1/4 over 7/4.
TEST(Resize, HalvesByHand) {
  EXPECT_THAT(resized_to({0, 70, 140, 210}, {1, 1, 4}, 1, 2), ::testing::ElementsAre(50, 160));
}

TEST(Resize, KeepsPicturesOfThatSizeAndFlatOnes) {
  const Shape shape = {3, 9, 6};
  const auto from = pixels_of(shape);
  EXPECT_EQ(resized_to(from, shape, 9, 6), from);
  EXPECT_THAT(resized_to(std::vector<std::uint8_t>(77, 255), {1, 7, 11}, 5, 30), ::testing::Each(255));
}

TEST(Resize, ShapesMustBeThoseOfThePixels) {
  std::vector<std::uint8_t> from(12), to(4);
  EXPECT_THROW(resize(from, {1, 4, 4}, to, {1, 2, 2}), std::logic_error);
  EXPECT_THROW(resize(from, {3, 2, 2}, to, {1, 2, 2}), std::logic_error);
  EXPECT_THROW(resize(from, {1, 3, 4}, std::span(to).first(0), {1, 0, 2}), std::logic_error);
}

}  // namespace leeway::data::load_pictures_test

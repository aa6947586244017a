// Pictures in files of their own, of one size or of several.

#include <gmock/gmock.h>

#include "leeway/data/picture_file.h"
#include "tests/core/files.h"
#include "tests/data/layouts.h"

namespace leeway::data {
namespace {

using leeway::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
  EXPECT_THAT(message_of([&] { (void)picture(set, 1); }),
              HasSubstr("00002.jpeg: expected 30 x 40 pixels, as in the first image (--size N resizes all to "
                        "N x N), found 20 x 16"));
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

TEST(LoadPictures, AnyFormatIsResized) {
  const Loaded set = resized(load("smallnorb", {"norb-dat.mat"}), 3);
  EXPECT_THAT(set.shape, ElementsAre(1, 3, 3));
  std::vector<std::uint8_t> from(20), wanted(9);
  for (std::size_t j = 0; j < 20; ++j) from[j] = made(9, j);
  resize(from, {1, 4, 5}, wanted, {1, 3, 3});
  EXPECT_EQ(picture(set, 9), wanted);
  EXPECT_THAT(message_of([] { (void)resized(load("camelyon17", {"camelyon17.csv"}), 8); }),
              HasSubstr("a data set with images, found a table only"));
  EXPECT_THAT(message_of([] { (void)resized(load("smallnorb", {"norb-dat.mat"}), 0); }),
              HasSubstr("1 to 16384, found 0"));
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
  leeway::testing::write_bytes(folder / "dog/a.bmp", "BM");
  leeway::testing::write_bytes(folder / "cat/a.jpg", "");
  const Loaded set = load_set("folder", {folder.path()});
  EXPECT_EQ(set.n, 2);
  EXPECT_FALSE(set.has_pictures());
  std::filesystem::remove(folder / "dog/a.bmp");
  EXPECT_THAT(message_of([&] { (void)load_set("folder", {folder.path()}); }),
              HasSubstr("a.jpg: expected a PNG or JPEG image, found an empty file"));
  leeway::testing::write_bytes(folder / "cat/a.jpg", "GIF89a");
  EXPECT_THAT(message_of([&] { (void)load_set("folder", {folder.path()}); }),
              HasSubstr("found other content"));
}

}  // namespace
}  // namespace leeway::data

// Folders of pictures as images.
#include "leeway/data/picture_folder.h"

#include <gmock/gmock.h>

#include <numeric>

#include "leeway/data/picture_file.h"
#include "leeway/data/training_data.h"
#include "tests/core/files.h"
#include "tests/message_of.h"

namespace leeway::data::picture_folder_test {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

class PictureFolder : public ::testing::Test {
 protected:
  // A picture whose first level is `first`.
  void make(const std::string& name, std::uint8_t first = 0, std::size_t height = 3, std::size_t width = 4) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    Bitmap bitmap{3, height, width, std::vector<std::uint8_t>(3 * height * width)};
    std::iota(bitmap.pixels.begin(), bitmap.pixels.end(), first);
    write_png(folder_ / name, bitmap);
  }
  Images read(const PictureOptions& options = {}) { return read_picture_folder(folder_.path(), options); }
  static std::vector<int> firsts(const Images& images) {
    std::vector<int> levels;
    for (std::size_t row = 0; row < images.n(); ++row) levels.push_back(levels_of(images, row)[0]);
    return levels;
  }
  TemporaryFolder folder_;
};

TEST_F(PictureFolder, ClassesAndFilesAreSortedAsByImageFolder) {
  for (const auto& [name, first] :
       {std::pair("b/1.png", 1), {"b/02.png", 2}, {"10/a.png", 3}, {"2/A.png", 4}, {"Z/z.png", 5}})
    make(name, static_cast<std::uint8_t>(first));
  const Images images = read();
  EXPECT_THAT(images.class_names, ElementsAre("10", "2", "Z", "b"));
  EXPECT_THAT(*images.labels, ElementsAre(0, 1, 2, 3, 3));
  EXPECT_THAT(firsts(images), ElementsAre(3, 4, 5, 2, 1));
  EXPECT_THAT(images.pixels.shape, ElementsAre(5, 3, 3, 4));
  EXPECT_EQ(images.pixels.storage, nullptr);
  const std::size_t rows[] = {4, 0};
  for (const Images& some : {select_rows(images, rows), select_rows(leeway::in_memory(images), rows)}) {
    EXPECT_THAT(firsts(some), ElementsAre(1, 3));
    EXPECT_THAT(*some.labels, ElementsAre(3, 0));
    EXPECT_NE(some.pixels.storage, nullptr);
  }
}

TEST_F(PictureFolder, ManySelectedRowsAndMiddlesAreNotInMemory) {
  make("a.png", 7), make("b.png", 9);
  std::vector<std::size_t> rows(300);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i % 2;
  const Images many = select_rows(read(), rows), middle = middle_of(many, 2);
  EXPECT_EQ(middle.pixels.storage, nullptr);
  EXPECT_EQ(levels_of(middle, 299), levels_of(middle_of(leeway::in_memory(many), 2), 299));
}

TEST_F(PictureFolder, TrainingDataAreInMemory) {
  make("a/1.png", 7), make("b/2.png", 9);
  const TrainingData data = read_training_data(folder_.path(), {}, {.resize_shorter = 2});
  EXPECT_NE(data.images.pixels.storage, nullptr);
  EXPECT_EQ(data.images.pixels.shape, (std::vector<std::size_t>{2, 3, 2, 2}));
  EXPECT_THAT(*data.images.labels, ElementsAre(0, 1));
}

TEST_F(PictureFolder, FlatFoldersHaveTheLabelsOfATable) {
  make("b.png", 1), make("a.png", 2), make("c.png", 3);
  EXPECT_EQ(read().labels, std::nullopt);
  EXPECT_THAT(firsts(read()), ElementsAre(2, 1, 3));
  struct Case {
    std::string table;
    std::vector<std::int64_t> labels;
    std::vector<std::string> names;
  };
  for (const Case& one : {Case{"filename,label\nc.png,7\nb.png,0\n", {7, 0}, {}},
                          {"y,file\nzebra,c.png\nant,b.png\n", {1, 0}, {"ant", "zebra"}}}) {
    write_bytes(folder_ / "table.csv", one.table);
    const Images images = read({.picture_labels = folder_ / "table.csv"});
    EXPECT_THAT(firsts(images), ElementsAre(3, 1));
    EXPECT_EQ(*images.labels, one.labels);
    EXPECT_EQ(images.class_names, one.names);
  }
}

TEST_F(PictureFolder, PicturesAreResizedAndCropped) {
  make("a.png", 0, 10, 23), make("b.png", 5, 31, 12);
  const Images images = read({.resize_shorter = 8, .interpolation = "bicubic", .crop = 5});
  EXPECT_THAT(images.pixels.shape, ElementsAre(2, 3, 5, 5));
  // 8 x 18, and 20 x 8: their middles begin at 1.5 and 6.5, and 7.5 and 1.5, of which the even ones
  for (const auto& [row, window] : {std::pair(0, Window{8, 18, 2, 6}), {1, Window{20, 8, 8, 2}}}) {
    const Bitmap stored = read_picture(folder_ / (row == 0 ? "a.png" : "b.png"));
    std::vector<std::uint8_t> wanted(75);
    resize(color_planes(stored), {3, stored.height, stored.width}, wanted, {3, 5, 5}, window,
           Interpolation::bicubic);
    EXPECT_THAT(levels_of(images, static_cast<std::size_t>(row)), ElementsAreArray(wanted));
  }
  EXPECT_EQ(read({.resize_shorter = 6}).height(), 6);
}

TEST(Preprocessing, PresetsAreThoseOfTorchvisionAndTimm) {
  struct Case {
    PictureOptions options;
    std::size_t shorter, crop;
    Interpolation how;
  };
  for (const Case& one :
       {Case{{}, 0, 0, Interpolation::bilinear},
        {{.preprocess = "imagenet"}, 256, 224, Interpolation::bilinear},
        {{.preprocess = "timm:0.875"}, 256, 224, Interpolation::bicubic},
        {{.preprocess = "timm:0.95", .crop = 200}, 210, 200, Interpolation::bicubic},
        {{.preprocess = "timm:1", .interpolation = "nearest"}, 224, 224, Interpolation::nearest},
        {{.preprocess = "imagenet", .resize_shorter = 232}, 232, 224, Interpolation::bilinear}}) {
    const Preprocessing how = preprocessing_of(one.options);
    EXPECT_EQ(how.resize_shorter, one.shorter);
    EXPECT_EQ(how.crop, one.crop);
    EXPECT_EQ(how.interpolation, one.how);
    EXPECT_EQ(how.mean.size(), one.options.preprocess ? 3 : 0);
  }
  for (const std::string name : {"resnet", "timm:1.5", "timm:0"})
    EXPECT_REFUSED(preprocessing_of({.preprocess = name}), "timm:SHARE with ... found '" + name + "'");
  EXPECT_REFUSED(preprocessing_of({.resize_shorter = 8, .crop = 9}), "crop: expected at most 8, ... found 9");
}

TEST_F(PictureFolder, WhatIsWrongIsNamed) {
  make("cat/a.png"), make("dog/b.png"), make("dog/c.png", 0, 2, 9);
  const auto last = [&] { (void)levels_of(read({.crop = 3}), 2); };
  EXPECT_REFUSED(last(), "dog/c.png: expected at least 3 x 3 pixels (crop), found 2 x 9");
  EXPECT_REFUSED(leeway::in_memory(read()), "c.png: expected 3 x 4 pixels, ... found 2 x 9");
  write_bytes(folder_ / "dog/c.png", "\x89PNG\r\n\x1a\n");
  EXPECT_REFUSED(last(), "c.png: expected a PNG image, found ...");
  std::filesystem::create_directories(folder_ / "eel");
  EXPECT_REFUSED(read(), "eel: expected images of the class, found none");
  write_bytes(folder_ / "eel/x.webp", "");
  EXPECT_REFUSED(read(), "x.webp: expected a PNG or JPEG image, found another format");
  write_bytes(folder_ / "table.csv", "where,y\nhere,1\n");
  EXPECT_REFUSED(read({.picture_labels = folder_ / "table.csv"}),
                 "table.csv: expected a column of image files, ... found 'where'");
  EXPECT_REFUSED(pictures_at(folder_ / "table.csv", {.crop = 3}),
                 "table.csv: expected a folder of pictures, ... found a file");
  EXPECT_FALSE(pictures_at("fashion-mnist:test", {}).has_value());
}

}  // namespace leeway::data::picture_folder_test

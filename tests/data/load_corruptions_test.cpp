// Loaders of published corruptions, on small folders in their layouts.
#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "leeway/core/file.h"
#include "leeway/core/npy.h"
#include "leeway/core/png.h"
#include "tests/core/files.h"
#include "tests/data/layouts.h"

namespace leeway::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

class LoadCorruptions : public ::testing::Test {
 protected:
  LoadCorruptions() {
    fs::create_directories(folder_);
    fs::create_directories(pictures_);
  }

  // n pictures of 4 x 4, pixel j of picture i is made(first + i, j).
  void write_array(const std::string& name, std::size_t n, std::size_t first) const {
    std::vector<std::uint8_t> pixels;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < 48; ++j) pixels.push_back(made(first + i, j));
    write_npy(folder_ / name, make_array<std::uint8_t>({n, 4, 4, 3}, std::move(pixels)));
  }
  void write_labels(const std::vector<std::int64_t>& labels) const {
    write_npy(folder_ / "labels.npy", make_array<std::int64_t>({labels.size()}, labels));
  }
  void write_picture(const std::string& name, std::uint8_t level) const {
    fs::create_directories((pictures_ / name).parent_path());
    write_png(pictures_ / name, {3, 2, 2, std::vector<std::uint8_t>(12, level)});
  }
  [[nodiscard]] std::string message(const std::string& format, const Paths& paths,
                                    const CorruptionPart& part = {}) const {
    return message_of([&] { (void)load_set(format, paths, part); });
  }

  const leeway::testing::TemporaryFolder temporary_;
  const fs::path folder_ = temporary_ / "cifar", pictures_ = temporary_ / "imagenet";
};

TEST_F(LoadCorruptions, OneCorruptionAtOneSeverityOfCifar) {
  write_array("fog.npy", 10, 0);
  write_array("gaussian_noise.npy", 10, 100);
  write_labels({3, 9, 3, 9, 3, 9, 3, 9, 3, 9});
  const Loaded fog = load_set("cifar10-c", {folder_}, {"fog", 4});
  EXPECT_EQ(fog.n, 2u);
  EXPECT_THAT(texts(fog, "label"), ElementsAre("cat", "truck"));
  EXPECT_THAT(texts(fog, "corruption"), ElementsAre("fog", "fog"));
  EXPECT_THAT(texts(fog, "severity"), ElementsAre("4", "4"));
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(picture(fog, 1)[c * 16 + i], made(7, 3 * i + c));
  // with dashes; all severities; all corruptions, sorted
  const Loaded noise = load_set("cifar10-c", {folder_}, {"gaussian-noise", {}});
  EXPECT_EQ(noise.n, 10u);
  EXPECT_EQ(picture(noise, 9)[16], made(109, 1));
  const Loaded third = load_set("cifar10-c", {folder_}, {{}, 3});
  EXPECT_THAT(texts(third, "corruption"), ElementsAre("fog", "fog", "gaussian_noise", "gaussian_noise"));
  EXPECT_EQ(picture(third, 3)[0], made(105, 0));
  EXPECT_EQ(load_set("cifar10-c", {folder_}).n, 20u);
  const CorruptionFolder found = corruption_folder(folder_);
  EXPECT_EQ(found.format, "cifar10-c");
  EXPECT_THAT(found.corruptions, ElementsAre("fog", "gaussian_noise"));
}

TEST_F(LoadCorruptions, CifarHundredByItsLabels) {
  write_array("fog.npy", 5, 0);
  write_labels({99, 0, 1, 2, 3});
  EXPECT_EQ(corruption_folder(folder_).format, "cifar100-c");
  EXPECT_THAT(texts(load_set("cifar100-c", {folder_}, {{}, 1}), "label"), ElementsAre("99"));
  EXPECT_THAT(message("cifar10-c", {folder_}),
              HasSubstr("labels.npy: expected label from 0 to 9, found 99 at row 0"));
}

TEST_F(LoadCorruptions, CifarThatIsWrongIsRefusedInOneLine) {
  EXPECT_THAT(message("cifar10-c", {folder_}), HasSubstr("found neither"));
  write_array("fog.npy", 10, 0);
  EXPECT_THAT(message("cifar10-c", {folder_}), HasSubstr("found no labels.npy"));
  write_labels(std::vector<std::int64_t>(9, 1));
  EXPECT_THAT(message("cifar10-c", {folder_}), HasSubstr("labels.npy: expected 10 labels, found shape (9)"));
  write_labels(std::vector<std::int64_t>(10, 1));
  EXPECT_THAT(message("cifar10-c", {folder_}, {"snow", {}}), HasSubstr("expected snow.npy, found none"));
  EXPECT_THAT(message("cifar10-c", {folder_}, {{}, 6}),
              HasSubstr("expected a severity from 1 to 5, found 6"));
  EXPECT_THAT(message("cifar10", {folder_}, {{}, 1}),
              HasSubstr("a set of corruptions, from which one can be selected"));
  const fs::path fog = folder_ / "fog.npy";
  EXPECT_THAT(message("cifar10-c", {fog}),
              HasSubstr("a folder, or CORRUPTION.npy labels.npy, found one file"));
  EXPECT_THAT(message("cifar10-c", {folder_ / "absent"}), HasSubstr("found nothing"));
  EXPECT_THAT(message("cifar10-c", {fog, folder_ / "labels.npy"}, {"snow", {}}),
              HasSubstr("fog.npy: expected snow.npy, found another corruption"));
  fs::resize_file(fog, fs::file_size(fog) - 7);  // cut off
  EXPECT_THAT(message("cifar10-c", {folder_}), HasSubstr("fog.npy: "));
  write_array("fog.npy", 9, 0);
  write_labels(std::vector<std::int64_t>(9, 1));
  EXPECT_THAT(message("cifar10-c", {folder_}),
              HasSubstr("5 severities with equally many images, found 9 images"));
}

TEST_F(LoadCorruptions, FoldersOfPictures) {
  for (const char* severity : {"1", "2"})
    for (const char* name : {"n02/b.png", "n02/a.png", "n01/z.png"})
      write_picture(std::string("fog/") + severity + "/" + name, severity[0] == '1' ? 10 : 20);
  for (const char* severity : {"3", "4", "5"})
    write_picture(std::string("fog/") + severity + "/n01/z.png", 30);
  write_picture("snow/1/n01/z.png", 40);
  for (const char* format : {"imagenet-c", "tiny-imagenet-c"}) {
    const Loaded fog = load_set(format, {pictures_}, {"fog", 2});
    EXPECT_EQ(fog.n, 3u);
    EXPECT_THAT(texts(fog, "class"), ElementsAre("n01", "n02", "n02"));
    EXPECT_THAT(texts(fog, "image"), ElementsAre("fog/2/n01/z.png", "fog/2/n02/a.png", "fog/2/n02/b.png"));
    EXPECT_THAT(texts(fog, "severity"), ElementsAre("2", "2", "2"));
    EXPECT_EQ(picture(fog, 2)[0], 20);
  }
  EXPECT_EQ(load_set("imagenet-c", {pictures_}, {"fog", {}}).n, 9u);
  const CorruptionFolder found = corruption_folder(pictures_);
  EXPECT_EQ(found.format, "imagenet-c");
  EXPECT_THAT(found.corruptions, ElementsAre("fog", "snow"));
  EXPECT_THAT(message("imagenet-c", {pictures_}, {"frost", 1}),
              HasSubstr("expected a folder frost, found none"));
  EXPECT_THAT(message("imagenet-c", {pictures_}, {"snow", 2}),
              HasSubstr("snow/2: expected a folder, found nothing"));
  fs::create_directories(pictures_ / "snow/2/n01");
  EXPECT_THAT(message("imagenet-c", {pictures_}, {"snow", 2}),
              HasSubstr("images in one folder per class, found none"));
  write_text(pictures_ / "snow/2/n01/z.png", "");
  EXPECT_THAT(message("imagenet-c", {pictures_}, {"snow", 2}),
              HasSubstr("z.png: expected a PNG or JPEG image, found an empty file"));
}

}  // namespace
}  // namespace leeway::data

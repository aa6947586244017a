#include "leeway/data/load.h"

#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "leeway/core/file.h"
#include "leeway/io/images.h"
#include "leeway/io/npy.h"
#include "leeway/io/png.h"
#include "tests/core/files.h"
#include "tests/data/layouts.h"

namespace leeway::data::load_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Load, DSpritesWithoutLookingAtItsObjects) {
  const Loaded set = load("dsprites", {"dsprites.npz"});
  EXPECT_EQ(set.n, 12);
  EXPECT_THAT(set.shape, ElementsAre(1, 8, 8));
  EXPECT_EQ(texts(set, "shape")[5], "heart");
  EXPECT_EQ(texts(set, "scale")[5], "big");
  EXPECT_EQ(texts(set, "scale_value")[4], "0.9");
  EXPECT_EQ(texts(set, "orientation")[1], "1.12775");  // 7 of 39 parts of a turn
  EXPECT_EQ(texts(set, "pos_y")[0], "1");
  for (std::size_t j = 0; j < 64; ++j) EXPECT_EQ(picture(set, 3)[j], (3 + j) % 2 * 255);
}

TEST(Load, Shapes3dFromHdf5) {
  const Loaded set = load("shapes3d", {"3dshapes.h5"});
  EXPECT_EQ(set.n, 12);
  EXPECT_THAT(set.shape, ElementsAre(3, 4, 5));
  EXPECT_EQ(texts(set, "shape")[6], "sphere");
  EXPECT_EQ(texts(set, "obj_color")[9], "red");
  EXPECT_EQ(texts(set, "wall_hue")[2], "0.3");
  EXPECT_EQ(texts(set, "scale")[7], "big");
  EXPECT_EQ(texts(set, "orientation")[0], "-30");
  for (std::size_t i = 0; i < 20; ++i)
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(picture(set, 11)[c * 20 + i], made(11, 3 * i + c));
}

TEST(Load, SmallNorbTakesTheLeftEyeAndDegrees) {
  const Loaded set = load("smallnorb", {"norb-dat.mat"});
  EXPECT_THAT(set.shape, ElementsAre(1, 4, 5));
  EXPECT_THAT(texts(set, "object"), ElementsAre("animal", "human", "airplane", "truck", "car", "animal",
                                                "human", "airplane", "truck", "car"));
  EXPECT_EQ(texts(set, "azimuth")[9], "180");
  EXPECT_EQ(texts(set, "elevation")[8], "70");
  EXPECT_EQ(texts(set, "lighting")[7], "1");
  for (std::size_t j = 0; j < 20; ++j) EXPECT_EQ(picture(set, 9)[j], made(9, j));
}

TEST(Load, CifarBinaries) {
  const Loaded ten = load("cifar10", {"data_batch_1.bin", "data_batch_1.bin"});
  EXPECT_THAT(texts(ten, "label"), ElementsAre("cat", "truck", "cat", "truck"));
  EXPECT_EQ(texts(ten, "file")[3], "data_batch_1.bin");
  for (std::size_t j = 0; j < 3072; ++j) EXPECT_EQ(picture(ten, 3)[j], made(1, j));
  const Loaded hundred = load("cifar100", {"train.bin"});
  EXPECT_THAT(texts(hundred, "label"), ElementsAre("98", "0"));
  EXPECT_THAT(texts(hundred, "coarse_label"), ElementsAre("11", "19"));
  EXPECT_EQ(picture(hundred, 1)[5], made(1, 5));
}

TEST(Load, PairsOfArrays) {
  const Loaded fog = load("cifar10-c", {"fog.npy", "labels.npy"});
  EXPECT_EQ(texts(fog, "corruption")[0], "fog");
  EXPECT_THAT(texts(fog, "severity"), ElementsAre("1", "1", "2", "2", "3", "3", "4", "4", "5", "5"));
  EXPECT_THAT(texts(load("cifar10.1", {"v6_data.npy", "v6_labels.npy"}), "label"),
              ElementsAre("truck", "airplane", "deer"));
}

TEST(Load, IdxWithTheLabelsBesideIt) {
  const Loaded set = load("idx", {"made-images-idx3-ubyte.gz"});
  EXPECT_THAT(texts(set, "label"), ElementsAre("7", "0", "7"));
  EXPECT_EQ(picture(set, 2)[19], made(2, 19));
}

TEST(Load, TablesOfPicturesThatStayWhereTheyAre) {
  const Loaded faces = load("celeba", {"list_attr_celeba.txt"});
  EXPECT_FALSE(faces.has_pictures());
  EXPECT_THAT(texts(faces, "gender"), ElementsAre("female", "male", "female"));
  EXPECT_THAT(texts(faces, "black_hair"), ElementsAre("others", "black", "others"));
  EXPECT_THAT(texts(faces, "smiling"), ElementsAre("smiling", "no smiling", "smiling"));
  EXPECT_THAT(texts(faces, "Eyeglasses"), ElementsAre("-1", "-1", "1"));
  EXPECT_THAT(texts(faces, "image"), ElementsAre("000001.jpg", "000002.jpg", "000003.jpg"));
  const Loaded animals = load("iwildcam", {"iwildcam.csv"});
  EXPECT_THAT(texts(animals, "y"), ElementsAre("24", "0"));
  EXPECT_THAT(texts(animals, "month"), ElementsAre("08", "12"));
  EXPECT_THAT(texts(animals, "hour"), ElementsAre("05", "23"));
  const Loaded places = load("fmow", {"fmow.csv", "fmow_countries.csv"});
  EXPECT_THAT(texts(places, "category"), ElementsAre("airport", "zoo"));
  EXPECT_THAT(texts(places, "region"), ElementsAre("Europe", "Other"));
  EXPECT_THAT(texts(places, "image"), ElementsAre("rgb_img_0.png", "rgb_img_2.png"));
  EXPECT_THAT(texts(load("camelyon17", {"camelyon17.csv"}), "center"), ElementsAre("0", "1"));
}

TEST(Load, FoldersByDomainAndClass) {
  const Loaded set = load("folder", {"folders"});
  EXPECT_THAT(texts(set, "class"), ElementsAre("dog", "horse", "dog"));
  EXPECT_THAT(texts(set, "domain"), ElementsAre("art", "art", "photo"));
  EXPECT_THAT(set.shape, ElementsAre(3, 4, 5));
  EXPECT_EQ(picture(set, 2)[20 + 7], made(2, 3 * 7 + 1));
  EXPECT_EQ(picture(set, 1)[40 + 7], made(1, 7));  // grey
}

TEST(Load, ImagesAndTablesComeBack) {
  const TemporaryFolder folder;
  const Loaded set = load("smallnorb", {"norb-dat.mat"});
  write_loaded(folder / "images.npz", set, 0, nullptr);
  write_table(folder / "table.csv", set);
  const Images images = read_images((folder / "images.npz").string());
  EXPECT_EQ(images.pixels.view<std::uint8_t>()[9 * 20 + 3], made(9, 3));
  EXPECT_THAT(*images.labels, ElementsAre(0, 1, 4, 3, 2, 0, 1, 4, 3, 2));
  EXPECT_EQ(images.class_names, set.columns[0].values);
  const AttributeTable table =
      read_attribute_table(folder / "table.csv", {"object", {"azimuth", "lighting"}, {}, {}});
  EXPECT_EQ(table.n(), 10);
  EXPECT_EQ(table.label.values.size(), 5);
}

TEST(Load, NamesAreNoFormulas) {
  const TemporaryFolder folder;
  Loaded set;
  set.n = 1, set.columns = {{"=A1", {"@x"}, {0}}};
  write_table(folder / "table.csv", set);
  EXPECT_EQ(read_bytes(folder / "table.csv"), "'=A1\n'@x\n");
}

class Broken : public ::testing::Test {
 protected:
  static std::string bytes_of(const std::string& name) {
    const MappedFile file = map_file(layout(name));
    return std::string(file.text());
  }
  [[nodiscard]] std::string said(const std::string& format, const std::string& name,
                                 const std::string& text) const {
    write_text(folder_ / name, text);
    return message_of([&] { (void)load_set(format, {folder_ / name}); });
  }
  // NAME-dat, -cat and -info, one of them replaced.
  [[nodiscard]] std::string norb(const std::string& which, const std::string& text) const {
    for (const std::string part : {"dat", "cat", "info"})
      write_text(folder_ / ("norb-" + part + ".mat"),
                 part == which ? text : bytes_of("norb-" + part + ".mat"));
    return message_of([&] { (void)load_set("smallnorb", {folder_ / "norb-dat.mat"}); });
  }

  const TemporaryFolder folder_;
};

TEST_F(Broken, BinariesSayWhatIsWrong) {
  const std::string batch = bytes_of("data_batch_1.bin");
  EXPECT_THAT(said("cifar10", "a.bin", batch.substr(1)), HasSubstr("of 3073 bytes, found 6145 bytes"));
  EXPECT_THAT(said("cifar10", "a.bin", ""), HasSubstr("records of 3073 bytes"));
  EXPECT_THAT(said("cifar10", "a.bin", "\x0b" + batch.substr(1)), HasSubstr("0 to 9, found 11 at row 0"));
  const std::string dat = bytes_of("norb-dat.mat"), cat = bytes_of("norb-cat.mat"),
                    info = bytes_of("norb-info.mat");
  EXPECT_THAT(norb("dat", dat.substr(0, 20)), HasSubstr("rank 4 of bytes"));
  EXPECT_THAT(norb("dat", dat.substr(0, dat.size() - 1)), HasSubstr("norb-dat.mat: expected"));
  EXPECT_THAT(norb("cat", dat), HasSubstr("rank 1 of integers"));
  std::string lying = dat;
  std::memset(lying.data() + 8, 0xff, 16);
  EXPECT_THAT(norb("dat", lying), HasSubstr("of the size in its header"));
  std::string category = cat;
  category[category.size() - 4] = 5;
  EXPECT_THAT(norb("cat", category), HasSubstr("object from 0 to 4, found 5 at row 9"));
  std::string odd = info;
  odd[20 + 16 + 8] = 3;
  EXPECT_THAT(norb("info", odd), HasSubstr("an even azimuth"));
}

TEST_F(Broken, NotWhereOnlySomeAreCompressed) {
  EXPECT_THAT(norb("dat", bytes_of("packed-dat.mat.gz") + "x"), HasSubstr("norb-dat.mat: expected"));
  write_text(folder_ / "a-dat.mat.gz", bytes_of("packed-dat.mat.gz"));
  write_text(folder_ / "a-cat.mat", bytes_of("norb-cat.mat"));
  write_text(folder_ / "a-info.mat.gz", bytes_of("packed-info.mat.gz"));
  const Loaded set = load_set("smallnorb", {folder_ / "a-dat.mat.gz"});
  EXPECT_EQ(texts(set, "azimuth")[9], "180");
  EXPECT_EQ(picture(set, 9)[19], made(9, 19));
  std::filesystem::remove(folder_ / "a-cat.mat");
  EXPECT_REFUSED(load_set("smallnorb", {folder_ / "a-dat.mat.gz"}), "a-cat.mat.gz...");
}

TEST_F(Broken, TextsAndOthersSayWhatIsWrong) {
  const std::string names = "2\nBlack_Hair Male Smiling Straight_Hair\n";
  const std::pair<std::string, const char*> faces[] = {
      {"", "the number of images"},
      {"1e18\nMale\n", "the number of images"},
      {"1\nMale\na.jpg 1\n", "an attribute 'Black_Hair'"},
      {names + "a 1 1 1 1\n", "at row 1, found the end"},
      {names + "a 1 1 1 1\nb 1 1 0 1\n", "one of 1, -1, found '0' at row 1"},
      {names + "a 1 1 1 1\nb 1 1 1 1\nc", "found more lines"}};
  for (const auto& [text, part] : faces) EXPECT_THAT(said("celeba", "a.txt", text), HasSubstr(part));
  EXPECT_THAT(said("camelyon17", "a.csv", "tumor\n1\n"), HasSubstr("a column 'center'"));
  EXPECT_THAT(said("dsprites", "a.npz", "no archive"), HasSubstr("a.npz: expected"));
  EXPECT_THAT(said("shapes3d", "a.h5", "no archive"), HasSubstr("an HDF5 file, found other content"));
  const std::string scene = bytes_of("3dshapes.h5");
  EXPECT_THAT(said("shapes3d", "a.h5", scene.substr(0, scene.size() - 600)), HasSubstr("a.h5: expected"));
  EXPECT_THAT(load_error("shapes3d", {"3dshapes-claims.h5"}), HasSubstr("hold, found (100000000, 1, 1, 3)"));
  for (const auto& [file, found] : {std::pair("3dshapes-external.h5", "found data in other files"),
                                    {"3dshapes-virtual.h5", "found data in other files"},
                                    {"3dshapes-link.h5", "found a link"}})
    EXPECT_THAT(load_error("shapes3d", {file}), HasSubstr(found)) << file;
  EXPECT_REFUSED(load_set("nothing", {"a"}), "expected one of dsprites...");
  EXPECT_REFUSED(load_set("cifar10-c", {"a", "b", "c"}), "1 to 2 paths...");
  EXPECT_THAT(load_error("cifar10.1", {"v6_data.npy", "labels.npy"}), HasSubstr("3 labels"));
  EXPECT_REFUSED(load_set("folder", {folder_ / "none"}), "a folder, found nothing...");
  EXPECT_REFUSED(load_set("folder", {folder_.path()}), "found none...");
}

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

  const TemporaryFolder temporary_;
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
  EXPECT_THAT(message("cifar10-c", {folder_}), HasSubstr("expected label from 0 to 9, found 99 at row 0"));
}

TEST_F(LoadCorruptions, CifarThatIsWrongIsRefusedInOneLine) {
  EXPECT_THAT(message("cifar10-c", {folder_}), HasSubstr("found neither"));
  write_array("fog.npy", 10, 0);
  EXPECT_THAT(message("cifar10-c", {folder_}), HasSubstr("found no labels.npy"));
  write_labels(std::vector<std::int64_t>(9, 1));
  EXPECT_THAT(message("cifar10-c", {folder_}), HasSubstr("labels.npy: expected 10 labels, found shape (9)"));
  write_labels(std::vector<std::int64_t>(10, 1));
  EXPECT_THAT(message("cifar10-c", {folder_}, {"snow", {}}), HasSubstr("expected snow.npy, found none"));
  EXPECT_THAT(message("cifar10-c", {folder_}, {{}, 6}), HasSubstr("a severity from 1 to 5, found 6"));
  EXPECT_THAT(message("cifar10", {folder_}, {{}, 1}), HasSubstr("from which one can be selected"));
  const fs::path fog = folder_ / "fog.npy";
  EXPECT_THAT(message("cifar10-c", {fog}), HasSubstr("or CORRUPTION.npy labels.npy, found one file"));
  EXPECT_THAT(message("cifar10-c", {folder_ / "absent"}), HasSubstr("found nothing"));
  EXPECT_THAT(message("cifar10-c", {fog, folder_ / "labels.npy"}, {"snow", {}}),
              HasSubstr("fog.npy: expected snow.npy, found another corruption"));
  fs::resize_file(fog, fs::file_size(fog) - 7);  // cut off
  EXPECT_THAT(message("cifar10-c", {folder_}), HasSubstr("fog.npy: "));
  write_array("fog.npy", 9, 0);
  write_labels(std::vector<std::int64_t>(9, 1));
  EXPECT_THAT(message("cifar10-c", {folder_}), HasSubstr("with the same number of images, found 9 images"));
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
  EXPECT_THAT(message("imagenet-c", {pictures_}, {"frost", 1}), HasSubstr("a folder frost, found none"));
  EXPECT_THAT(message("imagenet-c", {pictures_}, {"snow", 2}), HasSubstr("a folder, found nothing"));
  fs::create_directories(pictures_ / "snow/2/n01");
  EXPECT_THAT(message("imagenet-c", {pictures_}, {"snow", 2}), HasSubstr("folder per class, found none"));
  write_text(pictures_ / "snow/2/n01/z.png", "");
  EXPECT_THAT(message("imagenet-c", {pictures_}, {"snow", 2}), HasSubstr("JPEG image, found an empty file"));
}

}  // namespace leeway::data::load_test

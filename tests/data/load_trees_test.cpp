// Data sets in trees of their published layouts: paths, splits and counts as the published loaders have them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "leeway/data/picture_file.h"
#include "tests/core/files.h"
#include "tests/data/layouts.h"

namespace leeway::data::load_trees_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

namespace fs = std::filesystem;

class LoadTrees : public ::testing::Test {
 protected:
  void text(const std::string& file, const std::string& content) const {
    fs::create_directories((folder_ / file).parent_path());
    write_bytes(folder_ / file, content);
  }
  // Pictures of one level each, by number.
  void pictures(const std::vector<std::string>& files) const {
    for (std::size_t i = 0; i < files.size(); ++i) {
      fs::create_directories((folder_ / files[i]).parent_path());
      write_png(folder_ / files[i], {3, 2, 2, std::vector<std::uint8_t>(12, static_cast<std::uint8_t>(i))});
    }
  }
  [[nodiscard]] Loaded tree(const std::string& format, const std::string& part = "") const {
    return load_set(format, {folder_ / part});
  }
  const TemporaryFolder folder_;
};

std::map<std::string, std::size_t> counts(const Loaded& set, const std::string& column = "split") {
  std::map<std::string, std::size_t> found;
  for (const std::string& value : texts(set, column)) ++found[value];
  return found;
}

std::vector<int> levels(const Loaded& set) {
  std::vector<int> found;
  for (std::size_t row = 0; row < set.n; ++row) found.push_back(picture(set, row)[0]);
  return found;
}

TEST_F(LoadTrees, IWildCam) {
  text("metadata.csv",
       "split,y,location_remapped,datetime,filename\ntrain,1,0,2013-08-21 05:46:00.000,c.jpg\n"
       "test,0,1,2013-08-21 05:46:00.000,b.jpg\nid_val,0,1,2013-08-21 05:46:00.000,a.jpg\n");
  pictures({"train/a.jpg", "train/b.jpg", "train/c.jpg"});
  const Loaded set = tree("iwildcam");
  EXPECT_THAT(counts(set), ElementsAre(Pair("id_val", 1), Pair("test", 1), Pair("train", 1)));
  EXPECT_THAT(levels(set), ElementsAre(2, 1, 0));
  EXPECT_THAT(levels(split_rows(set, "id_val")), ElementsAre(0));
  EXPECT_REFUSED(split_rows(set, "val"), "split: expected one of ... found 'val'...");
}

// Rows of every part in 2012, 2013, 2015, 2016 and 2017.
TEST_F(LoadTrees, FMoW) {
  std::string rows = "split,category,country_code,timestamp\n";
  std::vector<std::string> files;
  for (const char* part : {"seq", "train", "val", "test"})
    for (const char* time : {"2012-12-31T23:59:59Z", "2013-01-01T00:00:00Z", "2015-12-31T23:59:59Z",
                             "2016-01-01T00:00:00Z", "2017-07-01T00:00:00Z"}) {
      rows += fmt::format("{},zoo,FRA,{}\n", part, time);
      files.push_back(fmt::format("images/rgb_img_{}.png", files.size()));
    }
  text("rgb_metadata.csv", rows);
  text("country_code_mapping.csv", "alpha-3,region\nFRA,Europe\n");
  pictures(files);
  const Loaded set = tree("fmow");
  EXPECT_THAT(counts(set), ElementsAre(Pair("id_test", 1), Pair("id_val", 1), Pair("test", 2),
                                       Pair("train", 1), Pair("unused", 8), Pair("val", 2)));
  EXPECT_THAT(levels(split_rows(set, "val")), ElementsAre(11, 12));
  EXPECT_THAT(levels(split_rows(set, "test")), ElementsAre(18, 19));
  EXPECT_THAT(levels(split_rows(set, "train")), ElementsAre(5));
  text("rgb_metadata.csv", "split,category,country_code,timestamp\nall,zoo,FRA,2012\n");
  EXPECT_REFUSED(tree("fmow"), "row 0: expected the split ... found 'all'...");
}

// Center 1 is the OOD validation set, 2 the test set; the others by the column split.
TEST_F(LoadTrees, Camelyon17) {
  std::string rows = ",patient,node,x_coord,y_coord,tumor,slide,center,split\n";
  std::vector<std::string> files;
  for (int center = 0; center < 5; ++center)
    for (int split = 0; split < 2; ++split) {
      const std::size_t row = files.size();
      rows += fmt::format("{0},00{1},4,{0},21,1,0,{1},{2}\n", row, center, split);
      files.push_back(
          fmt::format("patches/patient_00{0}_node_4/patch_patient_00{0}_node_4_x_{1}_y_21.png", center, row));
    }
  text("metadata.csv", rows);
  pictures(files);
  const Loaded set = tree("camelyon17");
  EXPECT_THAT(counts(set), ElementsAre(Pair("id_val", 3), Pair("test", 2), Pair("train", 3), Pair("val", 2)));
  EXPECT_THAT(levels(split_rows(set, "test")), ElementsAre(4, 5));
  EXPECT_THAT(levels(split_rows(set, "id_val")), ElementsAre(1, 7, 9));
}

// A picture that changes evenly down its rows keeps its values: row y of the crop is at 10 + (y + 1/2) 400/224.
TEST_F(LoadTrees, CropOfTheConDSBenchmark) {
  Loaded set;
  set.n = 1, set.shape = {1, 448, 448};
  set.picture = [](std::size_t, std::span<std::uint8_t> out) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(i / 448 / 2);
  };
  set = conds_cropped(std::move(set));
  EXPECT_THAT(set.shape, ElementsAre(1, 224, 224));
  const auto crop = picture(set, 0);
  for (std::size_t y = 0; y < 224; ++y)
    ASSERT_NEAR(crop[y * 224 + 5], (9.5 + (static_cast<double>(y) + .5) * 400 / 224) / 2, 1) << y;
}

TEST_F(LoadTrees, VisDA) {
  text("train/image_list.txt", "aeroplane/a.png 0\ntruck/b.png 11\n");
  text("validation/image_list.txt", "bus/c.png 2\n");
  text("test/image_list.txt", "trunk05/d.png 3\ntrunk00/e.png 10\ntrunk05/f.png 0\n");
  pictures({"train/aeroplane/a.png", "train/truck/b.png", "validation/bus/c.png", "test/trunk05/d.png",
            "test/trunk00/e.png", "test/trunk05/f.png"});
  const Loaded set = tree("visda");
  EXPECT_THAT(counts(set), ElementsAre(Pair("test", 3), Pair("train", 2), Pair("validation", 1)));
  EXPECT_THAT(texts(set, "class"), ElementsAre("aeroplane", "truck", "bus", "car", "train", "aeroplane"));
  EXPECT_THAT(levels(set), ElementsAre(0, 1, 2, 3, 4, 5));
  const Loaded test = tree("visda", "test/");
  EXPECT_THAT(levels(test), ElementsAre(3, 4, 5));
  EXPECT_THAT(counts(test), ElementsAre(Pair("test", 3)));
  EXPECT_EQ(test.columns[0].codes, std::vector<std::uint32_t>({3, 10, 0}));
  for (const auto& [list, parts] : {std::pair("a.png\n",
                                              "a picture and the number of its class in each line, "
                                              "found 1 words at row 0"),
                                    {"a.png one\n", "the number of a class, found 'one' at row 0"},
                                    {"a.png 12\n", "a class from 0 to 11, found 12 for 'a.png'"},
                                    {"../a.png 1\n", "found 'test/../a.png' at row 3"}}) {
    text("test/image_list.txt", list);
    EXPECT_THAT(message_of([&] { (void)tree("visda"); }), HasSubstr(parts));
  }
}

TEST_F(LoadTrees, DomainNet) {
  text("real_train.txt", "real/zebra/a.png 343\nreal/axe/b.png 11\n");
  text("real_test.txt", "real/axe/c.png 11\n");
  text("sketch_train.txt", "sketch/The_Mona_Lisa/d.png 320\n");
  text("readme.txt", "no list");
  pictures({"real/zebra/a.png", "real/axe/b.png", "real/axe/c.png", "sketch/The_Mona_Lisa/d.png"});
  const Loaded set = tree("domainnet");
  EXPECT_THAT(counts(set), ElementsAre(Pair("test", 1), Pair("train", 3)));
  EXPECT_THAT(counts(set, "domain"), ElementsAre(Pair("real", 3), Pair("sketch", 1)));
  EXPECT_THAT(set.columns[0].values, ElementsAre("axe", "The_Mona_Lisa", "zebra"));
  EXPECT_THAT(texts(set, "class"), ElementsAre("axe", "zebra", "axe", "The_Mona_Lisa"));
  EXPECT_THAT(levels(set), ElementsAre(2, 0, 1, 3));
  EXPECT_REFUSED(leave_out(set, "real", 0),
                 "leave-out: expected a data set without a column split, found one");
  text("real_test.txt", "real/bat/c.png 11\n");
  EXPECT_REFUSED(tree("domainnet"), "expected 'bat' for the number 11, found 'axe'");
}

TEST_F(LoadTrees, TinyImageNet) {
  pictures({"train/n02/images/n02_0.JPEG", "train/n01/images/n01_0.JPEG", "train/n01/images/n01_1.JPEG",
            "val/images/val_0.JPEG", "val/images/val_1.JPEG", "test/images/test_0.JPEG"});
  text("train/n01/n01_boxes.txt", "n01_0.JPEG\t0\t0\t1\t1\n");
  text("val/val_annotations.txt", "val_1.JPEG\tn01\t0\t0\t1\t1\nval_0.JPEG\tn02\t0\t0\t1\t1\n");
  const Loaded set = tree("tiny-imagenet");
  EXPECT_THAT(counts(set), ElementsAre(Pair("train", 3), Pair("val", 2)));
  EXPECT_THAT(texts(set, "class"), ElementsAre("n01", "n01", "n02", "n01", "n02"));
  EXPECT_THAT(levels(set), ElementsAre(1, 2, 0, 4, 3));
}

// Two nodes at level 5 have four classes of ImageNet or more: "dog" with l1 to l5, "bird" with l6 to l9. What
// make_living17 of robustness 1.2.1 gives for this hierarchy.
class Breeds : public LoadTrees {
 protected:
  void SetUp() override {
    std::string classes;
    for (int i = 0; i < 10; ++i) {
      classes += fmt::format("{}[{}, \"l{}\", \"leaf\"]", i == 0 ? "[" : ", ", i, i);
      pictures({fmt::format("train/l{}/{}.png", i, i), fmt::format("v2/{}/{}.png", i, i)});
    }
    text("info/dataset_class_info.json", classes + "]");
    text("info/node_names.txt", "dog\tdog, domestic dog\n");
    text("info/class_hierarchy.txt",
         "n00001740 n00004258\nn00004258 a\na b\nb c\nc dog\nc bird\nc few\nfew l0\ndog hound\nhound "
         "l1\nhound l2\n"
         "hound l3\ndog l4\ndog toy\ntoy l5\nbird one\none wading\none sea\nwading l6\nwading l7\nsea "
         "l8\nsea l9\n");
  }
};

TEST_F(Breeds, DivideSubclassesAsPublished) {
  using Leaves = std::vector<std::string>;
  for (const auto& [division, seed, source, target] :
       {std::tuple<std::string, std::uint32_t, Leaves, Leaves>{
            "good", 2, {"l1", "l4", "l6", "l8"}, {"l2", "l3", "l7", "l9"}},
        {"bad", 2, {"l1", "l2", "l8", "l9"}, {"l4", "l5", "l6", "l7"}},
        {"rand", 2, {"l2", "l5", "l8", "l9"}, {"l1", "l3", "l6", "l7"}},
        {"rand", 7, {"l2", "l3", "l7", "l8"}, {"l1", "l5", "l6", "l9"}}})
    for (const char* pictures : {"train", "v2"}) {
      const Loaded set = load_set("living17", {folder_ / "info", folder_ / pictures}, {}, {division, seed});
      EXPECT_EQ(texts(split_rows(set, "source"), "subclass"), source) << division << seed;
      EXPECT_EQ(texts(split_rows(set, "target"), "subclass"), target) << division << seed;
      EXPECT_THAT(counts(set, "class"), ElementsAre(Pair("bird", 4), Pair("dog, domestic dog", 4)));
      EXPECT_THAT(counts(set), ElementsAre(Pair("source", 4), Pair("target", 4)));
      EXPECT_EQ(levels(set).size(), 8u);
    }
}

TEST_F(Breeds, SayWhatIsWrong) {
  const auto said = [&](const char* format) {
    return message_of([&] { (void)load_set(format, {folder_ / "info", folder_ / "train"}); });
  };
  EXPECT_THAT(said("entity13"), HasSubstr("expected classes of 20 subclasses at level 3, found none"));
  fs::remove_all(folder_ / "train/l6");
  EXPECT_THAT(said("living17"), HasSubstr("train/l6: expected a folder of images, found nothing"));
  text("info/class_hierarchy.txt", "n00001740 l1\nl1 n00001740\n");
  EXPECT_THAT(said("living17"), HasSubstr("expected a hierarchy without cycles, found one"));
  text("info/dataset_class_info.json", "[[0]]");
  EXPECT_THAT(said("living17"), HasSubstr("class_info.json: expected a list of [number, WNID, name]"));
}

// As DomainBed's split_dataset(env, int(len(env) * .2)) of each other domain; the rows depend on the seed.
TEST_F(LoadTrees, LeaveOneDomainOut) {
  std::vector<std::string> files;
  for (const auto& [domain, n] : {std::pair("Art", 11), {"Clipart", 5}, {"Product", 10}})
    for (int i = 0; i < n; ++i) files.push_back(fmt::format("{}/Cup/{:02}.png", domain, i));
  pictures(files);
  const auto left_out = [&](std::uint64_t seed) { return leave_out(tree("folder"), "Clipart", seed); };
  EXPECT_THAT(counts(left_out(3)), ElementsAre(Pair("test", 5), Pair("train", 17), Pair("val", 4)));
  EXPECT_THAT(counts(split_rows(left_out(3), "test"), "domain"), ElementsAre(Pair("Clipart", 5)));
  EXPECT_THAT(counts(split_rows(left_out(3), "val"), "domain"),
              ElementsAre(Pair("Art", 2), Pair("Product", 2)));
  EXPECT_EQ(texts(left_out(3), "split"), texts(left_out(3), "split"));
  EXPECT_NE(texts(left_out(3), "split"), texts(left_out(4), "split"));
  EXPECT_REFUSED(leave_out(tree("folder"), "Real", 0), "leave-out: expected one of Art...");
  EXPECT_REFUSED(leave_out(tree("folder", "Art"), "Cup", 0), "a column domain, found none");
}

}  // namespace leeway::data::load_trees_test

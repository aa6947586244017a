// CelebA and DeepFashion with their pictures, broken lists, and the rows that the protocol has values for.
#include <gmock/gmock.h>

#include "leeway/conds/conds.h"
#include "leeway/io/attribute_table.h"
#include "tests/core/files.h"
#include "tests/data/layouts.h"

namespace leeway::data::load_lists_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string> fine = {"fine/list_attr_cloth.txt", "fine/train_attr.txt", "fine/train.txt"};

std::vector<std::string> with(std::vector<std::string> names, const std::string& last) {
  names.push_back(last);
  return names;
}

TEST(LoadLists, CelebAWithItsPictures) {
  const Loaded set = load("celeba", {"list_attr_celeba.txt", "img_align_celeba"});
  EXPECT_THAT(set.shape, ElementsAre(3, 12, 10));
  for (std::size_t row = 0; row < 3; ++row)
    EXPECT_LE(distance_from_smooth(picture(set, row), row, 12, 10), 4) << row;
  EXPECT_THAT(load_error("celeba", {"list_attr_celeba.txt", "train.bin"}), HasSubstr("found a file"));
  EXPECT_THAT(load_error("celeba", {"list_attr_celeba.txt", "nowhere"}), HasSubstr("images, found nothing"));
  EXPECT_THAT(load_error("celeba", {"list_attr_celeba.txt", "mixed"}), HasSubstr("mixed/000001.jpg"));
}

TEST(LoadLists, NamesDoNotLeaveTheFolder) {
  const TemporaryFolder folder;
  const std::filesystem::path outside = layout("img_align_celeba");
  for (const std::string& name :
       {(outside / "000001.jpg").string(), std::string("../img_align_celeba/000001.jpg")}) {
    const auto list =
        write_bytes(folder / "list.txt", "1\nBlack_Hair Male Smiling Straight_Hair\n" + name + " 1 1 1 1\n");
    EXPECT_REFUSED(load_set("celeba", {list, outside}), "list.txt: expected names of images in ...");
  }
}

TEST(LoadLists, DeepFashionFineHasTheProtocolsColumns) {
  const Loaded set = load("deepfashion", fine);
  EXPECT_EQ(set.columns.size(), 4 + 26 + 1);
  EXPECT_THAT(texts(set, "dress"), ElementsAre("others", "skirt", "skirt", "others", "unknown"));
  EXPECT_THAT(texts(set, "pattern"), ElementsAre("solid", "floral", "other", "floral", "other"));
  EXPECT_THAT(texts(set, "sleeve"),
              ElementsAre("long sleeve", "sleeveless", "other", "sleeveless", "long sleeve"));
  EXPECT_THAT(texts(set, "fabric"), ElementsAre("cotton", "chiffon", "other", "cotton", "other"));
  EXPECT_THAT(texts(set, "mini_length"), ElementsAre("0", "0", "1", "0", "0"));
  EXPECT_THAT(texts(set, "loose"), ElementsAre("1", "0", "0", "1", "1"));
  EXPECT_EQ(texts(set, "image")[1], "img/B_Dress/img_00000002.jpg");
  EXPECT_FALSE(set.has_pictures());
  const conds::ConDSDataSet& protocol = conds::conds_data_set("deepfashion");
  EXPECT_EQ(set.columns[0].name, protocol.label.name);
  for (std::size_t a = 0; a < 3; ++a) EXPECT_EQ(set.columns[1 + a].name, protocol.attributes[a].name);
}

TEST(LoadLists, DeepFashionCoarse) {
  const Loaded set = load("deepfashion", {"coarse/list_attr_cloth.txt", "coarse/list_attr_img.txt"});
  EXPECT_THAT(column_names(set),
              ElementsAre("a-line", "abstract chevron print", "long sleeve", "solid", "image"));
  EXPECT_THAT(texts(set, "a-line"), ElementsAre("-1", "1", "-1"));
  EXPECT_THAT(texts(set, "solid"), ElementsAre("-1", "0", "-1"));
  EXPECT_EQ(texts(set, "image")[2], "img/B_Dress/img_00000001.jpg");
}

Loaded of_protocol(Loaded set, const std::string& name) {
  return protocol_rows(std::move(set), conds::columns_of(conds::conds_data_set(name)), name);
}

// Rows 0, 1 and 3 have the protocol's values everywhere; their pictures stay with them.
TEST(LoadLists, RowsOfTheProtocol) {
  const Loaded set = of_protocol(resized(load("deepfashion", with(fine, "fine")), 8), "deepfashion");
  EXPECT_EQ(set.n, 3);
  EXPECT_THAT(texts(set, "dress"), ElementsAre("others", "skirt", "others"));
  EXPECT_THAT(texts(set, "image"), ElementsAre("img/A_Dress/img_00000001.jpg", "img/B_Dress/img_00000002.jpg",
                                               "img/B_Dress/img_00000004.jpg"));
  EXPECT_THAT(set.columns[0].values, ElementsAre("skirt", "others"));
  const Loaded all = resized(load("deepfashion", with(fine, "fine")), 8);
  EXPECT_EQ(picture(set, 2), picture(all, 3));
  const TemporaryFolder folder;
  write_table(folder / "table.csv", set);
  const auto again = [&] {
    return read_attribute_table(folder / "table.csv",
                                conds::columns_of(conds::conds_data_set("deepfashion")));
  };
  EXPECT_EQ(again().n(), 3);
  write_table(folder / "table.csv", all);
  EXPECT_THAT(message_of(again), HasSubstr("expected one of"));
}

// Azimuths 0 to 180 in steps of 20, lightings i % 6, elevations 30 to 70 in steps of 5: rows 0, 4 and 8 remain.
TEST(LoadLists, RowsOfTheProtocolOfOtherSets) {
  const Loaded toys = of_protocol(load("smallnorb", {"norb-dat.mat"}), "smallnorb");
  EXPECT_THAT(texts(toys, "azimuth"), ElementsAre("0", "80", "160"));
  EXPECT_THAT(texts(toys, "elevation"), ElementsAre("30", "50", "70"));
  EXPECT_THAT(texts(toys, "object"), ElementsAre("animal", "car", "truck"));
  EXPECT_THAT(toys.columns[0].values, ElementsAre("animal", "human", "car", "truck", "airplane"));
  EXPECT_THAT(toys.columns[0].codes, ElementsAre(0, 2, 3));
  EXPECT_EQ(picture(toys, 2)[3], made(8, 3));
  EXPECT_REFUSED(of_protocol(load("camelyon17", {"camelyon17.csv"}), "celeba"), "a column ... found none...");
}

// Contents of files, and a part of what is said of them.
TEST(LoadLists, SayWhatIsWrong) {
  const TemporaryFolder folder;
  const auto said = [&](const std::vector<std::string>& contents) {
    Paths paths;
    for (const std::string& text : contents)
      paths.push_back(write_bytes(folder / ("abc"[paths.size()] + std::string(".txt")), text));
    return message_of([&] { (void)load_set("deepfashion", paths); });
  };
  const std::string list = "2\nattribute_name attribute_type\nlong sleeve 4\nsolid 1\n";
  const std::string one = "1\nimage_name attribute_labels\n";
  const std::pair<std::vector<std::string>, const char*> bad[] = {
      {{"", ""}, "a.txt: expected the number of attributes, found an empty file"},
      {{"1e18\nh\na 1\n", ""}, "the number of attributes, found '1e18'"},
      {{"1.5\nh\na 1\nb 1\n", ""}, "the number of attributes"},
      {{"2\nh\na 1\n    \n", ""}, "found '' at attribute 1"},
      {{"1\nh\nsolid\n", ""}, "found 'solid' at attribute 0"},
      {{"1\nh\nlong sleeve\n", ""}, "a type number, found 'long sleeve'"},
      {{"2\nh\na b 1\na b 4\n", ""}, "'a b' twice"},
      {{"1\nh\nimage 1\n", ""}, "'image' twice"},
      {{list + "more 1\n", ""}, "expected 2 attributes, found more lines"},
      {{list, "2\nheading\nx.jpg 1 1\n"}, "b.txt: expected"},
      {{list, "9\nheading\nx.jpg 1 1\n"}, "the number of images, found '9'"},
      {{list, one + "x.jpg 1\n"}, "a file and 2 values at row 0, found 2 words"},
      {{list, one + "x.jpg 1 2\n"}, "one of 1, -1, 0, found '2' at row 0"},
      {{list, one + "x.jpg 1 1\ny.jpg 1 1\n"}, "expected 1 images, found more"},
      {{list}, "2 to 4 paths"},
      {{list, list}, "b.txt: expected"},
      {{list, "1 0\n", "x.jpg\ny.jpg\n"}, "b.txt: expected 2 values at row 1, found the end"},
      {{list, "1 0\n1\n", "x.jpg\ny.jpg\n"}, "2 values at row 1, found 1 words"},
      {{list, "1 -1\n", "x.jpg\n"}, "one of 1, 0, found '-1' at row 0"},
      {{list, "1 0\n0 1\n", "x.jpg\n"}, "expected 1 lines, as"},
      {{list, "1 0\n0 1\n", "x.jpg\n\ny.jpg\n"}, "c.txt: expected a file at row 1"},
      {{list, "", ""}, "at least 1 row"},
      {{list, "1 0\n\n", "x.jpg\n \n"}, "no error"}};
  for (const auto& [contents, part] : bad) EXPECT_THAT(said(contents), HasSubstr(part));
}

}  // namespace leeway::data::load_lists_test

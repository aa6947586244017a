#include "leeway/data/training_data.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <numeric>

#include "leeway/io/npy.h"
#include "tests/core/files.h"
#include "tests/message_of.h"

namespace leeway::data::training_data_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TrainingDataFile : public ::testing::Test {
 protected:
  void SetUp() override {
    arrays_["x"] = make_array({4, 1, 2, 2}, std::vector<std::uint8_t>(16, 3));
    arrays_["y"] = make_array({4}, std::vector<std::int64_t>{0, 1, 1, 0});
    arrays_["groups"] = make_array({4, 2}, std::vector<std::int64_t>{0, 5, 1, 5, 1, 7, 0, 7});
    arrays_["group_names"] = make_text_array({2}, {"sex", "age"});
    arrays_["environment"] = make_text_array({4}, {"north", "south", "north", "north"});
    std::ofstream(csv_) << "id,place,sex\n1,hill,f\n2,sea,m\n3,sea,f\n4,sea,m\n";
  }
  [[nodiscard]] TrainingData read(const TrainingColumns& columns = {}) {
    write_npz(path_, arrays_);
    return read_training_data(path_, columns);
  }
  [[nodiscard]] std::string message(const TrainingColumns& columns = {}) {
    return message_of([&] { (void)read(columns); });
  }
  TemporaryFolder folder_;
  std::string path_ = (folder_ / "d.npz").string(), csv_ = (folder_ / "d.csv").string();
  ArrayMap arrays_;
};

TEST_F(TrainingDataFile, HoldsGroupsAndEnvironmentBesideBytes) {
  const TrainingData data = read();
  EXPECT_EQ(data.images.pixels.type, ElementType::u8);
  ASSERT_EQ(data.groups.size(), 2U);
  EXPECT_EQ(data.groups[1].name, "age");
  EXPECT_THAT(data.groups[1].levels, ElementsAre("5", "7"));
  EXPECT_THAT(data.groups[1].codes, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(data.environment->levels, ElementsAre("north", "south"));
  EXPECT_THAT(data.environment->codes, ElementsAre(0, 1, 0, 0));
}

TEST_F(TrainingDataFile, ColumnsOfTheFileOrOfATable) {
  const TrainingData named = read({"", {"age"}, "sex"});
  ASSERT_EQ(named.groups.size(), 1U);
  EXPECT_EQ(named.groups[0].name, "age");
  EXPECT_EQ(named.environment->name, "sex");
  const TrainingData beside = read({csv_, {"place", "sex"}, ""});
  EXPECT_THAT(beside.groups[0].levels, ElementsAre("hill", "sea"));
  EXPECT_THAT(beside.groups[1].codes, ElementsAre(0, 1, 0, 1));
  EXPECT_EQ(beside.environment->name, "environment") << "the file's own";
  EXPECT_EQ(read({csv_, {}, "place"}).groups.size(), 2U) << "the file's own";
}

TEST_F(TrainingDataFile, GroupsOfNumbersAreBins) {
  std::vector<double> ages;
  for (std::size_t i = 0; i < 12; ++i) ages.push_back(20.5 + static_cast<double>(i));
  arrays_ = {{"x", make_array({12, 1, 1, 1}, std::vector<std::uint8_t>(12, 3))},
             {"y", make_array({12}, std::vector<std::int64_t>(12))},
             {"groups", make_array({12}, ages)}};
  EXPECT_THAT(read().groups[0].levels,
              ElementsAre("up to 22.5", "above 22.5 to 25.5", "above 25.5 to 28.5", "above 28.5"));
}

TEST_F(TrainingDataFile, SaysWhatIsWrong) {
  const ArrayMap all = arrays_;
  arrays_["lables"] = arrays_.at("y");
  arrays_.erase("y");
  EXPECT_THAT(message(), HasSubstr("d.npz: expected labels to train on, in an array named y"));
  EXPECT_THAT(message(), HasSubstr("lables"));
  arrays_ = all;
  EXPECT_THAT(message({csv_, {"colour"}, ""}), HasSubstr("a column 'colour', found columns id, place, sex"));
  EXPECT_THAT(message({"", {"colour"}, ""}),
              HasSubstr("d.npz: expected a column 'colour', found columns sex, age"));
  EXPECT_THAT(message({csv_, {"plaec"}, ""}), HasSubstr("found columns id, place, sex; did you mean place?"));
  std::ofstream(csv_) << "place\nhill\n";
  EXPECT_THAT(message({csv_, {"place"}, ""}), HasSubstr("d.csv: expected 4 rows, one per image, found 1"));
  arrays_["environment"] = make_array({4, 1}, std::vector<std::int64_t>(4));
  EXPECT_THAT(message(), HasSubstr("expected shape (4), one environment per image, found shape (4, 1)"));
  arrays_.erase("environment");
  arrays_["groups"] = make_array({3}, std::vector<std::int64_t>(3));
  EXPECT_THAT(message(), HasSubstr("d.npz: groups: expected shape (4) or (4, g), found shape (3)"));
  arrays_.erase("groups"), arrays_.erase("group_names");
  EXPECT_TRUE(read().groups.empty());
  EXPECT_FALSE(read().environment.has_value());
}

TEST_F(TrainingDataFile, RowsKeepWhatIsKnownOfThem) {
  const std::vector<std::size_t> rows = {2, 0};
  const TrainingData part = select_rows(read(), rows);
  EXPECT_EQ(part.images.n(), 2U);
  EXPECT_THAT(*part.images.labels, ElementsAre(1, 0));
  EXPECT_THAT(part.groups[0].codes, ElementsAre(1, 0));
  EXPECT_THAT(part.environment->codes, ElementsAre(0, 0));
  const GroupColumn groups = label_groups(part);
  EXPECT_EQ(groups.name, "y, sex, age");
  EXPECT_THAT(groups.levels, ElementsAre("y=0, sex=0, age=5", "y=1, sex=1, age=7"));
  EXPECT_THAT(groups.codes, ElementsAre(1, 0));
}

TEST_F(TrainingDataFile, RowsOfAnotherFileFollow) {
  std::vector<std::uint8_t> levels(16);
  std::iota(levels.begin(), levels.end(), std::uint8_t{0});
  arrays_["x"] = make_array({4, 1, 2, 2}, levels);
  const TrainingData data = read();
  TrainingData more = select_rows(data, std::vector<std::size_t>{3, 0, 1});
  more.environment->levels[0] += " more";
  const TrainingData all = joined(data, more);
  EXPECT_EQ(all.images.n(), 7U);
  const TrainingData last = select_rows(all, std::vector<std::size_t>{4, 5, 6});
  EXPECT_TRUE(std::ranges::equal(last.images.pixels.bytes(), more.images.pixels.bytes()));
  EXPECT_EQ(last.images.labels, more.images.labels);
  for (std::size_t j = 0; j < data.groups.size(); ++j)
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(all.groups[j].levels[last.groups[j].codes[i]],
                more.groups[j].levels[more.groups[j].codes[i]]);
  EXPECT_TRUE(all.environment->levels[all.environment->codes[4]].ends_with(" more"));
  const auto refused = [&](const auto& change) {
    TrainingData other = more;
    change(other);
    return message_of([&] { (void)joined(data, other); });
  };
  EXPECT_THAT(refused([](TrainingData& d) {
                d.images.pixels.shape = {3, 1, 1, d.images.pixels_per_image() + 1};
              }),
              HasSubstr("the type, channels, height and width of"));
  EXPECT_THAT(refused([](TrainingData& d) { d.images.class_names = {"a", "b"}; }), HasSubstr("class names"));
  EXPECT_THAT(refused([](TrainingData& d) { d.groups.pop_back(); }),
              HasSubstr("d.npz: sex, age, environment, found sex, environment"));
}

}  // namespace leeway::data::training_data_test

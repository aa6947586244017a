// Images drawn, loaded and shifted without a command.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "leeway/core/error.h"
#include "leeway/core/result.h"
#include "leeway/io/images.h"
#include "leeway/io/npy.h"
#include "leeway/tasks/data/data.h"
#include "leeway/tasks/shift/shift.h"
#include "tests/core/files.h"

namespace leeway::tasks::data_task_test {

using ::testing::ElementsAre;

class DataTasks : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

  const TemporaryFolder folder_;
};

TEST_F(DataTasks, RenderedImagesAreDescribed) {
  DataRenderTask task{.data_set = "dsprites",
                      .out = {path("a.npz"), path("a.csv"), "", true},
                      .only = {{"shape", {"heart"}}},
                      .seed = 2};
  task.options.size = 8;
  task.options.sample = 5;
  const DataRender record = data_render(task);
  const RenderedData& result = record.results.at(0);
  EXPECT_EQ(result.n, 5u);
  EXPECT_EQ(result.files.images->bytes, std::filesystem::file_size(path("a.npz")));
  EXPECT_EQ(result.files.attributes->xxh3_128.size(), 32u);
  EXPECT_FALSE(result.files.sheet);
  EXPECT_THAT(result.only.at(0).values, ElementsAre("heart"));
  EXPECT_EQ(record.envelope.headline, "5 images of dsprites are 8 x 8 pixels; shape has 3 classes.");
  EXPECT_EQ(read_images(path("a.npz")).n(), 5u);
  EXPECT_TRUE(to_json(record)["results"][0].at("sheet").is_null());
}

TEST_F(DataTasks, LoadedTablesAreDescribed) {
  const std::string file = LEEWAY_REFERENCE "/layouts/list_attr_celeba.txt";
  std::vector<std::string> read;
  DataLoadTask task{.format = "celeba", .paths = {file}, .out = {"", path("a.csv"), "", false}};
  task.was_read = [&](const std::string& name, const std::vector<std::size_t>&) { read.push_back(name); };
  const DataLoad record = data_load(task);
  EXPECT_THAT(read, ElementsAre(file));
  EXPECT_TRUE(record.results.at(0).shape.empty());
  EXPECT_EQ(record.results[0].label, record.results[0].columns.at(0).name);
  EXPECT_TRUE(to_json(record)["results"][0]["attributes"].at("xxh3_128").is_null());
}

TEST_F(DataTasks, AFolderOfOneClassIsDoubted) {
  const auto warnings = [&](const std::string& folder) {
    const std::string layouts = LEEWAY_REFERENCE "/layouts/";
    return data_load({.format = "folder", .paths = {layouts + folder}, .out = {path("a.npz"), "", "", false}})
        .envelope.warnings;
  };
  EXPECT_THAT(warnings("folders/photo"), ElementsAre(::testing::HasSubstr("rows have the label 'dog'")));
  EXPECT_THAT(warnings("folders"), ::testing::IsEmpty());
  EXPECT_THAT(read_images(path("a.npz")).class_names, ElementsAre("dog", "horse"));
  std::filesystem::create_directory(path("t"));
  for (const char* const part : {"t/train", "t/trunk1"})
    std::filesystem::copy(LEEWAY_REFERENCE "/layouts/folders/photo/dog", path(part));
  const DataLoadTask task{.format = "folder", .paths = {path("t")}, .out = {path("a.npz"), "", "", false}};
  EXPECT_THAT(data_load(task).envelope.warnings,
              ElementsAre(::testing::HasSubstr("train, ... are read as classes")));
  std::filesystem::create_directories(path("u/images"));
  for (const char* const part : {"u/images/dog", "u/images/cat"})
    std::filesystem::copy(LEEWAY_REFERENCE "/layouts/folders/photo/dog", path(part));
  EXPECT_THAT(data_load({.format = "folder", .paths = {path("u")}, .out = {"", path("a.csv"), "", false}})
                  .envelope.warnings,
              ElementsAre(::testing::HasSubstr("images are read as domains")));
}

TEST_F(DataTasks, OptionsChooseOfADataSet) {
  const std::string folders = LEEWAY_REFERENCE "/layouts/folders";
  DataLoadTask task{.format = "folder", .paths = {folders}, .out = {path("a.npz"), path("a.csv"), "", false}};
  task.options.leave_out = "photo";
  task.options.split = "test";
  const DataLoad record = data_load(task);
  EXPECT_EQ(record.results.at(0).n, 1u);
  EXPECT_EQ(record.results[0].left_out, 2u);
  EXPECT_EQ(read_bytes(path("a.csv")), "class,domain,split,image\ndog,photo,test,photo/dog/c.png\n");
  task.options.size = 8;
  const auto refused = [&](auto member, const auto& value) {
    DataLoadTask other = task;
    other.options.*member = value;
    EXPECT_THROW((void)data_load(other), OptionError);
  };
  refused(&DataLoadOptions::breeds_split, "good");
  refused(&DataLoadOptions::breeds_seed, 3u);
  refused(&DataLoadOptions::wilds_crop, "conds");
}

TEST_F(DataTasks, ShiftedImagesAreDescribed) {
  const std::vector<std::uint8_t> bytes{0, 51, 102, 153, 204, 255};
  Images images{"", make_array(std::vector<std::size_t>{3, 1, 1, 2}, bytes),
                std::vector<std::int64_t>{4, 0, 4}};
  images.class_names = {"a", "b", "c", "d", "e"};
  const ShiftTask task{"brightness", images, path("b.npz"), {.strength = {.2}, .classes = {}}, 0};
  const Shift record = shift_images(task);
  EXPECT_NEAR(record.results.at(0).mean_change.value(), 1. / 6, 1e-6);  // (5 * .2 + 0) / 6
  EXPECT_TRUE(record.results[0].rows_of_class.empty());
  const ShiftTask subset{"label-subset", task.images, path("c.npz"), {.strength = {}, .classes = {4}}, 0};
  const Json json = to_json(shift_images(subset))["results"][0];
  EXPECT_EQ(json["rows_of_class"].dump(),
            R"([{"class":0,"n_source":1,"n":0},{"class":4,"n_source":2,"n":2}])");
  EXPECT_TRUE(json.at("strength").is_null() && json.at("mean_change").is_null());
  EXPECT_THAT(to_i64(read_npz(path("c.npz")).at("rows"), "rows"), ElementsAre(0, 2));
  (void)shift_images({"contrast", task.images, path("e.npz"), {.severity = {1}}, 0});  // a corruption
  for (const char* const file : {"b.npz", "c.npz", "e.npz"})
    EXPECT_EQ(read_images(path(file)).class_names, images.class_names) << file;
  const auto refused = [&](const std::string& name, const ShiftOptions& options) {
    EXPECT_THROW((void)shift_images({name, task.images, path("d.npz"), options, 0}), OptionError) << name;
  };
  refused("no-such", {});
  refused("fog", {.severity = {6}});
  refused("contrast,brightness", {});  // one file for two sets
  refused("brightness", {.strength = {.1, .2}});
  refused("label-subset", {});
  refused("contrast", {.strength = {-1.}, .classes = {}});
  refused("contrast", {.strength = {}, .classes = {1}});
}

// Each of several sets is the set that a task of its own makes.
TEST_F(DataTasks, SeveralStrengthsAreASetEach) {
  std::vector<float> values(24);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 24;
  const Images images{"", make_array(std::vector<std::size_t>{6, 1, 2, 2}, values), {}};
  const Shift all = shift_images(
      {"gaussian-noise,contrast", images, path("{shift}-{strength}.npz"), {.strength = {.5, .75}}, 3});
  ASSERT_EQ(all.results.size(), 4u);
  EXPECT_EQ(all.results[1].strength, .75);
  EXPECT_EQ(all.results[2].shift, "contrast");
  for (const ShiftedSet& set : all.results) {
    const Shift one = shift_images({set.shift, images, path("one.npz"), {.strength = {*set.strength}}, 3});
    EXPECT_EQ(set.mean_change, one.results[0].mean_change);
    EXPECT_EQ(set.out, path(set.shift + fmt::format("-{:g}.npz", *set.strength)));
    EXPECT_EQ(read_npz(set.out).at("x").shape, read_npz(path("one.npz")).at("x").shape);
    EXPECT_EQ(to_f64(read_npz(set.out).at("x"), "x"), to_f64(read_npz(path("one.npz")).at("x"), "x"));
  }
}

}  // namespace leeway::tasks::data_task_test

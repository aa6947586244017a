// leeway data render, load and diagvib, from the command line to the files; from a table to a shifted set.
#include <gmock/gmock.h>

#include <set>

#include "leeway/core/file.h"
#include "leeway/core/result.h"
#include "leeway/io/csv.h"
#include "leeway/io/images.h"
#include "leeway/io/png.h"
#include "tests/apps/run_command.h"
#include "tests/data/digits.h"

namespace leeway::data_command_test {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

using RenderCommand = CommandTest;

TEST_F(RenderCommand, FromATableToATrainingSetWhereColorGoesWithShape) {
  good("data render dsprites --sample 20000 --attributes table.csv --sheet sheet.png");
  good("conds draw --attributes table.csv --dataset dsprites --sc obj_color --out split.csv");
  good(
      "data render dsprites --size 16 --table table.csv --index split.csv --split train --out train.npz "
      "--attributes train.csv");
  good("data render dsprites --size 16 --table table.csv --index split.csv --split test --out test.npz");
  good("data render dsprites --size 16 --table table.csv --out all.npz");
  const CsvTable split = read_csv(folder_ / "split.csv"), table = read_csv(folder_ / "train.csv");
  const Images train = read_images((folder_ / "train.npz").string()),
               all = read_images((folder_ / "all.npz").string());
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < split.rows(); ++i)
    if (split.columns[1][i] == "train") rows.push_back(std::stoul(std::string(split.columns[0][i])));
  ASSERT_EQ(train.n(), rows.size());
  const Images expected = select_rows(all, rows);
  EXPECT_TRUE(std::ranges::equal(train.pixels.bytes(), expected.pixels.bytes()));
  EXPECT_EQ(train.labels, expected.labels);
  std::size_t broken = 0;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const std::string_view shape = table.columns[0][i], color = table.columns[1][i];
    broken += color == (shape == "square" ? "red" : shape == "ellipse" ? "yellow" : "blue") ? 0 : 1;
  }
  EXPECT_EQ(train.n(), 1091);  // Table 6 of the protocol, SC
  EXPECT_EQ(broken, 11);
  EXPECT_EQ(read_images((folder_ / "test.npz").string()).n(), 810);
}

TEST_F(RenderCommand, TheProtocolsColorsAlone) {
  good("data render shapes3d --protocol --sample 2000 --attributes table.csv");
  const CsvTable table = read_csv(folder_ / "table.csv");
  EXPECT_EQ(std::set<std::string>(table.columns[1].begin(), table.columns[1].end()),
            (std::set<std::string>{"red", "orange", "yellow", "green"}));
  EXPECT_EQ(run("conds draw --attributes table.csv --dataset shapes3d --ldd bg_color --plan").code, 0);
}

TEST_F(RenderCommand, LoadsPicturesOfOneSize) {
  const std::string mixed = "data load folder '" LEEWAY_REFERENCE "/layouts/mixed' ";
  refused({mixed + "--out a.npz",
           3,
           {"00002.jpeg: expected 30 x 40 pixels, as in the first image (--resize-shorter N"}});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.npz"));
  good(mixed + "--size 6 --out a.npz --sheet a.png");
  const Images images = read_images((folder_ / "a.npz").string());
  EXPECT_THAT(images.pixels.shape, ::testing::ElementsAre(4, 3, 6, 6));
}

TEST_F(RenderCommand, LoadsTheProtocolsRowsAlone) {
  const std::string toys =
      "data load smallnorb '" LEEWAY_REFERENCE "/layouts/packed-dat.mat.gz' --attributes toys.csv";
  good(toys + " --protocol --out toys.npz");
  EXPECT_EQ(read_images((folder_ / "toys.npz").string()).n(), 3);
  EXPECT_EQ(run("conds draw --attributes toys.csv --dataset smallnorb --sc azimuth --plan").code, 0);
  refused({"data load cifar10 none.bin --protocol --out a.npz", 2, {"--protocol: expected one of dsprites"}});
}

TEST_F(RenderCommand, SaysWhatIsWrong) {
  all_refused("data render ",
              {{"dsprites", 2, {"expected --out, --attributes or --sheet"}},
               {"cubes --out a.npz", 2, {"cubes"}},
               {"dsprites --out a.npz --split train", 2, {"--split requires --index"}},
               {"dsprites --out a.npz --index b.csv", 2, {"--split is required with --index"}},
               {"dsprites --out a.npz --table t.csv --only shape=heart",
                2,
                {"--table cannot be combined with --only"}},
               {"dsprites --out a.npz --only heart", 2, {"COLUMN=VALUE"}},
               {"dsprites --out a.npz --only shape=moon", 3, {"one of square, ellipse, heart, found 'moon'"}},
               {"dsprites --out a.npz --only color=red", 3, {"a column, one of shape"}},
               {"dsprites --out a.npz --table none.csv", 3, {"none.csv"}}});
  const std::string celeba = "celeba '" LEEWAY_REFERENCE "/layouts/list_attr_celeba.txt' ";
  all_refused("data load ",
              {{"cifar10 none.bin --out a.npz", 3, {"none.bin"}},
               {"cifar10 none.bin", 2, {"expected --out, --attributes or --sheet"}},
               {celeba + "--out a.npz", 3, {"readable images"}},
               {celeba + "--size 6 --attributes a.csv", 3, {"readable images"}},
               {celeba + "--attributes a.csv --label age", 3, {"label: expected one of gender"}}});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.npz"));
}

class DiagvibCommand : public CommandTest {
 protected:
  DiagvibCommand() {
    write_idx_digits(folder_, "train", made_up_digits(120, 10));
    write_idx_digits(folder_, "t10k", made_up_digits(50, 10));
  }
  [[nodiscard]] Outcome diagvib(const std::string& arguments) const {
    return run("data diagvib --digits train-images-idx3-ubyte --size 32 --n 8 " + arguments);
  }
};

TEST_F(DiagvibCommand, OneCommandWritesATable) {
  const Outcome said = diagvib("--environment discriminability --part all --out table --sheet sheet.png");
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, ContainsRegex("test:5 +5 +blue +bright +lower-centre +large +tiles"));
  EXPECT_THAT(said.out, HasSubstr("--mean"));
  for (const char* name : {"train", "val-0", "val-1", "test-0", "test-5"})
    EXPECT_TRUE(std::filesystem::exists(folder_ / "table" / (std::string(name) + ".npz"))) << name;
  const Json record = read_record((folder_ / "table" / "manifest.json").string());
  EXPECT_EQ(record["schema"], "leeway.data-diagvib/3");
  EXPECT_EQ(record["inputs"].size(), 2);  // training and test digits
  EXPECT_EQ(record["manifest"], "table/manifest.json");
  const Bitmap sheet = parse_png(map_file(folder_ / "sheet.png").bytes, "sheet");
  EXPECT_EQ(sheet.height, 10 * 66 + 2);  // ten environments, enlarged to 64 pixels
  // Again, over what is there.
  EXPECT_EQ(diagvib("--environment discriminability --part all --out table").code, 0);
}

TEST_F(DiagvibCommand, SaysWhatIsWrong) {
  all_refused("data diagvib --digits train-images-idx3-ubyte --size 32 --n 8 ",
              {{"--environment discriminability", 2, {"expected --out, --attributes or --sheet"}},
               {"--environment table-2 --out a.npz", 2, {"table-2"}},
               {"--out a.npz", 2, {"--environment"}},
               {"--environment selection --pairing half --out a.npz", 2, {"--pairing"}},
               {"--environment selection --classes 1,11 --out a.npz", 3, {"of class 11, found none"}}});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.npz"));
}

}  // namespace leeway::data_command_test

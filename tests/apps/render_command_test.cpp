// leeway data render and load, from the command line to the files; from a table to a shifted set.
#include <gmock/gmock.h>

#include <set>

#include "leeway/core/csv.h"
#include "leeway/core/images.h"
#include "leeway/core/png.h"
#include "leeway/core/result.h"
#include "tests/apps/run_command.h"

namespace leeway {
namespace {

using testing::HasSubstr;

class RenderCommand : public CommandTest {
 protected:
  void expect(const std::string& arguments, int code, const std::string& line) const {
    const Outcome said = run(arguments);
    EXPECT_EQ(said.code, code) << arguments;
    EXPECT_EQ(said.out, "");
    EXPECT_THAT(said.err, HasSubstr(line));
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  }
  void good(const std::string& arguments) const {
    const Outcome said = run(arguments);
    EXPECT_EQ(said.code, 0) << said.err;
  }
};

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
    if (split.columns[1][i] == "train") rows.push_back(std::stoul(split.columns[0][i]));
  ASSERT_EQ(train.n(), rows.size());
  const Images expected = select_rows(all, rows);
  EXPECT_TRUE(std::ranges::equal(train.pixels.bytes(), expected.pixels.bytes()));
  EXPECT_EQ(train.labels, expected.labels);
  std::size_t broken = 0;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const std::string &shape = table.columns[0][i], &color = table.columns[1][i];
    broken += color == (shape == "square" ? "red" : shape == "ellipse" ? "yellow" : "blue") ? 0 : 1;
  }
  EXPECT_EQ(train.n(), 1091);  // Table 6 of the protocol, SC
  EXPECT_EQ(broken, 11);
  EXPECT_EQ(read_images((folder_ / "test.npz").string()).n(), 810);
}

TEST_F(RenderCommand, TheSameImagesAtAnyNumberOfThreads) {
  good("data render shapes3d --size 24 --sample 300 --seed 4 --threads 1 --out a.npz");
  good("data render shapes3d --size 24 --sample 300 --seed 4 --threads 7 --out b.npz");
  EXPECT_EQ(read_text(folder_ / "a.npz"), read_text(folder_ / "b.npz"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "a.manifest.json"));
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
  expect(mixed + "--out a.npz", 3, "00002.jpeg: expected 30 x 40 pixels, as the first picture (--size N");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.npz"));
  good(mixed + "--size 6 --out a.npz --sheet a.png");
  const Bitmap sheet = read_png(folder_ / "a.png");  // four pictures, eleven times enlarged, in a row of ten
  EXPECT_THAT((std::vector<std::size_t>{sheet.height, sheet.width}),
              testing::ElementsAre(66 + 4, 10 * 68 + 2));
  const Images images = read_images((folder_ / "a.npz").string());
  EXPECT_THAT(images.pixels.shape, testing::ElementsAre(4, 3, 6, 6));
  expect("data load celeba '" LEEWAY_REFERENCE "/layouts/list_attr_celeba.txt' --size 6 --attributes a.csv",
         3, "pictures that can be read");
}

TEST_F(RenderCommand, LoadsTheProtocolsRowsAlone) {
  const std::string toys =
      "data load smallnorb '" LEEWAY_REFERENCE "/layouts/packed-dat.mat.gz' --attributes toys.csv";
  good(toys);
  expect("conds draw --attributes toys.csv --dataset smallnorb --sc azimuth --plan", 3,
         "expected one of 0, 80");
  good(toys + " --protocol --out toys.npz");
  EXPECT_EQ(read_images((folder_ / "toys.npz").string()).n(), 3);
  EXPECT_EQ(run("conds draw --attributes toys.csv --dataset smallnorb --sc azimuth --plan").code, 0);
  EXPECT_EQ(read_record((folder_ / "toys.manifest.json").string())["results"][0]["format"], "smallnorb");
  expect("data load cifar10 none.bin --protocol --out a.npz", 2, "--protocol: expected one of dsprites");
}

TEST_F(RenderCommand, SaysWhatIsWrong) {
  expect("data render dsprites", 2, "expected --out, --attributes or --sheet");
  expect("data render cubes --out a.npz", 2, "cubes");
  expect("data render dsprites --out a.npz --split train", 2, "--split: expected --index beside it");
  expect("data render dsprites --out a.npz --index b.csv", 2, "--split is required beside --index");
  expect("data render dsprites --out a.npz --table t.csv --only shape=heart", 2,
         "--table: expected no --only");
  expect("data render dsprites --out a.npz --only heart", 2, "COLUMN=VALUE");
  expect("data render dsprites --out a.npz --only shape=moon", 3,
         "expected one of square, ellipse, heart, found 'moon'");
  expect("data render dsprites --out a.npz --only color=red", 3, "a column, one of shape");
  expect("data render dsprites --out a.npz --table none.csv", 3, "none.csv");
  expect("data load cifar10 none.bin --out a.npz", 3, "none.bin");
  expect("data load cifar10 none.bin", 2, "expected --out, --attributes or --sheet");
  expect("data load celeba '" LEEWAY_REFERENCE "/layouts/list_attr_celeba.txt' --out a.npz", 3,
         "pictures that can be read");
  expect("data load celeba '" LEEWAY_REFERENCE
         "/layouts/list_attr_celeba.txt' --attributes a.csv --label age",
         3, "label: expected one of gender");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.npz"));
}

}  // namespace
}  // namespace leeway

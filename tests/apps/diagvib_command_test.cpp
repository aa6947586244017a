// leeway data diagvib, from IDX files to training data.
#include <gmock/gmock.h>

#include "leeway/core/images.h"
#include "leeway/core/png.h"
#include "leeway/core/result.h"
#include "leeway/data/training_data.h"
#include "tests/apps/run_command.h"
#include "tests/data/digits.h"

namespace leeway {
namespace {

using ::testing::HasSubstr;

class DiagvibCommand : public CommandTest {
 protected:
  DiagvibCommand() {
    write_idx_digits(folder_, "train", made_up_digits(120, 10));
    write_idx_digits(folder_, "t10k", made_up_digits(50, 10));
  }
  [[nodiscard]] Outcome diagvib(const std::string& arguments) const {
    return run("data diagvib --digits train-images-idx3-ubyte --size 32 --n 8 " + arguments);
  }
  void expect(const std::string& arguments, int code, const std::string& line) const {
    const Outcome said = diagvib(arguments);
    EXPECT_EQ(said.code, code) << arguments;
    EXPECT_EQ(said.out, "");
    EXPECT_THAT(said.err, HasSubstr(line));
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  }
};

TEST_F(DiagvibCommand, OneCommandWritesATable) {
  const Outcome said = diagvib("--environment discriminability --part all --out table --sheet sheet.png");
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("test:5   5  blue  bright     lower-centre  large   tiles*"));
  EXPECT_THAT(said.out, HasSubstr("--mean"));
  for (const char* name : {"train", "val-0", "val-1", "test-0", "test-5"})
    EXPECT_TRUE(std::filesystem::exists(folder_ / "table" / (std::string(name) + ".npz"))) << name;
  const Json record = read_record((folder_ / "table" / "manifest.json").string());
  EXPECT_EQ(record["schema"], "leeway.data-diagvib/3");
  EXPECT_EQ(record["inputs"].size(), 2);  // training and test digits
  EXPECT_EQ(record["results"].size(), 9);
  EXPECT_EQ(record["results"][0]["n"], 16);
  EXPECT_EQ(record["manifest"], "table/manifest.json");
  const Bitmap sheet = read_png(folder_ / "sheet.png");
  EXPECT_EQ(sheet.height, 10 * 66 + 2);  // ten environments, enlarged to 64 pixels
  // Again, over what is there.
  EXPECT_EQ(diagvib("--environment discriminability --part all --out table").code, 0);
}

TEST_F(DiagvibCommand, WritesWhatTrainReads) {
  EXPECT_EQ(diagvib("--environment selection --out train.npz --attributes train.csv").code, 0);
  const data::TrainingData data = data::read_training_data((folder_ / "train.npz").string(), {});
  EXPECT_EQ(data.images.n(), 16);
  EXPECT_EQ(data.environment->levels.size(), 2);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "train.csv"));
  EXPECT_EQ(read_record((folder_ / "train.manifest.json").string())["classes"].size(), 4);
  EXPECT_EQ(diagvib("--environment zgo --part test:seen --out pairs.npz --json").code, 0);
  EXPECT_EQ(data::read_training_data((folder_ / "pairs.npz").string(), {}).groups.size(), 2);
  const std::string again = read_text(folder_ / "train.npz");
  EXPECT_EQ(diagvib("--environment selection --out train.npz --threads 7").code, 0);
  EXPECT_EQ(read_text(folder_ / "train.npz"), again);
  EXPECT_EQ(diagvib("--environment selection --out train.npz --seed 1").code, 0);
  EXPECT_NE(read_text(folder_ / "train.npz"), again);
}

TEST_F(DiagvibCommand, SaysWhatIsWrong) {
  expect("--environment discriminability", 2, "expected --out, --attributes or --sheet");
  expect("--environment table-2 --out a.npz", 2, "table-2");
  expect("--out a.npz", 2, "--environment");
  expect("--environment selection --pairing half --out a.npz", 2, "--pairing");
  expect("--environment selection --classes 1,11 --out a.npz", 3, "pictures of class 11, found none");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.npz"));
}

}  // namespace
}  // namespace leeway

// leeway shift, from the command line to the file.
#include <gmock/gmock.h>

#include "leeway/core/images.h"
#include "leeway/core/npz.h"
#include "tests/apps/run_command.h"

namespace leeway {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ShiftCommand : public CommandTest {
 protected:
  ShiftCommand() {
    const std::vector<std::uint8_t> bytes{0, 51, 102, 153, 204, 255};
    write_images(folder_ / "in.npz", {"", make_array(std::vector<std::size_t>{3, 1, 1, 2}, bytes),
                                      std::vector<std::int64_t>{4, 0, 4}});
  }

  [[nodiscard]] Outcome run(const std::string& arguments) const {
    return CommandTest::run("shift " + arguments);
  }
};

TEST_F(ShiftCommand, WritesShiftedPixelsAndLabels) {
  const Outcome said = run("brightness --data in.npz --strength 0.2 --out out.npz");
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.err, "");
  EXPECT_EQ(said.out,
            "brightness, seed 0: 3 of 3 images, shape 3 x 1 x 1 x 2\n"
            "strength 0.2 (what is added, pixels in [0,1])\n"
            "mean change of a pixel 0.1667\n");  // (5 * .2 + 0) / 6
  const Images out = read_images(folder_ / "out.npz");
  EXPECT_THAT(*out.labels, ElementsAre(4, 0, 4));
  EXPECT_THAT(to_f64(out.pixels, "x"),
              testing::Pointwise(testing::DoubleNear(1e-7), {.2, .4, .6, .8, 1., 1.}));
}

TEST_F(ShiftCommand, WritesTheRowsItKept) {
  const Outcome said = run("label-subset --data in.npz --classes 4 --out out.npz --json");
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.err, "");
  const ArrayMap out = read_npz(folder_ / "out.npz");
  EXPECT_THAT(to_i64(out.at("rows"), "rows"), ElementsAre(0, 2));
  EXPECT_THAT(to_i64(out.at("y"), "y"), ElementsAre(4, 4));
  EXPECT_EQ(out.at("x").type, ElementType::u8);
  const Json record = Json::parse(said.out);
  EXPECT_EQ(record["schema"], "leeway.shift/3");
  EXPECT_EQ(record["inputs"][0]["shape"], Json::array({3, 1, 1, 2}));
  EXPECT_EQ(record["results"][0]["rows_of_class"].dump(),
            R"([{"class":0,"n_source":1,"n":0},{"class":4,"n_source":2,"n":2}])");
  EXPECT_TRUE(record["results"][0].at("strength").is_null());
}

TEST_F(ShiftCommand, ASeverityChoosesTheCorruption) {
  const Outcome said = run("brightness --data in.npz --severity 2 --out out.npz --sheet sheet.png");
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.err, "");
  EXPECT_EQ(said.out,
            "brightness, seed 0: 3 of 3 images, shape 3 x 1 x 1 x 2\n"
            "severity 2, corrected variant, constants of cifar, lengths times 0.0312\n"
            "mean change of a pixel 0.0850\n");  // five times 25.5 levels, rounded up to 26, and 0
  const Images out = read_images(folder_ / "out.npz");
  EXPECT_EQ(out.pixels.type, ElementType::u8);
  EXPECT_THAT(out.pixels.view<std::uint8_t>(), ElementsAre(26, 77, 128, 179, 230, 255));
  EXPECT_THAT(*out.labels, ElementsAre(4, 0, 4));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "sheet.png"));
  const Outcome json =
      run("saturate --data in.npz --severity 5 --set imagenet --variant published --out out.npz --json");
  EXPECT_EQ(json.code, 0);
  const Json record = Json::parse(json.out), set = record["results"][0];
  EXPECT_EQ(set["severity"], 5);
  EXPECT_EQ(set["use"].dump(),
            R"({"set":"imagenet","lengths":1.0,"variant":"published","frost":"procedural"})");
  EXPECT_EQ(set["defined"], false);
  EXPECT_EQ(record["findings"][0], "saturate is not defined on grey pictures: they are as they were.");
  EXPECT_EQ(run("fog --data in.npz --severity 0 --out out.npz").code, 0);
  EXPECT_THAT(read_images(folder_ / "out.npz").pixels.view<std::uint8_t>(),
              ElementsAre(0, 51, 102, 153, 204, 255));
}

TEST_F(ShiftCommand, CorruptSaysWhatIsMissing) {
  for (const auto& [arguments, line] :
       {std::pair("", "--data is required: the clean images"), {"--data in.npz", "--model is required"}}) {
    const Outcome wrong = run(std::string("corrupt ") + arguments);
    EXPECT_EQ(wrong.code, 2) << arguments;
    EXPECT_THAT(wrong.err, testing::StartsWith(std::string("leeway: ") + line));
  }
}

TEST_F(ShiftCommand, MistakesLeaveNoFile) {
  struct Row {
    const char* arguments;
    int code;
    const char* line;
  };
  for (const Row& row : {
           Row{"rotation --data in.npz", 2, "--out is required: the .npz to write"},
           {"rotation --data in.npz --out out.npz --strength 400", 2,
            "--strength: expected -180 to 180 for rotation, found 400"},
           {"rotation --data in.npz --out out.npz --classes 1", 2,
            "--classes: rotation does not look at classes"},
           {"label-subset --data in.npz --out out.npz --classes 1 --strength 2", 2,
            "--strength: label-subset has none"},
           {"label-subset --data in.npz --out out.npz", 2,
            "--classes is required: the classes that label-subset keeps"},
           {"label-subset --data in.npz --out out.npz --classes 9", 3,
            "in.npz: shift label-subset: expected classes that occur, found 9, which no row has"},
           {"fog --data in.npz --out out.npz", 2, "--severity is required for fog: 0 to 5"},
           {"fog --data in.npz --out out.npz --strength 1", 2,
            "--strength: fog has none; it takes --severity"},
           {"rotation --data in.npz --out out.npz --severity 1", 2,
            "--severity: rotation has none; it takes --strength"},
           {"contrast --data in.npz --out out.npz --severity 1 --strength 1", 2,
            "--strength, --severity: expected one of them"},
           {"fog --data in.npz --out out.npz --severity 1 --classes 1", 2,
            "--classes: fog does not look at classes"},
           {"contrast --data in.npz --out out.npz --variant published", 2,
            "--set, --variant, --frost-dir: --severity is required with them"},
       }) {
    const Outcome said = run(row.arguments);
    EXPECT_EQ(said.code, row.code) << row.arguments;
    EXPECT_EQ(said.out, "");
    EXPECT_EQ(said.err, "leeway: " + std::string(row.line) + "\n");
  }
  EXPECT_EQ(run("fog --data in.npz --out out.npz --severity 6").code, 2);
  const Outcome unknown = run("mist --data in.npz --out out.npz");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, testing::StartsWith("leeway: NAME: expected one of gaussian-noise, "));
  EXPECT_EQ(run("rotation --data absent.npz --out out.npz").code, 3);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.npz"));
}

}  // namespace
}  // namespace leeway

// leeway shift, from the command line to the file.
#include <gmock/gmock.h>

#include "leeway/core/images.h"
#include "leeway/core/npz.h"
#include "leeway/core/result.h"
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
  EXPECT_EQ(record["schema"], "leeway.shift/2");
  EXPECT_EQ(record["inputs"][0]["shape"], Json::array({3, 1, 1, 2}));
  EXPECT_EQ(record["results"][0]["rows_of_class"].dump(),
            R"([{"class":0,"n_source":1,"n":0},{"class":4,"n_source":2,"n":2}])");
  EXPECT_TRUE(record["results"][0].at("strength").is_null());
}

TEST_F(ShiftCommand, HelpListsEveryShift) {
  const Outcome said = run("--help");
  EXPECT_EQ(said.code, 0);
  for (const char* name :
       {"gaussian-noise", "gaussian-blur", "contrast", "rotation", "imbalance", "label-subset"})
    EXPECT_THAT(said.out, HasSubstr(name));
  EXPECT_THAT(said.out, HasSubstr("degrees, counter-clockwise (-180 to 180, default 30)"));
}

TEST_F(ShiftCommand, NamesThatMovedSayTheNewOne) {
  for (const auto& [old_name, new_name] : {std::pair("conds", "conds draw"),
                                           {"describe", "conds describe"},
                                           {"render", "data render"},
                                           {"load", "data load"}})
    for (const char* rest : {"", " dsprites --attributes t.csv --plan", " --json --out o.csv", " --help"}) {
      const Outcome said = run(std::string(old_name) + rest);
      EXPECT_EQ(said.code, 2);
      EXPECT_EQ(said.out, "");
      EXPECT_EQ(said.err, std::string("leeway: shift ") + old_name + ": expected leeway " + new_name +
                              ", its name now\n");
    }
}

TEST_F(ShiftCommand, MistakesLeaveNoFile) {
  const auto expect = [&](const std::string& arguments, int code, const std::string& line) {
    const Outcome said = run(arguments);
    EXPECT_EQ(said.code, code) << arguments;
    EXPECT_EQ(said.out, "");
    EXPECT_EQ(said.err, "leeway: " + line + "\n");
  };
  expect("rotation --data in.npz", 2, "--out is required: the .npz to write");
  expect("rotation --data in.npz --out out.npz --strength 400", 2,
         "--strength: expected -180 to 180 for rotation, found 400");
  expect("rotation --data in.npz --out out.npz --classes 1", 2,
         "--classes: rotation does not look at classes");
  expect("label-subset --data in.npz --out out.npz --classes 1 --strength 2", 2,
         "--strength: label-subset has none");
  expect("label-subset --data in.npz --out out.npz", 2,
         "--classes is required: the classes that label-subset keeps");
  expect("label-subset --data in.npz --out out.npz --classes 9", 3,
         "in.npz: shift label-subset: expected classes that occur, found 9, which no row has");
  const Outcome unknown = run("snow --data in.npz --out out.npz");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, testing::StartsWith("leeway: NAME: expected one of gaussian-noise, "));
  EXPECT_EQ(run("rotation --data absent.npz --out out.npz").code, 3);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.npz"));
}

}  // namespace
}  // namespace leeway

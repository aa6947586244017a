// leeway shift, from the command line to the file.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "leeway/core/images.h"
#include "leeway/core/npz.h"
#include "leeway/core/result.h"

namespace leeway {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Said {
  int code;
  std::string text;  // stdout and stderr
};

class ShiftCommand : public testing::Test {
 protected:
  ShiftCommand() {
    std::filesystem::create_directories(folder_);
    const std::vector<std::uint8_t> bytes{0, 51, 102, 153, 204, 255};
    write_images(folder_ / "in.npz", {"", make_array(std::vector<std::size_t>{3, 1, 1, 2}, bytes),
                                      std::vector<std::int64_t>{4, 0, 4}});
  }
  ~ShiftCommand() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] Said run(const std::string& arguments) const {
    const std::string line =
        fmt::format("cd '{}' && '{}' shift {} 2>&1", folder_.string(), LEEWAY_COMMAND, arguments);
    FILE* pipe = popen(line.c_str(), "r");
    std::string text;
    char buffer[4096];
    for (std::size_t size = 0; (size = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, size);
    const int status = pclose(pipe);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("leeway_shift_" + std::to_string(getpid()));
};

TEST_F(ShiftCommand, WritesShiftedPixelsAndLabels) {
  const Said said = run("brightness --data in.npz --strength 0.2 --out out.npz");
  EXPECT_EQ(said.code, 0) << said.text;
  EXPECT_EQ(said.text,
            "brightness, seed 0: 3 of 3 images, shape 3 x 1 x 1 x 2\n"
            "strength 0.2 (what is added, pixels in [0,1])\n"
            "mean change of a pixel 0.1667\n");  // (5 * .2 + 0) / 6
  const Images out = read_images(folder_ / "out.npz");
  EXPECT_THAT(*out.labels, ElementsAre(4, 0, 4));
  EXPECT_THAT(to_f64(out.pixels, "x"),
              testing::Pointwise(testing::DoubleNear(1e-7), {.2, .4, .6, .8, 1., 1.}));
}

TEST_F(ShiftCommand, WritesTheRowsItKept) {
  const Said said = run("label-subset --data in.npz --classes 4 --out out.npz --json");
  EXPECT_EQ(said.code, 0) << said.text;
  const ArrayMap out = read_npz(folder_ / "out.npz");
  EXPECT_THAT(to_i64(out.at("rows"), "rows"), ElementsAre(0, 2));
  EXPECT_THAT(to_i64(out.at("y"), "y"), ElementsAre(4, 4));
  EXPECT_EQ(out.at("x").type, ElementType::u8);
  const Json record = Json::parse(said.text);
  EXPECT_EQ(record["schema"], "leeway.shift/1");
  EXPECT_EQ(record["inputs"][0]["shape"], Json::array({3, 1, 1, 2}));
  EXPECT_EQ(record["results"][0]["rows_of_class"].dump(),
            R"([{"class":0,"n_source":1,"n":0},{"class":4,"n_source":2,"n":2}])");
  EXPECT_FALSE(record["results"][0].contains("strength"));
}

TEST_F(ShiftCommand, HelpListsEveryShift) {
  const Said said = run("--help");
  EXPECT_EQ(said.code, 0);
  for (const char* name :
       {"gaussian-noise", "gaussian-blur", "contrast", "rotation", "imbalance", "label-subset"})
    EXPECT_THAT(said.text, HasSubstr(name));
  EXPECT_THAT(said.text, HasSubstr("degrees, counter-clockwise (-180 to 180, default 30)"));
}

TEST_F(ShiftCommand, MistakesLeaveNoFile) {
  const auto expect = [&](const std::string& arguments, int code, const std::string& line) {
    const Said said = run(arguments);
    EXPECT_EQ(said.code, code) << arguments;
    EXPECT_EQ(said.text, "leeway: " + line + "\n");
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
  expect("snow --data in.npz --out out.npz", 2,
         "NAME: expected one of gaussian-noise, gaussian-blur, contrast, brightness, rotation, pixelation, "
         "imbalance, "
         "label-subset, found snow");
  EXPECT_EQ(run("rotation --data absent.npz --out out.npz").code, 3);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.npz"));
}

}  // namespace
}  // namespace leeway

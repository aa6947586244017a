// --report and --figures of commands, and leeway report of any record.
#include <gmock/gmock.h>

#include "leeway/core/npy.h"
#include "leeway/core/npz.h"
#include "tests/apps/run_command.h"
#include "tests/core/files.h"

namespace leeway {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct PageCommand : CommandTest {
  PageCommand() {
    for (const char* name : {"clean.npz", "moved.npz"})
      write_npz(folder_ / name,
                {{"logits", make_array<double>({3, 2}, {2, 0, 0, 1, name[0] == 'c' ? 1. : -1., 0})},
                 {"labels", make_array<std::int64_t>({3}, {0, 1, 0})}});
  }
  [[nodiscard]] std::string page(const std::string& arguments) const {
    const Outcome said = run(arguments);
    EXPECT_EQ(said.code, 0) << arguments << said.err;
    return read_text(folder_ / "page.html");
  }
};

TEST_F(PageCommand, AgreementAndDistancesWriteThePageOfTheirRecord) {
  for (const std::string command : {"pa", "distances"}) {
    const std::string drawn =
        page(command + " clean.npz moved.npz --threads 1 --out r.json --report page.html");
    EXPECT_THAT(drawn, StartsWith("<!doctype html>")) << command;
    EXPECT_THAT(drawn, HasSubstr("moved.npz")) << command;
    EXPECT_EQ(page("report r.json --out page.html"), drawn) << command;
  }
}

TEST_F(PageCommand, ARecordWithoutAPageOfItsOwnHasTables) {
  std::ofstream(folder_ / "r.json") << run("list estimators --json").out;
  const std::string drawn = page("report r.json --out page.html");
  EXPECT_THAT(drawn, HasSubstr("atc-conf"));
  EXPECT_THAT(drawn, HasSubstr("Reproduce"));
}

TEST_F(PageCommand, FiguresAreFilesInTheirFolder) {
  ASSERT_EQ(run("pa clean.npz moved.npz --figures deep/figures").code, 0);
  EXPECT_FALSE(fs::exists(folder_ / "page.html"));
  std::size_t tables = 0, charts = 0;
  for (const auto& entry : fs::directory_iterator(folder_ / "deep/figures")) {
    const std::string name = entry.path().filename();
    tables += name.ends_with(".tex") ? 1 : 0;
    charts += name.ends_with(".csv") ? 1 : 0;
    EXPECT_FALSE(name.starts_with(".")) << name;
  }
  EXPECT_GE(tables, 1u);
  EXPECT_GT(charts, tables);
  EXPECT_THAT(read_text(folder_ / "deep/figures/overview-every-shifted-set-against-the-clean-one.csv"),
              StartsWith("Shifted set,PA,PA low,PA high,"));
}

TEST_F(PageCommand, WithoutNodeALineSaysThatThereIsNoSvg) {
  const Outcome said = run_command(folder_, "pa clean.npz moved.npz --figures f", "export PATH=/nowhere; ");
  EXPECT_EQ(said.code, 0);
  EXPECT_THAT(said.err, HasSubstr("leeway: --figures: SVG needs the program node\n"));
}

TEST_F(PageCommand, AFolderThatCannotBeWrittenIsToldBeforeTheWork) {
  std::ofstream(folder_ / "file") << "x";
  const Outcome said = run("pa clean.npz moved.npz --figures file");
  EXPECT_EQ(said.code, 1);
  EXPECT_EQ(said.err, "leeway: file: cannot write: Not a directory\n");
  EXPECT_EQ(said.out, "");
}

}  // namespace
}  // namespace leeway

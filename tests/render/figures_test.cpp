// Charts and tables of a view as files.
#include "leeway/render/figures.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "leeway/core/error.h"
#include "leeway/tasks/report/page.h"
#include "tests/core/files.h"
#include "tests/report/pages.h"

namespace leeway::render::figures_test {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

View reference_view() { return tasks::view(tasks::test::reference_assessment()); }

// The figures of the reference view, written once for all tests.
struct ReferenceFigures {
  TemporaryFolder above;
  fs::path folder = above / "-figures";
  Figures written;

  // A package.json does not change what node draws.
  ReferenceFigures() {
    write_text(above / "package.json", R"({"type": "module"})");
    written = write_figures(reference_view(), folder);
  }

  static const ReferenceFigures& all() {
    static const ReferenceFigures figures;
    return figures;
  }
};

bool has_node() { return std::system("node --version >/dev/null 2>&1") == 0; }

TEST(Figures, AreWrittenOnceEach) {
  const auto& [above, folder, written] = ReferenceFigures::all();
  EXPECT_THAT(written.files, Contains(StartsWith("overview-")));
  EXPECT_THAT(written.files, Contains(EndsWith(".tex")));
  for (const std::string& name : written.files) {
    EXPECT_GT(fs::file_size(folder / name), 0u) << name;
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-"), name.npos) << name;
  }
  std::size_t there = 0;
  for (const auto& entry : fs::directory_iterator(folder)) there += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(there, written.files.size());
}

TEST(FiguresTier2, AreTheSameAgain) {
  const auto& [above, first, written] = ReferenceFigures::all();
  const TemporaryFolder second;
  ASSERT_EQ(write_figures(reference_view(), second.path()).files, written.files);
  for (const std::string& name : written.files)
    EXPECT_EQ(read_bytes(first / name), read_bytes(second.path() / name)) << name;
}

TEST(Figures, HoldFullDigitsAndIntervals) {
  const auto& [above, folder, written] = ReferenceFigures::all();
  std::string csv, latex;
  for (const std::string& name : written.files) {
    if (name.starts_with("overview-every-target") && name.ends_with(".csv")) csv = read_bytes(folder / name);
    if (name.starts_with("overview-") && name.ends_with(".tex")) latex = read_bytes(folder / name);
  }
  EXPECT_THAT(csv, HasSubstr(" low,"));
  EXPECT_THAT(csv, HasSubstr(",0.1816,0.17"));  // .1816, .174085 to .189296
  EXPECT_THAT(latex, HasSubstr("\\begin{tabular}{l"));
  EXPECT_THAT(latex, HasSubstr("18.2\\% 17.4--18.9"));
  EXPECT_THAT(latex, Not(HasSubstr("<span")));
}

TEST(Figures, OfNamesThatDifferByCaseOrSuffixAreApart) {
  tasks::Assess record = tasks::test::full_record(3, 1, 3);
  const std::vector<std::string> names = {"x 2", "X", "x"};
  for (auto& result : record.results)
    result.model = names.at(
        static_cast<std::size_t>(std::ranges::find(record.models, result.model) - record.models.begin()));
  record.models = names;
  const TemporaryFolder folder;
  const Figures written = write_figures(tasks::view(record), folder.path());
  EXPECT_THAT(written.files, Contains(HasSubstr("-x-3.csv")));
  EXPECT_EQ(std::set(written.files.begin(), written.files.end()).size(), written.files.size());
}

TEST(Figures, AreClaimedBeforeAnyIsWritten) {
  const TemporaryFolder folder;
  std::size_t claimed = 0;
  const auto third = [&](const fs::path&) {
    if (++claimed == 3) throw Error("an input");
  };
  EXPECT_THROW((void)write_figures(reference_view(), folder.path(), third), Error);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Figures, SayHowNodeEndedWithoutAWord) {
  const TemporaryFolder folder;
  write_text(folder / "node", "#!/bin/sh\nexit 3\n");
  fs::permissions(folder / "node", fs::perms::owner_all);
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder.path().c_str(), 1);
  EXPECT_THAT([&] { (void)write_figures(reference_view(), folder / "figures"); },
              ::testing::ThrowsMessage<std::runtime_error>("node: cannot draw the charts: exit code 3"));
  setenv("PATH", path.c_str(), 1);
}

TEST(Figures, NamesAreNoFormulasAndNoMacros) {
  tasks::Assess record = tasks::test::bare_record();
  record.targets[0] = record.results[0].target = "=SUM(A1,\"x\")\\y{}";
  const TemporaryFolder folder;
  std::string all, latex;
  for (const std::string& name : write_figures(tasks::view(record), folder.path()).files)
    (name.ends_with(".csv") ? all : latex) += read_bytes(folder.path() / name);
  EXPECT_THAT(all, HasSubstr("\"'=SUM(A1,\"\"x\"\")\\y{}\""));
  EXPECT_THAT(all, Not(HasSubstr("\"=SUM")));
  EXPECT_THAT(latex, HasSubstr("=SUM(A1,\"x\")\\textbackslash{}y\\{\\}"));
}

TEST(Figures, AreDrawnWithoutABrowser) {
  if (!has_node()) GTEST_SKIP() << "no program node";
  const auto& [above, folder, written] = ReferenceFigures::all();
  EXPECT_EQ(written.missing, "");
  std::size_t drawn = 0;
  for (const std::string& name : written.files)
    if (name.ends_with(".svg")) {
      const std::string svg = read_bytes(folder / name);
      EXPECT_THAT(svg, StartsWith("<svg")) << name;
      EXPECT_THAT(svg, HasSubstr("</svg>")) << name;
      EXPECT_THAT(svg, Not(HasSubstr("var(--"))) << name;
      EXPECT_THAT(svg, Not(HasSubstr("NaN"))) << name;
      ++drawn;
    }
  EXPECT_EQ(drawn, tasks::test::parts_of(reference_view()).charts.size());
}

TEST(Figures, HoldNoControlCharactersAndNoMarkup) {
  if (!has_node()) GTEST_SKIP() << "no program node";
  tasks::Assess record = tasks::test::reference_assessment();
  for (tasks::AssessResult& result : record.results) result.target += "\x01\x1b[2J<b>";
  for (std::string& target : record.targets) target += "\x01\x1b[2J<b>";
  const TemporaryFolder folder;
  std::string all;
  for (const std::string& name : write_figures(tasks::view(record), folder.path()).files)
    if (name.ends_with(".svg")) all += read_bytes(folder.path() / name);
  EXPECT_THAT(all, HasSubstr("\\x01\\x1b[2J&lt;b&gt;"));
  EXPECT_THAT(all, Not(HasSubstr("\x01")));
}

TEST(Figures, SayWhatIsMissingWithoutNode) {
  const TemporaryFolder folder;
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder.path().c_str(), 1);
  const Figures written = write_figures(reference_view(), folder.path() / "figures");
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(written.missing, "SVG files require the program node");
  EXPECT_THAT(written.files, Not(Contains(EndsWith(".svg"))));
  EXPECT_THAT(written.files, Contains(EndsWith(".csv")));
}

}  // namespace leeway::render::figures_test

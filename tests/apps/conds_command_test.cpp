// leeway conds draw and describe, from the command line to the files.
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "leeway/core/file.h"
#include "leeway/core/result.h"
#include "leeway/io/csv.h"
#include "tests/apps/run_command.h"

namespace leeway::conds_command_test {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class CondsCommand : public CommandTest {
 protected:
  // Every cell has 39 to 42 rows: a moves on with every three rows, b with every nine, y with every eighteen.
  static std::string table() {
    std::string text = "id,y,a,b\n";
    for (std::size_t k = 0; k < 720; ++k) {
      const std::size_t i = k * 7 % 720;
      text += std::to_string(i) + "," + std::string(1, "uvw"[i / 18 % 3]) + "," + std::to_string(i / 3 % 3) +
              "," + (i / 9 % 2 == 0 ? "big" : "small") + "\n";
    }
    return text;
  }

  CondsCommand() { write_text(folder_ / "table.csv", table()); }

  // split -> ids of the rows
  [[nodiscard]] std::map<std::string, std::set<std::string>> drawn(const std::string& split) const {
    const CsvTable rows = read_csv(folder_ / split), all = read_csv(folder_ / "table.csv");
    std::map<std::string, std::set<std::string>> result;
    for (std::size_t i = 0; i < rows.rows(); ++i)
      result[std::string(rows.columns[1][i])].emplace(
          all.columns[0][std::stoul(std::string(rows.columns[0][i]))]);
    return result;
  }
  const std::string draw_ = "conds draw --attributes table.csv ",
                    describe_ = "conds describe --permutations 499 --bootstrap 499 ";
};

TEST_F(CondsCommand, ThePlanSaysWhatEveryCellGivesAndDrawsNothing) {
  const Outcome said = good(draw_ + "--label y --sc a --ldd b --train 9 --val 3 --test 5 --plan");
  EXPECT_EQ(said.err, "");
  EXPECT_THAT(said.out, ContainsRegex(" 34 +11 +90 +0 +SC on a, LDD on b"));
  EXPECT_THAT(said.out, ContainsRegex("u  0  big +42 +9 +0 +3 +5 +0\n"));
  EXPECT_THAT(said.out, ContainsRegex("u  1  big +42 +0 +0 +0 +5 +0\n"));
  const Outcome lacking = good(draw_ + "--label y --sc a --ldd b --train 9 --val 3 --test 40 --plan");
  EXPECT_THAT(lacking.out, ContainsRegex("w  2  small +39 +0 +0 +0 +40 +1\n"));
}

TEST_F(CondsCommand, WritesASplitAndAManifest) {
  const std::string arguments =
      draw_ +
      "--label y --sc a --ldd b --order b=small,big --train 9 --val 3 --test 5 --seed 3 --out split.csv";
  const Outcome said = good(arguments);
  EXPECT_THAT(said.out, ContainsRegex(" 34 +11 +90 +0 "));
  const auto first = drawn("split.csv");
  EXPECT_EQ(first.at("train").size(), 34u);
  EXPECT_EQ(first.at("val").size(), 11u);
  EXPECT_EQ(first.at("test").size(), 90u);
  const Json manifest = read_record((folder_ / "split.manifest.json").string());
  EXPECT_EQ(manifest["seed"], 3);
  EXPECT_EQ(manifest["results"][0]["xxh3_128"], digest_file(folder_ / "split.csv"));
  EXPECT_EQ(run(arguments + " --seed 4").code, 2);  // given twice
}

TEST_F(CondsCommand, AllCasesAndAManifest) {
  const Json cases = record(draw_ + "--label y --columns a,b --all --train 4 --test 5 --out cases");
  EXPECT_EQ(cases, read_record((folder_ / "cases" / "manifest.json").string()));
  ASSERT_EQ(cases["results"].size(), 13u);
  EXPECT_EQ(cases["results"][7]["name"], "sc_ldd-0");
  EXPECT_EQ(cases["results"][7]["shifts"].dump(), R"({"sc":"a","ldd":"b","uds":null})");
}

TEST_F(CondsCommand, MistakesLeaveNoFile) {
  all_refused(
      draw_ + "--out split.csv ",
      {{"--sc a", 2, {"--label is required: the column of the labels"}},
       {"--label y", 2, {"--columns is required: the attributes"}},
       {"--label y --sc a --uds a", 2, {"--sc, --ldd, --uds: expected different attributes, found 'a'"}},
       {"--label y --sc c --columns a,b", 2, {"--sc: expected one of a, b, found 'c'"}},
       {"--label y --sc a --all", 2, {"--all cannot be combined with --sc, --ldd or --uds"}},
       {"--label y --sc a --order a", 2, {"--order: expected ATTRIBUTE=VALUE", "found 'a'"}},
       {"--label y --sc a --train 100", 3, {"table.csv: expected 120 rows of y=u, a=0", "found 84"}}});
  refused({draw_ + "--label y --sc a", 2, {"--out is required: the split to write"}});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "split.csv"));
}

TEST_F(CondsCommand, DescribeFindsWhatCondsMade) {
  good(draw_ + "--label y --sc a --ldd b --train 20 --val 1 --test 5 --out split.csv");
  const Outcome said = good(describe_ +
                            "--attributes table.csv --index split.csv --label y --columns a,b --out r.json "
                            "--report p.html");
  EXPECT_THAT(said.out,
              HasSubstr("Spurious correlation: y and a are correlated in the source (Cramer's V 0.9"));
  EXPECT_THAT(said.out, HasSubstr("of the target lies in cells that the source lacks"));
  good("report r.json --out again.html");
  EXPECT_EQ(read_bytes(folder_ / "again.html"), read_bytes(folder_ / "p.html"));
}

// Outputs without labels: their groups, divided by a split, are the two tables.
TEST_F(CondsCommand, DescribeGroupsOfOutputsWithoutLabels) {
  std::string outputs = "logit_0,logit_1,attr_place\n", split = "index,split\n";
  for (int i = 0; i < 200; ++i) {
    outputs += i < 100 || i % 2 == 0 ? "1,0,north\n" : "0,1,south\n";
    split += std::to_string(i) + (i < 100 ? ",train\n" : ",test\n");
  }
  write_text(folder_ / "outputs.csv", outputs), write_text(folder_ / "split.csv", split);
  const Json result = record(describe_ + "--outputs outputs.csv --index split.csv")["results"][0];
  EXPECT_EQ(result["n_source"], 100);
  EXPECT_EQ(result["columns"].size(), 1u);
  EXPECT_EQ(result["columns"][0]["uds"]["mass"], .5);
  EXPECT_EQ(result["accuracy"], nullptr);
}

TEST_F(CondsCommand, DescribeMistakes) {
  all_refused(
      describe_,
      {{"--source table.csv --attributes table.csv", 2, {"--source cannot be combined with --attributes"}},
       {"--source table.csv --index s.csv --columns a", 2, {"--index requires --attributes, not --source"}},
       {"", 2, {"expected --source, --attributes with --index, or --outputs"}},
       {"--source table.csv --label y", 2, {"--columns is required: the attributes"}},
       {"--attributes table.csv --label y --columns a", 2, {"--index is required with --attributes"}},
       {"--outputs o.csv --target table.csv", 2, {"--target requires --source"}},
       {"--outputs o.csv --label y", 2, {"--label and --columns require a table"}}});
}

}  // namespace leeway::conds_command_test

#include "leeway/tasks/assess/rows.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "leeway/io/csv.h"
#include "tests/core/files.h"

namespace leeway::assess::rows_test {

TEST(RowsFile, HasALineForEveryRow) {
  const std::vector<std::int64_t> labels{1, 0};
  const std::vector<std::int32_t> clean{1, 0}, shifted{1, 2};
  const std::vector<double> before{.75, 1}, after{.5, .1},
      agreements{-.5, -std::numeric_limits<double>::infinity()};
  const TemporaryFolder folder;
  const auto path = folder / "rows.csv";
  RowsFile file(path);
  file.write({"m, big", "noise", labels, clean, shifted, before, after, agreements});
  file.write({"m", "week", {}, {}, shifted, {}, after, {}});
  EXPECT_FALSE(std::filesystem::exists(path));
  file.commit();
  EXPECT_EQ(
      read_bytes(path),
      "model,target,row,label,clean_pred,shifted_pred,clean_confidence,shifted_confidence,agreement,flipped\n"
      "\"m, big\",noise,0,1,1,1,0.75,0.5,-0.5,0\n"
      "\"m, big\",noise,1,0,0,2,1,0.1,-inf,1\n"
      "m,week,0,,,1,,0.5,,\n"
      "m,week,1,,,2,,0.1,,\n");
}

// A spreadsheet runs a cell that begins so; numbers of our own, such as -0.5 and -inf, are none of those cells.
TEST(RowsFile, NamesThatASpreadsheetTakesForFormulasBeginWithAnApostrophe) {
  const std::vector<std::int32_t> classes{1};
  const std::vector<double> confidences{.5}, agreements{-.5};
  const TemporaryFolder folder;
  const auto path = folder / "rows.csv";
  const auto rows_of = [&](const std::string& model, const std::string& target) {
    RowsFile file(path);
    file.write({model, target, {}, classes, classes, confidences, confidences, agreements});
    file.commit();
    const std::string all = read_bytes(path);
    return all.substr(all.find('\n') + 1);
  };
  const std::string numbers = ",0,,1,1,0.5,0.5,-0.5,0\n";
  EXPECT_EQ(rows_of("=1+1", "@SUM(A1)"), "'=1+1,'@SUM(A1)" + numbers);
  EXPECT_EQ(rows_of("+1", "-1"), "+1,-1" + numbers);  // numbers
  EXPECT_EQ(rows_of("\t=1", "\r=1"), "'\t=1,\"'\r=1\"" + numbers);
  EXPECT_EQ(rows_of("=HYPERLINK(\"x\",\"y\")", "=a\nb"),
            "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\",\"'=a\nb\"" + numbers);
  EXPECT_EQ(rows_of("a=1", "1-2"), "a=1,1-2" + numbers);  // elsewhere they stay as they are
  EXPECT_EQ(rows_of("'=1", " =1"), "'=1, =1" + numbers);
}

TEST(RowsFile, OfManyRowsKeepsTheirOrder) {
  constexpr std::size_t n = 300000;  // more than one wave of blocks
  std::vector<std::int32_t> classes(n);
  std::vector<double> confidences(n, .5);
  for (std::size_t i = 0; i < n; ++i) classes[i] = static_cast<std::int32_t>(i % 7);
  const TemporaryFolder folder;
  const auto path = folder / "rows.csv";
  RowsFile file(path);
  file.write({"m", "t", {}, {}, classes, {}, confidences, {}});
  file.commit();
  const CsvTable table = read_csv(path);
  ASSERT_EQ(table.rows(), n);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(table.columns[2][i], std::to_string(i));
    ASSERT_EQ(table.columns[5][i], std::to_string(i % 7));
  }
}

}  // namespace leeway::assess::rows_test

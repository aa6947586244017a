// The page of leeway sweep report.
#include "leeway/record/sweep_report.h"

#include <gmock/gmock.h>

#include <string>

#include "leeway/report/detail/page_parts.h"
#include "tests/report/pages.h"

namespace leeway::report {
namespace {

using test::occurrences;
using test::page_of;
using test::reference_record;
using testing::HasSubstr;
using testing::Not;

Json swept() { return reference_record("sweep_report_record.json"); }

const PageTable& table_called(const PageParts& parts, const std::string& caption) {
  for (const PageTable& table : parts.tables)
    if (table.caption.find(caption) != std::string::npos) return table;
  throw std::runtime_error("no table " + caption);
}

TEST(SweepReportPage, SaysWhatWasFoundAndDrawsIt) {
  Json record = swept();
  record["algorithms"][0] = "<b>erm";
  record["roles"]["baseline"] = "<i>erm";
  const std::string page = page_of(record);
  EXPECT_THAT(page, testing::AllOf(Not(HasSubstr("<b>erm")), Not(HasSubstr("<i>erm"))));
  EXPECT_THAT(page, HasSubstr("ranks first of 6 algorithms"));
  EXPECT_THAT(page, HasSubstr("hyper-parameters chosen by source_accuracy"));
  for (const char* section :
       {"changes", "ranks", "cases", "starts", "choices", "ways", "curves", "runs", "source"})
    EXPECT_EQ(occurrences(page, std::string("<section id=\"") + section + "\""), 1u) << section;
  EXPECT_THAT(page, HasSubstr("From 0 to 3 concurrent shifts, accuracy goes from "));
  EXPECT_THAT(page, HasSubstr("Choosing hyper-parameters by the measure itself would change it by "));
}

// A map has a choice of settings and starts; each cell's number is that of the record.
TEST(SweepReportPage, TheMapHoldsTheRecordsNumbers) {
  const Json record = swept();
  const PageParts parts = parts_of(html_report(record));
  std::size_t maps = 0, cells = 0;
  for (const PageChart& chart : parts.charts) {
    if (chart.spec != "cells" || chart.section != "overview") continue;
    ++maps;
    cells += chart.content["data"]["cells"].size();
  }
  EXPECT_EQ(maps, 6u);  // two starts; both settings and their mean
  std::size_t known = 0;
  for (const Json& cell : record["results"]) known += cell["value"].is_null() ? 0 : 1;
  EXPECT_EQ(cells, known);
  const PageTable& table =
      table_called(parts, "Algorithms by cases: accuracy, mean of 2 settings, start none");
  ASSERT_EQ(table.rows.size(), record["algorithms"].size());
  EXPECT_NEAR(std::stod(*table.rows[0][1].value), record["results"][0]["value"].get<double>(), 1e-9);
  EXPECT_EQ(table.columns[1].title, "UNIFORM");
  EXPECT_TRUE(table.columns[1].interval);
}

}  // namespace
}  // namespace leeway::report

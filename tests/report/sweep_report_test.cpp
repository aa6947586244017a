// The page of leeway sweep report.
#include "leeway/record/sweep_report.h"

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

#include "leeway/report/detail/page_parts.h"
#include "tests/report/pages.h"

namespace leeway::report {
namespace {

using test::complaint;
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
  const std::string page = page_of(swept());
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

// Shares in one chart, the score in another; for all algorithms and each of them, from either start.
TEST(SweepReportPage, CurvesHoldTheRecordsNumbers) {
  const Json record = swept();
  const PageParts parts = parts_of(html_report(record));
  std::vector<const PageChart*> charts;
  for (const PageChart& chart : parts.charts)
    if (chart.section == "curves") charts.push_back(&chart);
  ASSERT_EQ(charts.size(), 7u * 2 * 2);
  std::map<std::string, std::vector<double>> drawn;
  for (const Json& point : charts[0]->content["data"]["points"])
    drawn[point["line"].get<std::string>()].push_back(point["y"].get<double>());
  std::map<std::string, std::vector<double>> told;
  for (const Json& curve : record["curves"])
    if (curve["algorithm"].is_null() && curve["start"] == record["starts"][0])
      for (const Json& point : curve["points"])
        told[record::curve_name(curve["column"].get<std::string>())].push_back(point["value"].get<double>());
  told.erase("selection score");
  ASSERT_EQ(drawn.size(), 2u);
  for (const auto& [name, values] : told) {
    ASSERT_EQ(values.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(drawn.at(name).at(i), values[i], 1e-5) << name;
  }
}

TEST(SweepReportPage, ACellWithoutRunsIsADashWithItsReason) {
  const std::string page = page_of(swept());
  EXPECT_THAT(page, HasSubstr("title=\"no such run in the table\""));
}

TEST(SweepReportPage, OneAlgorithmAndOneCaseMakeAShortPage) {
  Json record = swept();
  for (const char* list :
       {"changes", "case_means", "concurrency", "scratch", "ranks", "choices", "ways", "curves", "missing"})
    record[list] = Json::array();
  record["algorithms"] = {"erm"}, record["starts"] = {""}, record["settings"] = {""};
  record["cases"].erase(record["cases"].begin() + 1, record["cases"].end());
  Json cell = record["results"][0];
  cell["start"] = cell["setting"] = nullptr;
  record["results"] = Json::array({cell});
  const std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("Every run has a value"));
  EXPECT_THAT(page, Not(HasSubstr("<section id=\"ranks\"")));
}

TEST(SweepReportPage, TextIsEscapedAndNonsenseRefused) {
  Json record = swept();
  record["algorithms"][0] = "<b>erm";
  record["roles"]["baseline"] = "<i>erm";
  const std::string page = page_of(record);
  EXPECT_THAT(page, Not(HasSubstr("<b>erm")));
  EXPECT_THAT(page, Not(HasSubstr("<i>erm")));
  record["results"][0]["value_basis"] = "luck";
  EXPECT_EQ(complaint(record),
            "r.json: expected one of seeds, record, cases, none at results[0].value_basis, found 'luck'");
  record["results"] = Json::array();
  EXPECT_EQ(complaint(record), "r.json: expected at least one result, found none");
}

}  // namespace
}  // namespace leeway::report

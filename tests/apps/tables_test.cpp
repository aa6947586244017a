// Records as text for the terminal: rows of tables from made-up records, width, and why a dash is a dash.
#include "apps/leeway/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "apps/leeway/text_table.h"
#include "leeway/record/distances.h"
#include "leeway/record/mvn_cdf.h"
#include "leeway/tasks/assess.h"
#include "tests/record/average_case_records.h"
#include "tests/record/bound_evaluations.h"
#include "tests/record/bound_records.h"
#include "tests/record/pa_records.h"
#include "tests/record/select_records.h"
#include "tests/tasks/assess/made_outputs.h"

namespace leeway::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

// `text` as lines of which each holds its words, in this order.
void expect_lines(const std::string& text, const std::vector<std::string>& expected) {
  std::size_t at = 0;
  for (const std::string& line : expected) {
    const std::size_t found = text.find(line, at);
    EXPECT_NE(found, std::string::npos) << line << "\nin\n" << text;
    if (found != std::string::npos) at = found + line.size();
  }
}

TEST(TextTable, ColumnsAreAsWideAsTheirWidestCell) {
  TextTable table({left("name"), right("n", 4), left("note")});
  table.add("a", 1, "first");
  table.add("\u00e9t\u00e9s-long", 12345, "");
  table.add("", "the last cell of a short row");
  EXPECT_EQ(table.text(),
            "name          n  note\n"
            "a             1  first\n"
            "\u00e9t\u00e9s-long 12345\n"
            "          the last cell of a short row\n");
  table.drop(0);
  EXPECT_THAT(table.text(), StartsWith("    n  note\n"));
}

TEST(TextTable, LongNamesAreCutInTheirMiddle) {
  TextTable table({left("name", 0, 8), right("n")}, 2);
  table.add(std::string(60, 'a') + std::string(60, 'b'), 7);
  EXPECT_EQ(table.text().find('\n'), 100u);
  EXPECT_THAT(table.text(), HasSubstr("aa..bb"));
}

// `text` with single spaces holds the rows, in this order.
void expect_rows(const std::string& text, const std::vector<std::string>& rows) {
  std::string single;
  for (const char c : text)
    if (c != ' ' || (!single.empty() && single.back() != ' ' && single.back() != '\n')) single += c;
  expect_lines(single, rows);
}

TEST(Tables, OfPa) {
  record::Pa record = record::test::full_pa();
  record.options.summaries = true;
  expect_rows(
      table_of(record),
      {"shifted n k PA [95% interval] beta AFR(P) % AFR(T) %\n",
       "a: a/noise.npz 1000 10 1.2000 [1.2000, 1.2000] 1.5 70.00 60.00\n",
       "b: b/noise.npz 1000 10 0.8000 [0.8000, 0.8000] =1.5 70.00 60.00\n",
       "ratio shifted PA [interval] beta AFR(P) % AFR(T) %\n", "0 0 2.3026 [2.3026, 2.3026] 1.5 70.00 -\n",
       "1 1000 1.2000 [1.2000, 1.2000] 1.5 70.00 60.00\n", "shifted samples over beta clean shifted\n",
       "a: a/noise.npz 880 right 1 0.3000 0.9000\n", "shifted beta n clean, right n shifted, changed\n",
       "a: a/noise.npz 1 880 94.00 +- 0.10 300 89.00 +- 0.40\n"});
}

TEST(Tables, OfSelect) {
  expect_rows(table_of(record::test::full_select()),
              {"checkpoint PA [95% interval] beta accuracy % shifted % AFR(P) %",
               "run/e0.npz 0.5000 [0.5000, 0.5000] 1.5 80.00 60.00 70.00 <- shifted accuracy\n",
               "run/e1.npz 0.9000 [0.9000, 0.9000] 1.5 85.00 55.00 70.00 <- PA\n",
               "run/e2.npz 0.7000 [0.7000, 0.7000] 1.5 90.00 50.00 70.00 <- accuracy\n"});
}

TEST(Tables, OfBounds) {
  expect_rows(
      table_of(record::test::ranged_bound()),
      {"method error % [95% interval]", "dis2 48.79 upper bound upper bound with probability 0.99\n",
       "dis2-estimate 42.00 - without chance\n", "ac 20.00 [18.80, 21.20] an estimate\n",
       "atc-ne 28.00 [26.00, 30.00] an estimate\n", "source 10.40 [9.57, 11.28]", "target 23.50 -",
       "10.00 error on the source + 32.00 discrepancy + 6.79 concentration = 48.79\n",
       "hoeffding 6.79 bound 48.79\n", "empirical-bernstein 5.00 bound 47.00\n",
       "components validity bound % estimate %", "20 0.9000 48.79 42.00\n", "5 0.9500 48.79 42.00 chosen\n"});
  expect_rows(table_of(record::test::evaluation()),
              {"method adjusted MAE, points coverage % [95% interval] overest., points\n",
               "cot - 13.33 66.67 [10.00, 99.00] 30.00\n"});
}

TEST(Tables, OfAverageCase) {
  expect_rows(table_of(record::test::full_average_case()),
              {"method sigma mean % [95% interval] 1 in 20 median MC error seconds",
               "mmse 0.1 90.00 [88.00, 92.00] 50.00 95.00 0.90 0.20\n",
               "mmse 0.2 80.00 [78.00, 82.00] 40.00 85.00 0.90 0.20\n",
               "softmax 0.1 70.00 [68.00, 72.00] 30.00 75.00 20.00 0.20 (score)\n",
               "mc 0.2 81.00 [79.00, 83.00] 41.00 86.00 - 0.20\n",
               "mmse at sigma 0.2: 3 of 40 samples exceed the tolerance\n"});
}

TEST(Tables, OfDistances) {
  record::Distances record;
  for (const char* name : {"moved.npz", "longer.npz"}) {
    record::DistancesSet set{name, 100, 100, 3, {}, {}, {}, {}};
    set.distances = {{"kl", record.results.empty() ? .5 : .25}, {"mmd", std::nullopt}, {"centroid", 2.5}};
    set.not_computed = {{"mmd", "it has no features"}};
    record.results.push_back(set);
  }
  record.results[1].distances["centroid"].reset();
  record.results[1].not_computed["centroid"] = "it has no labels";
  record.envelope.findings = {"a doubt"};
  expect_rows(table_of(record),
              {"a doubt\n", "shifted kl centroid mmd\n", "moved.npz 0.5 2.5 -\n", "longer.npz 0.25 - -\n",
               "- mmd: it has no features\n", "- centroid: it has no labels\n"});
}

TEST(Tables, OfMvnCdf) {
  record::MvnCdf record;
  record.results.assign(21, {.25, std::log(.25), 2e-5, 1e-4, 512, true, average_case::MvnMethod::one_factor});
  record.results[1].converged = false;
  expect_rows(table_of(record),
              {"point probability +- (99%) log points method\n", "0 0.25 2e-05 -1.38629 512 one-factor\n",
               "1 0.25", "(not converged)\n", "19 0.25", "... 1 more: --json or --out\n"});
}

record::Assess assessed(const std::vector<tasks::AssessSource>& sources,
                        const std::vector<tasks::AssessTarget>& targets) {
  return tasks::assess({.sources = sources, .targets = targets});
}

// n rows of four classes; every fifth prediction is wrong.
Outputs made(std::size_t n, bool with_labels) {
  std::vector<int> classes(n);
  std::vector<std::int64_t> labels(n);
  for (std::size_t i = 0; i < n; ++i) {
    labels[i] = static_cast<std::int64_t>(i % 4);
    classes[i] = static_cast<int>(i % 5 == 0 ? (i + 1) % 4 : i % 4);
  }
  const Outputs outputs = assess::outputs_of(classes, 4);
  return with_labels ? assess::labelled(outputs, labels) : outputs;
}

TEST(AssessTable, TellsShiftsOfGroupsAndWhatWasLeftOut) {
  record::Assess record = assessed({{"a", made(1000, true)}, {"b", made(1000, true)}},
                                   {{"a", "week", made(900, true)}, {"b", "week", made(900, true)}});
  EXPECT_THAT(assess_text(record), Not(HasSubstr("Shifts of labels and groups")));
  record.shifts = {{{"a", "b"}, "week", {"user"}, {}}, {{"b"}, "", {}, {}}};
  for (record::AssessShifts& one : record.shifts) one.shifts.description.tests = 8;
  for (const char* text : {"one", "two", "three", "four"})
    record.shifts[1].shifts.description.findings.push_back({conds::ShiftKind::sc, "", .5, text});
  expect_lines(assess_text(record),
               {"week: none found in 8 tests\n", "week: left out (too many cells): user\n",
                "source alone (b): one\n", "source alone (b): three\n", "source alone (b): and 1 more\n"});
}

TEST(AssessTable, HasOneLineAResultAndSaysWhyADashIsADash) {
  const std::string text =
      assess_text(assessed({{"model", made(1000, true)}},
                           {{"model", "noise", made(1000, true)}, {"model", "week", made(900, false)}}));
  expect_lines(
      text,
      {"target     n  source    accuracy [95%]    AFR",
       "noise   1000    80.0  80.0 [77.4 82.4]  100.0  1.386 [1.358 1.386]   inf",
       "week     900    80.0                 -      -", "-  accuracy: the target has no labels (week)\n",
       "-  AFR, agreement, beta: source and target are different samples: 1000 rows and 900 (week)\n"});
  EXPECT_THAT(text, Not(HasSubstr("model  ")));  // one model needs no column
}

TEST(AssessTable, SaysWhyAnIntervalIsLeftOut) {
  Outputs right = assess::outputs_of(std::vector<int>(40, 0), 2);
  right.labels = std::vector<std::int64_t>(40, 0);
  const std::string text = assess_text(assessed({{"model", right}}, {{"model", "week", right}}));
  expect_lines(
      text,
      {"-  interval of balanced accuracy: no rows of class 1; the mean leaves out 1 of 2 classes (week)\n",
       "-  interval of log loss: no error observed (week)\n",
       "-  interval of log loss on the source: no error observed (week)\n"});
  EXPECT_THAT(text, Not(HasSubstr("nan")));
}

TEST(AssessTable, FitsAHundredColumnsAndAScreen) {
  const std::string many = "a model with a name that goes on and on, as names do",
                    other = "größeres Modell №2 mit Umlauten";
  const std::string shift = "a shift that somebody described in one whole long sentence";
  std::string text =
      assess_text(assessed({{many, made(1000, true)}, {other, made(1000, true)}},
                           {{many, shift, made(1000, true)}, {other, shift, made(1000, true)}}));
  for (const std::string& line : lines(text)) {
    const auto columns = std::ranges::count_if(line, [](char c) { return (c & 0xc0) != 0x80; });
    EXPECT_LE(columns, 100) << line;
  }
  EXPECT_THAT(text, HasSubstr(".."));
  Outputs hours = made(2000, true);
  hours.times = Times{{}, TimeForm::local};
  for (int i = 0; i < 2000; ++i) hours.times->values.push_back(3600 * i);
  tasks::AssessTask task{.sources = {{"model", made(400, true)}}, .targets = {{"model", "prod", hours, {}}}};
  task.options.chunk = "2h", task.options.no_bounds = true;
  text = assess_text(tasks::assess(task));
  EXPECT_THAT(text, HasSubstr("prod: 1000 chunks from 1970-01-01T00:00 to 1970-03-25T06:00"));
  EXPECT_LT(lines(text).size(), 60u);
}

}  // namespace
}  // namespace leeway::app

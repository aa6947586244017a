#include "apps/leeway/assess_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "leeway/tasks/assess.h"
#include "tests/tasks/assess/made_outputs.h"

namespace leeway::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Sources = std::vector<tasks::AssessSource>;
using Targets = std::vector<tasks::AssessTarget>;

record::Assess assessed(const Sources& sources, const Targets& targets) {
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

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

TEST(Table, TellsShiftsOfGroupsAndWhatWasLeftOut) {
  record::Assess record = assessed({{"a", made(1000, true)}, {"b", made(1000, true)}},
                                   {{"a", "week", made(900, true)}, {"b", "week", made(900, true)}});
  EXPECT_THAT(assess_text(record), Not(HasSubstr("Shifts of labels and groups")));
  record.shifts = {{{"a", "b"}, "week", {"user"}, {}}, {{"b"}, "", {}, {}}};
  for (record::AssessShifts& one : record.shifts) one.shifts.description.tests = 8;
  for (const char* text : {"one", "two", "three", "four"})
    record.shifts[1].shifts.description.findings.push_back({conds::ShiftKind::sc, 0, .5, text});
  const std::string text = assess_text(record);
  EXPECT_THAT(text, HasSubstr("week: none found in 8 tests\nweek: left out for too many cells: user\n"));
  EXPECT_THAT(text, HasSubstr("source alone (b): one\nsource alone (b): two\nsource alone (b): three\n"
                              "source alone (b): and 1 more\n"));
}

TEST(Table, HasOneLineAResultAndSaysWhyADashIsADash) {
  const std::string text =
      assess_text(assessed({{"model", made(1000, true)}},
                           {{"model", "noise", made(1000, true)}, {"model", "week", made(900, false)}}));
  EXPECT_THAT(text, HasSubstr("target     n  source    accuracy [95%]    AFR"));
  EXPECT_THAT(text, HasSubstr("noise   1000    80.0  80.0 [77.4 82.4]  100.0  1.386 [1.358 1.386]   inf"));
  EXPECT_THAT(text, HasSubstr("week     900    80.0                 -      -"));
  EXPECT_THAT(text, HasSubstr("-  accuracy: the target has no labels (week)\n"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "-  AFR, agreement, beta: source and target are different samples: 1000 rows and 900 (week)\n"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("model  ")));  // one model needs no column
}

TEST(Table, FitsAHundredColumns) {
  const std::string many = "a model with a name that goes on and on, as names do",
                    other = "größeres Modell №2 mit Umlauten";
  const std::string shift = "a shift that somebody described in one whole long sentence";
  const std::string text =
      assess_text(assessed({{many, made(1000, true)}, {other, made(1000, true)}},
                           {{many, shift, made(1000, true)}, {other, shift, made(1000, true)}}));
  for (const std::string& line : lines(text)) {
    const auto columns = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; });
    EXPECT_LE(columns, 100) << line;
  }
  EXPECT_THAT(text, HasSubstr(".."));
}

}  // namespace
}  // namespace leeway::app

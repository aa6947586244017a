// Times as files hold them: the calendar against a walk over all days, forms, and what is refused.
#include "leeway/core/times.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>

#include "tests/core/outputs_folder.h"

namespace leeway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

double seconds(std::string_view text) {
  const auto parsed = parse_time(text);
  return parsed ? parsed->seconds : std::nan("");
}

TEST(ParseTime, CountsEveryDayOfTheCalendar) {
  double day = seconds("0001-01-01") / 86400;
  EXPECT_EQ(day, -719162);
  for (int year = 1; year <= 9999; ++year) {
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    const int lengths[] = {31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    for (int month = 1; month <= 12; ++month) {
      const std::string first = fmt::format("{:04}-{:02}-", year, month);
      ASSERT_EQ(seconds(first + "01"), 86400 * day) << first;
      ASSERT_EQ(day_text(86400 * day), first + "01");
      day += lengths[month - 1];
      ASSERT_TRUE(std::isnan(seconds(fmt::format("{}{}", first, lengths[month - 1] + 1)))) << first;
    }
  }
  EXPECT_EQ(seconds("1970-01-01"), 0);
  EXPECT_EQ(seconds("9999-12-31T23:59:59.5Z"), 253402300799.5);
}

TEST(TimeText, CutsFractionsOff) {
  EXPECT_EQ(day_text(1772409599.9), "2026-03-01");
  EXPECT_EQ(minute_text(1772323200), "2026-03-01T00:00");
  EXPECT_EQ(minute_text(1772323261.7), "2026-03-01T00:01:01");
  EXPECT_EQ(minute_text(-.5), "1969-12-31T23:59:59");
}

TEST(ParseTime, ReadsFormsAndTakesZonesOff) {
  for (const char* text :
       {"2026-03-01T12:30", "2026-03-01 12:30:00", "2026-03-01t12:30:00.000", "2026-03-01T12:30:00,0",
        " 2026-03-01T12:30 ", "2026-03-01T12:30Z", "2026-03-01T12:30z", "2026-03-01T14:30+02:00",
        "2026-03-01T14:30:00+0200", "2026-03-01T14:30+02", "2026-02-28T23:00-13:30"})
    EXPECT_EQ(seconds(text), 1772368200) << text;
  EXPECT_EQ(parse_time("2026-03-01")->form, TimeForm::date);
  EXPECT_EQ(parse_time("2026-03-01T00:00")->form, TimeForm::local);
  EXPECT_EQ(parse_time("2026-03-01T00:00-00:00")->form, TimeForm::zoned);
  EXPECT_NEAR(seconds("2026-03-01T12:30:00.123456789"), 1772368200.123456789, 1e-6);
}

// A leap second is a time of its own day, at any zone, and stands nowhere else.
TEST(ParseTime, KeepsLeapSecondsInTheirDay) {
  EXPECT_EQ(seconds("2016-12-31T23:59:60Z"), seconds("2016-12-31T23:59:59Z"));
  EXPECT_EQ(seconds("2017-01-01T08:59:60+09:00"), seconds("2016-12-31T23:59:59Z"));
  EXPECT_LT(seconds("2016-12-31T23:59:60.999999999999Z"), seconds("2017-01-01T00:00Z"));
  EXPECT_TRUE(std::isnan(seconds("2016-12-31T22:59:60Z")));
  EXPECT_TRUE(std::isnan(seconds("2017-01-01T23:59:60+09:00")));
  EXPECT_TRUE(std::isnan(seconds("2016-12-31T23:59:61Z")));
}

TEST(ParseTime, RefusesAllElse) {
  std::istringstream texts(
      " |nan|NaT|now|2026|2026-03|2026-3-1|20260301|26-03-01|2026-02-29|2026-13-01|2026-00-10|"
      "2026-01-00|0000-01-01|10000-01-01|-2026-01-01|+2026-01-01|2026-W05|2026-W05-1|2026-060|"
      "2026-03-01T|2026-03-01T24:00|2026-03-01T12|2026-03-01T12:60|2026-03-01T1:30|"
      "2026-03-01T12:30:|2026-03-01T12:30:00.|2026-03-01T12:30:00.x|2026-03-01T12:30ZZ|"
      "2026-03-01T12:30+2|2026-03-01T12:30+24:00|2026-03-01T12:30+02:60|"
      "2026-03-01T12:30 +02:00|2026-03-01  12:30|2026-03-01x|01/03/2026|2026/03/01|"
      "2026-03-01T12:30 CET|２026-03-01|0001-01-01T00:00+01:00|9999-12-31T23:59:59-01:00");
  for (std::string text; std::getline(texts, text, '|');) EXPECT_TRUE(std::isnan(seconds(text))) << text;
  EXPECT_TRUE(std::isnan(seconds("")));
}

std::string refused(const std::vector<std::string>& texts) {
  return message_of([&] { (void)times_of(texts, "p.csv: time"); });
}

TEST(Times, NamesTheRowAndTheValue) {
  EXPECT_THAT(refused({"2026-03-01", ""}), HasSubstr("found nothing at row 1"));
  EXPECT_THAT(refused({"1", "nan"}), HasSubstr("found 'nan' at row 1"));
  EXPECT_THAT(refused({"inf"}), HasSubstr("found 'inf' at row 0"));
  EXPECT_THAT(refused({"1", "2026-03-01"}),
              HasSubstr("expected numbers, as at row 0, found '2026-03-01' at row 1"));
  EXPECT_THAT(refused({"2026-03-01", "7"}), HasSubstr("expected dates, as at row 0, found '7' at row 1"));
  EXPECT_THAT(refused({"2026-03-01", "2026-03-01T12:00"}), HasSubstr("expected dates, as at row 0"));
  EXPECT_THAT(refused({"2026-03-01T12:00Z", "2026-03-01T12:00"}),
              HasSubstr("expected date-times with a zone, as at row 0, found '2026-03-01T12:00' at row 1"));
  EXPECT_THAT(refused({"2026-03-01\n"}), HasSubstr("found '2026-03-01\\x0a' at row 0"));
}

TEST(Times, OfArrays) {
  EXPECT_THAT(times_of(make_array<std::int64_t>({2}, {1772368200, -5}), "t").values,
              ElementsAre(1772368200, -5));
  EXPECT_THAT(times_of(make_text_array({1, 1}, {"1970-01-02"}), "t").values, ElementsAre(86400));
  const auto refused_array = [](const Array& array) {
    return message_of([&] { (void)times_of(array, "t"); });
  };
  EXPECT_THAT(refused_array(make_array<double>({1}, {std::numeric_limits<double>::quiet_NaN()})),
              HasSubstr("expected finite times, found nan at row 0"));
  EXPECT_THAT(refused_array(make_array<double>({1, 2}, {1, 2})), HasSubstr("shape (n)"));
}

OutputsOptions timed(std::optional<std::string> column = {}) {
  OutputsOptions options;
  options.columns.times = true, options.columns.time = std::move(column);
  return options;
}

using TimesOfOutputs = testing::OutputsFolder;

TEST_F(TimesOfOutputs, ComeFromTheColumnOfThatNameWhereAskedFor) {
  const char* const csv = "Timestamp,logit_0,logit_1\n2026-03-02,1,0\n2026-03-01,0,1\n";
  EXPECT_THAT(read_table(csv, timed()).times->values, ElementsAre(1772409600, 1772323200));
  EXPECT_FALSE(read_table(csv, {}).times);
  EXPECT_THAT(read_table("when,date,logit_0,logit_1\n5,x,1,0\n", timed("when")).times->values,
              ElementsAre(5));
}

TEST_F(TimesOfOutputs, AreRefusedInOneLine) {
  EXPECT_THAT(
      table_error("logit_0,logit_1\n1,0\n", timed()),
      HasSubstr("expected a column time, timestamp, datetime or date (--time-column selects another)"));
  EXPECT_THAT(table_error("date,time,logit_0,logit_1\n1,1,1,0\n", timed()),
              HasSubstr("select it with --time-column"));
  EXPECT_THAT(table_error("logit_0,logit_1\n1,0\n", timed("when")), HasSubstr("(--time-column)"));
  EXPECT_THAT(table_error("time,logit_0,logit_1\n2026-02-30,1,0\n", timed()),
              HasSubstr("'2026-02-30' at row 0"));
}

}  // namespace
}  // namespace leeway

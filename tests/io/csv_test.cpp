#include "leeway/io/csv.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>

#include "leeway/io/times.h"
#include "leeway/io/toml.h"
#include "tests/core/files.h"
#include "tests/io/outputs_folder.h"
#include "tests/message_of.h"

namespace leeway::csv_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = TomlEntry::Kind;
using TimesOfOutputs = testing::OutputsFolder;

std::string csv_error(std::string_view text) {
  return message_of([&] { static_cast<void>(parse_csv(text, "a.csv")); });
}

TEST(Csv, PlainTable) {
  const auto table = parse_csv("a, b ,c\n1,2,3\r\n4,5 , x\n", "a.csv");
  EXPECT_THAT(table.header, ElementsAre("a", "b", "c"));
  ASSERT_EQ(table.rows(), 2u);
  EXPECT_THAT(table.columns[1], ElementsAre("2", "5 "));
  EXPECT_THAT(table.columns[2], ElementsAre("3", " x"));
  EXPECT_EQ(table.find("c"), 2u);
  EXPECT_EQ(table.find("d"), std::nullopt);
}

TEST(Csv, QuotesAndEnds) {
  const auto table = parse_csv("\xef\xbb\xbf\"a,1\",b\n\"x \"\"y\"\"\",\"two\nlines\"\n,\n\n\r\n", "a.csv");
  EXPECT_THAT(table.header, ElementsAre("a,1", "b"));
  EXPECT_THAT(table.columns[0], ElementsAre("x \"y\"", ""));
  EXPECT_THAT(table.columns[1], ElementsAre("two\nlines", ""));
  EXPECT_EQ(parse_csv("a\n1", "x").rows(), 1u);
  EXPECT_EQ(parse_csv("a\n", "x").rows(), 0u);
  EXPECT_EQ(parse_csv("a", "x").rows(), 0u);
  EXPECT_EQ(parse_csv("a,b\n1,", "x").columns[1].at(0), "");
  EXPECT_EQ(parse_csv("a\n\"\"\n", "x").rows(), 1u);
  for (const std::string text : {"", "a,b", "\"", "a \"b\"", "a\nb", "\r", " a "})
    EXPECT_EQ(parse_csv("x,y\n" + csv_field(text) + ",\n", "x").columns[0].at(0), text);
}

TEST(Csv, Refused) {
  EXPECT_EQ(csv_error(""), "a.csv: expected a header line and rows, found an empty file");
  EXPECT_EQ(csv_error("\n\n"), "a.csv: expected a header line and rows, found an empty file");
  EXPECT_EQ(csv_error("1,2\n3,4\n"), "a.csv: expected a header line, found a first line of numbers");
  EXPECT_REFUSED(CsvRecords("a,b,a\n", "a.csv").column("a"), "a.csv: expected unique ... found 'a' twice");
  EXPECT_EQ(csv_error("a,b\n1,2\n3\n"), "a.csv: expected 2 fields, as in the header, found 1 in line 3");
  EXPECT_THAT(csv_error("a,b\n1,2,3\n"), Says("a.csv: expected 2 fields... found more fields in line 2"));
  EXPECT_EQ(csv_error("a,b\n1,2\n\n3,4\n"), "a.csv: expected 2 fields, as in the header, found 1 in line 3");
  EXPECT_EQ(csv_error("a,b,c\n1,"), "a.csv: expected 3 fields, as in the header, found 2 in line 2");
  EXPECT_EQ(csv_error("a,b\n\"1,2\n"), "a.csv: expected a closing quote, found none for the quote in line 2");
  EXPECT_THAT(csv_error("a\n\"x\ny\"\nz\"\n"), HasSubstr("a quote inside a field in line 4"));
  EXPECT_THAT(csv_error("a\n\"x\"y\n"), HasSubstr("found 'y' in line 2"));
  EXPECT_THAT(csv_error("a\rb\r"), Says("a.csv: expected a comma or the end of ... found '\\x0d' in line 1"));
  EXPECT_THAT(csv_error(std::string_view("a\n\0", 3)), HasSubstr("found other bytes in line 2"));
  EXPECT_THAT(csv_error("a\n\xff"), HasSubstr("windows-1252"));
  EXPECT_THAT(csv_error("a\n\xff"), HasSubstr("found other bytes in line 2"));
}

TEST(Csv, Numbers) {
  const auto table = parse_csv("x\n1\n -2.5e3 \n+.5\nnan\ninf\n1e-400\n", "a.csv");
  const auto values = csv_numbers(table, 0, "a.csv");
  EXPECT_THAT(std::vector(values.begin(), values.begin() + 3), ElementsAre(1.0, -2500.0, 0.5));
  EXPECT_TRUE(std::isnan(values[3]));
  EXPECT_TRUE(std::isinf(values[4]));
  EXPECT_EQ(values[5], 0.0);
  // An underflow is 0; what float64 cannot hold is no number, whatever the sign of its exponent.
  const std::string digits(400, '9');
  for (const std::string& small : {std::string("1e-400"), std::string(400, '0') + "1e-400"})
    EXPECT_EQ(parse_number(small), 0.) << small;
  EXPECT_EQ(parse_number("0." + std::string(400, '0') + "1"), 0.);
  EXPECT_EQ(parse_number("-" + digits + "e-800"), 0.);
  EXPECT_EQ(parse_number("1e-99999999999999999999"), 0.);
  for (const std::string& large : std::vector<std::string>{digits, digits + "e-5", "0.001e400",
                                                           "1e99999999999999999999", "-" + digits + ".5"})
    EXPECT_EQ(parse_number(large), std::nullopt) << large;
  EXPECT_EQ(parse_number(digits + "e-399"), std::stod(digits + "e-399"));
  for (const char* bad : {"one", "1x", "1e400", "0x10", "1,5", "+-1", "--1", "1 2"})
    EXPECT_EQ(parse_number(bad), std::nullopt) << bad;
  EXPECT_REFUSED(csv_numbers(parse_csv("x,y\n1,2\n3,\n", ""), 1, "a.csv"),
                 "a.csv: expected numbers in column 'y', found '' at row 1");
}

// Spreadsheets evaluate what begins with = or a sign, unless it is a number.
TEST(CsvName, NeutralizesFormulasAlone) {
  for (const char* const number : {"-1", "-0.5 +2 nan", "-inf", "a=b"}) EXPECT_EQ(csv_name(number), number);
  for (const std::string formula : {"=A1", "-1 +A1", "@A1", "-"}) EXPECT_EQ(csv_name(formula), "'" + formula);
}

TEST(ParseFraction, IsANumberOrOneOverAnother) {
  EXPECT_EQ(parse_fraction("0.25"), .25);
  EXPECT_EQ(parse_fraction("8/255"), 8. / 255);
  EXPECT_EQ(parse_fraction("-1/4"), -.25);
  for (const char* const bad : {"", "/", "8/", "/255", "8/0", "0/0", "1/2/3", "nan", "inf", "1/inf", "x"})
    EXPECT_EQ(parse_fraction(bad), std::nullopt) << bad;
}

TEST(Toml, KeepsOrderTablesAndText) {
  const auto entries = parse_toml(
      "seed = 3\n"
      "level = 0.1\n"
      "[pa]\n"
      "ratios = \"0:1:0.1\"\n"
      "  quiet = true\n"
      "[assess]\n"
      "fail-if = [\"a<1\", 'b<2']\n"
      "mean = [1, 2.5, -inf]\n"
      "json = false\n"
      "images = []\n",
      "run.toml");
  ASSERT_EQ(entries.size(), 8U);
  EXPECT_EQ(entries[0].table, "");
  EXPECT_EQ(entries[0].key, "seed");
  EXPECT_EQ(entries[0].kind, Kind::scalar);
  EXPECT_THAT(entries[0].values, ElementsAre("3"));
  EXPECT_THAT(entries[1].values, ElementsAre("0.1"));
  EXPECT_EQ(entries[2].table, "pa");
  EXPECT_THAT(entries[2].values, ElementsAre("0:1:0.1"));
  EXPECT_EQ(entries[2].place, "run.toml: line 4, column 1");
  EXPECT_EQ(entries[3].kind, Kind::boolean);
  EXPECT_THAT(entries[3].values, ElementsAre("true"));
  EXPECT_EQ(entries[3].place, "run.toml: line 5, column 3");
  EXPECT_EQ(entries[4].kind, Kind::list);
  EXPECT_THAT(entries[4].values, ElementsAre("a<1", "b<2"));
  EXPECT_THAT(entries[5].values, ElementsAre("1", "2.5", "-inf"));
  EXPECT_THAT(entries[6].values, ElementsAre("false"));
  EXPECT_TRUE(entries[7].values.empty());
  EXPECT_TRUE(parse_toml("", "empty.toml").empty());
}

TEST(Toml, NumbersKeepEveryDigit) {
  const auto entries = parse_toml("a = 0.1234567890123456789\nb = 9223372036854775807\nc = 0xff\n", "f");
  EXPECT_EQ(std::stod(entries[0].values[0]), 0.1234567890123456789);
  EXPECT_EQ(entries[1].values[0], "9223372036854775807");
  EXPECT_EQ(entries[2].values[0], "255");
}

TEST(Toml, RefusesOtherValues) {
  const auto message = [](const std::string& text) {
    return message_of([&] { (void)parse_toml(text, "f.toml"); });
  };
  EXPECT_THAT(message("seed = \nout = 1"), HasSubstr("line 1, column 8: expected TOML, found an error ("));
  EXPECT_THAT(message("a = 1\na = 2\n"), HasSubstr("f.toml: line 2"));
  EXPECT_THAT(message("a = \"\xff\"\n"), HasSubstr("f.toml: line 1"));
  EXPECT_THAT(message("when = 1979-05-27T.7:32:00Z\n"), HasSubstr("f.toml: line 1"));
  EXPECT_THAT(message("\uFEFE = 1\n"), HasSubstr("f.toml: line 1"));
  EXPECT_THAT(message("\nwhen = 1979-05-27\n"), HasSubstr("found a date or time"));
  EXPECT_THAT(message("[bound]\n[bound.evaluate.deep]\nx = 1\n"), HasSubstr("found a table"));
  EXPECT_THAT(message("a = [1, [2]]\n"), HasSubstr("a number in a list, found a list"));
  EXPECT_THAT(message("a = [true]\n"), HasSubstr("found a boolean"));
  EXPECT_THAT(message("a = \"x\\u0000\"\n"), Says("f.toml: line 1, column 5: expected a ... found 'x\\x00'"));
}

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
  EXPECT_THAT(refused({"1", "2026-03-01"}), HasSubstr("numbers, as at row 0, found '2026-03-01' at row 1"));
  EXPECT_THAT(refused({"2026-03-01", "7"}), HasSubstr("expected dates, as at row 0, found '7' at row 1"));
  EXPECT_THAT(refused({"2026-03-01", "2026-03-01T12:00"}), HasSubstr("expected dates, as at row 0"));
  EXPECT_THAT(refused({"2026-03-01T12:00Z", "2026-03-01T12:00"}), HasSubstr("'2026-03-01T12:00' at row 1"));
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
  EXPECT_THAT(refused_array(make_array<double>({1}, {-1.1e300})), HasSubstr("found -1.1e+300 at row 0"));
  EXPECT_THAT(refused_array(make_array<double>({1, 2}, {1, 2})), HasSubstr("shape (n)"));
}

OutputsOptions timed(std::optional<std::string> column = {}) {
  OutputsOptions options;
  options.columns.times = true, options.columns.time = std::move(column);
  return options;
}

TEST_F(TimesOfOutputs, ComeFromTheColumnOfThatNameWhereAskedFor) {
  const char* const csv = "Timestamp,logit_0,logit_1\n2026-03-02,1,0\n2026-03-01,0,1\n";
  EXPECT_THAT(read_table(csv, timed()).times->values, ElementsAre(1772409600, 1772323200));
  EXPECT_FALSE(read_table(csv, {}).times);
  EXPECT_THAT(read_table("when,date,logit_0,logit_1\n5,x,1,0\n", timed("when")).times->values,
              ElementsAre(5));
}

TEST_F(TimesOfOutputs, AreRefusedInOneLine) {
  EXPECT_THAT(table_error("logit_0,logit_1\n1,0\n", timed()), HasSubstr("(--time-column selects another)"));
  EXPECT_THAT(table_error("date,time,logit_0,logit_1\n1,1,1,0\n", timed()),
              HasSubstr("select it with --time-column"));
  EXPECT_THAT(table_error("logit_0,logit_1\n1,0\n", timed("when")), HasSubstr("(--time-column)"));
  EXPECT_THAT(table_error("time,logit_0,logit_1\n2026-02-30,1,0\n", timed()),
              HasSubstr("'2026-02-30' at row 0"));
}

}  // namespace leeway::csv_test

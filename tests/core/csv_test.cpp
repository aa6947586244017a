#include "leeway/core/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "tests/core/files.h"

namespace leeway {
namespace {

using ::testing::ElementsAre;

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
}

TEST(Csv, Refused) {
  EXPECT_EQ(csv_error(""), "a.csv: expected a header line and rows, found an empty file");
  EXPECT_EQ(csv_error("\n\n"), "a.csv: expected a header line and rows, found an empty file");
  EXPECT_EQ(csv_error("1,2\n3,4\n"), "a.csv: expected a header line, found a first line of numbers");
  EXPECT_EQ(message_of([] { (void)CsvRecords("a,b,a\n", "a.csv").column("a"); }),
            "a.csv: expected unique column names, found 'a' twice");
  EXPECT_EQ(csv_error("a,b\n1,2\n3\n"), "a.csv: expected 2 fields, as in the header, found 1 in line 3");
  EXPECT_EQ(csv_error("a,b\n1,2,3\n"),
            "a.csv: expected 2 fields, as in the header, found more fields in line 2");
  EXPECT_EQ(csv_error("a,b\n1,2\n\n3,4\n"), "a.csv: expected 2 fields, as in the header, found 1 in line 3");
  EXPECT_EQ(csv_error("a,b,c\n1,"), "a.csv: expected 3 fields, as in the header, found 2 in line 2");
  EXPECT_EQ(csv_error("a,b\n\"1,2\n"), "a.csv: expected a closing quote, found none for the quote in line 2");
  EXPECT_THAT(csv_error("a\n\"x\ny\"\nz\"\n"),
              ::testing::HasSubstr("found a quote inside a field in line 4"));
  EXPECT_THAT(csv_error("a\n\"x\"y\n"), ::testing::HasSubstr("found 'y' in line 2"));
  EXPECT_EQ(csv_error("a\rb\r"),
            "a.csv: expected a comma or the end of the line after a field, found '\\x0d' in line 1");
  EXPECT_THAT(csv_error(std::string_view("a\n\0", 3)), ::testing::HasSubstr("found other bytes in line 2"));
  EXPECT_THAT(csv_error("a\n\xff"), ::testing::HasSubstr("windows-1252"));
  EXPECT_THAT(csv_error("a\n\xff"), ::testing::HasSubstr("found other bytes in line 2"));
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
  EXPECT_EQ(message_of([] { static_cast<void>(csv_numbers(parse_csv("x,y\n1,2\n3,\n", ""), 1, "a.csv")); }),
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

RC_GTEST_PROP(Csv, AnyTextSurvives, ()) {
  const auto cell = rc::gen::container<std::string>(rc::gen::element('a', ',', '"', '\n', '\r', ' ', '7'));
  const auto rows =
      *rc::gen::container<std::vector<std::pair<std::string, std::string>>>(rc::gen::pair(cell, cell));
  std::string text = "left,right\n";
  for (const auto& [left, right] : rows) text += csv_field(left) + "," + csv_field(right) + "\n";
  const auto table = parse_csv(text, "x");
  RC_ASSERT(table.rows() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    RC_ASSERT(table.columns[0][i] == rows[i].first);
    RC_ASSERT(table.columns[1][i] == rows[i].second);
  }
}

}  // namespace
}  // namespace leeway

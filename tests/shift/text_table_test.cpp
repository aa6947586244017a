#include "leeway/shift/text_table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

#include "leeway/core/utf8.h"
#include "leeway/io/csv.h"
#include "tests/at_threads.h"
#include "tests/message_of.h"
#include "tests/stopping.h"

namespace leeway::shift::text_table_test {

struct Outcome {
  std::string csv;
  TableChange change;
};

Outcome shift_csv(std::string_view csv, std::string_view name = "upper-case", double strength = 1,
                  const TextColumns& columns = {}, std::size_t sampled = 0) {
  Outcome outcome;
  TextOptions options;
  options.strength = strength;
  outcome.change = shift_table(
      csv, "t.csv", text_shift(name), options, columns, sampled,
      [&](std::string_view piece) { outcome.csv += piece; }, nullptr);
  return outcome;
}

std::string csv_of(std::string_view csv) { return shift_csv(csv).csv; }

std::string refused(std::string_view csv, std::string_view name = "upper-case") {
  return message_of([&] { (void)shift_csv(csv, name, 1); });
}

TEST(TextTable, QuotesWhereTheyAreOrMustBe) {
  EXPECT_EQ(csv_of("id,text,b\n1,ab,\"c\"\n2,\"d\",e\n3,\"f,g\",\"\"\n4,\"h \"\"i\"\"\",\n5,,\n6,X,y"),
            "id,text,b\n1,AB,\"c\"\n2,\"D\",e\n3,\"F,G\",\"\"\n4,\"H \"\"I\"\"\",\n5,,\n6,X,y");
}

TEST(TextTable, LinesWithinQuotesAndBetweenThem) {
  EXPECT_EQ(csv_of("text,\"a\"\"b\"\r\n\"one\r\ntwo\",\"x\ny\"\r\nthree, z\r\n\r\n"),
            "text,\"a\"\"b\"\r\n\"ONE\r\nTWO\",\"x\ny\"\r\nTHREE, z\r\n\r\n");
  EXPECT_EQ(csv_of("\xef\xbb\xbftext,id\na,1\n\n\n"), "\xef\xbb\xbftext,id\nA,1\n\n\n");
  EXPECT_EQ(csv_of("id,text\n1,a\n2,"), "id,text\n1,A\n2,");
  EXPECT_EQ(csv_of(" text \na\n"), " text \nA\n");
}

TEST(TextTable, OneColumnNeverBecomesAnEmptyLine) {
  std::string csv = "text\n";
  for (int i = 0; i < 40; ++i) csv += ".\n";
  const Outcome outcome = shift_csv(csv, "punctuation");
  EXPECT_THAT(outcome.csv, ::testing::HasSubstr("\n\"\"\n"));
  EXPECT_EQ(parse_csv(outcome.csv, "again").rows(), 40u);
}

TEST(TextTable, Refused) {
  EXPECT_EQ(refused("id,body\n1,a\n"), "t.csv: expected a column 'text', found columns id, body");
  EXPECT_EQ(refused("text\n"), "t.csv: expected rows, found a header only");
  EXPECT_EQ(refused("id,text\n1,a\n2\n"), "t.csv: expected 2 fields, as in the header, found 1 in line 3");
  EXPECT_THAT(refused("id,text\n1,a b\n", "amplify"), Says("t.csv: expected a ... found columns id, text"));
  EXPECT_THAT(refused("label,text\n1,a b\n0,c\n2,d\n", "amplify"), Says("found '2' at row 2"));
}

TEST(TextTable, LabelsByValueAndByWord) {
  const auto sign = [](const std::string& label, const TextColumns& columns) {
    const Outcome outcome = shift_csv("text,label\na b," + label + "\n", "amplify", 3, columns);
    const CsvTable table = parse_csv(outcome.csv, "again");
    const std::string text(table.columns[0][0]);
    const auto first = code_points_from_utf8(text.substr(0, text.find(' '))).value();
    return std::ranges::find(own_word_lists()->positive, first) != own_word_lists()->positive.end() ? 1 : -1;
  };
  for (const char* label : {"1", "1.0", " 1 ", "pos", "Positive", "POS"})
    EXPECT_EQ(sign(label, {}), 1) << label;
  for (const char* label : {"0", "-1", "-1.0", "neg", "NEGATIVE", "0e3"})
    EXPECT_EQ(sign(label, {}), -1) << label;
  TextColumns stars;
  stars.positive = {"4", "5"}, stars.negative = {"1", "2"};
  EXPECT_EQ(sign("5", stars), 1);
  EXPECT_EQ(sign("1", stars), -1);
}

TEST(TextTable, CountsWhatChanged) {
  const Outcome outcome = shift_csv("text\nab CD\nXY\n\nabc\n", "upper-case", 1, {}, 10);
  EXPECT_EQ(outcome.change.n, 4u);
  EXPECT_EQ(outcome.change.columns, 1u);
  EXPECT_EQ(outcome.change.n_changed, 2u);
  EXPECT_EQ(outcome.change.characters, 10u);
  EXPECT_EQ(outcome.change.words, 4u);
  EXPECT_EQ(outcome.change.distance, 5u);
  EXPECT_EQ(outcome.change.words_distance, 2u);
  ASSERT_EQ(outcome.change.sample.size(), 2u);
  EXPECT_EQ(outcome.change.sample[0].row, 0u);
  EXPECT_EQ(outcome.change.sample[1].after, "ABC");
  EXPECT_EQ(outcome.change.sample[1].distance, 3u);
}

TEST(TextTable, CountsTextsThatMayBeOverwritten) {
  const std::string csv = "text,label\na b c d,1\na b c d e,0\nalone,1\na b,1\n";
  EXPECT_EQ(shift_csv(csv, "amplify", 2).change.n_overwritten, 2u);
  EXPECT_EQ(shift_csv(csv, "amplify", 0).change.n_overwritten, 0u);
  EXPECT_EQ(shift_csv(csv, "remove", 4).change.n_overwritten, 0u);
}

std::string many_rows(std::size_t n) {
  std::string csv = "label,text\n";
  for (std::size_t i = 0; i < n; ++i)
    csv += fmt::format("{},\"row {} says: something, and more of it {}\"\n", i % 2, i, i * i);
  return csv;
}

TEST(TextTable, SameForAnyThreads) {
  const std::string csv = many_rows(5000);
  for (const char* name : {"levenshtein", "contradict", "typos"}) {
    const double strength = std::string_view(name) == "typos" ? .2 : 2;
    const auto run = [&] { return shift_csv(csv, name, strength, {}, 10); };
    const Outcome one = at_threads(1, run), three = at_threads(3, run);
    EXPECT_EQ(one.csv, three.csv);
    EXPECT_EQ(one.change.distance, three.change.distance);
    ASSERT_EQ(one.change.sample.size(), 10u);
    for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(one.change.sample[i].row, three.change.sample[i].row);
  }
}

TEST(TextTable, HearsARequestToStop) {
  Stopping stop;
  TextOptions options;
  EXPECT_THROW((void)shift_table(
                   "text\na\n", "t.csv", text_shift("typos"), options, {}, 0, [](std::string_view) {}, &stop),
               Interrupted);
}

TEST(TextDifference, MarksWordsThatOnlyOneHas) {
  const TextPair pair = marked("the good  old film", "the bad  film\nagain");
  EXPECT_EQ(pair.before, "the [good]  [old ]film");
  EXPECT_EQ(pair.after, "the {bad}  film{\nagain}");
  EXPECT_EQ(marked("", "a").after, "{a}");
  EXPECT_EQ(marked("same words", "same words").before, "same words");
}

TEST(TextDifference, ExcerptsBeginBeforeTheFirstDifference) {
  std::string a, b;
  for (int i = 0; i < 100; ++i) a += "\u03b1";
  b = a + "x" + a, a = a + a;
  const TextPair pair = excerpts(a, b, 20);
  std::string five;
  for (int i = 0; i < 5; ++i) five += "\u03b1";
  EXPECT_EQ(pair.after, "..." + five + "x" + five + five + five.substr(0, 8) + "...");
  EXPECT_EQ(pair.before, "..." + five + five + five + five + "...");
  EXPECT_EQ(excerpts("short", "sort", 20).before, "short");
}

}  // namespace leeway::shift::text_table_test

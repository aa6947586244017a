// A view as text: what is shown of it, columns, cut names, intervals, and why a dash is a dash.
#include "leeway/render/terminal.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "leeway/tasks/report/page.h"
#include "tests/report/pages.h"

namespace leeway::render::terminal_test {

using ::testing::HasSubstr;
using ::testing::Not;

Table two_columns() {
  Table table("Caption", {text_column("Name"), interval_column("Accuracy"), on_page(number_column("n"))});
  table.add({text_cell("a"), share_cell({.5, .4, .6}), count_cell(10)});
  table.add({text_cell("été"), dash_cell("no labels"), count_cell(7)});
  return table;
}

TEST(Terminal, ShowsWhatAViewShowsThere) {
  const View view{.title = "t",
                  .headline = "A headline.",
                  .verdicts = {"failed: a gate"},
                  .findings = {"A finding."},
                  .scope = "2 rows",
                  .lead = paragraph("for the page") + in_both(two_columns().block()),
                  .sections = {{"s", "S", "A heading", on_terminal(paragraph("for the terminal"))},
                               {"p", "P", "Not shown", paragraph("for the page")}}};
  EXPECT_EQ(terminal(view),
            "A headline.\n"
            "A finding.\n"
            "\n"
            "Caption\n"
            "Name     Accuracy\n"
            "a     50% [40–60]\n"
            "été             -\n"
            "-  Accuracy: no labels\n"
            "\n"
            "A heading\n"
            "for the terminal\n"
            "failed: a gate\n");
}

TEST(Terminal, TermsStandInTwoColumns) {
  const std::string meaning = "m " + std::string(60, 'x') + " " + std::string(60, 'y');
  EXPECT_EQ(terminal({.lead = in_both(term_list({{"name", "short"}, {"longer", meaning}}))}),
            "name    short\nlonger  m " + std::string(60, 'x') + "\n        " + std::string(60, 'y') + "\n");
}

TEST(Terminal, CutsLongNamesThenLeavesOutIntervals) {
  Table table("", {text_column("Name"), interval_column("A"), interval_column("B"), interval_column("C"),
                   interval_column("D"), interval_column("E"), interval_column("F")});
  std::vector<Cell> row{text_cell(std::string(60, 'a') + std::string(60, 'b'))};
  for (int i = 0; i < 6; ++i) row.push_back(share_cell({.5, .4912, .5088}));
  table.add(row);
  std::istringstream lines(terminal({.lead = in_both(table.block())}));
  std::string line;
  std::getline(lines, line), std::getline(lines, line);
  EXPECT_LE(std::ranges::count_if(line, [](char c) { return (c & 0xc0) != 0x80; }), 100);
  EXPECT_THAT(line, HasSubstr("aaaaa..bbbbb"));
  EXPECT_THAT(line, HasSubstr("[49.1–50.9]"));
  EXPECT_THAT(line, Not(::testing::EndsWith("]")));
}

TEST(Terminal, LeavesTheRestOfALongTableToTheRecord) {
  Table table("", {number_column("n")});
  for (std::size_t i = 0; i < 1000; ++i) table.add({count_cell(i)});
  const std::string text = terminal({.lead = in_both(table.block())});
  EXPECT_THAT(text, HasSubstr("39\n... 960 more rows: --json, --out or --report\n"));
}

TEST(Terminal, ControlCharactersDoNotReachIt) {
  const std::string text = terminal({.headline = "a\x1b[2Jb", .lead = in_both(paragraph("c\nd"))});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
}

TEST(Terminal, OfAnAssessmentFitsAHundredColumns) {
  std::istringstream lines(terminal(tasks::view(tasks::test::reference_assessment())));
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(std::ranges::count_if(line, [](char c) { return (c & 0xc0) != 0x80; }), 100) << line;
}

}  // namespace leeway::render::terminal_test

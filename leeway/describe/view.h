// What a result shows, described once: the terminal, the page, figures and notebooks are drawn from it (leeway/render).
//
// A view is a headline, findings and sections; a section holds blocks: prose, terms, tables, charts. All texts are
// plain; a part between backticks is code. Nothing in a view depends on how it is drawn.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/core/result.h"

namespace leeway {

// Where a block or a column is shown. Figures have all tables and charts.
enum class Where { page, terminal, both };

// -- Tables: sortable on the page, copied with full digits, a dash for what is missing with its reason below.
struct Column {
  std::string title;
  std::string hint = {};  // what it means, one sentence
  bool numeric = true;
  bool interval = false;  // cells hold an interval: copied as three columns
  Where where = Where::both;
};
[[nodiscard]] Column text_column(std::string title, std::string hint = "");
[[nodiscard]] Column number_column(std::string title, std::string hint = "");
[[nodiscard]] Column interval_column(std::string title, std::string hint = "");
[[nodiscard]] Column on_page(Column column);  // and not on the terminal, which has less room

enum class Mark { none, strong, right, wrong, code };

struct Cell {
  std::string text;
  std::string beside = {};  // in small figures behind it: its interval, its standard error
  std::optional<double> value = {}, low = {}, high = {};  // what sorting and copying see
  std::string title = {};                                 // shown when the pointer rests on it
  std::string missing = {};  // the reason for a dash; empty where there is a value
  double shade = 0;          // distance from the source in [-1,1]; negative is worse
  Mark mark = Mark::none;
};

[[nodiscard]] Cell text_cell(std::string_view text, Mark mark = Mark::none);
[[nodiscard]] Cell count_cell(std::size_t value);
[[nodiscard]] Cell dash_cell(std::string_view reason);
[[nodiscard]] Cell number_cell(double value, std::string text);
// Those below are a dash with `reason` where there is no value.
[[nodiscard]] Cell significant_cell(const std::optional<double>& value, int digits,
                                    std::string_view reason = "");
[[nodiscard]] Cell fixed_cell(const std::optional<double>& value, int decimals, std::string_view reason = "");
[[nodiscard]] Cell percent_cell(const std::optional<double>& share, int decimals,
                                std::string_view reason = "");
[[nodiscard]] Cell significant_cell(const Measured& value, int digits, std::string_view reason = "");
[[nodiscard]] Cell fixed_cell(const Measured& value, int decimals, std::string_view reason = "");
// A difference of shares in points, with its interval.
[[nodiscard]] Cell change_cell(const Measured& change, std::string_view reason = "");
// PA in nats, digits by its interval.
[[nodiscard]] Cell pa_cell(const Measured& pa, std::string_view reason = "");
// A share as "74.0% 73.1–74.9".
[[nodiscard]] Cell share_cell(const Measured& share, std::string_view reason = "");
// The cell of a value with `interval` behind it; unchanged where that is empty.
[[nodiscard]] Cell with_interval(Cell cell, const Measured& value, const std::string& interval);

struct Blocks;

struct Table {
  Table(std::string title, std::vector<Column> heads)
      : caption(std::move(title)), columns(std::move(heads)) {}
  void add(std::vector<Cell> row) { rows.push_back(std::move(row)); }
  // As a block, of which `row_headers` leading columns head their row; nothing without rows.
  [[nodiscard]] Blocks block() const;
  [[nodiscard]] Blocks block(std::size_t row_headers) const;

  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::size_t headers = 1;
  std::optional<std::size_t> sorted;  // the column by which rows are sorted already ("worst first")
  bool ascending = true;
};

// The cell of a member of a row: a text, a count, or a share with the reason where there is none.
[[nodiscard]] inline Cell member_cell(std::string_view text, const std::string&) { return text_cell(text); }
[[nodiscard]] inline Cell member_cell(std::size_t count, const std::string&) { return count_cell(count); }
[[nodiscard]] inline Cell member_cell(const Measured& share, const std::string& reason) {
  return share_cell(share, reason);
}

// A column, and what it shows of a row: a function of the row, or one of its members.
template <class Row>
struct ColumnOf {
  ColumnOf(Column head, std::function<Cell(const Row&)> shown)
      : column(std::move(head)), cell(std::move(shown)) {}
  template <class T, class Owner>
  ColumnOf(Column head, T Owner::*member, const std::string& reason = "")
      : ColumnOf(std::move(head), [=](const Row& row) { return member_cell(row.*member, reason); }) {}

  Column column;
  std::function<Cell(const Row&)> cell;
};

// `rows`: of Row, or of pointers to it.
template <class Row, class Rows>
[[nodiscard]] Table table_of(const std::string& caption, const std::vector<ColumnOf<Row>>& columns,
                             const Rows& rows) {
  std::vector<Column> heads;
  for (const ColumnOf<Row>& one : columns) heads.push_back(one.column);
  Table table(caption, std::move(heads));
  for (const auto& row : rows) {
    std::vector<Cell> cells;
    for (const ColumnOf<Row>& one : columns)
      if constexpr (std::is_pointer_v<typename Rows::value_type>)
        cells.push_back(one.cell(*row));
      else
        cells.push_back(one.cell(row));
    table.add(std::move(cells));
  }
  return table;
}

// Of more than `most` rows the first ones; `words` of the caption then say how many of how many.
template <class Row>
void cut_rows(std::vector<Row>& rows, std::size_t most, std::string& caption,
              std::string_view words = ": {} of {}") {
  if (rows.size() <= most) return;
  for (const std::size_t number : {most, rows.size()}) {
    const std::size_t at = words.find("{}");
    caption.append(words.substr(0, at)).append(std::to_string(number));
    words.remove_prefix(at + 2);
  }
  caption.append(words);
  rows.resize(most);
}

// -- Charts: data for the Vega specifications in render/specs. The columns of the table behind a chart, "Numbers",
// are the specification's "usermeta".
struct Chart {
  std::string spec;                                               // "curve": specs/curve.vg.json
  std::string title, note;                                        // the note may be empty
  std::string description;                                        // for those who hear the page
  std::vector<std::pair<std::string, Json>> data = {};            // named data sets of the specification
  std::vector<std::pair<std::string, Json>> signals = {};         // and its signals
  std::vector<std::pair<std::string, std::string>> toggles = {};  // signal, what switching it on does
};

// Figures that share axes, in a grid; of several choices one is shown at a time, each with as many charts in one order.
struct ChartChoice {
  std::string words;
  std::vector<Chart> charts;
};
struct Charts {
  std::vector<ChartChoice> choices;
  std::size_t shown = 12;  // those after them are behind one click
  bool stacked = false;    // below each other
};

// A list of what `row` makes of every element.
template <class Range, class Row>
[[nodiscard]] Json json_rows(const Range& range, const Row& row) {
  Json rows = Json::array();
  for (const auto& one : range) rows.push_back(row(one));
  return rows;
}

inline constexpr std::size_t series = 4;  // colours, shapes and dashes there are; a chart has no more lines

// Marks with intervals, each from a line of reference, by targets from above; a slot for each of several models.
struct OverviewRow {
  std::string target, model;
  std::size_t slot = 0;
  Measured value;
  std::optional<double> source = {};  // the reference
  std::size_t n = 0;
};
// `chart` with its data and signals; values are from 0 to `top`. `targets`: those that come first, in this order.
[[nodiscard]] Chart overview_of(Chart chart, const std::vector<OverviewRow>& rows, std::size_t slots,
                                double top, bool percent, std::vector<std::string> targets = {});

// -- Blocks
enum class Style { paragraphs, scope, list, findings };

struct Prose {
  std::vector<std::string> lines;
  Style style = Style::paragraphs;
};

struct Heading {
  std::string text;
};

// What a word means, where it first stands; names with values.
struct Terms {
  std::vector<std::pair<std::string, std::string>> items;
};

// Explains the marks of a chart: "swatch term0" is a class in page.css, "m1" one of a mark, whose shape is that of #shapeN.
struct LegendItem {
  std::string kind, words;
  std::optional<std::size_t> shape = {};
};
struct Legend {
  std::vector<LegendItem> items;
};

// A command that can be copied.
struct ShellCommand {
  std::string text;
};

// Pictures of samples with what is said of them.
struct Thumbnail {
  std::string uri, words;  // "data:image/png;base64,..."
  std::size_t width = 0, height = 0;
};
struct Fact {
  std::string name, text, detail;
  std::optional<bool> right = {};  // of a prediction, where there is a label
};
struct Card {
  std::vector<Thumbnail> pictures;
  std::string words;
  std::vector<Fact> facts;
};
struct Cards {
  std::string title;
  std::vector<Card> cards;
  bool small = false;  // six in a line
};

struct Block;
struct Blocks {
  std::vector<Block> list;

  Blocks& operator+=(Blocks other);
  [[nodiscard]] bool empty() const { return list.empty(); }
};
[[nodiscard]] Blocks operator+(Blocks first, Blocks second);

// Something behind one click.
struct More {
  std::string summary;
  Blocks body;
  bool open = false;
};

struct Block {
  std::variant<Prose, Heading, Terms, Legend, ShellCommand, Cards, Table, Charts, More> content;
  Where where = Where::page;
};

// Each is nothing where it has no content.
[[nodiscard]] Blocks paragraph(std::string text);
[[nodiscard]] Blocks paragraphs(std::vector<std::string> texts, Style style = Style::paragraphs);
[[nodiscard]] Blocks bullets(std::vector<std::string> items);
[[nodiscard]] Blocks subheading(std::string text);
[[nodiscard]] Blocks term_list(std::vector<std::pair<std::string, std::string>> items);
[[nodiscard]] Blocks chart_legend(std::vector<LegendItem> items);
[[nodiscard]] Blocks chart_grid(std::vector<Chart> charts, std::size_t shown = 12);
[[nodiscard]] Blocks chart_choice(std::vector<Chart> charts);  // one is shown, chosen by its title
[[nodiscard]] Blocks chart_grids(std::vector<ChartChoice> all);
[[nodiscard]] Blocks folded(std::string summary, Blocks body, bool open = false);
[[nodiscard]] Blocks single(Block block);
// Shape and colour of every model: "● CNN  ■ robust CNN".
[[nodiscard]] Blocks model_legend(const std::vector<std::string>& models);

// The same, on the terminal, too, or there alone.
[[nodiscard]] Blocks in_both(Blocks blocks);
[[nodiscard]] Blocks on_terminal(Blocks blocks);

struct Section {
  std::string id, link;  // the link's words in the page's contents
  std::string heading;   // a finding
  Blocks body;
};
// A section within another one; nothing without a body.
[[nodiscard]] Blocks subsection(const Section& section);

struct View {
  std::string title = {};                  // "leeway: posterior agreement"
  std::string headline = {};               // its first sentence is set large
  std::vector<std::string> verdicts = {};  // passed or failed; always shown
  std::vector<std::string> findings = {};
  std::string scope = {};  // what it is about: "2 models, 4 targets, 10 classes"
  Blocks lead = {};
  std::vector<Section> sections = {};  // those without a body are left out
};

// The findings that say more than the headline, without what they repeat of it.
[[nodiscard]] std::vector<std::string> further_findings(const View& view);
inline constexpr std::size_t first_findings = 3;  // shown at once

// Of more than `most` the first ones, and how many more there are: `most` in all.
[[nodiscard]] std::vector<std::string> at_most(std::size_t most, std::vector<std::string> list);

}  // namespace leeway

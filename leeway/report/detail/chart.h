// Figures of the page: data for the Vega specifications in specs/, drawn by page/page.js. The columns of the table behind a
// figure, "Numbers", are the specification's "usermeta".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/core/result.h"

namespace leeway::report {

struct Chart {
  std::string spec;                                               // "curve": specs/curve.vg.json
  std::string title, note;                                        // plain text; the note may be empty
  std::string description;                                        // for those who hear the page
  std::vector<std::pair<std::string, Json>> data = {};            // named data sets of the specification
  std::vector<std::pair<std::string, Json>> signals = {};         // and its signals
  std::vector<std::pair<std::string, std::string>> toggles = {};  // signal, what switching it on does
};

// A list of what `row` makes of every element.
template <class Range, class Row>
[[nodiscard]] Json json_rows(const Range& range, const Row& row) {
  Json rows = Json::array();
  for (const auto& one : range) rows.push_back(row(one));
  return rows;
}

// Figures that share axes, in a grid, with their numbers below; those after the first `shown` are behind one
// click.
[[nodiscard]] std::string panels_html(const std::vector<Chart>& charts, std::size_t shown = 12);

// One figure with a choice of what it shows: the variants differ in data, signals and note only.
[[nodiscard]] std::string choice_html(const std::vector<Chart>& variants);

// Figures in a grid with one choice for all of them: the charts of every choice are as many, in one order.
struct Choice {
  std::string words;
  std::vector<Chart> charts;
};
[[nodiscard]] std::string choice_panels_html(const std::vector<Choice>& choices);

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

// Shape and colour of every model: "● CNN  ■ robust CNN".
[[nodiscard]] std::string model_key(const std::vector<std::string>& models);

inline constexpr std::size_t series = 4;  // colours, shapes and dashes there are; a chart has no more lines

}  // namespace leeway::report

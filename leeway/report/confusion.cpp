#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "leeway/report/chart.h"
#include "leeway/report/sections.h"
#include "leeway/report/table.h"

namespace leeway::report {
namespace {

constexpr std::size_t map_classes = 100;  // a map of more is unreadable
constexpr std::size_t map_cells = 15000;  // of all maps together; the worst results come first
constexpr std::size_t table_rows = 400;   // most frequent changes, of all results together

// A record may leave the list out where it has the matrix.
std::vector<record::AssessTopFlip> frequent(const Result& result) {
  std::vector<record::AssessTopFlip> flips = result.top_flips;
  if (flips.empty())
    for (std::size_t i = 0; i < result.confusion.size(); ++i)
      for (std::size_t j = 0; j < result.confusion.size(); ++j)
        if (i != j && result.confusion[i][j] > 0) flips.push_back({i, j, result.confusion[i][j]});
  std::stable_sort(
      flips.begin(), flips.end(),
      [](const record::AssessTopFlip& a, const record::AssessTopFlip& b) { return a.count > b.count; });
  return flips;
}

Chart map_of(const Record& record, const Result& result, Json& cells) {
  const std::size_t k = result.confusion.size();
  std::vector<std::string> names;
  for (std::size_t c = 0; c < k; ++c) names.push_back(record.class_name(c));
  Chart chart{"confusion", subject(record, result), "", ""};
  chart.description = "Heat map of the clean prediction against the shifted prediction of " + chart.title;
  chart.data = {{"cells", cells}};
  chart.signals = {{"names", names}};
  chart.numbers = {"cells",
                   {{"Clean prediction", "i", "names"},
                    {"Shifted prediction", "j", "names"},
                    {"Samples", "count"},
                    {"Share of the clean prediction", "share"}}};
  chart.toggles = {{"percent", "as a share of each row"}};
  return chart;
}

// Cells that hold something.
Json cells_of(const Result& result) {
  Json cells = Json::array();
  for (std::size_t i = 0; i < result.confusion.size(); ++i) {
    const auto& row = result.confusion[i];
    const std::size_t total = std::accumulate(row.begin(), row.end(), std::size_t{0});
    for (std::size_t j = 0; j < row.size(); ++j)
      if (row[j] > 0)
        cells.push_back({{"i", i},
                         {"j", j},
                         {"count", row[j]},
                         {"share", brief(static_cast<double>(row[j]) / static_cast<double>(total))}});
  }
  return cells;
}

std::string frequent_table(const Record& record) {
  const std::size_t each = std::clamp<std::size_t>(table_rows / record.results.size(), 1, 10);
  Table table(fmt::format("The {} most frequent changes of each model and target", each),
              {{"Target", "", false},
               {"Model", "", false},
               {"Clean prediction", "", false},
               {"Shifted prediction", "", false},
               {"Samples", ""},
               {"Share of all changes", ""}});
  std::size_t rows = 0;
  for (const std::size_t i : record.worst_first()) {
    const Result& result = record.results[i];
    const auto flips = frequent(result);
    const double changed =
        result.afr_pred.value ? (1 - *result.afr_pred.value) * static_cast<double>(result.n) : 0;
    for (std::size_t f = 0; f < std::min(each, flips.size()); ++f, ++rows)
      table.add({text_cell(result.target), text_cell(result.model),
                 text_cell(record.class_name(flips[f].from)), text_cell(record.class_name(flips[f].to)),
                 count_cell(flips[f].count),
                 changed > .5 ? number_cell(static_cast<double>(flips[f].count) / changed,
                                            percent(static_cast<double>(flips[f].count) / changed, 1))
                              : dash_cell("the record does not say how many samples change")});
  }
  if (rows == 0) return "";
  return fmt::format(
      "<details class=\"more\"><summary>The most frequent changes as a table ({} "
      "rows)</summary>\n{}</details>\n",
      count(rows), table.html(2));
}

}  // namespace

Section confusion_section(const Record& record) {
  Section section{"changes", "Changes", "", ""};
  std::vector<Chart> maps;
  std::size_t cells = 0, left_out = 0;
  std::string heading;
  for (const std::size_t i : record.worst_first()) {
    const Result& result = record.results[i];
    const auto flips = frequent(result);
    if (heading.empty() && !flips.empty())
      heading = fmt::format("{} most often turns {} into {}: {} samples", escape(subject(record, result)),
                            escape(record.class_name(flips[0].from)), escape(record.class_name(flips[0].to)),
                            count(flips[0].count));
    if (result.confusion.empty() || result.confusion.size() > map_classes) continue;
    Json content = cells_of(result);
    cells += content.size();
    if (cells > map_cells) {
      ++left_out;
      continue;
    }
    maps.push_back(map_of(record, result, content));
  }
  const std::string table = frequent_table(record);
  if (maps.empty() && table.empty()) return section;
  section.heading = heading.empty() ? std::string("No prediction changes") : heading;
  if (!maps.empty()) {
    section.body =
        paragraph(
            "Each row is what the model said on the source, each column what it says under the shift. Orange "
            "cells are changed minds, darker the larger their share of the row; grey is what stayed the "
            "same.") +
        choice_html(maps);
  } else {
    section.body = paragraph(
        fmt::format("A map of {} classes would be unreadable; these are the changes that happen most.",
                    count(record.k())));
  }
  if (left_out > 0)
    section.body += paragraph(fmt::format(
        "To keep the page small it holds the maps of the worst {} results; the record holds the other {}.",
        maps.size(), left_out));
  section.body += table;
  return section;
}

}  // namespace leeway::report

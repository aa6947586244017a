#include <fmt/format.h>

#include <algorithm>

#include "apps/leeway/tables.h"
#include "apps/leeway/text_table.h"

namespace leeway::app {
namespace {

using record::SweepCell;
using record::SweepRank;
using record::SweepReport;

// Algorithms by cases over all settings, of one start.
std::string values_text(const SweepReport& record, const std::string& start) {
  constexpr std::size_t most_cases = 9;
  std::vector<Column> columns{left("algorithm", 0, 8)};
  const std::size_t cases = std::min(most_cases, record.cases.size());
  for (std::size_t c = 0; c < cases; ++c)
    columns.push_back(right(cut_at_front(shown(record.cases[c].name), 14)));
  TextTable table(std::move(columns), 2);
  for (const std::string& algorithm : record.algorithms) {
    std::vector<std::string> row{shown(algorithm)};
    for (std::size_t c = 0; c < cases; ++c) {
      const auto cell = std::ranges::find_if(record.results, [&](const SweepCell& one) {
        return one.algorithm == algorithm && one.start == start && one.setting.empty() &&
               one.shift == record.cases[c].name;
      });
      row.push_back(cell == record.results.end() ? "-" : four(cell->value.mean.value));
    }
    table.add(std::move(row));
  }
  return table.text();
}

}  // namespace

std::string table_of(const SweepReport& record) {
  std::string text = words_of(record.envelope);
  for (const std::string& start : record.starts) {
    text += '\n';
    if (record.starts.size() > 1) text += fmt::format("start {}:\n", shown(start));
    text += values_text(record, start);
  }
  return text;
}

}  // namespace leeway::app

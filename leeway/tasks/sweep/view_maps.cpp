// Algorithms by cases: the measure, and its change against a baseline, as heat maps with their tables.
#include <fmt/format.h>

#include <cmath>

#include "leeway/tasks/sections.h"
#include "leeway/tasks/sweep/view.h"

namespace leeway::tasks {
namespace {

constexpr std::size_t widest_table = 10;  // cases that stand beside each other

// Half the width of the interval, in the digits it supports: "± 1.2".
std::string half_width(const SweepReport& record, const Measured& value) {
  if (!value.low || !value.high) return "";
  const double half = (*value.high - *value.low) / 2 * (record.roles.is_share ? 100 : 1);
  return "± " + fixed(half, std::min(2, decimals_for(half, 1)));
}

std::string short_value(const SweepReport& record, double value) {
  return record.roles.is_share ? percent(value, 0) : significant(value, 3);
}

std::string short_change(const SweepReport& record, double change) {
  return (change > 0 ? "+" : "") + (record.roles.is_share ? fixed(100 * change, 1) : significant(change, 2));
}

// `worse`: the color of what is worse, or that of what is better.
Json map_cell(const SweepReport& record, const std::string& algorithm, std::size_t column, double shade,
              const SweepMean& mean, std::string text, std::string words, bool worse = true) {
  return {{"i", place_of(record.algorithms, algorithm)},
          {"j", column},
          {"shade", brief(shade)},
          {"number", brief(mean.mean.value)},
          {"text", std::move(text)},
          {"more", half_width(record, mean.mean)},
          {"words", std::move(words)},
          {"hue", worse ? "heat" : "m0"}};
}

Chart map_chart(const SweepReport& record, const std::string& title, const std::string& note,
                std::vector<std::string> columns, Json cells) {
  return {"cells",
          title,
          note,
          fmt::format("Heat map of {} by algorithm and case", title),
          {{"cells", std::move(cells)}},
          {{"label", "Algorithm"},
           {"labels", record.algorithms},
           {"values", std::move(columns)},
           {"margin", 116},
           {"slant", record.cases.size() > 5 ? -40 : 0}}};
}

// The darkest cell is the worst of the map, the lightest the best.
Chart value_map(const SweepReport& record, const std::string& title,
                const std::vector<const SweepCell*>& cells) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const SweepCell* cell : cells)
    if (const auto& value = cell->value.mean.value)
      low = std::min(low, *value), high = std::max(high, *value);
  Json drawn = Json::array();
  const std::vector<std::string> cases = case_names(record);
  for (const SweepCell* cell : cells) {
    const auto& value = cell->value.mean.value;
    if (!value) continue;
    const double from_best = record.roles.higher_is_better ? high - *value : *value - low;
    drawn.push_back(map_cell(record, cell->algorithm, place_of(cases, cell->shift),
                             high > low ? from_best / (high - low) : 0, cell->value,
                             short_value(record, *value),
                             fmt::format("{}, {}\n{} {}", cell->algorithm, cell->shift, record.roles.measure,
                                         value_tip(record, cell->value))));
  }
  return map_chart(record, title, "darker: worse", cases, std::move(drawn));
}

std::vector<const SweepCell*> cells_of(const SweepReport& record, const std::string& start,
                                       const std::string& setting) {
  std::vector<const SweepCell*> cells;
  for (const SweepCell& cell : record.results)
    if (cell.start == start && cell.setting == setting) cells.push_back(&cell);
  return cells;
}

std::string title_of(const SweepReport& record, const std::string& start, const std::string& setting) {
  std::string title = record.roles.measure;
  if (record.settings.size() > 1)
    title += ", " + (setting.empty() ? fmt::format("mean of {} settings", record.settings.size()) : setting);
  return with_start(record, title, start);
}

// Algorithms below each other and cases beside each other, or a row for each where there are many cases.
Blocks value_table(const SweepReport& record, const std::string& caption,
                   const std::vector<const SweepCell*>& cells) {
  const std::vector<std::string> cases = case_names(record);
  if (cases.size() > widest_table) {
    const std::vector<ColumnOf<SweepCell>> columns = {algorithm_column<SweepCell>(), case_column<SweepCell>(),
                                                      value_column<SweepCell>(record, record.roles.measure),
                                                      seeds_column(&SweepCell::value)};
    return in_both(table_of(caption, columns, cells).block(2));
  }
  std::vector<Column> heads{text_column("Algorithm")};
  for (const std::string& name : cases) heads.push_back(interval_column(name));
  heads.push_back(text_column("Seeds", "Seeds of each mean (minimum to maximum)"));
  Table table(caption, std::move(heads));
  for (const std::string& algorithm : record.algorithms) {
    std::vector<Cell> row{text_cell(algorithm)};
    std::size_t least = static_cast<std::size_t>(-1), most = 0;
    for (const std::string& name : cases) {
      const auto cell = std::ranges::find_if(
          cells, [&](const SweepCell* one) { return one->algorithm == algorithm && one->shift == name; });
      if (cell == cells.end()) {
        row.push_back(dash_cell("no matching run in the table"));
        continue;
      }
      row.push_back(value_cell(record, (*cell)->value));
      if (!(*cell)->value.mean.value) continue;
      least = std::min(least, (*cell)->value.seeds), most = std::max(most, (*cell)->value.seeds);
    }
    row.push_back(text_cell(most == 0       ? "0"
                            : least == most ? count(most)
                                            : fmt::format("{} to {}", least, most)));
    table.add(std::move(row));
  }
  return in_both(table.block());
}

// -- Changes

Chart change_map(const SweepReport& record, const std::string& start) {
  std::vector<std::string> columns = case_names(record);
  const bool several = columns.size() > 1;
  if (several) columns.insert(columns.begin(), "all cases");
  std::vector<const SweepChange*> shown;
  double most = 0;
  for (const SweepChange& change : record.changes)
    if (change.start == start && change.change.mean.value && (several || !change.shift.empty()))
      shown.push_back(&change), most = std::max(most, std::abs(*change.change.mean.value));
  Json cells = Json::array();
  for (const SweepChange* change : shown) {
    const double value = *change->change.mean.value;
    const std::string& name = change->shift.empty() ? columns.front() : change->shift;
    cells.push_back(
        map_cell(record, change->algorithm, place_of(columns, name), most > 0 ? std::abs(value) / most : 0,
                 change->change, short_change(record, value),
                 fmt::format("{}, {}\n{}\n{}", change->algorithm, name,
                             change_text(record, change->change.mean), basis_text(record, change->change)),
                 (value < 0) == record.roles.higher_is_better));
  }
  return map_chart(
      record, with_start(record, "Change from " + record.roles.baseline, start),
      record.roles.is_share ? "points; blue: better, orange: worse" : "blue: better, orange: worse",
      std::move(columns), std::move(cells));
}

}  // namespace

Blocks sweep_maps(const SweepReport& record) {
  std::vector<Chart> charts;
  Blocks tables;
  std::vector<std::string> settings = record.settings;
  if (settings.size() > 1)
    settings.insert(settings.begin(), "");
  else
    settings = {""};
  for (const std::string& start : record.starts)
    for (const std::string& setting : settings) {
      const std::vector<const SweepCell*> cells = cells_of(record, start, setting);
      const std::string title = title_of(record, start, setting);
      charts.push_back(value_map(record, title, cells));
      tables += value_table(record, "Algorithms by cases: " + title, cells);
    }
  const bool many = charts.size() > 1;
  return chart_choice(charts) +
         (many ? folded(fmt::format("{} tables, with their intervals", charts.size()), tables) : tables);
}

Section sweep_changes_section(const SweepReport& record) {
  if (record.changes.empty()) return {};
  std::vector<Chart> charts;
  for (const std::string& start : record.starts) charts.push_back(change_map(record, start));
  using One = SweepChange;
  return {"changes", "Compared with " + record.roles.baseline, changes_finding(record, record.starts.front()),
          paragraph("Average differences between runs with the same seed, case and setting. Intervals are "
                    "not adjusted: without any effect, one in twenty excludes 0.") +
              chart_choice(charts) +
              folded(fmt::format("All values as a table ({} rows)", record.changes.size()),
                     table_with_start<One>(
                         record, "Change from the baseline",
                         {algorithm_column<One>(), case_column<One>(), change_column<One>(record),
                          seeds_column(&One::change), runs_column(&One::change)},
                         record.changes, 2),
                     record.changes.size() <= 24)};
}

}  // namespace leeway::tasks

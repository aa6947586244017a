// What the sections of the page of leeway sweep report share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "leeway/describe/view.h"
#include "leeway/tasks/sweep/report.h"

namespace leeway::tasks {

inline constexpr const char* every_algorithm = "all algorithms";
// A mean over all algorithms has none.
[[nodiscard]] std::string algorithm_name(const std::string& algorithm);

// A value of the measure with its interval, and a change of it; a dash with its reason where there is none.
[[nodiscard]] Cell value_cell(const SweepReport& record, const SweepMean& mean);
[[nodiscard]] Cell measure_change_cell(const SweepReport& record, const SweepMean& change);

// What hovers over a mark: the value, what its interval is over.
[[nodiscard]] std::string value_tip(const SweepReport& record, const SweepMean& mean);

// "TITLE, start resnet.safetensors", where there are several starts.
[[nodiscard]] std::string with_start(const SweepReport& record, const std::string& title,
                                     const std::string& start);

// Columns of several tables.
template <class Row>
[[nodiscard]] ColumnOf<Row> algorithm_column() {
  return {text_column("Algorithm"), [](const Row& one) { return text_cell(algorithm_name(one.algorithm)); }};
}
template <class Row>
[[nodiscard]] ColumnOf<Row> case_column() {
  return {text_column("Case"),
          [](const Row& one) { return text_cell(one.shift.empty() ? "all cases" : one.shift); }};
}
template <class Row>
[[nodiscard]] ColumnOf<Row> value_column(const SweepReport& record, const std::string& title,
                                         const std::string& hint = "") {
  return {interval_column(title, hint), [&](const Row& one) { return value_cell(record, one.value); }};
}
// `is_reference`: rows that the others are compared with.
template <class Row>
[[nodiscard]] ColumnOf<Row> change_column(const SweepReport& record, const std::string& hint = "",
                                          std::function<bool(const Row&)> is_reference = {}) {
  return {interval_column(record.roles.is_share ? "Change, points" : "Change", hint),
          [&record, is_reference = std::move(is_reference)](const Row& one) {
            return is_reference && is_reference(one) ? dash_cell("the reference")
                                                     : measure_change_cell(record, one.change);
          }};
}
template <class Row>
[[nodiscard]] ColumnOf<Row> seeds_column(SweepMean Row::*of) {
  return {number_column("Seeds"), [of](const Row& one) {
            return (one.*of).mean.value ? count_cell((one.*of).seeds) : dash_cell((one.*of).missing);
          }};
}
template <class Row>
[[nodiscard]] ColumnOf<Row> runs_column(SweepMean Row::*of) {
  return {number_column("Runs"), [of](const Row& one) { return count_cell((one.*of).runs); }};
}

// A table with `headers` columns that head a row, and one more for the start where there are several.
template <class Row, class Rows>
[[nodiscard]] Blocks table_with_start(const SweepReport& record, const std::string& caption,
                                      std::vector<ColumnOf<Row>> columns, const Rows& rows,
                                      std::size_t headers) {
  const bool several = record.starts.size() > 1;
  if (several) columns.insert(columns.begin(), {text_column("Start"), &Row::start});
  return table_of(caption, columns, rows).block(headers + (several ? 1 : 0));
}

[[nodiscard]] std::vector<std::string> case_names(const SweepReport& record);

[[nodiscard]] Chart overview_chart(const std::string& title, const std::string& note,
                                   const std::vector<OverviewRow>& rows, std::size_t slots, bool percent);

[[nodiscard]] Blocks sweep_maps(const SweepReport& record);  // heat maps and their table
[[nodiscard]] Section sweep_changes_section(const SweepReport& record);
[[nodiscard]] Section sweep_concurrency_section(const SweepReport& record);
[[nodiscard]] Section sweep_starts_section(const SweepReport& record);
[[nodiscard]] Section sweep_ranks_section(const SweepReport& record);
[[nodiscard]] Section sweep_choices_section(const SweepReport& record);
[[nodiscard]] Section sweep_curves_section(const SweepReport& record);
[[nodiscard]] Section sweep_ways_section(const SweepReport& record);

}  // namespace leeway::tasks

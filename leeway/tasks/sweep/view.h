// What the sections of the page of leeway sweep report share.
#pragma once

#include <string>
#include <vector>

#include "leeway/describe/view.h"
#include "leeway/tasks/sweep/report.h"

namespace leeway::tasks {

// A value of the measure with its interval, and a change of it; a dash with its reason where there is none.
[[nodiscard]] Cell value_cell(const SweepReport& record, const SweepMean& mean);
[[nodiscard]] Cell measure_change_cell(const SweepReport& record, const SweepMean& change);

// What hovers over a mark: the value, what its interval is over.
[[nodiscard]] std::string value_tip(const SweepReport& record, const SweepMean& mean);

// "n over seeds": how many seeds and runs a mean has, for a column of its table.
[[nodiscard]] Cell seeds_cell(const SweepMean& mean);

// A column for the start, where there are several.
template <class Row>
void add_start_column(const SweepReport& record, std::vector<ColumnOf<Row>>& columns) {
  if (record.starts.size() > 1) columns.insert(columns.begin(), {text_column("Start"), &Row::start});
}
[[nodiscard]] std::size_t headers_with_start(const SweepReport& record, std::size_t without);

[[nodiscard]] std::vector<std::string> case_names(const SweepReport& record);

inline constexpr const char* every_algorithm = "all algorithms";
// A mean over all algorithms has none.
[[nodiscard]] std::string algorithm_name(const std::string& algorithm);

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

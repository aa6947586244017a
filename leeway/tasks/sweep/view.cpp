// The page of leeway sweep report.
#include "leeway/tasks/sweep/view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "leeway/describe/lines.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {

// -- What sections share

Cell value_cell(const SweepReport& record, const SweepMean& mean) {
  Cell cell = record.roles.is_share ? share_cell(mean.mean, mean.missing) : pa_cell(mean.mean, mean.missing);
  if (mean.mean.value) cell.title = basis_text(record, mean);
  return cell;
}

Cell measure_change_cell(const SweepReport& record, const SweepMean& change) {
  Cell cell =
      record.roles.is_share ? change_cell(change.mean, change.missing) : pa_cell(change.mean, change.missing);
  if (!change.mean.value) return cell;
  cell.title = basis_text(record, change);
  if (change.mean.low && change.mean.high && (*change.mean.low > 0 || *change.mean.high < 0))
    cell.shade = std::clamp((record.roles.higher_is_better ? 1 : -1) * *change.mean.value * 4, -1., 1.);
  return cell;
}

std::string value_tip(const SweepReport& record, const SweepMean& mean) {
  return fmt::format("{}\n{}", value_text(record, mean.mean), basis_text(record, mean));
}

Cell seeds_cell(const SweepMean& mean) {
  return mean.mean.value ? count_cell(mean.seeds) : dash_cell(mean.missing);
}

std::size_t headers_with_start(const SweepReport& record, std::size_t without) {
  return without + (record.starts.size() > 1 ? 1 : 0);
}

std::vector<std::string> case_names(const SweepReport& record) {
  std::vector<std::string> names;
  for (const SweepShift& shift : record.cases) names.push_back(shift.name);
  return names;
}

Chart overview_chart(const std::string& title, const std::string& note, const std::vector<OverviewRow>& rows,
                     std::size_t slots, bool percent) {
  double top = percent ? .05 : 1;
  for (const OverviewRow& row : rows)
    for (const auto& value : {row.value.value, row.value.high}) top = std::max(top, value.value_or(0));
  const std::string description = fmt::format("{} by {} marks with their intervals", title, rows.size());
  return overview_of({"overview", title, note, description}, rows, slots, top, percent);
}

std::string algorithm_name(const std::string& algorithm) {
  return algorithm.empty() ? every_algorithm : algorithm;
}

namespace {

// -- Concurrency

std::vector<Line> lines_of(const SweepReport& record, const std::string& start) {
  std::vector<Line> lines;
  for (const SweepConcurrency& one : record.concurrency) {
    if (one.start != start) continue;
    auto line = std::ranges::find(lines, algorithm_name(one.algorithm), &Line::name);
    if (line == lines.end()) line = lines.insert(line, {algorithm_name(one.algorithm), 0, {}});
    line->points.push_back({static_cast<double>(one.shifts), one.value.mean, std::to_string(one.shifts),
                            fmt::format("{} shifts, {} case{}\n{}", one.shifts, one.cases,
                                        one.cases == 1 ? "" : "s", value_tip(record, one.value))});
  }
  const auto all = std::ranges::find(lines, every_algorithm, &Line::name);
  if (all != lines.end()) std::rotate(lines.begin(), all, all + 1);
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].slot = i % series;
  return lines;
}

LineAxes axes_of(const SweepReport& record, const std::vector<Line>& lines) {
  LineAxes axes;
  axes.x_title = "concurrent shifts", axes.percent = record.roles.is_share;
  axes.x_low = axes.x_high = 0;
  for (const SweepConcurrency& one : record.concurrency) {
    const auto x = static_cast<double>(one.shifts);
    axes.x_high = std::max(axes.x_high, x);
    if (std::ranges::find(axes.x_ticks, x) != axes.x_ticks.end()) continue;
    axes.x_ticks.push_back(x), axes.x_names.push_back(std::to_string(one.shifts));
  }
  double low = 0, high = 1;
  if (!record.roles.is_share)
    for (const Line& line : lines)
      for (const LinePoint& point : line.points)
        low = std::min(low, point.y.low.value_or(0)), high = std::max(high, point.y.high.value_or(0));
  return fit_y(axes, lines, low, high);
}

}  // namespace

Section sweep_concurrency_section(const SweepReport& record) {
  std::vector<OverviewRow> means;
  for (const SweepCaseMean& one : record.case_means)
    means.push_back({one.shift,
                     algorithm_name(one.start),
                     place_of(record.starts, one.start) % series,
                     one.value.mean,
                     {},
                     one.value.runs});
  std::vector<ColumnOf<SweepCaseMean>> of_cases = {
      {text_column("Case"), &SweepCaseMean::shift},
      {interval_column(record.roles.measure),
       [&](const SweepCaseMean& one) { return value_cell(record, one.value); }},
      {number_column("Algorithms"), &SweepCaseMean::algorithms},
      {number_column("Seeds"), [](const SweepCaseMean& one) { return seeds_cell(one.value); }}};
  add_start_column(record, of_cases);
  std::vector<ColumnOf<SweepConcurrency>> columns = {
      {text_column("Algorithm"),
       [](const SweepConcurrency& one) { return text_cell(algorithm_name(one.algorithm)); }},
      {number_column("Shifts"), &SweepConcurrency::shifts},
      {interval_column(record.roles.measure),
       [&](const SweepConcurrency& one) { return value_cell(record, one.value); }},
      {number_column("Cases"), &SweepConcurrency::cases},
      {number_column("Seeds"), [](const SweepConcurrency& one) { return seeds_cell(one.value); }}};
  add_start_column(record, columns);
  if (record.cases.size() < 2) return {};
  Blocks body = chart_grid({overview_chart(record.roles.measure, "mean over algorithms and settings", means,
                                           std::min(series, record.starts.size()), record.roles.is_share)}) +
                (record.starts.size() > 1 ? model_legend(record.starts) : Blocks()) +
                table_of("Mean over algorithms by case", of_cases, record.case_means)
                    .block(headers_with_start(record, 1));
  for (const std::string& start : record.starts) {
    const std::vector<Line> lines = lines_of(record, start);
    if (lines.empty()) continue;
    body += line_charts(record.starts.size() > 1 ? fmt::format("{}, start {}", record.roles.measure, start)
                                                 : record.roles.measure,
                        "by the number of concurrent shifts", lines, axes_of(record, lines));
  }
  if (!record.concurrency.empty())
    body += folded(fmt::format("All values as a table ({} rows)", record.concurrency.size()),
                   table_of("By the number of concurrent shifts", columns, record.concurrency)
                       .block(headers_with_start(record, 2)));
  const SweepConcurrency *first = nullptr, *last = nullptr;
  for (const SweepConcurrency& one : record.concurrency)
    if (one.algorithm.empty() && one.start == record.starts.front() && one.value.mean.value)
      first = first == nullptr ? &one : first, last = &one;
  const std::string heading =
      first == nullptr || first == last
          ? std::string("Cases, over all algorithms")
          : fmt::format("From {} to {} concurrent shifts, {} changes from {} to {}", first->shifts,
                        last->shifts, record.roles.measure, value_text(record, first->value.mean),
                        value_text(record, last->value.mean));
  return {"cases", "Cases", heading, body};
}

Section sweep_starts_section(const SweepReport& record) {
  if (record.scratch.empty()) return {};
  std::vector<OverviewRow> rows;
  for (const SweepStart& one : record.scratch) {
    if (const std::size_t slot = place_of(record.starts, one.start); slot < series)
      rows.push_back({algorithm_name(one.algorithm), one.start, slot, one.value.mean, {}, one.value.runs});
  }
  const std::vector<ColumnOf<SweepStart>> columns = {
      {text_column("Algorithm"),
       [](const SweepStart& one) { return text_cell(algorithm_name(one.algorithm)); }},
      {text_column("Start"), &SweepStart::start},
      {interval_column(record.roles.measure),
       [&](const SweepStart& one) { return value_cell(record, one.value); }},
      {interval_column(record.roles.is_share ? "Change, points" : "Change",
                       "Compared with the same runs from scratch"),
       [&](const SweepStart& one) {
         return one.start == record.roles.scratch ? dash_cell("the reference")
                                                  : measure_change_cell(record, one.change);
       }},
      {number_column("Seeds"), [](const SweepStart& one) { return seeds_cell(one.value); }},
      {number_column("Runs"), [](const SweepStart& one) { return count_cell(one.value.runs); }}};
  std::string heading = "From scratch and from other weights";
  for (const SweepStart& one : record.scratch)
    if (one.algorithm.empty() && one.start != record.roles.scratch && one.change.mean.value)
      heading = fmt::format("Start {} against {}: {} over all algorithms", one.start, record.roles.scratch,
                            change_text(record, one.change.mean));
  return {"starts", "Scratch", heading,
          chart_grid({overview_chart(record.roles.measure, "mean over cases and settings of every start",
                                     rows, std::min(series, record.starts.size()), record.roles.is_share)}) +
              model_legend(record.starts) +
              table_of("Scratch against other weights", columns, record.scratch).block(2)};
}

Section sweep_ranks_section(const SweepReport& record) {
  if (record.ranks.empty()) return {};
  std::vector<Chart> charts;
  for (const std::string& start : record.starts) {
    std::vector<OverviewRow> rows;
    for (const SweepRank& rank : record.ranks)
      if (rank.start == start)
        rows.push_back({rank.algorithm, "mean rank", 0, rank.rank, {}, rank.comparisons});
    if (!rows.empty())
      charts.push_back(overview_chart(start.empty() ? "Mean rank" : "Mean rank, start " + start,
                                      "1 is the best", rows, 1, false));
  }
  std::vector<ColumnOf<SweepRank>> columns = {
      {text_column("Algorithm"), &SweepRank::algorithm},
      {interval_column("Mean rank", "1 is the best; equal values share the mean of their ranks"),
       [](const SweepRank& one) { return pa_cell(one.rank, "one comparison"); }},
      {number_column("First", "Share of comparisons in which the algorithm is first, possibly tied"),
       [](const SweepRank& one) { return percent_cell(one.best, 0); }},
      {interval_column(record.roles.measure, "In these comparisons"),
       [&](const SweepRank& one) { return value_cell(record, one.value); }},
      {number_column("Cases", "Cases and settings with runs of all algorithms"), &SweepRank::cases},
      {number_column("Comparisons", "Cases, settings and seeds"), &SweepRank::comparisons}};
  add_start_column(record, columns);
  const SweepRank& first = record.ranks.front();
  return {
      "ranks", "Ranks",
      fmt::format("{} has the best mean rank, {} of {} comparisons", first.algorithm,
                  value_words(first.rank, false), first.comparisons),
      paragraph(fmt::format("Ranks of the algorithms in every case, setting and seed with runs of all "
                            "algorithms. Intervals ({}): Student's t on the log odds of the rank, over {}.",
                            percent(record.options.level, 0),
                            first.cases > 1 ? "cases and settings, whose seeds stay together" : "seeds")) +
          chart_grid(charts) + table_of("Ranks", columns, record.ranks).block(headers_with_start(record, 1))};
}

namespace {

std::string scope(const SweepReport& record) {
  std::vector<std::string> parts{
      fmt::format("{} runs", count(record.runs)),
      fmt::format("{} algorithm{}", record.algorithms.size(), record.algorithms.size() == 1 ? "" : "s"),
      fmt::format("{} case{}", record.cases.size(), record.cases.size() == 1 ? "" : "s")};
  if (record.settings.size() > 1) parts.push_back(fmt::format("{} settings", record.settings.size()));
  parts.push_back(fmt::format("{} seed{}", record.seeds.size(), record.seeds.size() == 1 ? "" : "s"));
  std::string text = fmt::format("{}; measure: {}", fmt::join(parts, ", "), record.roles.measure);
  if (!record.choices.empty())
    text += fmt::format("; hyperparameters selected by {}", record.roles.validation);
  if (!record.roles.selected.empty())
    text += fmt::format("; checkpoints selected by {}", record.roles.selected);
  return text;
}

std::string columns_words(const std::vector<std::string>& columns) {
  return columns.empty() ? "none" : fmt::format("{}", fmt::join(columns, ", "));
}

// What the columns were taken for, and what has no value.
Section roles_section(const SweepReport& record) {
  const SweepRoles& roles = record.roles;
  const auto one = [](const std::string& column) {
    return columns_words(column.empty() ? std::vector<std::string>{} : std::vector{column});
  };
  Table table("Roles of the columns of the table", {text_column("Role"), text_column("Columns")});
  const std::pair<const char*, std::string> rows[] = {
      {"measure", one(roles.measure)},
      {"selected by", one(roles.validation)},
      {"algorithm", columns_words(roles.algorithm)},
      {"case", columns_words(roles.cases)},
      {"repeats", columns_words(roles.repeats)},
      {"averaged over", columns_words(roles.over)},
      {"start", one(roles.start)},
      {"checkpoint selected by", one(roles.select)},
      {"hyperparameters", columns_words(roles.hyperparameters)}};
  for (const auto& [role, columns] : rows) table.add({text_cell(role), text_cell(columns)});
  Blocks missing;
  if (!record.missing.empty()) {
    const std::vector<ColumnOf<SweepMissing>> of = {
        {text_column("Reason"), [](const auto& row) { return text_cell(row.reason); }},
        {number_column("Runs"), [](const auto& row) { return count_cell(row.runs); }},
        {text_column("Example"), [](const auto& row) { return text_cell(row.example); }}};
    missing = table_of("Runs without a value", of, record.missing).block();
  }
  std::size_t without = 0;
  for (const SweepMissing& row : record.missing) without += row.runs;
  return {"runs", "Runs",
          without == 0
              ? "Every run has a value"
              : fmt::format("{} of {} runs have no value", count(without), count(without + record.runs)),
          missing + table.block()};
}

}  // namespace

View view(const SweepReport& record) {
  return view_of(
      "the runs of a sweep", record.envelope, sweep_maps(record),
      {sweep_changes_section(record), sweep_ranks_section(record), sweep_concurrency_section(record),
       sweep_starts_section(record), sweep_choices_section(record), sweep_ways_section(record),
       sweep_curves_section(record), roles_section(record)},
      scope(record));
}

}  // namespace leeway::tasks

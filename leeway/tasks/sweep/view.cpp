// The page of leeway sweep report.
#include "leeway/tasks/sweep/view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "leeway/describe/lines.h"
#include "leeway/tasks/sections.h"
#include "leeway/tasks/sweep/sweep.h"

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
  if (is_clear(change))
    cell.shade = std::clamp((record.roles.higher_is_better ? 1 : -1) * *change.mean.value * 4, -1., 1.);
  return cell;
}

std::string value_tip(const SweepReport& record, const SweepMean& mean) {
  return fmt::format("{}\n{}", value_text(record, mean.mean), basis_text(record, mean));
}

std::string with_start(const SweepReport& record, const std::string& title, const std::string& start) {
  return record.starts.size() > 1 ? title + ", start " + start : title;
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
  const std::string description = fmt::format("{}: {} marks with their intervals", title, rows.size());
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
                            fmt::format("{}, {}\n{}", some(one.shifts, "shift"), some(one.cases, "case"),
                                        value_tip(record, one.value))});
  }
  const auto all = std::ranges::find(lines, every_algorithm, &Line::name);
  if (all != lines.end()) std::rotate(lines.begin(), all, all + 1);
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].slot = i % series;
  return lines;
}

LineAxes axes_of(const SweepReport& record, const std::vector<Line>& lines) {
  std::vector<double> shifts;
  for (const SweepConcurrency& one : record.concurrency) shifts.push_back(static_cast<double>(one.shifts));
  LineAxes axes = value_axis(std::move(shifts)).axes("concurrent shifts");
  axes.percent = record.roles.is_share;
  return fit_y(axes, lines, axes.percent ? 0 : -infinity, axes.percent ? 1 : infinity);
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
  if (record.cases.size() < 2) return {};
  using Mean = SweepCaseMean;
  Blocks body = chart_grid({overview_chart(record.roles.measure, "mean over algorithms and settings", means,
                                           std::min(series, record.starts.size()), record.roles.is_share)}) +
                (record.starts.size() > 1 ? model_legend(record.starts) : Blocks()) +
                table_with_start<Mean>(record, "Mean over algorithms by case",
                                       {{text_column("Case"), &Mean::shift},
                                        value_column<Mean>(record, record.roles.measure),
                                        {number_column("Algorithms"), &Mean::algorithms},
                                        seeds_column(&Mean::value)},
                                       record.case_means, 1);
  for (const std::string& start : record.starts)
    if (const std::vector<Line> lines = lines_of(record, start); !lines.empty())
      body += line_charts(with_start(record, record.roles.measure, start),
                          "by the number of concurrent shifts", lines, axes_of(record, lines));
  std::string heading = concurrency_finding(record, record.starts.front());
  if (heading.empty()) heading = "Cases, over all algorithms";
  return {"cases", "Cases", heading, body};
}

Section sweep_starts_section(const SweepReport& record) {
  if (record.scratch.empty()) return {};
  std::vector<OverviewRow> rows;
  for (const SweepStart& one : record.scratch) {
    if (const std::size_t slot = place_of(record.starts, one.start); slot < series)
      rows.push_back({algorithm_name(one.algorithm), one.start, slot, one.value.mean, {}, one.value.runs});
  }
  using One = SweepStart;
  std::string heading = "From scratch and from other weights";
  for (const One& one : record.scratch)
    if (const std::string finding = start_finding(record, one); !finding.empty()) heading = finding;
  return {"starts", "Scratch", heading,
          chart_grid({overview_chart(record.roles.measure, "mean over cases and settings of every start",
                                     rows, std::min(series, record.starts.size()), record.roles.is_share)}) +
              model_legend(record.starts) +
              table_of<One>(
                  "Scratch against other weights",
                  {algorithm_column<One>(),
                   {text_column("Start"), &One::start},
                   value_column<One>(record, record.roles.measure),
                   change_column<One>(record, "Compared with the same runs from scratch",
                                      [&](const One& one) { return one.start == record.roles.scratch; }),
                   seeds_column(&One::value),
                   runs_column(&One::value)},
                  record.scratch)
                  .block(2)};
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
      charts.push_back(
          overview_chart(with_start(record, "Mean rank", start), "1 is the best", rows, 1, false));
  }
  using One = SweepRank;
  const SweepRank& first = record.ranks.front();
  return {
      "ranks", "Ranks",
      fmt::format("{} has the best mean rank, {} of {} comparisons", first.algorithm,
                  value_words(first.rank, false), first.comparisons),
      paragraph(fmt::format("Ranks of the algorithms in every case, setting and seed with runs of all "
                            "algorithms. Intervals ({}): Student's t on the log odds of the rank, over {}.",
                            percent(record.options.level, 0),
                            first.cases > 1 ? "cases and settings, whose seeds stay together" : "seeds")) +
          chart_grid(charts) +
          table_with_start<One>(
              record, "Ranks",
              {algorithm_column<One>(),
               {interval_column("Mean rank", "1 is the best; equal values share the mean of their ranks"),
                [](const One& one) { return pa_cell(one.rank, "one comparison"); }},
               {number_column("First", "Share of comparisons in which the algorithm is first, possibly tied"),
                [](const One& one) { return percent_cell(one.best, 0); }},
               value_column<One>(record, record.roles.measure, "In these comparisons"),
               {number_column("Cases", "Cases and settings with runs of all algorithms"), &One::cases},
               {number_column("Comparisons", "Cases, settings and seeds"), &One::comparisons}},
              record.ranks, 1)};
}

namespace {

std::string scope(const SweepReport& record) {
  std::vector<std::string> parts{some(record.runs, "run"), some(record.algorithms.size(), "algorithm"),
                                 some(record.cases.size(), "case")};
  if (record.settings.size() > 1) parts.push_back(some(record.settings.size(), "setting"));
  parts.push_back(some(record.seeds.size(), "seed"));
  std::string text = fmt::format("{}; measure: {}", fmt::join(parts, ", "), record.roles.measure);
  if (!record.choices.empty())
    text += fmt::format("; hyperparameters selected by {}", record.roles.validation);
  if (!record.roles.selected.empty())
    text += fmt::format("; checkpoints selected by {}", record.roles.selected);
  return text;
}

// What the columns were taken for, and what has no value.
Section roles_section(const SweepReport& record) {
  const SweepRoles& roles = record.roles;
  using Names = std::vector<std::string>;
  Table table("Roles of the columns of the table", {text_column("Role"), text_column("Columns")});
  for (const auto& [role, columns] :
       std::initializer_list<std::pair<const char*, Names>>{{"measure", {roles.measure}},
                                                            {"selected by", {roles.validation}},
                                                            {"algorithm", roles.algorithm},
                                                            {"case", roles.cases},
                                                            {"repeats", roles.repeats},
                                                            {"averaged over", roles.over},
                                                            {"start", {roles.start}},
                                                            {"checkpoint selected by", {roles.select}},
                                                            {"hyperparameters", roles.hyperparameters}}) {
    const std::string names = fmt::format("{}", fmt::join(columns, ", "));
    table.add({text_cell(role), text_cell(names.empty() ? "none" : names)});
  }
  using One = SweepMissing;
  const std::vector<ColumnOf<One>> of = {{text_column("Reason"), &One::reason},
                                         {number_column("Runs"), &One::runs},
                                         {text_column("Example"), &One::example}};
  const Blocks missing = table_of("Runs without a value", of, record.missing).block();
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

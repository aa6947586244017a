// What moved between source and target, labels aside.
#include <fmt/format.h>

#include <algorithm>

#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

// A column of one result.
struct DriftRow {
  const AssessResult* result;
  const DriftTest* test;
};

constexpr std::size_t drift_most_rows = 600;

std::vector<DriftRow> rows_of_drift(const Assess& record) {
  std::vector<DriftRow> rows;
  for (const AssessResult& result : record.results) {
    if (!result.drift) continue;
    rows.push_back({&result, &result.drift->classes});
    rows.push_back({&result, &result.drift->confidence});
    for (const DriftTest& group : result.drift->groups) rows.push_back({&result, &group});
  }
  std::ranges::stable_sort(rows, {}, [](const DriftRow& row) { return row.test->p_value; });
  return rows;
}

Blocks tests_table(const Assess& record, std::vector<DriftRow> rows) {
  std::string caption = "Every column, smallest p-value first";
  cut_rows(rows, drift_most_rows, caption);
  const std::vector<ColumnOf<DriftRow>> columns{
      {text_column("Target"), [&](const DriftRow& row) { return text_cell(subject(record, *row.result)); }},
      {text_column("Column"), [](const DriftRow& row) { return text_cell(row.test->name); }},
      {number_column("p",
                     "Probability of at least this difference without drift, adjusted by Holm's method over "
                     "the tests of the target"),
       [](const DriftRow& row) {
         std::string words = p_words(row.test->p_value);  // on one line
         if (const auto blank = words.find(' '); blank != words.npos) words.replace(blank, 1, "\u00a0");
         return number_cell(row.test->p_value, words);
       }},
      {interval_column("Distance",
                       "Total variation distance of the shares; for confidence and numbers the largest gap "
                       "of the distributions"),
       [](const DriftRow& row) { return share_cell(row.test->distance); }},
      {interval_column("Mean change, points", "Change of the mean confidence"),
       [](const DriftRow& row) { return change_cell(row.test->mean_change, "counts have no mean"); }},
      {text_column("Changes", "Values whose share changed significantly, tested together for each column"),
       [](const DriftRow& row) {
         const std::string words = moved_words(*row.test, row.result->source_n, row.result->n);
         return words.empty() ? dash_cell("no single value changed significantly") : text_cell(words);
       }},
      {on_page(text_column("Test")), [](const DriftRow& row) { return text_cell(row.test->test); }}};
  return table_of(caption, columns, rows).block(2);
}

Blocks left_out(const Assess& record) {
  std::vector<std::string> lines;
  for (const AssessResult& result : record.results)
    if (result.drift && !result.drift->left_out.empty())
      lines.push_back(fmt::format("{}: only one of source and target has {}.", subject(record, result),
                                  list_of(result.drift->left_out)));
  return bullets(at_most(12, lines));
}

}  // namespace

Section drift_section(const Assess& record) {
  std::vector<DriftRow> rows = rows_of_drift(record);
  if (rows.empty()) return {};
  const DriftRow& first = rows.front();
  const bool moved = first.test->p_value <= 1 - record.level;
  const std::string p = p_words(first.test->p_value);
  const auto several = static_cast<std::size_t>(std::ranges::count_if(
      record.results, [](const AssessResult& result) { return result.drift.has_value(); }));
  return {
      "drift", "Drift",
      moved ? fmt::format("{}: {} changed (p {})", subject(record, *first.result), first.test->name,
                          p[0] == '<' ? p : "= " + p)
            : fmt::format("No drift detected in the tests of {}", several == 1 ? "the target" : "any target"),
      paragraph("Changes between source and target, labels excluded: the mix of predicted classes, "
                "confidence, and the groups of both sets. A p-value is the probability of at least this "
                "difference without drift; the p-values of a target are adjusted together (Holm), so that a "
                "target without drift raises a false alarm with probability at most " +
                percent(1 - record.level) + ". Drift does not imply that the error changed.") +
          in_both(tests_table(record, rows) + left_out(record))};
}

}  // namespace leeway::tasks

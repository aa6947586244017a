// What moved between source and target, labels aside.
#include <fmt/format.h>

#include <algorithm>

#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

struct DriftRow : DriftTest {
  std::string target, changes;
};

constexpr std::size_t drift_most_rows = 600;

std::vector<DriftRow> rows_of_drift(const Assess& record) {
  std::vector<DriftRow> rows;
  for (const AssessResult& result : record.results) {
    if (!result.drift) continue;
    const auto add = [&](const DriftTest& test) {
      rows.push_back({test, subject(record, result), moved_words(test, result.source_n, result.n)});
    };
    add(result.drift->classes), add(result.drift->confidence);
    if (const auto& features = result.drift->features)
      rows.push_back({static_cast<const DriftTest&>(*features), subject(record, result),
                      features->p_value <= 1 - record.level ? moved_words(*features) : ""});
    for (const DriftTest& group : result.drift->groups) add(group);
  }
  std::ranges::stable_sort(rows, {}, &DriftRow::p_value);
  return rows;
}

Blocks tests_table(std::vector<DriftRow> rows) {
  std::string caption = "Every column, smallest p-value first";
  cut_rows(rows, drift_most_rows, caption);
  const std::vector<ColumnOf<DriftRow>> columns{
      {text_column("Target"), &DriftRow::target},
      {text_column("Column"), &DriftRow::name},
      {number_column("p",
                     "Probability of a difference at least this large without drift, adjusted by Holm's "
                     "method over the tests of the target"),
       [](const DriftRow& row) { return number_cell(row.p_value, p_words(row.p_value)); }},
      {interval_column(
           "Distance",
           "Total variation distance between the shares; for confidence and numbers, the Kolmogorov-Smirnov "
           "distance; for features, 2 AUROC - 1 of the witness on held-out rows"),
       &DriftRow::distance},
      {interval_column("Mean change, points", "Change of the mean confidence"),
       [](const DriftRow& row) { return change_cell(row.mean_change, "counts have no mean"); }},
      {text_column("Changes", "Values whose share changed significantly, tested together for each column"),
       [](const DriftRow& row) {
         return row.changes.empty() ? dash_cell("no single value changed significantly")
                                    : text_cell(row.changes);
       }},
      {on_page(text_column("Test")), &DriftRow::test}};
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
  const std::vector<DriftRow> rows = rows_of_drift(record);
  if (rows.empty()) return {};
  const DriftRow& first = rows.front();
  const auto tested = std::ranges::count_if(
      record.results, [](const AssessResult& result) { return result.drift.has_value(); });
  return {
      "drift", "Drift",
      first.p_value <= 1 - record.level
          ? fmt::format("{}: {} changed ({})", first.target, first.name, p_sentence(first.p_value))
          : fmt::format("No drift detected in the tests of {}", tested == 1 ? "the target" : "any target"),
      paragraph(
          "Changes between source and target, labels excluded: the mix of predicted classes, confidence, and "
          "the features and groups of both sets. A p-value is the probability of a difference at least this "
          "large without drift; the p-values of a target are adjusted together (Holm), so that a target "
          "without drift raises a false alarm with probability at most " +
          percent(1 - record.level) + ". Drift does not imply that the error changed.") +
          in_both(tests_table(rows) + left_out(record))};
}

}  // namespace leeway::tasks

// The page of an assessment: its first screen, and the order of its sections.
#include <fmt/format.h>

#include <algorithm>

#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

// What some result has, and hence the page shows.
struct Shown {
  bool accuracy = false, pairs = false, bound = false, likely = false, source = false;

  explicit Shown(const Assess& record) {
    for (const AssessResult& r : record.results) {
      accuracy = accuracy || r.accuracy.value;
      pairs = pairs || r.afr_pred.value || r.pa.value;
      bound = bound || r.error_bound;
      likely = likely || r.likely_error;
      source = source || r.source_accuracy.value;
    }
  }
};

std::string scope(const Assess& record) {
  const auto counted = [](std::size_t n, const std::string& one) {
    return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
  };
  const auto [least, most] = std::ranges::minmax(record.results, {}, &AssessResult::n);
  return fmt::format("{}, {}, {} classes, {}{} samples per target", counted(record.models.size(), "model"),
                     counted(record.targets.size(), "target"), record.k(), count(least.n),
                     least.n == most.n ? "" : " to " + count(most.n));
}

Cell accuracy_cell(const AssessResult& result) {
  Cell cell = share_cell(result.accuracy, result.reason("accuracy"));
  const Measured& source = result.source_accuracy;
  if (!result.accuracy.value || !source.value) return cell;
  cell.shade = *result.accuracy.value - *source.value;
  cell.title = fmt::format("{} {} on the source, n = {}", percent(source), percent_interval(source),
                           count(result.source_n));
  return cell;
}

Cell likely_cell(const AssessResult& result) {
  if (!result.likely_error) return dash_cell(result.reason("likely_error"));
  const LikelyError& likely = *result.likely_error;
  const Measured range{likely.error.value, likely.low, likely.high};
  Cell cell = share_cell(range);
  cell.title = fmt::format("{}; sampling error alone: {}", likely.moved, percent_interval(likely.error));
  return cell;
}

Blocks headline_table(const Assess& record, const Shown& shown) {
  const std::string level = percent(record.level);
  std::vector<ColumnOf<AssessResult>> columns;
  const auto add = [&](Column column, Cell (*cell)(const AssessResult&)) {
    columns.push_back({std::move(column), cell});
  };
  if (shown.source)
    add(interval_column("On the source", "Share of source samples predicted right"),
        [](const AssessResult& r) { return share_cell(r.source_accuracy, r.reason("source_accuracy")); });
  if (shown.accuracy) {
    add(interval_column("Accuracy", "Share of samples predicted right, with its " + level + " interval"),
        accuracy_cell);
    add(on_page(interval_column("Change, points", "Accuracy on the target minus accuracy on the source")),
        [](const AssessResult& r) {
          return change_cell(r.accuracy_change, r.reason(r.accuracy.value ? "source_accuracy" : "accuracy"));
        });
  }
  if (shown.pairs) {
    add(same_prediction_column(),
        [](const AssessResult& r) { return share_cell(r.afr_pred, r.reason("afr_pred")); });
    add(pa_column(level), [](const AssessResult& r) { return pa_cell(r.pa, r.reason("pa")); });
    add(on_page(beta_column()),
        [](const AssessResult& r) { return significant_cell(r.beta, 3, r.reason("beta")); });
  }
  if (shown.likely)
    add(interval_column("Estimated error", "An estimate without target labels, and its likely range"),
        likely_cell);
  if (shown.bound)
    add(number_column("Error at most", "Upper bound on the error, without target labels"),
        [](const AssessResult& r) { return percent_cell(r.error_bound, 1, r.reason("error_bound")); });
  columns.push_back({number_column("n", "Samples of the target"), &AssessResult::n});
  const bool known = columns.size() > 1;
  return subject_table(record, "Every target, worst first", std::move(columns), record.worst_first(),
                       known ? std::optional<std::size_t>(shown.source ? 1 : 0) : std::nullopt,
                       shown.accuracy || shown.pairs)
      .block();
}

Blocks terms(const Assess& record, const Shown& shown) {
  std::vector<std::pair<std::string, std::string>> list;
  if (shown.accuracy)
    list.emplace_back(
        "Accuracy",
        fmt::format("The share of samples that the model predicts right. Small figures show the {} interval. "
                    "Shading shows the difference from the source, the data with known accuracy.",
                    percent(record.level)));
  if (shown.pairs) {
    list.emplace_back("Prediction unchanged",
                      "The share of samples whose prediction is the same before and after the shift, whether "
                      "right or wrong (in papers: AFR, agreement failure rate). It needs no labels.");
    for (auto& meaning : pa_meanings(record.log_k())) list.push_back(std::move(meaning));
  }
  if (shown.likely)
    list.emplace_back(
        "Estimated error",
        "The error of the model on the target, estimated without labels from individual estimates and from "
        "the change of the outputs. Small figures show the likely range of the error.");
  if (shown.bound)
    list.emplace_back("Error at most",
                      "An upper bound on the error on the target, without labels, if the assumption in the "
                      "section on errors without labels holds.");
  return term_list(list);
}

// Targets are rows, worst first by their worst model; `models` are marks in them.
Chart metric_chart(const Assess& record, const ResultMeasure& measure,
                   const std::vector<std::string>& models) {
  std::vector<std::string> targets;
  for (const AssessResult* result : record.worst_first()) append_new(targets, result->target);
  std::vector<OverviewRow> rows;
  for (const std::string& target : targets)
    for (std::size_t m = 0; m < models.size(); ++m)
      if (const AssessResult* result = record.find(models[m], target)) {
        const auto& [value, low, high] = result->*measure.value;
        rows.push_back(
            {target,
             models[m],
             m,
             {value, low ? low : value, high ? high : value},
             measure.value == &AssessResult::accuracy ? result->source_accuracy.value : std::nullopt,
             result->n});
      }
  const std::string description = measure.title + " of every model on every target, with intervals";
  return overview_of({"overview", measure.title, measure.note, description}, rows, models.size(), measure.top,
                     measure.percent, targets);
}

Blocks overview_charts(const Assess& record) {
  const std::vector<ResultMeasure> measures = result_measures(record);
  if (record.results.size() == 1 || measures.empty()) return {};  // the table says it
  Blocks out;
  for (auto first = record.models.begin(); first != record.models.end();) {
    const auto last = first + std::min(std::ptrdiff_t{series}, record.models.end() - first);
    const std::vector<std::string> models(first, last);
    std::vector<Chart> charts;
    for (const ResultMeasure& one : measures) charts.push_back(metric_chart(record, one, models));
    out += model_legend(models) + chart_grid(charts);
    first = last;
  }
  return out;
}

}  // namespace

std::vector<ResultMeasure> result_measures(const Assess& record) {
  std::vector<ResultMeasure> measures = {
      {"Accuracy", "line: change from the source accuracy", &AssessResult::accuracy, true, 1},
      {"Prediction unchanged", "share unchanged by the shift", &AssessResult::afr_pred, true, 1},
      {"PA", "maximum " + fixed(record.log_k(), 2), &AssessResult::pa, false, record.log_k()}};
  std::erase_if(measures, [&](const ResultMeasure& measure) {
    return std::ranges::none_of(record.results,
                                [&](const AssessResult& r) { return (r.*measure.value).value.has_value(); });
  });
  return measures;
}

Table subject_table(const Assess& record, const std::string& caption,
                    std::vector<ColumnOf<AssessResult>> columns,
                    const std::vector<const AssessResult*>& results, std::optional<std::size_t> sorted,
                    bool ascending) {
  const std::size_t headers = record.models.size() > 1 ? 2 : 1;
  if (headers == 2) columns.insert(columns.begin(), {text_column("Model"), &AssessResult::model});
  columns.insert(columns.begin(), {text_column("Target"), &AssessResult::target});
  Table table = table_of(caption, columns, results);
  if (sorted) table.sorted = *sorted + headers, table.ascending = ascending;
  table.headers = headers;
  return table;
}

View view(const Assess& record, const Pictures& pictures, const PageOptions& options) {
  const Shown shown(record);
  std::vector<Section> sections = {timeline_section(record),    warnings_section(record),
                                   comparisons_section(record), seeds_section(record),
                                   strengths_section(record),   bounds_section(record),
                                   quality_section(record),     subgroups_section(record),
                                   drift_section(record),       agreement_section(record),
                                   confidence_section(record),  classes_section(record),
                                   groups_section(record),      shares_section(record),
                                   confusion_section(record),   flips_section(record, pictures, options)};
  for (Section& section : shifts_sections(record)) sections.push_back(std::move(section));
  for (Section& section : noise_sections(record, pictures, options)) sections.push_back(std::move(section));
  sections.push_back(missing_section(record));
  sections.push_back(assumptions_section(record));
  sections.push_back(source_section(record.envelope));
  std::vector<std::string> verdicts;
  for (const AssessGate& gate : record.gates) verdicts.push_back(gate_words(gate, record.results.size()));
  return {.title = "leeway: " + list_of(record.models),
          .headline = record.envelope.headline,
          .verdicts = std::move(verdicts),
          .findings = record.envelope.findings,
          .scope = scope(record),
          .lead = in_both(headline_table(record, shown)) + terms(record, shown) + overview_charts(record),
          .sections = std::move(sections)};
}

}  // namespace leeway::tasks

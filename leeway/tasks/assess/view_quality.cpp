// What labels say beside accuracy, before and after the shift, and the weakest sub-groups.
#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/rows.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

constexpr std::size_t most_classes = 600, most_matrix = 20;

// One labelled set: a source, or a target with its change.
struct QualityRow {
  std::string set;  // "cnn, noise"
  const AssessQuality* found;
  const QualityChange* change;
};

std::vector<QualityRow> rows_of_quality(const Assess& record) {
  std::vector<QualityRow> rows;
  for (const std::string& model : record.models) {
    const std::string first = record.models.size() > 1 ? model + ", " : "";
    bool source = false;
    for (const AssessResult& result : record.results) {
      if (result.model != model || !result.quality) continue;
      if (!source && result.source_quality)
        source = true, rows.push_back({first + "source", &*result.source_quality, nullptr});
      rows.push_back({first + result.target, &*result.quality,
                      result.quality_change ? &*result.quality_change : nullptr});
    }
  }
  return rows;
}

Cell quality_cell(const QualityMeasure& measure, const QualityRow& row) {
  const Measured& value = row.found->*measure.value;
  const bool share = measure.range.most == 1;  // else a loss
  Cell cell =
      share ? share_cell(value, "requires samples of two classes, and not too many samples") : pa_cell(value);
  if (row.change == nullptr || !(row.change->*measure.value).value) return cell;
  const Measured& change = row.change->*measure.value;
  const std::string interval = signed_points_interval(change);
  cell.title = "change " + (share ? signed_points(change) + (interval.empty() ? "" : " (" + interval + ")")
                                  : value_words(change, false));
  return cell;
}

Blocks sets_table(const std::vector<QualityRow>& rows) {
  std::vector<ColumnOf<QualityRow>> columns{{text_column("Set"), &QualityRow::set}};
  for (const QualityMeasure& measure : quality_measures)
    columns.push_back({interval_column(sentence_case(measure.words), sentence_case(measure.meaning)),
                       [&measure](const QualityRow& row) { return quality_cell(measure, row); }});
  return table_of("Before and after the shift", columns, rows).block();
}

struct QualityClassRow : ClassQuality {
  std::string set;
};

Blocks classes_table(const Assess& record, const std::vector<QualityRow>& rows) {
  std::vector<QualityClassRow> list;
  for (const QualityRow& row : rows)
    for (const ClassQuality& one : row.found->classes)
      if (one.n + one.predicted_n > 0) list.push_back({one, row.set});
  std::ranges::stable_sort(list, {}, [](const QualityClassRow& c) { return c.f1.value.value_or(1); });
  std::string caption = "Every class of every set, lowest F1 first";
  cut_rows(list, most_classes, caption);
  const std::vector<ColumnOf<QualityClassRow>> columns{
      {text_column("Class"), [&](const QualityClassRow& c) { return text_cell(record.class_name(c.index)); }},
      {text_column("Set"), &QualityClassRow::set},
      {interval_column("Precision", "Share of predictions of this class that are right"),
       &QualityClassRow::precision, "never predicted"},
      {interval_column("Recall", "Share of samples of this class that are predicted as this class"),
       &QualityClassRow::recall, "no samples"},
      {interval_column("F1", "Harmonic mean of precision and recall"), &QualityClassRow::f1},
      {interval_column("AUROC", "AUROC of the probability of the class, against all other classes"),
       &QualityClassRow::auroc, "requires samples of this class and of other classes"},
      {number_column("n", "Samples with this label"), &QualityClassRow::n}};
  return folded("Precision, recall, F1 and AUROC of every class", table_of(caption, columns, list).block(2));
}

Json points_of(const AssessQuality& found, const std::string& set, std::size_t slot) {
  Json points = Json::array();
  for (const ReliabilityBin& bin : found.reliability) {
    if (bin.n == 0) continue;
    points.push_back({{"set", set},
                      {"slot", slot},
                      {"from", brief(bin.low)},
                      {"n", bin.n},
                      {"confidence", brief(bin.confidence)},
                      {"accuracy", brief(bin.accuracy.value)},
                      {"low", brief(bin.accuracy.low)},
                      {"high", brief(bin.accuracy.high)},
                      {"words", fmt::format("{}\nmean confidence {}, {} right\nn = {}", set,
                                            percent(*bin.confidence), percent(bin.accuracy), count(bin.n))}});
  }
  return points;
}

Blocks reliability(const Assess& record) {
  std::vector<Chart> charts;
  for (const AssessResult* result : record.worst_first()) {
    if (!result->quality) continue;
    const AssessQuality& found = *result->quality;
    Json points = points_of(found, result->target, 0);
    if (result->source_quality)
      for (Json& point : points_of(*result->source_quality, "source", 1)) points.push_back(std::move(point));
    const std::string error =
        "ECE " + percent(found.ece) +
        (result->source_quality ? ", " + percent(result->source_quality->ece) + " on the source" : "");
    charts.push_back({"reliability",
                      subject(record, *result),
                      error,
                      "Accuracy against confidence of " + subject(record, *result) + ": " + error,
                      {{"points", std::move(points)}}});
  }
  return chart_legend({{"m0", "target", 0}, {"m1", "source", 1}}) + chart_grid(charts);
}

// Labels against predictions, of a target with few enough classes.
Blocks confusion(const Assess& record, const QualityRow& row) {
  const auto& counts = row.found->confusion;
  const std::vector<std::size_t> labels = all_rows(counts.size());
  std::vector<ColumnOf<std::size_t>> columns{
      {text_column("Label"), [&](std::size_t i) { return text_cell(record.class_name(i)); }}};
  for (std::size_t j = 0; j < counts.size(); ++j)
    columns.push_back(
        {number_column(record.class_name(j), "Samples predicted as this class"), [&, j](std::size_t i) {
           Cell cell = count_cell(counts[i][j]);
           if (i != j) cell.shade = -2 * shares_of(counts[i])[j];
           return cell;
         }});
  return table_of("Labels by predictions: " + row.set, columns, labels).block();
}

}  // namespace

Section quality_section(const Assess& record) {
  const std::vector<QualityRow> rows = rows_of_quality(record);
  if (rows.empty()) return {};
  const QualityRow& worst = *std::ranges::min_element(rows, {}, [](const QualityRow& row) {
    return row.change == nullptr ? 2 : row.found->macro_f1.value.value_or(1);
  });
  Blocks tables;
  std::size_t shown = 0;
  for (const QualityRow& row : rows)
    if (!row.found->confusion.empty() && row.found->confusion.size() <= most_matrix && shown++ < 12)
      tables += confusion(record, row);
  return {"quality", "Quality",
          fmt::format("{}: macro F1 {}, AUROC {}, ECE {}", worst.set, percent(worst.found->macro_f1),
                      worst.found->auroc.value ? percent(worst.found->auroc) : "unknown",
                      percent(worst.found->ece)),
          paragraph("Errors by class, ranking (AUROC) and calibration, from labels. On the dashed line, "
                    "confidence equals accuracy. Hover over a cell of the first table for its change.") +
              in_both(sets_table(rows)) + reliability(record) + classes_table(record, rows) +
              folded("Labels by predictions", tables)};
}

Section subgroups_section(const Assess& record) {
  struct Found : Subgroup {
    std::string target, name;
  };
  std::vector<Found> list;
  std::size_t searched = 0;
  for (const AssessResult* result : record.worst_first()) {
    if (!result->subgroups) continue;
    searched += result->subgroups->searched;
    for (const Subgroup& group : result->subgroups->list)
      list.push_back({group, subject(record, *result), subgroup_name(group)});
  }
  if (list.empty()) return {};
  const auto weak = std::ranges::find_if(list, &Found::clear);
  const std::vector<ColumnOf<Found>> columns{
      {text_column("Target"), &Found::target},
      {text_column("Subgroup"), &Found::name},
      {interval_column("Accuracy", "Accuracy on the measurement half"), &Found::accuracy},
      {interval_column("Difference from other rows, points",
                       "Accuracy minus accuracy of the other rows in the measurement half"),
       [](const Found& f) { return change_cell(f.difference, "no other rows"); }},
      {number_column("n", "Rows in the measurement half"), &Found::n}};
  return {
      "subgroups", "Subgroups",
      weak == list.end() ? "No subgroup is clearly weaker than the rest"
                         : fmt::format("Weakest subgroup: {} ({}), {} right", weak->name, weak->target,
                                       percent(weak->accuracy)),
      paragraph(fmt::format("{} groups and pairs of groups were searched. The lowest of many accuracies is "
                            "partly low by chance, so the subgroups were found on one half of the rows and "
                            "measured on the other half; the intervals of one target hold simultaneously.",
                            count(searched))) +
          in_both(table_of("Weakest subgroups on one half, measured on the other", columns, list).block(2))};
}

}  // namespace leeway::tasks

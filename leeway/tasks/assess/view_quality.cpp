// What labels say beside accuracy, before and after the shift, and the weakest sub-groups.
#include <fmt/format.h>

#include <algorithm>

#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

constexpr std::size_t most_classes = 600, most_matrix = 20;

// One labelled set: a source, or a target with its change.
struct QualityRow {
  const AssessResult* result;
  std::string set;
  const AssessQuality* found;
  const QualityChange* change;
};

std::vector<QualityRow> rows_of_quality(const Assess& record) {
  std::vector<QualityRow> rows;
  for (const std::string& model : record.models) {
    bool source = false;
    for (const AssessResult& result : record.results) {
      if (result.model != model || !result.quality) continue;
      if (!source && result.source_quality)
        source = true, rows.push_back({&result, "source", &*result.source_quality, nullptr});
      rows.push_back({&result, result.target, &*result.quality,
                      result.quality_change ? &*result.quality_change : nullptr});
    }
  }
  return rows;
}

std::string words_of_change(const Measured& change, bool points) {
  if (!change.value) return "";
  const double scale = points ? 100 : 1;
  const int digits = points ? 1 : 3;
  return fmt::format("change {:+.{}f}{}", scale * *change.value, digits,
                     change.low && change.high ? fmt::format(" ({:+.{}f} to {:+.{}f})", scale * *change.low,
                                                             digits, scale * *change.high, digits)
                                               : "");
}

template <Measured AssessQuality::*value, Measured QualityChange::*change>
Cell share_of(const QualityRow& row) {
  Cell cell = share_cell(row.found->*value, "requires samples of two classes, and not too many samples");
  if (row.change != nullptr) cell.title = words_of_change(row.change->*change, true);
  return cell;
}

// A loss: no share.
template <Measured AssessQuality::*value, Measured QualityChange::*change>
Cell loss_of(const QualityRow& row) {
  const Measured& measured = row.found->*value;
  Cell cell = fixed_cell(measured.value, 3);
  if (measured.low && measured.high)
    cell = with_interval(std::move(cell), measured, fixed(*measured.low, 3) + "–" + fixed(*measured.high, 3));
  if (row.change != nullptr) cell.title = words_of_change(row.change->*change, false);
  return cell;
}

Blocks sets_table(const Assess& record, const std::vector<QualityRow>& rows) {
  using Q = AssessQuality;
  using C = QualityChange;
  std::vector<ColumnOf<QualityRow>> columns{
      {text_column("Set"), &QualityRow::set},
      {interval_column("Balanced", "Balanced accuracy: mean recall of the classes"),
       share_of<&Q::balanced_accuracy, &C::balanced_accuracy>},
      {interval_column("Macro F1", "Mean F1 of the classes"), share_of<&Q::macro_f1, &C::macro_f1>},
      {interval_column("AUROC",
                       "For two classes: of class 1; otherwise the mean over classes against the rest"),
       share_of<&Q::auroc, &C::auroc>},
      {interval_column("Log loss", "Mean -log of the label's probability"),
       loss_of<&Q::log_loss, &C::log_loss>},
      {interval_column("Brier", "Mean squared distance of the probabilities from the label, 0 to 2"),
       loss_of<&Q::brier, &C::brier>},
      {interval_column("ECE", "Expected calibration error over 15 bins"), share_of<&Q::ece, &C::ece>}};
  const bool several = record.models.size() > 1;
  if (several)
    columns.insert(columns.begin() + 1, {text_column("Model"),
                                         [](const QualityRow& row) { return text_cell(row.result->model); }});
  return table_of("Before and after the shift", columns, rows).block(several ? 2 : 1);
}

struct QualityClassRow {
  const QualityRow* row;
  const ClassQuality* one;
};

Blocks classes_table(const Assess& record, const std::vector<QualityRow>& rows) {
  std::vector<QualityClassRow> list;
  for (const QualityRow& row : rows)
    for (const ClassQuality& one : row.found->classes)
      if (one.n + one.predicted_n > 0) list.push_back({&row, &one});
  std::ranges::stable_sort(list, {}, [](const QualityClassRow& c) { return c.one->f1.value.value_or(1); });
  std::string caption = "Every class of every set, lowest F1 first";
  cut_rows(list, most_classes, caption);
  const std::vector<ColumnOf<QualityClassRow>> columns{
      {text_column("Class"),
       [&](const QualityClassRow& c) { return text_cell(record.class_name(c.one->index)); }},
      {text_column("Set"),
       [&](const QualityClassRow& c) {
         return text_cell(record.models.size() > 1 ? c.row->result->model + ": " + c.row->set : c.row->set);
       }},
      {interval_column("Precision", "Share of predictions of this class that are right"),
       [](const QualityClassRow& c) { return share_cell(c.one->precision, "never predicted"); }},
      {interval_column("Recall", "Share of samples of this class that are predicted as this class"),
       [](const QualityClassRow& c) { return share_cell(c.one->recall, "no samples"); }},
      {interval_column("F1", "Harmonic mean of precision and recall"),
       [](const QualityClassRow& c) { return share_cell(c.one->f1); }},
      {interval_column("AUROC", "Of the probability of the class, against the rest"),
       [](const QualityClassRow& c) {
         return share_cell(c.one->auroc, "requires samples of this class and of other classes");
       }},
      {number_column("n", "Samples with this label"),
       [](const QualityClassRow& c) { return count_cell(c.one->n); }}};
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
  for (const AssessResult* result : worst_first(record)) {
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
  std::vector<std::size_t> labels(counts.size());
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = i;
  std::vector<ColumnOf<std::size_t>> columns{
      {text_column("Label"), [&](std::size_t i) { return text_cell(record.class_name(i)); }}};
  for (std::size_t j = 0; j < counts.size(); ++j)
    columns.push_back(
        {number_column(record.class_name(j), "Samples predicted as this class"), [&, j](std::size_t i) {
           Cell cell = count_cell(counts[i][j]);
           double all = 0;
           for (const std::size_t n : counts[i]) all += static_cast<double>(n);
           if (i != j && all > 0) cell.shade = -static_cast<double>(counts[i][j]) / all * 2;
           return cell;
         }});
  const std::string name = record.models.size() > 1 ? row.result->model + ", " + row.set : row.set;
  return table_of("Labels by predictions: " + name, columns, labels).block();
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
          fmt::format("{} has a macro F1 of {}, an AUROC of {} and an ECE of {}",
                      (record.models.size() > 1 ? worst.result->model + " on " + worst.set : worst.set),
                      percent(worst.found->macro_f1),
                      worst.found->auroc.value ? percent(worst.found->auroc) : "unknown value",
                      percent(worst.found->ece)),
          paragraph("Errors by class, ranking (AUROC) and calibration, from labels. On the dashed line, "
                    "confidence equals accuracy. Hover over a cell of the first table for its change.") +
              in_both(sets_table(record, rows)) + reliability(record) + classes_table(record, rows) +
              (tables.empty() ? Blocks() : folded("Labels by predictions", tables))};
}

Section subgroups_section(const Assess& record) {
  struct Found {
    const AssessResult* result;
    const Subgroup* group;
  };
  std::vector<Found> list;
  std::size_t searched = 0;
  for (const AssessResult* result : worst_first(record)) {
    if (!result->subgroups) continue;
    searched += result->subgroups->searched;
    for (const Subgroup& group : result->subgroups->list) list.push_back({result, &group});
  }
  if (list.empty()) return {};
  const auto weak = std::ranges::find_if(list, [](const Found& found) { return found.group->clear; });
  const std::vector<ColumnOf<Found>> columns{
      {text_column("Target"), [&](const Found& f) { return text_cell(subject(record, *f.result)); }},
      {text_column("Subgroup"), [](const Found& f) { return text_cell(subgroup_name(*f.group)); }},
      {interval_column("Accuracy", "On the half that was not used in the search"),
       [](const Found& f) { return share_cell(f.group->accuracy); }},
      {interval_column("Against other rows, points",
                       "Accuracy minus accuracy of the other rows of this half"),
       [](const Found& f) { return change_cell(f.group->difference, "no other rows"); }},
      {number_column("n", "Rows in the half for the measurement"),
       [](const Found& f) { return count_cell(f.group->n); }}};
  return {
      "subgroups", "Subgroups",
      weak == list.end() ? "No subgroup is clearly weaker than the rest"
                         : fmt::format("Weakest subgroup: {} ({}), {} right", subgroup_name(*weak->group),
                                       subject(record, *weak->result), percent(weak->group->accuracy)),
      paragraph(fmt::format("{} groups and pairs of groups were searched. The lowest of many accuracies is "
                            "partly low by chance, so these were found on one half of the rows and measured "
                            "on the other half; the intervals of one target hold together.",
                            count(searched))) +
          in_both(table_of("Weakest subgroups on one half, measured on the other", columns, list).block(2))};
}

}  // namespace leeway::tasks

// What the pages share, and the sections of an assessment's page. Each heading is a finding computed from the record; a
// section that has nothing to show has an empty body and is left out.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/core/message.h"
#include "leeway/core/numbers.h"
#include "leeway/describe/view.h"
#include "leeway/record/assess.h"
#include "leeway/record/conds.h"
#include "leeway/record/pa.h"
#include "leeway/report/report.h"

namespace leeway::report {

using Record = record::Assess;
using Result = record::AssessResult;
using Point = agreement::CurvePoint;

// A value of a record with its interval.
[[nodiscard]] Measured measured(const std::optional<double>& value, const std::optional<Interval>& interval);

// Of the first element that is `value`; their number where none is.
template <class List, class Value>
[[nodiscard]] std::size_t place_of(const List& list, const Value& value) {
  return static_cast<std::size_t>(std::ranges::find(list, value) - list.begin());
}

// Columns of several pages.
[[nodiscard]] Column pa_column(const std::string& level = "95%");
[[nodiscard]] Column beta_column();
[[nodiscard]] Column same_prediction_column(bool interval = true);

// Commands, inputs and versions: the last section of every page.
[[nodiscard]] Section source_section(const record::Envelope& envelope);
// "leeway: TITLE" with the envelope's headline and findings; the last section is source_section.
[[nodiscard]] View view_of(const std::string& title, const record::Envelope& envelope, Blocks lead,
                           std::vector<Section> sections = {}, std::string scope = {});

// What PA and β mean, in words for every page; `most` is the largest PA there can be.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> pa_meanings(double most);

// -- Posterior agreement by model and by shift. Valid as long as the record is.
struct PaView {
  explicit PaView(const record::Pa& pa);

  const std::vector<record::PaSet>& results;
  const std::vector<record::PaGap>& gaps;
  std::vector<std::string> models, shifted;  // in the order of the results; one model has the name ""

  [[nodiscard]] std::size_t slot(const record::PaSet& result) const;  // of its model's colour
  [[nodiscard]] double log_k() const;                                 // the largest
};

[[nodiscard]] Measured pa_of(const agreement::Agreement& agreement);
[[nodiscard]] Measured afr_pred_of(const agreement::Agreement& agreement);
[[nodiscard]] Measured afr_true_of(const agreement::Agreement& agreement);

// "cnn under pgd.npz", or without the model where there is only one.
[[nodiscard]] std::string subject(const PaView& record, const record::PaSet& result);

// A table of sets, or of something of each, leads with the shifted set, and the model where there are several.
template <class Row, class Rows, class SetOf>
[[nodiscard]] Blocks table_of_sets(const PaView& record, const std::string& caption,
                                   std::vector<ColumnOf<Row>> columns, const Rows& rows, const SetOf& set) {
  const bool several = record.models.size() > 1;
  if (several)
    columns.insert(columns.begin(),
                   {text_column("Model"), [&](const Row& row) { return text_cell(set(row).model); }});
  columns.insert(columns.begin(),
                 {text_column("Shifted set"), [&](const Row& row) { return text_cell(set(row).name()); }});
  return table_of(caption, columns, rows).block(several ? 2 : 1);
}

// One curve A(beta) of a figure.
struct Curve {
  std::string panel, line;  // the figure it stands in, its label
  std::size_t slot = 0;     // colour and dash, 0..series-1
  double log_k = 0;
  std::optional<double> beta, pa;
  std::vector<Point> points;  // A(beta)
  std::vector<Point> maxima;  // local ones; the global one may be among them
};
// One figure a panel, at most `series` lines each, with shared axes: beta (logarithmic) and A(beta) + log k.
[[nodiscard]] std::vector<Chart> curve_charts(const std::vector<Curve>& curves);

[[nodiscard]] Section pa_curves_section(const PaView& record);
[[nodiscard]] Section ratios_section(const PaView& record);
[[nodiscard]] Section decomposition_section(const PaView& record);
[[nodiscard]] Section posteriors_section(const PaView& record);

// -- Shifts of labels and attributes (record/conds.h): all but the strongest, which is the headline, and the table of all
// measures; maps of the label against every attribute, empty where there are none.
[[nodiscard]] Blocks shift_measures(const record::DescribedShifts& shifts);
[[nodiscard]] Section maps_section(const record::DescribedShifts& shifts);

// -- Assessments
// "CNN under noise 0.3", or without the model where there is only one.
[[nodiscard]] std::string subject(const Record& record, const Result& result);
[[nodiscard]] std::vector<const Result*> worst_first(const Record& record);
// A table of results, which leads with the target, and the model where there are several. `sorted`: a place in `columns`.
[[nodiscard]] Table subject_table(const Record& record, const std::string& caption,
                                  std::vector<ColumnOf<Result>> columns,
                                  const std::vector<const Result*>& results,
                                  std::optional<std::size_t> sorted = {}, bool ascending = false);
// Number of flips to show of each result: as requested, fewer where many results would make the page long.
[[nodiscard]] std::size_t flips_shown(const Record& record, const Options& options);

[[nodiscard]] Section comparisons_section(const Record& record);
// Means over results whose names differ by #NUMBER alone.
[[nodiscard]] Section seeds_section(const Record& record);
// Of targets such as "noise 0.1", "noise 0.2", "noise 0.4": the number at the end is the strength.
[[nodiscard]] Section strengths_section(const Record& record);
[[nodiscard]] Section bounds_section(const Record& record);
[[nodiscard]] Section timeline_section(const Record& record);
[[nodiscard]] Section drift_section(const Record& record);
[[nodiscard]] Section quality_section(const Record& record);
[[nodiscard]] Section subgroups_section(const Record& record);
[[nodiscard]] Section agreement_section(const Record& record);
[[nodiscard]] Section confidence_section(const Record& record);
[[nodiscard]] Section classes_section(const Record& record);
[[nodiscard]] Section groups_section(const Record& record);
[[nodiscard]] Section shares_section(const Record& record);
[[nodiscard]] Section confusion_section(const Record& record);
[[nodiscard]] Section flips_section(const Record& record, const Pictures& pictures, const Options& options);
[[nodiscard]] Section warnings_section(const Record& record);
[[nodiscard]] Section missing_section(const Record& record);
[[nodiscard]] Section assumptions_section(const Record& record);
// One for each model that met noise.
[[nodiscard]] std::vector<Section> noise_sections(const Record& record, const Pictures& pictures,
                                                  const Options& options);
// One for each target whose labels and groups differ from the source's, or for the source alone.
[[nodiscard]] std::vector<Section> shifts_sections(const Record& record);

}  // namespace leeway::report

// What the pages share, and the sections of an assessment's page. Each heading is a finding computed from the record; a
// section that has nothing to show has an empty body and is left out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/message.h"
#include "leeway/core/numbers.h"
#include "leeway/describe/view.h"
#include "leeway/tasks/assess/assess.h"
#include "leeway/tasks/described_shifts.h"
#include "leeway/tasks/pa/pa.h"
#include "leeway/tasks/report/page.h"

namespace leeway::tasks {

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
[[nodiscard]] Section source_section(const Envelope& envelope);
// "leeway: TITLE" with the envelope's headline and findings; the last section is source_section.
[[nodiscard]] View view_of(const std::string& title, const Envelope& envelope, Blocks lead,
                           std::vector<Section> sections = {}, std::string scope = {});

// A view that is its blocks alone, on the terminal, too.
[[nodiscard]] View plain_view(const std::string& title, const Envelope& envelope, Blocks lead);
using Facts = std::vector<std::pair<std::string, std::string>>;

// What PA and β mean, in words for every page; `most` is the largest PA there can be.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> pa_meanings(double most);

// -- Posterior agreement by model and by shift. Valid as long as the record is.
struct PaView {
  explicit PaView(const Pa& pa);

  const std::vector<PaSet>& results;
  const std::vector<PaGap>& gaps;
  std::vector<std::string> models, shifted;  // in the order of the results; one model has the name ""

  [[nodiscard]] std::size_t slot(const PaSet& result) const;  // of its model's colour
  [[nodiscard]] double log_k() const;                         // the largest
};

[[nodiscard]] Measured pa_of(const agreement::Agreement& agreement);
[[nodiscard]] Measured afr_pred_of(const agreement::Agreement& agreement);
[[nodiscard]] Measured afr_true_of(const agreement::Agreement& agreement);

// "cnn under pgd.npz", or without the model where there is only one.
[[nodiscard]] std::string subject(const PaView& record, const PaSet& result);

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

// Mean posterior by rank of rows that stay right, stay wrong and change (thesis, figures B.6 to B.11).
[[nodiscard]] Chart rank_chart(const std::string& title, const agreement::Responses& at);

[[nodiscard]] Section pa_curves_section(const PaView& record);
[[nodiscard]] Section decomposition_section(const PaView& record);
[[nodiscard]] Section posteriors_section(const PaView& record);
[[nodiscard]] Section suspects_section(const PaView& record);

// With a capital first letter.
[[nodiscard]] std::string sentence_case(std::string text);
// Each count as a share of their sum; zeros if the sum is 0.
[[nodiscard]] std::vector<double> shares_of(const std::vector<std::size_t>& counts);

// -- Assessments
// "CNN under noise 0.3", or without the model where there is only one; `one`: a result or a timeline.
template <class One>
[[nodiscard]] std::string subject(const Assess& record, const One& one) {
  return record.models.size() > 1 ? one.model + " under " + one.target : one.target;
}
// What charts show of results: those that some result has.
struct ResultMeasure {
  std::string title, note;
  Measured AssessResult::*value;
  bool percent;
  double top;  // the largest value there can be
};
[[nodiscard]] std::vector<ResultMeasure> result_measures(const Assess& record);
// A table of results, which leads with the target, and the model where there are several. `sorted`: a place in `columns`.
[[nodiscard]] Table subject_table(const Assess& record, const std::string& caption,
                                  std::vector<ColumnOf<AssessResult>> columns,
                                  const std::vector<const AssessResult*>& results,
                                  std::optional<std::size_t> sorted = {}, bool ascending = false);
// Number of flips to show of each result: as requested, fewer where many results would make the page long.
[[nodiscard]] std::size_t flips_shown(const Assess& record, const PageOptions& options);

[[nodiscard]] Section comparisons_section(const Assess& record);
// Means over results whose names differ by #NUMBER alone.
[[nodiscard]] Section seeds_section(const Assess& record);
// Of targets such as "noise 0.1", "noise 0.2", "noise 0.4": the number at the end is the strength.
[[nodiscard]] Section strengths_section(const Assess& record);
[[nodiscard]] Section bounds_section(const Assess& record);
[[nodiscard]] Section timeline_section(const Assess& record);
[[nodiscard]] Section drift_section(const Assess& record);
[[nodiscard]] Section quality_section(const Assess& record);
[[nodiscard]] Section subgroups_section(const Assess& record);
[[nodiscard]] Section agreement_section(const Assess& record);
[[nodiscard]] Section confidence_section(const Assess& record);
[[nodiscard]] Section classes_section(const Assess& record);
[[nodiscard]] Section groups_section(const Assess& record);
[[nodiscard]] Section shares_section(const Assess& record);
[[nodiscard]] Section confusion_section(const Assess& record);
[[nodiscard]] Section flips_section(const Assess& record, const Pictures& pictures,
                                    const PageOptions& options);
[[nodiscard]] Section warnings_section(const Assess& record);
[[nodiscard]] Section missing_section(const Assess& record);
[[nodiscard]] Section assumptions_section(const Assess& record);
// One for each model that met noise.
[[nodiscard]] std::vector<Section> noise_sections(const Assess& record, const Pictures& pictures,
                                                  const PageOptions& options);
// One for each target whose labels and groups differ from the source's, or for the source alone.
[[nodiscard]] std::vector<Section> shifts_sections(const Assess& record);

}  // namespace leeway::tasks

// The sections of an assessment's page. Each heading is a finding computed from the record; a section that
// has nothing to show has an empty body and is left out.
#pragma once

#include <string>
#include <vector>

#include "leeway/record/assess.h"
#include "leeway/report/bounds.h"
#include "leeway/report/html.h"
#include "leeway/report/pa_view.h"
#include "leeway/report/record.h"
#include "leeway/report/report.h"
#include "leeway/report/table.h"

namespace leeway::report {

using Record = record::Assess;
using Result = record::AssessResult;

// "CNN under noise 0.3", or without the model where there is only one.
[[nodiscard]] std::string subject(const Record& record, const Result& result);

[[nodiscard]] std::string overview(
    const Record& record);  // headline, findings, table and chart: no heading of its own
[[nodiscard]] Section comparisons_section(const Record& record);
[[nodiscard]] Section bounds_section(const Record& record);
[[nodiscard]] Section agreement_section(const Record& record);
[[nodiscard]] Section confidence_section(const Record& record);
[[nodiscard]] Section classes_section(const Record& record);
[[nodiscard]] Section groups_section(const Record& record);
[[nodiscard]] Section shares_section(const Record& record);
[[nodiscard]] Section confusion_section(const Record& record);
[[nodiscard]] Section flips_section(const Record& record, const Pictures& pictures, const Options& options);
[[nodiscard]] Section warnings_section(const Record& record);
// One for each model that met noise.
[[nodiscard]] std::vector<Section> noise_sections(const Record& record, const Pictures& pictures,
                                                  const Options& options);
// One for each target whose labels and groups differ from the source's, or for the source alone.
[[nodiscard]] std::vector<Section> shifts_sections(const Record& record);
[[nodiscard]] std::vector<Estimate> estimates_of(const Result& result);  // of every method, known or not
[[nodiscard]] Section missing_section(const Record& record);
[[nodiscard]] Section assumptions_section(const Record& record);
[[nodiscard]] Section source_section(const Envelope& envelope);
[[nodiscard]] Envelope envelope_of(const record::Envelope& envelope);

// What PA and β mean, in words for every page; `most` is the largest PA there can be.
[[nodiscard]] std::string pa_meaning(const std::string& most);
[[nodiscard]] std::string beta_meaning();

// Flips shown of each result: as many as asked, fewer where there are so many results that the page would
// grow long.
[[nodiscard]] std::size_t flips_shown(const Record& record, const Options& options);

// A table of results of posterior agreement leads with the shifted set, and the model where there are several.
[[nodiscard]] Table result_table(const PaView& record, const std::string& caption,
                                 const std::vector<Column>& columns);
[[nodiscard]] std::vector<Cell> result_cells(const PaView& record, const record::PaSet& result,
                                             const std::vector<Cell>& cells);

// Sections of a page of posterior agreement.
[[nodiscard]] Section pa_curves_section(const PaView& record);
[[nodiscard]] Section ratios_section(const PaView& record);
[[nodiscard]] Section decomposition_section(const PaView& record);
[[nodiscard]] Section posteriors_section(const PaView& record);

// The whole document: `lead` is HTML, `headline` text whose first sentence is set large. Sections without a
// body are left out.
[[nodiscard]] std::string page(const std::string& title, const std::string& headline, const std::string& lead,
                               const std::vector<Section>& sections);

}  // namespace leeway::report

#include "leeway/report/describe_sections.h"
#include "leeway/report/sections.h"

namespace leeway::report {

std::string html_report(const record::CondsDescribe& record) {
  const record::DescribedShifts& shifts = record.results.front();
  return page(
      "leeway: shifts of labels and attributes", record.envelope.headline, shift_measures(shifts),
      {maps_section(shifts), cell_accuracy_section(shifts), source_section(envelope_of(record.envelope))});
}

}  // namespace leeway::report

// An assessment's sections on shifts of labels and groups, drawn as the page of leeway conds describe is.
#include <fmt/format.h>

#include "leeway/record/conds_describe.h"
#include "leeway/report/describe_sections.h"
#include "leeway/report/sections.h"

namespace leeway::report {

std::vector<Section> shifts_sections(const Record& record) {
  std::vector<Section> sections;
  for (const record::AssessShifts& one : record.shifts) {
    std::string name = one.target.empty() ? "the source alone" : "the source against " + one.target;
    if (one.models.size() < record.models.size()) name += " (" + list_of(one.models) + ")";
    const Section maps = maps_section(one.shifts);
    std::string body =
        paragraph("Labels and groups of " + escape(name) +
                  ", whatever the models say of them: what goes together with the label is a correlation "
                  "that a model can "
                  "lean on, a value whose share changes a drift, and what the source never has is unseen.") +
        shift_measures(one.shifts);
    if (!maps.body.empty()) body += "<h3>" + maps.heading + "</h3>\n" + maps.body;
    if (!one.left_out.empty())
      body +=
          paragraph("Left out, for they would make too many cells: " + escape(list_of(one.left_out)) + ".");
    const bool several = record.shifts.size() > 1;
    sections.push_back({fmt::format("shifts-{}", sections.size() + 1),
                        several && !one.target.empty() ? "Shifts: " + one.target : "Shifts",
                        escape(record::headline_of(one.shifts)), body});
  }
  return sections;
}

}  // namespace leeway::report

#include <fmt/format.h>

#include "leeway/report/sections.h"

namespace leeway::report {
namespace {

std::string scope(const Record& record) {
  const auto counted = [](std::size_t n, const std::string& one) {
    return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
  };
  std::size_t least = record.results[0].n, most = least;
  for (const Result& result : record.results) {
    least = std::min(least, result.n);
    most = std::max(most, result.n);
  }
  const std::string n = least == most ? count(most) : count(least) + " to " + count(most);
  return fmt::format("{}, {}, {} classes, {} samples a target", counted(record.models.size(), "model"),
                     counted(record.targets.size(), "target"), record.k(), n);
}

}  // namespace

std::string html_report(const Record& record, const Pictures& pictures, const Options& options) {
  const std::string lead =
      fmt::format("<p class=\"scope\">{}</p>\n", escape(scope(record))) + overview(record);
  std::vector<Section> sections = {warnings_section(record),   comparisons_section(record),
                                   bounds_section(record),     agreement_section(record),
                                   confidence_section(record), classes_section(record),
                                   groups_section(record),     shares_section(record),
                                   confusion_section(record),  flips_section(record, pictures, options)};
  for (Section& section : shifts_sections(record)) sections.push_back(std::move(section));
  for (Section& section : noise_sections(record, pictures, options)) sections.push_back(std::move(section));
  sections.push_back(missing_section(record));
  sections.push_back(assumptions_section(record));
  sections.push_back(source_section(envelope_of(record.envelope)));
  return page("leeway: " + list_of(record.models), record.envelope.headline, lead, sections);
}

}  // namespace leeway::report

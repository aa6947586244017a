#include <fmt/format.h>

#include "leeway/tasks/conds_describe/conds_describe.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {

void fields(CondsDescribeOptions& options, Fields& f) {
  f("label", options.label, "column of the labels; without it only shares and unseen values are described");
  f("columns", options.columns, "columns of the attributes");
  f("permutations", options.permutations, from_to(1, 1e7), "number of permutations for each p-value");
  f("bootstrap", options.bootstrap, from_to(1, 1e7), "bootstrap replicates of each interval");
  f("level", options.level, from_to(.5, .9999), "confidence level of intervals and findings");
  score_fields(options.reading, f);  // its rows are those of --split
  labels_field(options.reading, f);
  groups_field(options.reading, f);
}

void check(const CondsDescribe& record, const std::string& name) {
  for (const DescribedShifts& shifts : record.results) check(shifts, name);
}

std::string headline_of(const DescribedShifts& shifts) {
  const conds::Description& said = shifts.description;
  if (said.findings.empty())
    return fmt::format("No shift found: none of {} tests is significant.", said.tests);
  return sentence_case(said.findings.front().text) + ".";
}

std::string headline_of(const CondsDescribe& record) { return headline_of(record.results.front()); }

std::vector<std::string> findings_of(const CondsDescribe& record) {
  std::vector<std::string> texts;
  for (const conds::Finding& finding : record.results.front().description.findings)
    texts.push_back(finding.text);
  if (!texts.empty()) texts.erase(texts.begin());
  return texts;
}

}  // namespace leeway::tasks

#include "leeway/record/shift.h"

#include <fmt/format.h>

#include "leeway/core/text.h"
#include "leeway/record/json.h"

namespace leeway::record {

void fields(ShiftOptions& options, Fields& f) {
  f("strength", options.strength, "strengths, one set for each; meaning and default depend on the shift");
  f("severity", options.severity, from_to(0, 5),
    "severities of a common corruption (`leeway list corruptions`), one set for each; 0 changes only the "
    "type");
  fields(options.how, f);
  f("classes", options.classes,
    "classes that label-subset keeps; for imbalance all classes, most frequent first (default: ascending)");
}

static void fields(RowsOfClass& rows, Fields& f) {
  f("class", rows.label, "a label");
  f("n_source", rows.n_source, "rows read");
  f("n", rows.n, "rows kept");
}

static void fields(ShiftedSet& set, Fields& f) {
  f("shift", set.shift,
    "a name that `leeway list shifts` prints, or with a severity `leeway list corruptions`");
  f("strength", set.strength, "null where the shift has none");
  f.unless_empty("strength_means", set.strength_means, "its meaning and unit; null where the shift has none");
  f("severity", set.severity, from_to(0, 5), "of a common corruption; else null");
  f("use", set.use, "how it was applied; else null");
  f("defined", set.defined,
    "false: not defined on pictures of so many channels, which it leaves as they are; else null or true");
  f("n", set.n, "images written");
  f("n_source", set.n_source, "images read");
  f("shape", set.shape, "of what was written: n, channels, height, width");
  f.unless_empty("out", set.out, "the file; null where none was written");
  f.unless_empty("sheet", set.sheet, "the contact sheet; null: none");
  f("mean_change", set.mean_change, at_least(0),
    "mean absolute change of a pixel in [0,1]; null where the shift selects rows");
  f("rows_of_class", set.rows_of_class, "of a shift that selects rows; else empty");
}

void fields(Shift& record, Fields& f) {
  common_fields(record, f);
  f("results", record.results, "by shift, then by strength or severity");
}

std::string headline_of(const Shift& record) {
  const ShiftedSet& set = record.results.front();
  if (record.results.size() > 1)
    return fmt::format("{} sets of {} images are written.", record.results.size(), set.n_source);
  return fmt::format("{} of {} images are written after {}{}.", set.n, set.n_source, set.shift,
                     set.strength   ? fmt::format(" of strength {:g}", *set.strength)
                     : set.severity ? fmt::format(" of severity {}", *set.severity)
                                    : "");
}

std::vector<std::string> findings_of(const Shift& record) {
  std::vector<std::string> findings;
  for (const ShiftedSet& set : record.results)
    if (!set.defined.value_or(true))
      append_new(findings,
                 fmt::format("{} is not defined on grey pictures: they are as they were.", set.shift));
  return findings;
}

}  // namespace leeway::record

#include <fmt/format.h>

#include "leeway/describe/json.h"
#include "leeway/tasks/model_reading.h"
#include "leeway/tasks/shift/shift.h"

namespace leeway::tasks {

void fields(ShiftOptions& options, Fields& f) {
  flag_fields(options, f);
  fields(options.pictures, f);
}

void flag_fields(ShiftOptions& options, Fields& f) {
  f("strength", options.strength,
    "strengths; one set is written for each; meaning and default depend on the shift");
  f("severity", options.severity, from_to(0, 5),
    "severities of a common corruption (`leeway list shifts`); one set is written for each; 0 only converts "
    "to uint8");
  fields(options.how, f);
  f("classes", options.classes,
    "label-subset: classes to keep; imbalance: all classes, most frequent first (default: ascending); label "
    "noise: classes whose labels change, in order");
  f("groups", options.groups, "label noise: file with one column of groups, one row per image");
  f.unless_missing("group_rates", options.group_rates,
                   "label noise: rate of each group in --groups, in sorted order of the groups", a_share);
}

static void fields(RowsOfClass& rows, Fields& f) {
  f("class", rows.label, "label");
  f("n_source", rows.n_source, "number of rows read");
  f("n", rows.n, "number of rows kept");
}

static void fields(NoisyGroup& group, Fields& f) {
  f.unless_empty("group", group.group, "value of the group; null: all rows");
  f("rate", group.rate, a_share, "probability that a label is changed");
  f("n", group.n, "number of rows");
  f("changed", group.changed, "number of rows whose label was changed");
}

static void fields(LabelNoise& noise, Fields& f) {
  f("changed", noise.changed, "number of rows whose label was changed");
  f("groups", noise.groups, "one element for each group; without groups, one for all rows");
}

void fields(ShiftedSet& set, Fields& f) {
  f("shift", set.shift, "shift, see `leeway list shifts`");
  f("strength", set.strength, "strength; null if the shift has none");
  f.unless_empty("strength_means", set.strength_means,
                 "meaning and unit of the strength; null if the shift has none");
  f("severity", set.severity, from_to(0, 5), "severity of a common corruption; otherwise null");
  f("use", set.use, "how the corruption was applied; otherwise null");
  f("defined", set.defined,
    "false: not defined for this number of channels, so images are unchanged; otherwise null or true");
  f("n", set.n, "number of images written");
  f("n_source", set.n_source, "number of images read");
  f("shape", set.shape, "shape of the images written: n, channels, height, width");
  f.unless_empty("out", set.out, "file of images; null: none");
  f.unless_empty("sheet", set.sheet, "contact sheet; null: none");
  f("mean_change", set.mean_change, at_least(0),
    "mean absolute change of a pixel in [0,1]; null if the shift keeps pixels");
  f("rows_of_class", set.rows_of_class,
    "rows of each class, for a shift that selects rows or changes labels; otherwise empty");
  f("label_noise", set.label_noise, "labels that were changed; null unless the shift changes labels");
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
                 fmt::format("{} is not defined on grayscale images: they are unchanged.", set.shift));
  return findings;
}

}  // namespace leeway::tasks

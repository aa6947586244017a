// Models and targets that differ by their seed alone: means over seeds with intervals.
#include <fmt/format.h>

#include "leeway/report/detail/sections.h"

namespace leeway::report {
namespace {

using record::SeedsOfOne;

std::string heading_of(const std::vector<SeedsOfOne>& seeds) {
  const SeedsOfOne* least = nullptr;
  for (const SeedsOfOne& one : seeds)
    if (one.accuracy.value && (least == nullptr || *one.accuracy.value < *least->accuracy.value))
      least = &one;
  if (least == nullptr) return "Means over seeds";
  return fmt::format("Over {} seeds {} under {} is right on {}", least->results.size(), escape(least->model),
                     escape(least->target), value_words(least->accuracy, true));
}

}  // namespace

Section seeds_section(const Record& record) {
  if (!record.seeds) return {};
  const std::vector<ColumnOf<SeedsOfOne>> columns = {
      {text_column("Target"), [](const SeedsOfOne& one) { return text_cell(one.target); }},
      {text_column("Model"), [](const SeedsOfOne& one) { return text_cell(one.model); }},
      {interval_column("Accuracy"),
       [](const SeedsOfOne& one) { return share_cell(one.accuracy, "not every seed has labels"); }},
      {interval_column("Change, points"),
       [](const SeedsOfOne& one) { return change_cell(one.accuracy_change, "not every seed has labels"); }},
      {interval_column("Same prediction"),
       [](const SeedsOfOne& one) { return share_cell(one.afr_pred, "not every seed is paired"); }},
      {pa_column(), [](const SeedsOfOne& one) { return pa_cell(one.pa, "not every seed is paired"); }},
      {number_column("Seeds"), [](const SeedsOfOne& one) { return count_cell(one.results.size()); }}};
  return {"seeds", "Seeds", heading_of(record.seeds->sets),
          paragraph("Names that end in # and a number are seeds of one model or shift. The intervals are "
                    "Student's: where the "
                    "mean over further seeds lies, if seeds scatter normally, on these samples.") +
              table_of("Means over seeds", columns, record.seeds->sets).html(2)};
}

}  // namespace leeway::report

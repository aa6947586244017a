#include <fmt/format.h>

#include "leeway/describe/json.h"
#include "leeway/tasks/agreement_fields.h"
#include "leeway/tasks/paired_rows.h"
#include "leeway/tasks/select/select.h"

namespace leeway::tasks {
namespace {

void require_result(const Select& record, const std::optional<Chosen>& chosen, std::string_view key,
                    const std::string& name) {
  if (chosen && chosen->index >= record.results.size())
    refuse(name, fmt::format("a result below {} at selected.{}.index", record.results.size(), key),
           chosen->index);
}

}  // namespace

static void fields(SelectCheckpoint& result, Fields& f) {
  agreement::Checkpoint& measured_here = result.measured;
  f("checkpoint", result.checkpoint, "name of the checkpoint, or path of its clean outputs");
  f("n", measured_here.agreement.n, at_least(1), "number of pairs of samples");
  f("k", measured_here.agreement.k, at_least(2), "number of classes");
  fields_of_maximum(measured_here.agreement, f);
  f.measured("accuracy", measured_here.accuracy, a_share,
             "accuracy on the clean samples; null without labels");
  f.measured("accuracy_shifted", measured_here.accuracy_shifted, a_share,
             "accuracy on the shifted samples; null without labels");
  f("pairing", result.pairing, "evidence that row i is the same sample in both sets");
  f.unless_empty("doubt", result.doubt, "why the rows may not be pairs; null if there is no doubt");
}

static void fields(Chosen& chosen, Fields& f) {
  f("index", chosen.index, "index in the results; ties go to the earliest checkpoint");
  f("checkpoint", chosen.checkpoint, "name of the checkpoint");
}

static void fields(Selected& selected, Fields& f) {
  f("pa", selected.pa, "checkpoint with the highest posterior agreement");
  f("accuracy", selected.accuracy, "checkpoint with the highest clean accuracy; null without labels");
  f("accuracy_shifted", selected.accuracy_shifted,
    "checkpoint with the highest shifted accuracy; null without labels");
  f.measured("pa_difference", selected.pa_difference, {},
             "pa of the checkpoint selected by pa minus pa of the checkpoint selected by accuracy, paired "
             "over samples; null if both are the same, or without labels");
}

void fields(Select& record, Fields& f) {
  common_fields(record, f);
  f("results", record.results, "one result for each checkpoint, in the order given");
  f("selected", record.selected, "checkpoint that each criterion selects");
}

void check(const Select& record, const std::string& name) {
  require_result(record, record.selected.pa, "pa", name);
  require_result(record, record.selected.accuracy, "accuracy", name);
  require_result(record, record.selected.accuracy_shifted, "accuracy_shifted", name);
}

std::string headline_of(const Select& record) {
  const Selected& selected = record.selected;
  const std::string by_pa = display_name(selected.pa.checkpoint);
  const auto right = [&](const Chosen& chosen) {
    const auto& accuracy = record.results[chosen.index].measured.accuracy_shifted;
    return percent(measured(accuracy));
  };
  if (!selected.accuracy) {
    const agreement::Agreement& a = record.results[selected.pa.index].measured.agreement;
    return fmt::format(
        "{} has the highest posterior agreement, {}. Without labels there is no accuracy to compare with.",
        by_pa, value_words(measured(a.pa, a.pa_interval), false));
  }
  if (selected.accuracy->index == selected.pa.index)
    return fmt::format(
        "Posterior agreement and accuracy choose the same checkpoint, {}. Its accuracy under the shift is "
        "{}.",
        by_pa, right(selected.pa));
  return fmt::format(
      "Posterior agreement chooses {}, accuracy chooses {}. Under the shift, the first has an accuracy of "
      "{}, the second of {}.",
      by_pa, display_name(selected.accuracy->checkpoint), right(selected.pa), right(*selected.accuracy));
}

std::string difference_words(const Select& record) {
  const Selected& selected = record.selected;
  if (!selected.accuracy || !selected.pa_difference) return "";
  const bool clear = selected.pa_difference->interval.low > 0;
  return fmt::format("Posterior agreement is higher for {} than for {}, by {}: {}.",
                     display_name(selected.pa.checkpoint), display_name(selected.accuracy->checkpoint),
                     value_words(measured(selected.pa_difference), false),
                     clear ? "a clear difference" : "not a clear difference on these samples");
}

std::vector<std::string> findings_of(const Select& record) {
  std::vector<std::string> findings = doubts_of(record.results);
  if (std::string words = difference_words(record); !words.empty()) findings.push_back(std::move(words));
  return findings;
}

}  // namespace leeway::tasks

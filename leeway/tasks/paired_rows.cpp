#include "leeway/tasks/paired_rows.h"

#include <fmt/format.h>

#include "leeway/core/message.h"

namespace leeway::tasks {

std::optional<agreement::PairEvidence> evidence_of(const PairedRows& clean, const PairedRows& shifted) {
  if (clean.logits->shape()[0] != shifted.logits->shape()[0]) return std::nullopt;
  const auto said = [](const PairedRows& set, const std::vector<std::int32_t>& classes) {
    agreement::RowsSaid rows{set.labels, {}, classes, set.logits->shape()[1]};
    if (rows.labels.empty() && set.rest->labels) rows.labels = *set.rest->labels;
    if (set.rest->ids) rows.ids = *set.rest->ids;
    return rows;
  };
  const auto before = agreement::first_predictions(*clean.logits),
             after = agreement::first_predictions(*shifted.logits);
  return agreement::pair_evidence(said(clean, before), said(shifted, after));
}

std::string pair_doubt(const std::optional<agreement::PairEvidence>& evidence, const std::string& clean,
                       const std::string& shifted) {
  if (!evidence || evidence->pairs() || !(evidence->different || evidence->decidable)) return "";
  return fmt::format("rows of {} are compared with rows of {}, but may not be the same samples: {}",
                     display_name(shifted), display_name(clean), evidence->reason);
}

void note_unproved(std::vector<std::string>& lines, const std::string& name, const agreement::Agreement& a) {
  if (a.fitted && !a.converged)
    lines.push_back(
        fmt::format("{}: the maximum is certified to {:.2g}, not to {:.0e}, after {} evaluations: another "
                    "beta may raise it by that much",
                    name, a.gap, agreement::Options{}.gap, a.evaluations));
}

}  // namespace leeway::tasks

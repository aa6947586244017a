#include "leeway/tasks/assess/detail/pairing.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/core/rows.h"

namespace leeway::assess {
namespace {

agreement::RowsSaid rows_said(const Outputs& outputs, std::span<const std::int32_t> classes) {
  agreement::RowsSaid said;
  if (outputs.labels) said.labels = *outputs.labels;
  if (outputs.ids) said.ids = *outputs.ids;
  said.classes = classes;
  said.k = outputs.k();
  return said;
}

}  // namespace

Paired paired_of(const std::string& word) {
  if (word == "auto") return Paired::automatic;
  if (word != "yes" && word != "no") refuse("paired", "one of auto, yes, no", in_quotes(word));
  return word == "yes" ? Paired::yes : Paired::no;
}

Pairing pair(const Outputs& source, const Outputs& target, std::span<const std::int32_t> before,
             std::span<const std::int32_t> after, Paired wanted) {
  using agreement::EvidenceBy;
  Pairing pairing;
  if (source.n() == target.n())
    pairing.evidence = agreement::pair_evidence(rows_said(source, before), rows_said(target, after));
  if (wanted == Paired::no) {
    pairing.reason = "source and target were declared to be different samples";
  } else if (source.n() != target.n()) {
    if (wanted == Paired::yes)
      throw Error(fmt::format(
          "{}: expected {} rows, one for each row of {}, because the sets were declared paired, found {}",
          target.path, source.n(), source.path, target.n()));
    pairing.reason = fmt::format("source and target are different samples: {} rows and {}",
                                 leeway::count(source.n()), leeway::count(target.n()));
  } else if (pairing.evidence.pairs() || wanted == Paired::yes) {
    pairing.paired = true;
    pairing.asserted = wanted == Paired::yes || pairing.evidence.by != EvidenceBy::agreement;
  } else {
    pairing.doubted = true;
    pairing.reason = fmt::format("{}: {}",
                                 pairing.evidence.different
                                     ? "source and target are different samples"
                                     : "nothing shows that row i of the target is row i of the source",
                                 pairing.evidence.reason);
  }
  return pairing;
}

std::vector<std::int64_t> labels_of(const Outputs& own, const Outputs& other, const Pairing& pairing) {
  const bool lent = pairing.asserted && other.labels;
  if (!own.labels) return lent ? *other.labels : std::vector<std::int64_t>();
  std::vector<std::int64_t> labels = *own.labels;
  for (std::size_t i = 0; i < labels.size() && lent; ++i)
    if (labels[i] == no_label) labels[i] = (*other.labels)[i];
  return labels;
}

LabelledRows labelled_rows(const Outputs& set, std::vector<std::int64_t> labels, const Predictions& said) {
  if (count_labels(labels) == labels.size()) return {set.logits, std::move(labels), said, {}};
  LabelledRows known;
  known.rows = rows_with_labels(labels);
  known.logits = Rows(set.logits).take(known.rows);
  known.labels = at_rows(labels, known.rows);
  known.said.classes = at_rows(said.classes, known.rows);
  known.said.confidences = at_rows(said.confidences, known.rows);
  return known;
}

std::vector<GroupColumn> taken_groups(const std::vector<GroupColumn>& groups,
                                      std::span<const std::size_t> rows) {
  std::vector<GroupColumn> taken = groups;
  for (GroupColumn& group : taken)
    if (!rows.empty()) group.codes = at_rows(group.codes, rows);
  return taken;
}

const std::vector<GroupColumn>& groups_of(const Outputs& own, const Outputs& other, const Pairing& pairing) {
  return own.groups.empty() && pairing.asserted ? other.groups : own.groups;
}

bool same_logits(const Array& a, const Array& b) {
  return a.type == b.type && a.shape == b.shape &&
         std::memcmp(a.storage.get(), b.storage.get(), a.size() * size_of(a.type)) == 0;
}

}  // namespace leeway::assess

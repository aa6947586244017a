#include "leeway/tasks/assess/detail/pairing.h"

#include <fmt/format.h>

#include <cstring>

#include "leeway/core/error.h"
#include "leeway/core/message.h"

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
    pairing.reason = "source and target were said to be different samples";
  } else if (source.n() != target.n()) {
    if (wanted == Paired::yes)
      throw Error(
          fmt::format("{}: expected {} rows, one for each of {} with which it is said to be paired, found {}",
                      target.path, source.n(), source.path, target.n()));
    pairing.reason =
        fmt::format("source and target are different samples: {} rows and {}", source.n(), target.n());
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

std::span<const std::int64_t> labels_of(const Outputs& own, const Outputs& other, const Pairing& pairing) {
  if (own.labels) return *own.labels;
  if (pairing.asserted && other.labels) return *other.labels;
  return {};
}

const std::vector<GroupColumn>& groups_of(const Outputs& own, const Outputs& other, const Pairing& pairing) {
  return own.groups.empty() && pairing.asserted ? other.groups : own.groups;
}

bool same_logits(const Array& a, const Array& b) {
  return a.type == b.type && a.shape == b.shape &&
         std::memcmp(a.storage.get(), b.storage.get(), a.size() * size_of(a.type)) == 0;
}

}  // namespace leeway::assess

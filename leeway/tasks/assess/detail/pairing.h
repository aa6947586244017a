// Whether row i of a target is row i of its source, shifted; and whether labels and groups carry over.
//
// Paired::automatic: the same n, and evidence (agreement/pair_evidence.h): equal labels or ids, or
// predictions that agree in place beyond chance. Paired::yes is accepted, with a warning if no evidence
// supports it. Labels and groups carry over to a side without any only for Paired::yes or equal labels or
// ids; with agreement alone, which may hold for most rows only, they do not, with a warning. Error:
// Paired::yes and n differs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "leeway/agreement/pair_evidence.h"
#include "leeway/tasks/assess/assess.h"
#include "leeway/tasks/assess/detail/predictions.h"

namespace leeway::assess {

enum class Paired { automatic, yes, no };
[[nodiscard]] Paired paired_of(const std::string& word);  // "auto", "yes", "no"; Error otherwise

struct Pairing {
  bool paired = false;
  bool asserted = false;             // by the user, or by equal labels or ids
  bool doubted = false;              // not paired although n is equal and nobody said so
  std::string reason;                // why not paired, in words for a reader
  agreement::PairEvidence evidence;  // where n is equal
};

// `before` and `after` are the predicted classes of all rows.
[[nodiscard]] Pairing pair(const Outputs& source, const Outputs& target, std::span<const std::int32_t> before,
                           std::span<const std::int32_t> after, Paired wanted);

// Of every row, no_label where it has none; empty where there are none.
[[nodiscard]] std::vector<std::int64_t> labels_of(const Outputs& own, const Outputs& other,
                                                  const Pairing& pairing);

// The rows of a set whose label is known: of all rows where none is missing, or where there are no labels.
struct LabelledRows {
  Array logits;
  std::vector<std::int64_t> labels;
  Predictions said;
  std::vector<std::size_t> rows;  // empty: all
};
[[nodiscard]] LabelledRows labelled_rows(const Outputs& set, std::vector<std::int64_t> labels,
                                         const Predictions& said);
// The groups of these rows; all where `rows` is empty.
[[nodiscard]] std::vector<GroupColumn> taken_groups(const std::vector<GroupColumn>& groups,
                                                    std::span<const std::size_t> rows);
[[nodiscard]] const std::vector<GroupColumn>& groups_of(const Outputs& own, const Outputs& other,
                                                        const Pairing& pairing);

// True where both have exactly the same logits, bit for bit.
[[nodiscard]] bool same_logits(const Array& a, const Array& b);

}  // namespace leeway::assess

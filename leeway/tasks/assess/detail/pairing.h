// Whether row i of a target is row i of its source, shifted; and which labels and groups therefore hold.
//
// Paired::automatic: the same n, and evidence against unrelated sets (agreement/pair_evidence.h): equal labels or
// ids, or predictions that agree in place beyond chance. Paired::yes is believed, and a warning says where
// nothing shows it. Pairs are asserted where Paired::yes says so or where labels or ids are equal: only then do
// labels and groups of one side hold for the other, which has none. Agreement pairs rows, too, but it may be that
// of most rows alone: no labels travel, and a warning says so. Errors (Error): Paired::yes and n differs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "leeway/agreement/pair_evidence.h"
#include "leeway/tasks/assess/inputs.h"

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

// Empty where there are none.
[[nodiscard]] std::span<const std::int64_t> labels_of(const Outputs& own, const Outputs& other,
                                                      const Pairing& pairing);
[[nodiscard]] const std::vector<GroupColumn>& groups_of(const Outputs& own, const Outputs& other,
                                                        const Pairing& pairing);

// True where both have exactly the same logits, bit for bit.
[[nodiscard]] bool same_logits(const Array& a, const Array& b);

}  // namespace leeway::assess

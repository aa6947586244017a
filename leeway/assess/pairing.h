// Whether row i of a target is row i of its source, shifted; and which labels and groups therefore hold.
//
// Paired: the same n, and the same labels where both have them. Pairs are asserted where Paired::yes says so
// or where both label vectors are equal: only then do labels and groups of one side hold for the other, which
// has none. Equal n alone pairs rows, too, but may be chance (two days of 10000 requests): no labels travel,
// and a warning says so. Errors (Error): Paired::yes and n differs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "leeway/assess/assess.h"

namespace leeway::assess {

struct Pairing {
  bool paired = false;
  bool asserted = false;             // by the user, or by equal labels
  std::string reason;                // why not paired, in words for a reader
  std::size_t differing_labels = 0;  // rows, with Paired::yes
};
[[nodiscard]] Pairing pair(const Outputs& source, const Outputs& target, Paired wanted);

// Empty where there are none.
[[nodiscard]] std::span<const std::int64_t> labels_of(const Outputs& own, const Outputs& other,
                                                      const Pairing& pairing);
[[nodiscard]] const std::vector<GroupColumn>& groups_of(const Outputs& own, const Outputs& other,
                                                        const Pairing& pairing);

// True where both have exactly the same logits, bit for bit.
[[nodiscard]] bool same_logits(const Array& a, const Array& b);

}  // namespace leeway::assess

// Of each label that both sets have, the first min(n', n'') rows: its t-th shifted row gets its t-th clean row.
#include <algorithm>

#include "leeway/agreement/pairings/detail/family.h"

namespace leeway::agreement {
namespace {

std::vector<RowPair> in_order(const RowNumbers& clean, const RowNumbers& shifted) {
  std::vector<RowPair> pairs;
  for (std::size_t t = 0; t < std::min(clean.size(), shifted.size()); ++t)
    pairs.push_back({clean[t], shifted[t]});
  return pairs;
}

std::vector<RowPair> label_pairs(const Sample& clean, const Sample& shifted, std::uint64_t) {
  return pairs_by_label(clean, shifted, in_order);
}

}  // namespace

Pairing label() {
  return {{"label", "rows with the same label, in file order", "Jiménez Rodríguez 2024, section 3.6.3"},
          /*needs_labels=*/true,
          /*needs_features=*/false,
          label_pairs};
}

}  // namespace leeway::agreement

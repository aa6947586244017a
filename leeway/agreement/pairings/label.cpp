// Of each label that both sets have, the first min(n', n'') rows: its t-th shifted row gets its t-th clean row.
#include <algorithm>

#include "leeway/agreement/pairings/detail/family.h"

namespace leeway::agreement {
namespace {

std::vector<RowPair> label_pairs(const Sample& clean, const Sample& shifted, std::uint64_t) {
  const RowsOfLabel clean_rows = rows_of_labels(clean), shifted_rows = rows_of_labels(shifted);
  std::vector<RowPair> pairs;
  for (const auto& [label, rows] : shifted_rows) {
    const auto found = clean_rows.find(label);
    if (found == clean_rows.end()) continue;
    for (std::size_t t = 0; t < std::min(rows.size(), found->second.size()); ++t)
      pairs.push_back({found->second[t], rows[t]});
  }
  return sorted(std::move(pairs), clean, shifted);
}

}  // namespace

Pairing label() {
  return {{"label", "rows of one label in the order of the files", "Jiménez Rodríguez 2024, section 3.6.3"},
          /*needs_labels=*/true,
          /*needs_features=*/false,
          label_pairs};
}

}  // namespace leeway::agreement

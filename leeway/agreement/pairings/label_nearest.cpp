// Each shifted row gets the clean row of its label whose features are nearest (Euclidean).
#include "leeway/agreement/pairings/detail/family.h"

namespace leeway::agreement {
namespace {

std::vector<RowPair> label_nearest_pairs(const Sample& clean, const Sample& shifted, std::uint64_t) {
  const Matrix x = features_of(clean), y = features_of(shifted);
  require_equal_columns(x, y);
  const RowsOfLabel clean_rows = rows_of_labels(clean), shifted_rows = rows_of_labels(shifted);
  std::vector<RowPair> pairs;
  for (const auto& [label, rows] : shifted_rows) {
    const auto found = clean_rows.find(label);
    if (found == clean_rows.end()) continue;
    const auto some = nearest_of(x, found->second, y, rows);
    pairs.insert(pairs.end(), some.begin(), some.end());
  }
  return sorted(std::move(pairs), clean, shifted);
}

}  // namespace

Pairing label_nearest() {
  return {{"label-nearest", "each shifted row to the nearest clean row of its label",
           "Jiménez Rodríguez 2024, section 3.6.3"},
          /*needs_labels=*/true,
          /*needs_features=*/true,
          label_nearest_pairs};
}

}  // namespace leeway::agreement

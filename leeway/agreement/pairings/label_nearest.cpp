// Each shifted row gets the clean row of its label whose features are nearest (Euclidean).
#include "leeway/agreement/pairings/detail/family.h"

namespace leeway::agreement {
namespace {

std::vector<RowPair> label_nearest_pairs(const Sample& clean, const Sample& shifted, std::uint64_t) {
  const Matrix x = features_of(clean), y = features_of(shifted);
  require_equal_columns(x, y);
  return pairs_by_label(clean, shifted, [&](const RowNumbers& candidates, const RowNumbers& queries) {
    return nearest_of(x, candidates, y, queries);
  });
}

}  // namespace

Pairing label_nearest() {
  return {{"label-nearest", "each shifted row with the nearest clean row of its label",
           "Jiménez Rodríguez 2024, section 3.6.3"},
          /*needs_labels=*/true,
          /*needs_features=*/true,
          label_nearest_pairs};
}

}  // namespace leeway::agreement

// Each shifted row gets the clean row whose features are nearest (Euclidean).
#include "leeway/agreement/pairings/detail/family.h"

namespace leeway::agreement {
namespace {

std::vector<RowPair> nearest_pairs(const Sample& clean, const Sample& shifted, std::uint64_t) {
  const Matrix x = features_of(clean), y = features_of(shifted);
  require_equal_columns(x, y);
  return nearest_of(x, all_rows(x.rows()), y, all_rows(y.rows()));
}

}  // namespace

Pairing nearest() {
  return {{"nearest", "each shifted row with the clean row that has the nearest features",
           "Jiménez Rodríguez 2024, section 3.6.3"},
          /*needs_labels=*/false,
          /*needs_features=*/true,
          nearest_pairs};
}

}  // namespace leeway::agreement

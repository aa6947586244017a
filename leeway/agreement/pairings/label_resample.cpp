// Each shifted row gets a clean row of its label, drawn with replacement: a function of the seed and the shifted row.
#include "leeway/agreement/pairings/detail/family.h"
#include "leeway/core/random.h"

namespace leeway::agreement {
namespace {

std::vector<RowPair> label_resample_pairs(const Sample& clean, const Sample& shifted, std::uint64_t seed) {
  const RowsOfLabel clean_rows = rows_of_labels(clean), shifted_rows = rows_of_labels(shifted);
  std::vector<RowPair> pairs;
  for (const auto& [label, rows] : shifted_rows) {
    const auto found = clean_rows.find(label);
    if (found == clean_rows.end()) continue;
    for (const std::size_t row : rows)
      pairs.push_back(
          {found->second[Random(seed, stream("label-resample"), row).below(found->second.size())], row});
  }
  return sorted(std::move(pairs), clean, shifted);
}

}  // namespace

Pairing label_resample() {
  return {{"label-resample", "each shifted row to a clean row of its label, drawn by the seed", ""},
          /*needs_labels=*/true,
          /*needs_features=*/false,
          label_resample_pairs};
}

}  // namespace leeway::agreement

// Each shifted row gets a clean row of its label, drawn with replacement: a function of the seed and the shifted row.
#include "leeway/agreement/pairings/detail/family.h"
#include "leeway/core/random.h"

namespace leeway::agreement {
namespace {

std::vector<RowPair> label_resample_pairs(const Sample& clean, const Sample& shifted, std::uint64_t seed) {
  return pairs_by_label(clean, shifted, [seed](const RowNumbers& candidates, const RowNumbers& rows) {
    std::vector<RowPair> pairs;
    for (const std::size_t row : rows)
      pairs.push_back(
          {candidates[Random(seed, stream("label-resample"), row).below(candidates.size())], row});
    return pairs;
  });
}

}  // namespace

Pairing label_resample() {
  return {{"label-resample", "each shifted row with a random clean row of its label", ""},
          /*needs_labels=*/true,
          /*needs_features=*/false,
          label_resample_pairs};
}

}  // namespace leeway::agreement

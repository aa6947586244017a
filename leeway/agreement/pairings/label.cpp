// Rows of the same label.
//   label           of each label that both sets have, the first min(n', n'') rows: its t-th shifted row gets its
//                   t-th clean row
//   label-resample  each shifted row gets a clean row of its label, drawn with replacement: a function of the seed
//                   and the shifted row
#include <algorithm>

#include "leeway/agreement/pairings/detail/family.h"
#include "leeway/core/random.h"

namespace leeway::agreement {

Pairing label() {
  return {{"label", "rows with the same label, in file order", "Jiménez Rodríguez 2024, section 3.6.3"},
          /*needs_labels=*/true,
          /*needs_features=*/false,
          [](const Sample& clean, const Sample& shifted, std::uint64_t) {
            return pairs_by_label(clean, shifted, [](const RowNumbers& candidates, const RowNumbers& rows) {
              std::vector<RowPair> pairs;
              for (std::size_t t = 0; t < std::min(candidates.size(), rows.size()); ++t)
                pairs.push_back({candidates[t], rows[t]});
              return pairs;
            });
          }};
}

Pairing label_resample() {
  return {{"label-resample", "each shifted row with a random clean row of its label", ""},
          /*needs_labels=*/true,
          /*needs_features=*/false,
          [](const Sample& clean, const Sample& shifted, std::uint64_t seed) {
            return pairs_by_label(clean, shifted,
                                  [seed](const RowNumbers& candidates, const RowNumbers& rows) {
                                    std::vector<RowPair> pairs;
                                    for (const std::size_t row : rows) {
                                      Random random(seed, stream("label-resample"), row);
                                      pairs.push_back({candidates[random.below(candidates.size())], row});
                                    }
                                    return pairs;
                                  });
          }};
}

}  // namespace leeway::agreement

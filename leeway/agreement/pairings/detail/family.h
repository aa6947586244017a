// What the members of the family of pairings share. Not part of the library's interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "leeway/agreement/detail/matrix.h"
#include "leeway/agreement/pairing.h"

namespace leeway::agreement {

using RowNumbers = std::vector<std::size_t>;
using RowsOfLabel = std::map<std::int64_t, RowNumbers>;

[[nodiscard]] RowNumbers all_rows(std::size_t n);

// Of the logits, the features or the labels, whichever there are.
[[nodiscard]] std::size_t rows_of(const Sample& sample);

// Error where the sample has none, or of another number of rows.
[[nodiscard]] Matrix features_of(const Sample& sample);
[[nodiscard]] RowsOfLabel rows_of_labels(const Sample& sample);

// Pairs by shifted row; Error where there are none.
[[nodiscard]] std::vector<RowPair> sorted(std::vector<RowPair> pairs, const Sample& clean,
                                          const Sample& shifted);

// For each of `queries`, rows of y, the nearest of `candidates`, rows of x in rising order.
[[nodiscard]] std::vector<RowPair> nearest_of(const Matrix& x, const RowNumbers& candidates, const Matrix& y,
                                              const RowNumbers& queries);

}  // namespace leeway::agreement

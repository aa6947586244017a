// Shared code of the pairing family. Internal.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "leeway/agreement/detail/matrix.h"
#include "leeway/agreement/pairing.h"

namespace leeway::agreement {

using RowNumbers = std::vector<std::size_t>;

// Of the logits, the features or the labels, whichever there are.
[[nodiscard]] std::size_t rows_of(const Sample& sample);

// Error where the sample has none, or of another number of rows.
[[nodiscard]] Matrix features_of(const Sample& sample);

// What `pairs_of` gives for the clean and the shifted rows of each label that both sets have, by shifted row. Error where
// that is nothing.
[[nodiscard]] std::vector<RowPair> pairs_by_label(
    const Sample& clean, const Sample& shifted,
    const std::function<std::vector<RowPair>(const RowNumbers& clean, const RowNumbers& shifted)>& pairs_of);

// For each of `queries`, rows of y, the nearest of `candidates`, rows of x in rising order.
[[nodiscard]] std::vector<RowPair> nearest_of(const Matrix& x, const RowNumbers& candidates, const Matrix& y,
                                              const RowNumbers& queries);

}  // namespace leeway::agreement

// Shared code of the distance family. Internal.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "leeway/agreement/detail/matrix.h"
#include "leeway/agreement/distance.h"

namespace leeway::agreement {

// What a member compares in the two sets, checked.
struct MatrixPair {
  Matrix clean, shifted;
};

// (1/n) sum_i of(u_i, v_i) over the rows of both sets, handed over as copies that may be changed.
[[nodiscard]] double mean_over_rows(const MatrixPair& pair,
                                    const std::function<double(std::span<double>, std::span<double>)>& of);

// log softmax of a row of logits, in place.
void log_softmax(std::span<double> row);

// Softmax of every row, row-major.
[[nodiscard]] std::vector<double> softmax_rows(const Matrix& logits);

// W1 between the empirical distributions of two samples of any sizes, which are sorted on the way:
// the integral over u in [0,1] of |F^-1(u) - G^-1(u)|.
[[nodiscard]] double wasserstein_1(std::span<double> a, std::span<double> b);

}  // namespace leeway::agreement

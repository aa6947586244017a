// Gibbs posteriors of single rows at a given beta, for decomposition, entropies and confidences.
//
//   p(j|x) = softmax(beta F(x))_j;   at beta = infinity: uniform over the tied top classes
// (Carvalho et al. 2025, theorem 1, section 3.1; Jiménez Rodríguez 2024, theorem 3.6.1, section 3.6.1.)
// Shapes: logits (n,k) float32 or float64, finite; beta in [0, inf]. float64 throughout. Ties: lowest class.
// Errors: none; require_pairs checks the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "leeway/core/rows.h"

namespace leeway::agreement {

struct Prediction {
  std::size_t top = 0;
  double confidence = 0;  // p(top|x)
};

// Unless null, `p` receives p(j|x) for j = 0..k-1.
Prediction prediction_of(const Rows& logits, std::size_t row, double beta, double* p = nullptr);

// Throws Error, beginning with `function`, unless both sets have one shape (n,k) and finite values, `labels`
// is empty or has n entries, and every beta is at least 0.
void require_pairs(std::string_view function, const Array& clean, const Array& shifted,
                   std::span<const std::int64_t> labels, std::span<const double> betas);

}  // namespace leeway::agreement

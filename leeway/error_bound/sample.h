// Input of error bounds and estimates: the outputs of a labeled source or an unlabeled target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/rows.h"

namespace leeway::error_bound {

struct Sample {
  std::string name;                  // what error messages call it
  Rows logits;                       // (n,k), float32 or float64, n >= 1, k >= 2, finite; not copied
  std::vector<std::int64_t> labels;  // (n), 0..k-1; empty where there are none
  std::optional<Array> features;     // (n,d), float32 or float64, finite

  [[nodiscard]] std::size_t n() const { return logits.shape()[0]; }
  [[nodiscard]] std::size_t k() const { return logits.shape()[1]; }
};

// Throws Error (name, expected, found, row): no matrix, different numbers of classes, a value not finite or
// not below 1e140 in size, a source without labels or with a label outside 0..k-1.
void check(const Sample& source, const Sample& target);

}  // namespace leeway::error_bound

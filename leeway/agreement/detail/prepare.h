// Checks logits, lays them out as tiles (kernel.h) and computes the facts that do not depend on beta.
#pragma once

#include <cstddef>
#include <cstdint>

#include "leeway/agreement/detail/kernel.h"

namespace leeway::agreement {

// Limits of a float32 spread. A spread of 0 would claim that the curvature is constant.
inline constexpr double least_float_spread = 1e-37, most_float_spread = 1e38;

// Facts that do not depend on beta, in units of logits. gap_i = max F' + max F'' - max(F' + F'') >= 0.
struct Facts {
  std::size_t disagreeing = 0;      // rows with gap_i > 0: their top classes do not meet
  std::size_t same_prediction = 0;  // argmax F' = argmax F'', ties to the lowest class
  std::size_t right = 0;            // argmax F'' = label, where labels are given
  double gap_sum = 0;               // sum of gap_i
  double x_sum = 0;                 // sum over rows and classes of x' + x''
  double spread_sum = 0;            // sum over rows of max - min of x' and of x''
  double spread = 0;                // the largest R_i

  Facts& operator+=(const Facts& other);
};
struct Prepared {
  Facts facts;
  bool refused = false;  // some logit is not finite, or not below logit_limit
};

// Squares of logits, summed over 10^9 rows, stay finite below this.
inline constexpr double logit_limit = 1e140;

// Row-major logits into tiles. Both sources hold whole tiles of rows, of which the first `rows` count.
template <class T>
struct PrepareTiles {
  const T *clean, *shifted;
  const std::int64_t* labels;  // or null
  std::size_t rows, k;
  double* tiles;   // receives x; where `raw` is given, scratch for one tile
  float* raw;      // or null: receives the logits as they are, tile by tile
  float* maxima;   // with raw: tile by tile, tile_rows of max F', then of max F''
  float* spreads;  // receives R_i
};
[[nodiscard]] Prepared prepare_tiles(const PrepareTiles<float>& job);
[[nodiscard]] Prepared prepare_tiles(const PrepareTiles<double>& job);

// The same for one row that stays where it is.
struct PreparedRow {
  Prepared row;
  double max_clean = 0, max_shifted = 0;
};
[[nodiscard]] PreparedRow prepare_row(const float* clean, const float* shifted, const std::int64_t* label,
                                      std::size_t k);
[[nodiscard]] PreparedRow prepare_row(const double* clean, const double* shifted, const std::int64_t* label,
                                      std::size_t k);

}  // namespace leeway::agreement

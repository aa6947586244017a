// The inner loops of critics, for this machine's instruction set.
//
// Shapes as in critic.h. A block is at most critic_block_rows rows, which fit the second-level cache; a matrix
// over its rows is (k, score_stride), one column per row: 16 rows are computed at once, class after class. The
// stride is no power of 2, so that classes lie in different sets of the cache. Pure functions; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leeway/error_bound/detail/critic.h"

namespace leeway::error_bound {

inline constexpr std::size_t critic_block_rows = 256, score_stride = critic_block_rows + CriticRows::panel;

struct CriticBlock {
  const float* x = nullptr;         // panels of 16 rows
  const std::int32_t* y = nullptr;  // (rows)
  std::size_t rows = 0, width = 0, k = 0;
  std::size_t source_rows = 0;  // of them, the first ones
};

// The numbers of a critic that are not 0, class after class: those of class c lie from first[c] to first[c + 1].
struct SparseCritic {
  std::vector<std::size_t> first;
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
};

struct CriticKernel {
  void (*scores)(const CriticBlock& block, const float* theta, float* scores);
  void (*sparse_scores)(const CriticBlock& block, const SparseCritic& critic, float* scores);
  // Replaces scores by the weighted objective's derivatives; `agreed` (rows) marks where y is best.
  double (*residuals)(const CriticBlock& block, Objective objective, const float* weights, float* scores,
                      std::uint8_t* agreed);
  // gradient += residuals^T x
  void (*add_gradient)(const CriticBlock& block, const float* residuals, float* gradient);
  // Row by row the interval of steps on which y is best; low > high where there is none.
  void (*intervals)(const CriticBlock& block, const float* scores, const float* slopes, float* low,
                    float* high);
  // Rows [begin, begin + rows) of `leads`.
  void (*leads)(const CriticBlock& block, const float* scores, Leads& leads, std::size_t begin);
};

[[nodiscard]] const CriticKernel& critic_kernel();

}  // namespace leeway::error_bound

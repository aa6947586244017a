// The inner loops of critics, for this machine's instruction set. Shapes as in critic.h; blocks of rows fit
// the second-level cache. Pure functions; one thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "leeway/error_bound/detail/critic.h"

namespace leeway::error_bound {

struct CriticBlock {
  const float* x = nullptr;         // (rows, width)
  const std::int32_t* y = nullptr;  // (rows)
  std::size_t rows = 0, width = 0, k = 0, panels = 0;
  std::size_t source_rows = 0;  // of them, the first ones
};

struct CriticKernel {
  // scores (rows, 16 panels); unused classes get -1e30.
  void (*scores)(const CriticBlock& block, const float* theta, float* scores);
  // Replaces scores by the weighted objective's derivatives; `agreed` (rows) marks where y is best.
  double (*residuals)(const CriticBlock& block, Objective objective, const float* weights, float* scores,
                      std::uint8_t* agreed);
  // gradient += x^T residuals
  void (*add_gradient)(const CriticBlock& block, const float* residuals, float* gradient);
  // Row by row the interval of steps on which y is best; low > high where there is none.
  void (*intervals)(const CriticBlock& block, const float* scores, const float* slopes, float* low,
                    float* high);
};

[[nodiscard]] const CriticKernel& critic_kernel();

}  // namespace leeway::error_bound

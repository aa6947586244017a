// The inner loop of separation of variables, for this machine's instruction set. A step takes 4 lattice
// points with 16 shifts each: 64 lanes; arrays of lanes are (.., 64). float32 multiplies probabilities:
// relative error 2e-7 per variable, arguments of Phi from -12 up. float64 adds logarithms: arguments of any
// size, quantiles to 1e-9 by a Newton step. Pure functions; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "leeway/average_case/detail/integrand.h"

namespace leeway::average_case {

inline constexpr std::size_t kernel_lanes = 64;

namespace kernel {

template <class T>
struct Task {
  std::size_t variables = 0;
  std::span<const LimitRow> rows;
  const T* limits = nullptr;  // as in Integrand
  const T* coefficients = nullptr;
  const T* tilt = nullptr;
  const T* reference = nullptr;
  const T* factor = nullptr;  // float32: 1 / Phi at the reference; float64: its logarithm
  bool has_factor = false;
  T centre = 0, spread = 0;
  const std::uint32_t* shifts = nullptr;  // (variables, 16)
  LatticeRange range;
  T* y = nullptr;                  // scratch (variables, 64)
  T* sums = nullptr;               // scratch (rows + 3, 64)
  std::uint32_t* steps = nullptr;  // (variables): z_j / 2^level as a fraction of 2^32
};

void add(const Task<float>& task, double* sums);
void add(const Task<double>& task, double* sums);

// target[l] -= sum_k scale[k] rows[k * stride + l] for l < count: k < depth
void subtract_products(const double* scale, const double* rows, std::size_t stride, std::size_t depth,
                       std::size_t count, double* target);
[[nodiscard]] double dot(const double* a, const double* b, std::size_t count);

}  // namespace kernel
}  // namespace leeway::average_case

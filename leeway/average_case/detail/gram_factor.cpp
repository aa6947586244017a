#include "leeway/average_case/detail/gram_factor.h"

#include <algorithm>
#include <cmath>

#include "leeway/average_case/detail/kernel.h"

namespace leeway::average_case {
namespace {

// Deviations, and the matrix scaled by them; rows of no deviation are 0.
struct Scaled {
  std::vector<double> deviation, matrix;
  double defect = 0;
};

Scaled scaled(std::span<const double> gram, std::size_t k) {
  Scaled out{std::vector<double>(k, 0), std::vector<double>(k * k, 0), 0};
  double largest = 0;
  for (std::size_t i = 0; i < k; ++i) {
    out.deviation[i] = std::sqrt(std::max(0., gram[i * k + i]));
    largest = std::max(largest, std::abs(gram[i * k + i]));
  }
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const double a = gram[i * k + j], b = gram[j * k + i], scale = out.deviation[i] * out.deviation[j];
      if (scale > 0) {
        out.matrix[i * k + j] = out.matrix[j * k + i] = .5 * (a + b) / scale;
        out.defect = std::max(out.defect, std::abs(a - b) / scale);
      } else if (a != 0 || b != 0) {
        out.defect = std::max(out.defect, largest > 0 ? std::max(std::abs(a), std::abs(b)) / largest : 1);
      }
    }
  return out;
}

}  // namespace

GramFactor gram_factor(std::span<const double> gram, std::size_t k, double tolerance) {
  const Scaled start = scaled(gram, k);
  GramFactor out{0, std::vector<double>(k * k, 0), start.defect};
  std::vector<double> variance(k);
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < k; ++i)
    if ((variance[i] = start.matrix[i * k + i]) > 0) rest.push_back(i);
  const auto left = [&](std::size_t i, std::size_t j) {
    return start.matrix[i * k + j] - kernel::dot(&out.rows[i * k], &out.rows[j * k], out.rank);
  };
  while (!rest.empty()) {
    const auto best = std::ranges::max_element(rest, {}, [&](std::size_t i) { return variance[i]; });
    const std::size_t pivot = *best;
    if (variance[pivot] <= tolerance) break;
    *best = rest.back(), rest.pop_back();
    const double scale = std::sqrt(variance[pivot]);
    for (const std::size_t i : rest) {
      const double value = left(i, pivot) / scale;
      variance[i] -= value * value;
      out.rows[i * k + out.rank] = value;
    }
    out.rows[pivot * k + out.rank++] = scale;
  }
  for (const std::size_t i : rest)
    for (const std::size_t j : rest)
      if (j <= i) out.defect = std::max(out.defect, std::abs(j == i ? variance[i] : left(i, j)));
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t c = 0; c < out.rank; ++c) out.rows[i * k + c] *= start.deviation[i];
  return out;
}

}  // namespace leeway::average_case

// Exact optimal transport from n rows of equal mass to k columns of given masses.
//
//   minimize sum_ij x_ij (1 - p_ij)   over x_ij >= 0, sum_j x_ij = 1/n, sum_i x_ij = m_j
// p_ij is the gain of row i in column j; for the COT estimate (Rosenfeld and Garg 2023, baselines) p is the
// softmax of the target rows and m the label frequencies of the source. The algorithm works on the k
// potentials u of the dual,
//   cost = 1 - min over u of sum_j m_j u_j + (1/n) sum_i max_j (p_ij - u_j).
// The exact potentials of a sample of the rows are the start for sixteen times as many rows. Every row goes
// to its best column; excess moves along shortest paths in the graph of columns, without rows far from a tie.
// The dual value proves the result; if left-out rows matter, more of them are included.
// Shapes: gains (n,k) row-major, finite, n >= 1, k >= 1; masses (k) >= 0, normalized to sum 1. Gains may be
// computed on demand (GainRows): all rows are read once or twice, in blocks.
// Masses that are counts over one total split few rows; others can split rows into ever finer parts, at hundreds of
// times the cost.
// Errors (Error): sizes that do not fit, a gain that is not finite, a negative mass, all masses 0. Cost:
// about n k log(n) / log(16), in practice little more than one pass over the gains. Memory: 8 bytes a row,
// max(n / 16, 64 k) rows, and the rows near a tie. Deterministic for any number of threads.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace leeway::error_bound {

struct Transport {
  double cost = 0;
  double gap = 0;                  // certified: the optimum is at least cost - gap; some 1e-15
  std::vector<double> potentials;  // u, (k), the least of them 0
  std::size_t moves = 0;           // paths along which mass was moved, over all samples
};

// Returns a pointer to rows [begin, end) of gains, computed into `scratch` if necessary. Called from several
// threads in any order; must be deterministic.
struct GainRows {
  std::size_t n = 0, k = 0;
  std::function<const double*(std::size_t begin, std::size_t end, std::vector<double>& scratch)> rows;
};

[[nodiscard]] Transport optimal_transport(const GainRows& gains, std::span<const double> masses);
[[nodiscard]] Transport optimal_transport(std::span<const double> gains, std::size_t k,
                                          std::span<const double> masses);

}  // namespace leeway::error_bound

// Contingency tables: association of two categorical variables, and random tables.
//
// Tables are drawn cell by cell from their exact distributions, by inversion from the mode. The cost depends
// on the number of cells and the square root of the counts, not on the number of rows. Rows and columns of
// zeros change nothing. Draws are functions of the given Random, equal on every machine up to the last digits
// of lgamma.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "leeway/core/random.h"

namespace leeway {

struct Contingency {
  std::size_t rows = 0, columns = 0;
  std::vector<std::uint64_t> counts;  // row after row

  [[nodiscard]] std::uint64_t at(std::size_t i, std::size_t j) const { return counts[i * columns + j]; }
  [[nodiscard]] std::uint64_t n() const;
  [[nodiscard]] std::vector<std::uint64_t> row_sums() const;
  [[nodiscard]] std::vector<std::uint64_t> column_sums() const;
};

// Counts of the pairs (a[i], b[i]).
[[nodiscard]] Contingency count_pairs(std::span<const std::uint16_t> a, std::size_t rows,
                                      std::span<const std::uint16_t> b, std::size_t columns);

// Uncorrected phi^2 = chi^2 / n and mutual information (nats); 0 with fewer than two nonempty rows or
// columns.
[[nodiscard]] double phi_squared(const Contingency& table);
[[nodiscard]] double mutual_information(const Contingency& table);

// The same less `times` times the bias under independence, at least 0. `times`: 1 for a table, 2 for one
// drawn from a table (its own bias and its parent's). phi^2 less (r-1)(c-1)/(n-1) and Cramer's V of corrected
// sizes r~ = r - (r-1)^2/(n-1) (Bergsma 2013); the information less (r-1)(c-1)/(2n) (Miller 1955); r and c
// count rows and columns with counts. V is in [0,1].
[[nodiscard]] double corrected_v(const Contingency& table, int times = 1);
[[nodiscard]] double corrected_information(const Contingency& table, int times = 1);

// Successes in n trials of probability p, or in `draws` balls without replacement from `good` and `bad`.
[[nodiscard]] std::uint64_t draw_binomial(Random& random, std::uint64_t n, double p);
[[nodiscard]] std::uint64_t draw_hypergeometric(Random& random, std::uint64_t good, std::uint64_t bad,
                                                std::uint64_t draws);

// Random tables: same margins (permutation); same n (bootstrap); same row sums with the given column weights.
[[nodiscard]] Contingency permuted(Random& random, const Contingency& table);
[[nodiscard]] Contingency resampled(Random& random, const Contingency& table);
[[nodiscard]] Contingency drawn_from(Random& random, const Contingency& table,
                                     std::span<const std::uint64_t> weights);

// Share of `draws` tables whose statistic is at least that of `table`, itself counted: (1 + hits) / (1 +
// draws), a valid p-value (Phipson and Smyth 2010). Draw b uses Random(seed, stream, b). In parallel.
using Statistic = std::function<double(const Contingency&)>;
using DrawTable = std::function<Contingency(Random&)>;
[[nodiscard]] double chance_p(const Contingency& table, const Statistic& statistic, const DrawTable& draw,
                              std::size_t draws, std::uint64_t seed, std::uint32_t stream);

// Holm's adjusted p-values (1979): rejecting those <= alpha bounds the family-wise error by alpha.
[[nodiscard]] std::vector<double> holm(std::span<const double> p);

}  // namespace leeway

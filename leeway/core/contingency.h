// Tables of counts: how strongly two categorical variables go together, and tables drawn by chance.
//
// Tables are drawn cell by cell from their exact distributions, by inversion from the mode: the cost
// depends on the number of cells and on the root of the counts, not on how many rows there are. So a
// permutation test of 10^7 rows costs what one of 10^3 does. Rows and columns of zeros change nothing.
//
// Draws are functions of the Random given (random.h); the same on every machine but for the last digits of
// lgamma.
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

// Pearson's mean square contingency phi^2 = chi^2 / n, and the mutual information in nats, as they stand in
// the table; both 0 for fewer than two rows or columns with counts, or no counts.
[[nodiscard]] double phi_squared(const Contingency& table);
[[nodiscard]] double mutual_information(const Contingency& table);

// The same with the bias that independent variables would have taken off `times` times (1 for a table, 2
// for one that was drawn from a table: its own bias and that of its parent), at least 0. phi^2 less
// (r-1)(c-1)/(n-1) and Cramer's V of corrected sizes r~ = r - (r-1)^2/(n-1) (Bergsma 2013); the information
// less (r-1)(c-1)/(2n) (Miller 1955); r and c count rows and columns with counts. V is in [0,1].
[[nodiscard]] double corrected_v(const Contingency& table, int times = 1);
[[nodiscard]] double corrected_information(const Contingency& table, int times = 1);

// A number of successes: of n trials with probability p; of `draws` balls without replacement from `good`
// and `bad`.
[[nodiscard]] std::uint64_t draw_binomial(Random& random, std::uint64_t n, double p);
[[nodiscard]] std::uint64_t draw_hypergeometric(Random& random, std::uint64_t good, std::uint64_t bad,
                                                std::uint64_t draws);

// A table of the same margins, as if one variable's rows were permuted; one of the same n, drawn with
// replacement; one of the same row sums, each row drawn with those weights.
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

// p-values, each at least those below it, such that rejecting where they are at most alpha makes any false
// rejection at most alpha probable (Holm 1979).
[[nodiscard]] std::vector<double> holm(std::span<const double> p);

}  // namespace leeway

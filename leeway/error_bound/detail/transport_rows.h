// The best column of each row of a transport (transport.h) at given potentials, and the rows close to a tie.
//
// The best column of row i has the largest p_ij - u_j; the margin is the lead over the second. If potentials
// move by v_j, margins change by at most max v - min v. So rows whose margin was above `reach` in the last
// full pass keep their column for all potentials within reach of that pass; only the others are read again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leeway/error_bound/detail/transport.h"

namespace leeway::error_bound {

// body(i, gains of row i) for i in [begin, end), in order.
template <class Body>
void for_gains(const GainRows& p, std::size_t begin, std::size_t end, const Body& body) {
  constexpr std::size_t values_at_once = 8192;
  const std::size_t block = values_at_once / p.k + 1;
  std::vector<double> scratch;
  for (; begin < end; begin += block) {
    const std::size_t stop = begin + block < end ? begin + block : end;
    const double* row = p.rows(begin, stop, scratch);
    for (std::size_t i = begin; i < stop; ++i, row += p.k) body(i, row);
  }
}

// The gains of some rows, one after another.
[[nodiscard]] std::vector<double> gathered(const GainRows& p, const std::vector<std::size_t>& rows);

struct NearRow {
  const double* gains;  // of the row, held by TransportRows until it reads again
  std::uint32_t best, second;
  double margin;
};

// Every row in its best column.
struct Assignment {
  std::vector<NearRow> near;   // holds every row whose margin is at most `known`
  double known = 0;            // infinity: all rows
  std::vector<double> excess;  // rows in a column beyond its mass
  double gain = 0;             // sum of p in the best column
  double dual = 0;             // of u, over all rows

  [[nodiscard]] double to_move() const;

  // A margin that about `count` rows stay below, no larger than `known`.
  [[nodiscard]] double margin_of(double count) const;
};

// The rows at potentials within reach of where they were last read. Gains must outlive it.
class TransportRows {
 public:
  TransportRows(const GainRows& p, std::vector<double> masses);

  // Reads all rows; false if a gain is not finite. Keeps about `share` near rows for each that must move.
  [[nodiscard]] bool read(const std::vector<double>& u, double share);

  // How far beyond a tie every row is known at u; below 0: not at all, read first.
  [[nodiscard]] double known(const std::vector<double>& u) const;

  // At potentials where known(u) >= 0.
  [[nodiscard]] Assignment assign(const std::vector<double>& u) const;

 private:
  const GainRows& p_;
  std::vector<double> masses_, u_;
  double reach_ = -1;
  std::vector<double> near_;     // gains of the rows within reach
  std::vector<double> settled_;  // rows that are not near, by column
  double settled_gain_ = 0;
};

}  // namespace leeway::error_bound

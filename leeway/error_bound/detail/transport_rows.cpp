#include "leeway/error_bound/detail/transport_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "leeway/core/numbers.h"
#include "leeway/core/parallel.h"

namespace leeway::error_bound {
namespace {

constexpr std::size_t transport_rows_chunk_rows = 2048, least_near = 4096;

struct Sums {
  std::vector<double> counts;
  double gain = 0, bad = 0;
};

Sums joined(Sums a, const Sums& b) {
  for (std::size_t j = 0; j < a.counts.size(); ++j) a.counts[j] += b.counts[j];
  a.gain += b.gain, a.bad += b.bad;
  return a;
}

// The margin that `count` of the values stay below.
template <class T>
double quantile(std::vector<T>& margins, std::size_t count) {
  if (count + 1 >= margins.size()) return infinity;
  const auto at = margins.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(margins.begin(), at, margins.end());
  return static_cast<double>(*at);
}

double positive_sum(const std::vector<double>& excess) {
  double sum = 0;
  for (const double e : excess) sum += std::max(0., e);
  return sum;
}

}  // namespace

std::vector<double> gathered(const GainRows& p, const std::vector<std::size_t>& rows) {
  std::vector<double> gains(rows.size() * p.k);
  parallel_chunks(rows.size(), transport_rows_chunk_rows, [&](std::size_t begin, std::size_t end) {
    std::vector<double> scratch;
    for (std::size_t c = begin; c < end; ++c)
      std::copy_n(p.rows(rows[c], rows[c] + 1, scratch), p.k, gains.data() + c * p.k);
  });
  return gains;
}

double Assignment::to_move() const { return positive_sum(excess); }

double Assignment::margin_of(double count) const {
  if (count >= static_cast<double>(near.size())) return known;
  std::vector<double> margins;
  margins.reserve(near.size());
  for (const NearRow& row : near) margins.push_back(row.margin);
  return std::min(known, quantile(margins, static_cast<std::size_t>(count)));
}

TransportRows::TransportRows(const GainRows& p, std::vector<double> masses)
    : p_(p), masses_(std::move(masses)) {}

bool TransportRows::read(const std::vector<double>& u, double share) {
  std::vector<std::uint32_t> best(p_.n);
  std::vector<float> margins(p_.n);
  Sums sums = reduce_chunks<Sums>(
      p_.n, transport_rows_chunk_rows,
      [&](std::size_t begin, std::size_t end) {
        Sums part;
        part.counts.assign(p_.k, 0);
        for_gains(p_, begin, end, [&](std::size_t i, const double* row) {
          double top = -infinity, next = -infinity;
          std::size_t at = 0;
          for (std::size_t j = 0; j < p_.k; ++j) {  // without branches, which would be guessed wrong
            const double value = row[j] - u[j];
            next = std::max(next, std::min(top, value));
            at = value > top ? j : at;
            top = std::max(top, value);
            part.bad += value - value;  // 0, or NaN for inf and NaN  NOLINT(misc-redundant-expression)
          }
          best[i] = static_cast<std::uint32_t>(at);
          margins[i] = static_cast<float>(top - next);
          ++part.counts[at];
          part.gain += row[at];
        });
        return part;
      },
      joined);
  if (sums.bad != 0) return false;

  settled_ = sums.counts, settled_gain_ = sums.gain;
  for (std::size_t j = 0; j < p_.k; ++j) sums.counts[j] -= masses_[j];
  const double wanted = share * positive_sum(sums.counts) + static_cast<double>(least_near);
  const std::size_t stride = p_.n > 65536 ? 16 : 1;
  std::vector<float> sample;
  for (std::size_t i = 0; i < p_.n; i += stride) sample.push_back(margins[i]);
  reach_ = wanted >= static_cast<double>(p_.n) ? infinity
                                               : quantile(sample, static_cast<std::size_t>(wanted) / stride);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < p_.n; ++i)
    if (static_cast<double>(margins[i]) <= reach_) rows.push_back(i);
  near_ = gathered(p_, rows);
  for (std::size_t c = 0; c < rows.size(); ++c)
    settled_[best[rows[c]]] -= 1, settled_gain_ -= near_[c * p_.k + best[rows[c]]];
  u_ = u;
  return true;
}

double TransportRows::known(const std::vector<double>& u) const {
  if (u_.empty() || std::isinf(reach_)) return reach_;
  double low = infinity, high = -infinity;
  for (std::size_t j = 0; j < p_.k; ++j)
    low = std::min(low, u[j] - u_[j]), high = std::max(high, u[j] - u_[j]);
  return reach_ * (1 - 1e-6) - (high - low);  // margins were rounded to float
}

Assignment TransportRows::assign(const std::vector<double>& u) const {
  Assignment all;
  all.known = known(u);
  const std::size_t count = near_.size() / p_.k;
  all.near.resize(count);
  Sums sums{std::vector<double>(p_.k, 0), 0, 0};
  double value = 0;
  if (count > 0) {
    struct Part {
      Sums sums;
      double value = 0;
    };
    const Part part = reduce_chunks<Part>(
        count, transport_rows_chunk_rows,
        [&](std::size_t begin, std::size_t end) {
          Part some{{std::vector<double>(p_.k, 0), 0, 0}, 0};
          for (std::size_t c = begin; c < end; ++c) {
            const double* const row = near_.data() + c * p_.k;
            double top = -infinity, next = -infinity;
            std::size_t best = 0, second = 0;
            for (std::size_t j = 0; j < p_.k; ++j) {
              const double here = row[j] - u[j];
              if (here > top)
                next = top, second = best, top = here, best = j;
              else if (here > next)
                next = here, second = j;
            }
            all.near[c] = {row, static_cast<std::uint32_t>(best), static_cast<std::uint32_t>(second),
                           top - next};
            ++some.sums.counts[best];
            some.sums.gain += row[best], some.value += top;
          }
          return some;
        },
        [](Part a, const Part& b) {
          a.sums = joined(std::move(a.sums), b.sums);
          a.value += b.value;
          return a;
        });
    sums = part.sums, value = part.value;
  }
  all.gain = settled_gain_ + sums.gain;
  all.dual = settled_gain_ + value;
  all.excess.resize(p_.k);
  for (std::size_t j = 0; j < p_.k; ++j) {
    all.excess[j] = settled_[j] + sums.counts[j] - masses_[j];
    all.dual += (masses_[j] - settled_[j]) * u[j];
  }
  return all;
}

}  // namespace leeway::error_bound

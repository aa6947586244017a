#include "leeway/agreement/detail/tail.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "leeway/core/numbers.h"
#include "leeway/core/parallel.h"

namespace leeway::agreement {
namespace {

constexpr std::size_t tail_chunk_rows = 512, most_rows_kept = std::size_t{1} << 20;

double add(double a, double b) { return a + b; }

}  // namespace

TailBound::TailBound(const Pairs& pairs) : pairs_(&pairs), classes_(static_cast<double>(pairs.k())) {
  const std::size_t n = pairs.n();
  std::vector<Row> rows(n <= most_rows_kept ? n : 0);
  const double sum = reduce_chunks<double>(
      n, tail_chunk_rows,
      [&](std::size_t begin, std::size_t end) {
        std::vector<double> x(2 * pairs.k());
        double limits = 0;
        for (std::size_t i = begin; i < end; ++i) {
          const Row row = row_of(i, x);
          limits += row.gap == 0 ? std::log(row.ties) - row.log_tops : -infinity;
          if (!rows.empty()) rows[i] = row;
        }
        return limits;
      },
      add);
  rows_ = std::move(rows);
  limit_ = sum / static_cast<double>(n);
}

TailBound::Row TailBound::row_of(std::size_t i, std::span<double> x) const {
  if (!rows_.empty()) return rows_[i];
  pairs_->copy_row(i, x);
  const std::size_t k = pairs_->k();
  double top = -infinity, next = -infinity, ties = 0, tops_clean = 0, tops_shifted = 0;
  for (std::size_t j = 0; j < k; ++j) {
    const double both = x[j] + x[k + j];
    if (both > top)
      next = top, top = both, ties = 1;
    else if (both == top)
      ++ties;
    else
      next = std::max(next, both);
    tops_clean += x[j] == 0;
    tops_shifted += x[k + j] == 0;
  }
  return {-top, top - next, ties, std::log(tops_clean * tops_shifted),
          -std::log(std::max(tops_clean, tops_shifted))};
}

double TailBound::operator()(double beta) const {
  if (std::isinf(beta)) return limit_;
  const double sum = reduce_chunks<double>(
      pairs_->n(), tail_chunk_rows,
      [&](std::size_t begin, std::size_t end) {
        std::vector<double> x(rows_.empty() ? 2 * pairs_->k() : 0);
        double bound = 0;
        for (std::size_t i = begin; i < end; ++i) {
          const Row row = row_of(i, x);
          const double others =
              classes_ > row.ties ? (classes_ - row.ties) * std::exp(-beta * row.distance) : 0;
          bound += std::min(row.ceiling, -beta * row.gap + std::log(row.ties + others) - row.log_tops);
        }
        return bound;
      },
      add);
  return sum / static_cast<double>(pairs_->n());
}

}  // namespace leeway::agreement

#include "leeway/agreement/tail.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "leeway/core/parallel.h"

namespace leeway::agreement {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t chunk_rows = 512;

double add(double a, double b) { return a + b; }

}  // namespace

TailBound::TailBound(const Pairs& pairs) : rows_(pairs.n()), classes_(static_cast<double>(pairs.k())) {
  const std::size_t k = pairs.k();
  const double sum = reduce_chunks<double>(
      pairs.n(), chunk_rows,
      [&](std::size_t begin, std::size_t end) {
        std::vector<double> x(2 * k);
        double limits = 0;
        for (std::size_t i = begin; i < end; ++i) {
          pairs.copy_row(i, x);
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
          rows_[i] = {-top, top - next, ties, std::log(tops_clean * tops_shifted),
                      -std::log(std::max(tops_clean, tops_shifted))};
          limits += top == 0 ? std::log(ties) - rows_[i].log_tops : -infinity;
        }
        return limits;
      },
      add);
  limit_ = sum / static_cast<double>(pairs.n());
}

double TailBound::operator()(double beta) const {
  if (std::isinf(beta)) return limit_;
  const double sum = reduce_chunks<double>(
      rows_.size(), chunk_rows,
      [&](std::size_t begin, std::size_t end) {
        double bound = 0;
        for (std::size_t i = begin; i < end; ++i) {
          const Row& row = rows_[i];
          const double others =
              classes_ > row.ties ? (classes_ - row.ties) * std::exp(-beta * row.distance) : 0;
          bound += std::min(row.ceiling, -beta * row.gap + std::log(row.ties + others) - row.log_tops);
        }
        return bound;
      },
      add);
  return sum / static_cast<double>(rows_.size());
}

}  // namespace leeway::agreement

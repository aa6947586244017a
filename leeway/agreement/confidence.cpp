#include "leeway/agreement/confidence.h"

#include <cmath>
#include <limits>

#include "leeway/agreement/detail/posterior.h"
#include "leeway/core/parallel.h"

namespace leeway::agreement {
namespace {

constexpr std::size_t confidence_chunk_rows = 4096;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Mean and sum of squared deviations: confidences near 1 differ in digits that sums of squares would lose.
struct Spread {
  std::size_t n = 0;
  double mean = 0, squares = 0;

  void add(double x) {
    ++n;
    const double step = x - mean;
    mean += step / static_cast<double>(n);
    squares += step * (x - mean);
  }
};

Spread join_spreads(const Spread& a, const Spread& b) {
  if (a.n == 0) return b;
  if (b.n == 0) return a;
  const double n = static_cast<double>(a.n + b.n), step = b.mean - a.mean;
  const double share = static_cast<double>(b.n) / n;
  return {a.n + b.n, a.mean + step * share,
          a.squares + b.squares + step * step * static_cast<double>(a.n) * share};
}

void append(ConfidenceSummary& summary, double beta, const Spread& spread) {
  const double n = static_cast<double>(spread.n);
  summary.n = spread.n;
  summary.at.push_back(
      {beta, spread.n > 0 ? spread.mean : nan, spread.n > 1 ? std::sqrt(spread.squares / (n - 1) / n) : nan});
}

struct Groups {
  Spread right, moved;
};

}  // namespace

Confidences confidences(const Array& clean, const Array& shifted, std::span<const std::int64_t> labels,
                        std::span<const double> betas) {
  require_pairs("confidences", clean, shifted, labels, betas);
  Confidences result;
  if (!labels.empty()) result.clean_right.emplace();
  for (const double beta : betas) {
    const Groups groups = reduce_chunks<Groups>(
        clean.shape[0], confidence_chunk_rows,
        [&](std::size_t begin, std::size_t end) {
          Groups g;
          for (std::size_t i = begin; i < end; ++i) {
            const Prediction before = prediction_of(clean, i, beta), after = prediction_of(shifted, i, beta);
            if (!labels.empty() && static_cast<std::int64_t>(before.top) == labels[i])
              g.right.add(before.confidence);
            if (before.top != after.top) g.moved.add(after.confidence);
          }
          return g;
        },
        [](const Groups& a, const Groups& b) {
          return Groups{join_spreads(a.right, b.right), join_spreads(a.moved, b.moved)};
        });
    if (result.clean_right) append(*result.clean_right, beta, groups.right);
    append(result.moved, beta, groups.moved);
  }
  return result;
}

}  // namespace leeway::agreement

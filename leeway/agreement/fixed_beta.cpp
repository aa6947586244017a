#include "leeway/agreement/fixed_beta.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "leeway/agreement/detail/interval.h"
#include "leeway/agreement/detail/pairs.h"
#include "leeway/core/error.h"
#include "leeway/core/numbers.h"
#include "leeway/core/parallel.h"

namespace leeway::agreement {
namespace {

constexpr std::size_t fixed_beta_chunk_rows = 4096;

template <class Term>
double mean_of(std::size_t n, const Term& term) {
  const auto sum = [&](std::size_t begin, std::size_t end) {
    double total = 0;
    for (std::size_t i = begin; i < end; ++i) total += term(i);
    return total;
  };
  return reduce_chunks<double>(n, fixed_beta_chunk_rows, sum, std::plus<>()) / static_cast<double>(n);
}

// Of resamples of `a`.
Interval percentiles(std::span<const double> a, double log_k, const Options& options) {
  const auto pa = [&](std::span<const std::size_t> rows) {
    double total = 0;
    for (const std::size_t row : rows) total += a[row];
    return log_k + total / static_cast<double>(rows.size());
  };
  return bootstrap(a.size(), pa, {options.bootstrap, options.level, options.seed});
}

Interval interval_of(const Pairs& pairs, double beta, std::vector<double> a, double mean, double log_k,
                     const Options& options) {
  const std::size_t n = a.size();
  if (n < 2 || !std::isfinite(mean)) return {-infinity, log_k};
  const double square = mean_of(n, [&](std::size_t i) { return (a[i] - mean) * (a[i] - mean); });
  const bool settled = is_settled(pairs, beta, mean, square + mean * mean);
  const UnseenPairs unseen(pairs);
  if (options.bootstrap > 0) {
    Interval drawn = percentiles(a, log_k, options);
    if (settled) return drawn;
    a.push_back(unseen.contradicted(beta));
    return {std::min(percentiles(a, log_k, options).low, log_k + mean), std::max(drawn.high, log_k + mean)};
  }
  if (settled) {
    const double half =
        normal_quantile(.5 * (1 + options.level)) * std::sqrt(square / static_cast<double>(n - 1));
    return {log_k + mean - half, std::min(log_k, log_k + mean + half)};
  }
  const Interval found = mean_agreement_interval(unseen, a, beta, options.level);
  return {log_k + found.low, std::min(log_k, log_k + found.high)};
}

}  // namespace

Agreement agreement_at(const Rows& clean, const Rows& shifted, double beta,
                       std::span<const std::int64_t> labels, const Options& options) {
  if (!(beta >= 0)) throw Error(fmt::format("agreement_at: beta: expected at least 0, found {}", beta));
  const Pairs pairs(clean, shifted, labels, {options.clean_name, options.shifted_name});
  const std::vector<double> a = pairs.per_row(beta);
  const std::size_t n = pairs.n();
  const double log_k = std::log(static_cast<double>(pairs.k()));
  const double mean = mean_of(n, [&](std::size_t i) { return a[i]; });

  Agreement result;
  result.fitted = false;
  result.n = n, result.k = pairs.k();
  result.beta = beta, result.value = mean;
  result.gap = std::numeric_limits<double>::quiet_NaN();
  result.evaluations = 1;
  result.pa = std::min(log_k, log_k + mean);
  result.pa_normalized = result.pa / log_k;
  result.log_pa_sum = mean * static_cast<double>(n);
  result.pa_interval = interval_of(pairs, beta, a, mean, log_k, options);
  result.curve = {{beta, mean}};
  return with_fidelity(std::move(result), pairs.facts(), labels, options.level);
}

}  // namespace leeway::agreement

#include "leeway/agreement/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/agreement/detail/interval.h"
#include "leeway/agreement/detail/maximum.h"
#include "leeway/agreement/detail/pairs.h"
#include "leeway/agreement/detail/replicates.h"
#include "leeway/core/message.h"
#include "leeway/core/numbers.h"
#include "leeway/core/parallel.h"

namespace leeway::agreement {
namespace {

constexpr std::size_t tail_chunk_rows = 512, most_rows_kept = std::size_t{1} << 20;

// An upper bound of the agreement beyond some beta, and its limit at infinity.
//
// For every beta >= B
//   a_i(beta) <= min(-log max(m', m''), -B gap_i + log(s + (k-s) exp(-B D_i)) - log(m' m''))
// with gap_i = max F' + max F'' - max(F' + F''), s classes tied at max(F' + F''), D_i the distance from there
// to the next value, m' and m'' classes tied at max F' and max F''. The limit is log(s / (m' m'')) if gap_i =
// 0, else -inf. Ties make this necessary: (1,1,0) twice tends to -log 2 from below without reaching it.
// With a prior s and k are sums of weights, none of them above 1.
class TailBound {
 public:
  // one pass over the rows; `pairs` must outlive it
  explicit TailBound(const Pairs& pairs) : pairs_(&pairs), classes_(static_cast<double>(pairs.k())) {
    if (!pairs.log_weights().empty()) classes_ = 0;
    for (const double weight : pairs.log_weights()) classes_ += std::exp(weight);
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
        std::plus<>());
    rows_ = std::move(rows);
    limit_ = sum / static_cast<double>(n);
  }

  // An upper bound of the mean of a_i on [beta, inf]; falls as beta grows. beta = inf gives limit().
  [[nodiscard]] double operator()(double beta) const;
  [[nodiscard]] double limit() const {
    return limit_;
  }  // of the mean, -inf if any row's top classes do not meet

 private:
  struct Row {
    double gap, distance, ties, log_tops, ceiling;
  };
  [[nodiscard]] Row row_of(std::size_t i, std::span<double> x) const {
    if (!rows_.empty()) return rows_[i];
    pairs_->copy_row(i, x);
    const std::size_t k = pairs_->k();
    double top = -infinity, next = -infinity, ties = 0, tops_clean = 0, tops_shifted = 0;
    for (std::size_t j = 0; j < k; ++j) {
      const double both = x[j] + x[k + j];
      const double weight = pairs_->log_weights().empty() ? 1 : std::exp(pairs_->log_weights()[j]);
      if (both > top)
        next = top, top = both, ties = weight;
      else if (both == top)
        ties += weight;
      else
        next = std::max(next, both);
      tops_clean += x[j] == 0;
      tops_shifted += x[k + j] == 0;
    }
    return {-top, top - next, ties, std::log(tops_clean * tops_shifted),
            -std::log(std::max(tops_clean, tops_shifted))};
  }

  const Pairs* pairs_;
  std::vector<Row> rows_;  // empty where there are too many to keep
  double classes_ = 0, limit_ = 0;
};

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
      std::plus<>());
  return sum / static_cast<double>(pairs_->n());
}

constexpr double smallest_spread = 1e-30;
constexpr std::size_t least_sample = 512, most_sample = 16384, sampling_pays = 8 * least_sample;

Objective objective_of(const Pairs& pairs, const std::optional<TailBound>& tail) {
  const Facts& facts = pairs.facts();
  const double n = static_cast<double>(pairs.n()), k = static_cast<double>(pairs.k());
  Objective objective;
  objective.evaluate = [&pairs](std::span<const Request> requests) { return pairs.evaluate(requests); };
  if (tail) objective.tail = [&tail](double beta) { return (*tail)(beta); };
  objective.log_k = objective.f1_at_zero = std::log(k);
  objective.slope_at_zero = objective.f1_slope_at_zero = facts.x_sum / (n * k);
  if (!pairs.log_weights().empty()) {
    const Moments zero = pairs.evaluate(0, Detail::slope);
    objective.f1_at_zero = zero.f1, objective.f1_slope_at_zero = zero.d1;
  }
  objective.gap_mean = facts.gap_sum / n;
  objective.spread = facts.spread;
  objective.limit = tail ? tail->limit() : -infinity;
  objective.start = facts.spread_sum > 0 ? 4 * n / facts.spread_sum : 1;
  return objective;
}

// A search on a sample of rows provides the start and the proof's points; results change by rounding only.
void learn_from_sample(Objective& objective, const Rows& clean, const Rows& shifted,
                       const Pairs::Names& names, double gap) {
  const std::size_t n = clean.shape()[0], count = std::clamp(n / 64, least_sample, most_sample);
  std::vector<std::size_t> rows(count);
  for (std::size_t i = 0; i < count; ++i) rows[i] = i * n / count;
  const Pairs pairs(clean.take(rows), shifted.take(rows), {}, names);
  if (pairs.facts().disagreeing == 0) return;
  const Objective sampled = objective_of(pairs, std::nullopt);
  const Maximum found = maximize(sampled, gap, 40);
  if (!(found.beta > 0 && std::isfinite(found.beta))) return;
  objective.start = found.beta;
  if (!found.converged) return;
  // Not those next to the maximum: Newton's own points will lie there.
  const double near = 2.5 / std::sqrt(static_cast<double>(count)) * found.beta;
  for (const double beta : points_of_proof(sampled, found, gap))
    if (std::abs(beta - found.beta) > near) objective.companions.push_back(beta);
}

Maximum solve(const Pairs& pairs, const Rows& clean, const Rows& shifted, const Options& options) {
  std::optional<TailBound> tail;
  if (pairs.facts().disagreeing == 0) tail.emplace(pairs);
  Objective objective = objective_of(pairs, tail);
  if (pairs.n() >= sampling_pays && options.prior.empty())
    learn_from_sample(objective, clean, shifted, {options.clean_name, options.shifted_name}, options.gap);
  return maximize(objective, options.gap, options.max_evaluations);
}

// Percentiles of PA over resamples of the rows, each of which finds its own beta*.
Interval percentiles(const Pairs& pairs, const Maximum& maximum, const Options& options,
                     std::string_view phase) {
  std::vector<double> replicates =
      replicate_maxima(pairs, maximum, {options.bootstrap, options.seed, phase, options.progress});
  const double log_k = std::log(static_cast<double>(pairs.k()));
  for (double& replicate : replicates) replicate += log_k;
  std::ranges::sort(replicates);
  return replicate_interval(replicates, options.level);
}

// The rows, and one more whose top class `top` is as sure as the rows are on average.
Rows with_row(const Rows& rows, double depth, std::size_t top) {
  const std::size_t k = rows.shape()[1];
  std::vector<double> values = to_f64(rows.joined(), "bootstrap");
  values.resize(values.size() + k);
  values[values.size() - k + top] = depth;
  return make_array({rows.shape()[0] + 1, k}, std::move(values));
}

// If few rows decide, the lower end resamples the rows and one contradicted row (interval.h).
Interval bootstrap_interval(const Pairs& pairs, const Maximum& maximum, const Rows& clean,
                            const Rows& shifted, const Options& options) {
  const double log_k = std::log(static_cast<double>(pairs.k()));
  if (pairs.n() < 2) return {0, log_k};
  const Interval drawn = percentiles(pairs, maximum, options, "bootstrap");
  if (is_settled(pairs, maximum)) return drawn;
  const UnseenPairs unseen(pairs);
  const Pairs more(with_row(clean, unseen.depth, 0), with_row(shifted, unseen.depth, 1), {},
                   {options.clean_name, options.shifted_name});
  const Interval lower = percentiles(more, maximum, options, "bootstrap, unseen rows");
  const double pa = std::clamp(log_k + maximum.value, 0., log_k);
  return {std::min(std::max(0., lower.low), pa), std::max(drawn.high, pa)};
}

// The zero of A' between two points at which it changes from + to -: bisection, to the accuracy that a curve shows.
Point crest(const Pairs& pairs, Point left, Point right) {
  for (int i = 0; i < 60 && right.beta - left.beta > 1e-7 * right.beta; ++i) {
    const double beta = .5 * (left.beta + right.beta);
    const Point middle{beta, pairs.evaluate(beta, Detail::slope)};
    (middle.slope() > 0 ? left : right) = middle;
  }
  return left.value() > right.value() ? left : right;
}

void draw_curve(Agreement& result, Maximum& maximum, const Pairs& pairs, const Options& options) {
  std::vector<Point>& points = maximum.points;
  if (options.curve_points > 0) {
    const double n = static_cast<double>(pairs.n());
    const bool finite = std::isfinite(maximum.beta) && maximum.beta > 0;
    const double spread = pairs.facts().spread_sum / n;
    const double centre = finite ? maximum.beta : spread > 0 ? 8 / spread : 1;
    for (std::size_t i = 0; i < options.curve_points; ++i) {
      const double t = options.curve_points == 1
                           ? .5
                           : static_cast<double>(i) / static_cast<double>(options.curve_points - 1);
      const double beta = centre * std::pow(10, -2 + 3 * t);
      points.push_back({beta, pairs.evaluate(beta, Detail::slope)});
    }
    std::ranges::sort(points, {}, &Point::beta);
    for (std::size_t i = 1; i + 1 < points.size(); ++i) {
      const Point &a = points[i], &b = points[i + 1];
      const bool known = std::ranges::any_of(
          maximum.stationary, [&](const Point& p) { return p.beta >= a.beta && p.beta <= b.beta; });
      if (!known && a.slope() > 0 && b.slope() < 0) maximum.stationary.push_back(crest(pairs, a, b));
    }
  }
  for (const Point& point : points) result.curve.push_back({point.beta, point.value()});
  for (const Point& point : maximum.stationary) result.local_maxima.push_back({point.beta, point.value()});
  if (maximum.beta == 0 || std::isinf(maximum.beta))
    result.local_maxima.push_back({maximum.beta, maximum.value});
  auto& maxima = result.local_maxima;
  const auto same = [](const CurvePoint& a, const CurvePoint& b) { return b.beta - a.beta <= 1e-6 * b.beta; };
  std::ranges::sort(maxima, {}, &CurvePoint::beta);
  maxima.erase(std::unique(maxima.begin(), maxima.end(), same), maxima.end());
}

// F - max F of each row, times 2^exponent.
Array enlarged(const Array& array, const std::string& name, int exponent) {
  std::vector<double> values = to_f64(array, name);
  const std::size_t k = array.shape[1];
  for (auto row = values.begin(); row != values.end(); row += static_cast<std::ptrdiff_t>(k)) {
    const auto end = row + static_cast<std::ptrdiff_t>(k);
    const double top = *std::max_element(row, end);
    std::transform(row, end, row, [&](double value) { return std::scalbn(value - top, exponent); });
  }
  return make_array(array.shape, std::move(values));
}

// Logits so close together that beta times their squares overflows: the same objective at another scale of beta.
Agreement of_tiny_logits(const Rows& clean, const Rows& shifted, double spread,
                         std::span<const std::int64_t> labels, const Options& options) {
  const int exponent = -std::ilogb(spread);
  Agreement result =
      posterior_agreement(enlarged(clean.joined(), options.clean_name, exponent),
                          enlarged(shifted.joined(), options.shifted_name, exponent), labels, options);
  result.beta = std::scalbn(result.beta, exponent);
  for (auto* points : {&result.curve, &result.local_maxima})
    for (CurvePoint& point : *points) point.beta = std::scalbn(point.beta, exponent);
  return result;
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
  const double square =
      sum_of_rows(n, [&](std::size_t i) { return (a[i] - mean) * (a[i] - mean); }) / static_cast<double>(n);
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

Agreement posterior_agreement(const Rows& clean, const Rows& shifted, std::span<const std::int64_t> labels,
                              const Options& options) {
  if (options.bootstrap > 0 && !options.prior.empty())
    refuse("prior", "uniform, where PA is bootstrapped", "another");
  const Pairs pairs(clean, shifted, labels, {options.clean_name, options.shifted_name}, options.prior);
  if (pairs.facts().spread > 0 && pairs.facts().spread < smallest_spread)
    return of_tiny_logits(clean, shifted, pairs.facts().spread, labels, options);
  Maximum maximum = solve(pairs, clean, shifted, options);
  const std::size_t n = pairs.n();
  const double log_k = pairs.most();

  Agreement result;
  result.n = n, result.k = pairs.k();
  if (!options.prior.empty()) result.pa_most = log_k;
  result.beta = maximum.beta, result.value = maximum.value;
  result.gap = maximum.gap, result.converged = maximum.converged;
  result.evaluations = maximum.evaluations;
  result.pa = std::clamp(log_k + maximum.value, 0., log_k);
  result.pa_normalized = result.pa / log_k;
  result.log_pa_sum = maximum.value * static_cast<double>(n);
  result.pa_interval = options.bootstrap > 0 ? bootstrap_interval(pairs, maximum, clean, shifted, options)
                                             : pa_interval_of(pairs, maximum, options.level);
  draw_curve(result, maximum, pairs, options);

  return with_fidelity(std::move(result), pairs.facts(), labels, options.level);
}

std::vector<double> agreement_per_row(const Rows& clean, const Rows& shifted, double beta) {
  return Pairs(clean, shifted, {}, {"clean", "shifted"}).per_row(beta);
}

Agreement agreement_at(const Rows& clean, const Rows& shifted, double beta,
                       std::span<const std::int64_t> labels, const Options& options) {
  if (!(beta >= 0)) throw Error(fmt::format("agreement_at: beta: expected at least 0, found {}", beta));
  const Pairs pairs(clean, shifted, labels, {options.clean_name, options.shifted_name}, options.prior);
  const std::vector<double> a = pairs.per_row(beta);
  const std::size_t n = pairs.n();
  const double log_k = pairs.most();
  const double mean = mean_and_error(a).mean;

  Agreement result;
  result.fitted = false;
  result.n = n, result.k = pairs.k();
  if (!options.prior.empty()) result.pa_most = log_k;
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

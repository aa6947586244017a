#include "leeway/agreement/agreement.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "leeway/agreement/detail/interval.h"
#include "leeway/agreement/detail/maximum.h"
#include "leeway/agreement/detail/pairs.h"
#include "leeway/agreement/detail/replicates.h"
#include "leeway/agreement/detail/tail.h"
#include "leeway/core/numbers.h"

namespace leeway::agreement {
namespace {

constexpr double smallest_spread = 1e-30;
constexpr std::size_t least_sample = 512, most_sample = 16384, sampling_pays = 8 * least_sample;

Objective objective_of(const Pairs& pairs, const std::optional<TailBound>& tail) {
  const Facts& facts = pairs.facts();
  const double n = static_cast<double>(pairs.n()), k = static_cast<double>(pairs.k());
  Objective objective;
  objective.evaluate = [&pairs](std::span<const Request> requests) { return pairs.evaluate(requests); };
  if (tail) objective.tail = [&tail](double beta) { return (*tail)(beta); };
  objective.log_k = std::log(k);
  objective.slope_at_zero = facts.x_sum / (n * k);
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
  if (pairs.n() >= sampling_pays)
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

}  // namespace

Agreement posterior_agreement(const Rows& clean, const Rows& shifted, std::span<const std::int64_t> labels,
                              const Options& options) {
  const Pairs pairs(clean, shifted, labels, {options.clean_name, options.shifted_name});
  if (pairs.facts().spread > 0 && pairs.facts().spread < smallest_spread)
    return of_tiny_logits(clean, shifted, pairs.facts().spread, labels, options);
  Maximum maximum = solve(pairs, clean, shifted, options);
  const std::size_t n = pairs.n();
  const double log_k = std::log(static_cast<double>(pairs.k()));

  Agreement result;
  result.n = n, result.k = pairs.k();
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

}  // namespace leeway::agreement

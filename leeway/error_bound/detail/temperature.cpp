#include "leeway/error_bound/detail/temperature.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/core/parallel.h"
#include "leeway/error_bound/confidence.h"

namespace leeway::error_bound {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr std::size_t most_evaluations = 400, large = 65536, temperature_growth = 16;

// Means over rows. Logits are taken in units of 2^exponent, so that squares neither overflow nor vanish.
struct Slopes {
  double slope = 0, curvature = 0;  // L', L''
  double size = 0;                  // of the terms of L', for its rounding
};

struct Limits {
  double at_zero = 0, curvature_at_zero = 0, at_infinity = 0;
};

class Likelihood {
 public:
  Likelihood(const Rows& logits, std::span<const std::int64_t> labels, std::span<const std::size_t> rows)
      : rows_(logits, rows), labels_(labels) {
    const double range = reduce<double>(
        [&](const double* z, std::size_t, double& widest) {
          widest = std::max(widest, -*std::min_element(z, z + rows_.k()));
        },
        [](double a, double b) { return std::max(a, b); });
    exponent_ = range > 0 ? std::clamp(std::ilogb(range), -1000, 1000) : 0;
    unit_ = std::ldexp(1., -exponent_);
    range_ = range * unit_;
  }

  // In the units of 1 / logits, from those of the scaled problem.
  [[nodiscard]] double unscaled(double t) const { return std::ldexp(t, -exponent_); }
  [[nodiscard]] double scaled(double t) const { return std::ldexp(t, exponent_); }
  [[nodiscard]] double range() const { return range_; }

  [[nodiscard]] Limits limits() const {
    const double k = static_cast<double>(rows_.k());
    Limits sums = reduce<Limits>(
        [&](const double* z, std::size_t y, Limits& part) {
          double sum = 0, squares = 0;
          for (std::size_t j = 0; j < rows_.k(); ++j) {
            const double value = z[j] * unit_;
            sum += value, squares += value * value;
          }
          part.at_zero += sum / k - z[y] * unit_;
          part.curvature_at_zero += squares / k - sum / k * (sum / k);
          part.at_infinity -= z[y] * unit_;
        },
        [](Limits a, const Limits& b) {
          a.at_zero += b.at_zero, a.curvature_at_zero += b.curvature_at_zero, a.at_infinity += b.at_infinity;
          return a;
        });
    const double n = static_cast<double>(rows_.n());
    return {sums.at_zero / n, sums.curvature_at_zero / n, sums.at_infinity / n};
  }

  [[nodiscard]] Slopes at(double t) const {
    Slopes sums = reduce<Slopes>(
        [&](const double* z, std::size_t y, Slopes& part) {
          double total = 0, first = 0, second = 0;
          for (std::size_t j = 0; j < rows_.k(); ++j) {
            const double value = z[j] * unit_, weight = std::exp(t * value);
            total += weight, first += weight * value, second += weight * value * value;
          }
          const double mean = first / total;
          part.slope += mean - z[y] * unit_;
          part.curvature += std::max(0., second / total - mean * mean);
          part.size -= mean + z[y] * unit_;
        },
        [](Slopes a, const Slopes& b) {
          a.slope += b.slope, a.curvature += b.curvature, a.size += b.size;
          return a;
        });
    const double n = static_cast<double>(rows_.n());
    return {sums.slope / n, sums.curvature / n, sums.size / n};
  }

 private:
  template <class T, class Add, class Join>
  T reduce(const Add& add, const Join& join) const {
    return reduce_chunks<T>(
        rows_.n(), rows_.chunk(),
        [&](std::size_t begin, std::size_t end) {
          T part{};
          std::vector<double> scratch;
          for (std::size_t i = begin; i < end; ++i)
            add(rows_.row(i, scratch), static_cast<std::size_t>(labels_[rows_.index(i)]), part);
          return part;
        },
        join);
  }

  CentredRows rows_;
  std::span<const std::int64_t> labels_;
  int exponent_ = 0;
  double unit_ = 1, range_ = 0;
};

// Upper bound of the distance to the root. A log-partition's third derivative is at most R times its second
// (R the range of a row), so L'' falls no faster than exp(-R distance).
double distance_to_root(const Slopes& s, double range) {
  const double rounding = 8 * epsilon * s.size;
  const double ratio = range * (std::abs(s.slope) + rounding) / s.curvature;
  return ratio < 1 ? -std::log1p(-ratio) / range : infinity;
}

struct Bracket {
  double low = 0, high = infinity;
  [[nodiscard]] double middle() const {
    if (low == 0) return high / 16;
    return high > 4 * low ? std::sqrt(low) * std::sqrt(high) : .5 * (low + high);
  }
};

Temperature root(const Likelihood& likelihood, double t, double tolerance) {
  Temperature result;
  Bracket bracket;
  double leap = 4;
  while (true) {
    const Slopes s = likelihood.at(t);
    ++result.evaluations;
    (s.slope < 0 ? bracket.low : bracket.high) = t;
    const double distance = distance_to_root(s, likelihood.range());
    const double next = t - s.slope / s.curvature;
    const bool still = std::abs(s.slope) <= 2 * epsilon * s.size || std::abs(next - t) <= epsilon * t;
    if (distance <= tolerance * t || still || result.evaluations >= most_evaluations || t > 1e300) {
      result.inverse = t > 1e300 ? infinity : t;
      result.error = std::min(distance, bracket.high - bracket.low);
      return result;
    }
    if (std::isinf(bracket.high) && !(next < 2 * t)) {  // far below: Newton's steps are short there
      t = std::min(1e301, std::max(std::isfinite(next) ? next : 0, leap * t));
      leap *= leap;
    } else if (next > bracket.low && next < bracket.high && result.evaluations < most_evaluations / 4) {
      t = next;
    } else {
      t = bracket.middle();
    }
  }
}

double root_of_some(const Rows& logits, std::span<const std::int64_t> labels,
                    std::span<const std::size_t> rows, std::size_t n) {
  std::vector<std::size_t> some(n / temperature_growth);
  for (std::size_t i = 0; i < some.size(); ++i)
    some[i] = rows.empty() ? i * temperature_growth : rows[i * temperature_growth];
  return fit_temperature(logits, labels, {.tolerance = 1e-3, .start = 0, .rows = some}).inverse;
}

}  // namespace

Temperature fit_temperature(const Rows& logits, std::span<const std::int64_t> labels,
                            const TemperatureOptions& options) {
  const Likelihood likelihood(logits, labels, options.rows);
  const Limits limits = likelihood.limits();
  if (limits.at_zero >= 0) return {.inverse = 0};
  if (limits.at_infinity == 0) return {.inverse = infinity};
  double start = options.start;
  const std::size_t n = options.rows.empty() ? labels.size() : options.rows.size();
  if (start == 0 && n > large) start = root_of_some(logits, labels, options.rows, n);
  start = likelihood.scaled(start);
  if (!(start > 0 && start < 1e100)) start = -limits.at_zero / limits.curvature_at_zero;
  Temperature result = root(likelihood, start, options.tolerance);
  result.inverse = likelihood.unscaled(result.inverse);
  result.error = likelihood.unscaled(result.error);
  return result;
}

}  // namespace leeway::error_bound

#include "leeway/average_case/detail/one_factor.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "leeway/average_case/detail/kernel.h"
#include "leeway/average_case/detail/log_concave.h"
#include "leeway/average_case/detail/normal.h"
#include "leeway/core/numbers.h"
#include "leeway/core/progress.h"

namespace leeway::average_case {
namespace {

constexpr double accuracy = 1e-12;           // of a correlation
constexpr double one_factor_steep = .1;      // a deviation below it makes a step, at which panels end
constexpr double one_factor_near_one = .99;  // of two variables: beyond, one of them is the factor itself
constexpr double accuracy_of_tails = 4e-14;  // of Phi, relative (normal.h)
constexpr double coarse = 1e-9;              // of the mode, in units of 1 and its distance from 0
constexpr double deep = -1e5;                // below, h (z + h) is 1 and its rounding is not
constexpr double step_width = 8;             // deviations on both sides of a step, beyond which it is level

// log of the integrand, less log phi(0), as a function of the distance from `origin`.
class Conditional {
 public:
  Conditional(const Problem& problem, const OneFactor& factor, double origin) : origin_(origin) {
    for (std::size_t i = 0; i < problem.d(); ++i) {
      const double l = factor.loadings[i], scale = factor.deviations[i];
      const double b = std::fma(-l, origin, problem.upper[i]);
      if (scale > 0) {
        limits_.push_back(b / scale), slopes_.push_back(l / scale);
        if (l != 0 && scale < one_factor_steep * std::abs(l)) steps_.push_back({b / l, scale / std::abs(l)});
      } else if (l > 0) {
        high_ = std::min(high_, b / l);
      } else {
        low_ = std::max(low_, b / l);
      }
    }
  }

  struct Step {
    double at = 0, width = 0;
  };
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  [[nodiscard]] double origin() const { return origin_; }
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

  [[nodiscard]] double operator()(double t) const {
    double sum = -.5 * (origin_ + t) * (origin_ + t);
    for (std::size_t i = 0; i < limits_.size(); ++i) sum += log_cdf(limits_[i] - slopes_[i] * t);
    return sum;
  }

  // First and minus the second derivative.
  [[nodiscard]] std::pair<double, double> derivatives(double t) const {
    double slope = -(origin_ + t), curvature = 1;
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      const double z = limits_[i] - slopes_[i] * t, h = hazard(z);
      slope -= slopes_[i] * h;
      curvature += slopes_[i] * slopes_[i] * (z > deep ? h * (z + h) : 1);
    }
    return {slope, curvature};
  }

 private:
  double origin_;
  std::vector<double> limits_, slopes_;
  std::vector<Step> steps_;
  double low_ = -infinity, high_ = infinity;
};

// The maximum of a log-concave function: Newton with a bisection bracket. mode^2 / 2 <= -f(start).
double mode(const Conditional& f, double resolution) {
  const double start = std::clamp(0., f.low(), f.high()), depth = std::sqrt(-2 * f(start));
  const double reach = std::isfinite(depth) ? std::max(1e4, depth + std::abs(f.origin())) : 1e4;
  double low = std::max(f.low(), -reach), high = std::min(f.high(), reach);
  double t = std::clamp(0., low, high);
  for (int step = 0; step < 100; ++step) {
    const auto [slope, curvature] = f.derivatives(t);
    if (std::abs(slope) < 1e-6 * std::sqrt(curvature)) break;
    (slope > 0 ? low : high) = t;
    if (high - low < resolution * (1 + std::abs(t))) break;
    double next = t + slope / curvature;
    if (!(next > low && next < high)) next = .5 * (low + high);
    if (next == t) break;
    t = next;
  }
  return t;
}

// From the mode outwards to where the function is 1e-18 of it, or to a hard limit.
double end(const Conditional& f, double centre, double top, double direction, double limit) {
  constexpr double fall = 42;
  const auto [slope, curvature] = f.derivatives(centre);  // at a hard limit the slope is not 0
  double inside = 0, outside = 1 / std::max(std::sqrt(curvature), std::abs(slope));
  const double most = std::abs(limit - centre);
  while (outside < most && f(centre + direction * outside) > top - fall) inside = outside, outside *= 2;
  if (outside >= most && f(limit) > top - fall) return limit;
  outside = std::min(outside, most);
  for (int step = 0; step < 6; ++step) {
    const double half = .5 * (inside + outside);
    (f(centre + direction * half) > top - fall ? inside : outside) = half;
  }
  return centre + direction * outside;
}

// Where panels begin and end: at the ends, the largest value, half way between, and around every step.
std::vector<double> panel_ends(const std::vector<Conditional::Step>& steps, double low, double centre,
                               double high) {
  std::vector<Conditional::Step> marks;  // with the distance that the next one must keep
  for (const auto& [at, width] : steps)
    for (const double mark : {at - step_width * width, at, at + step_width * width})
      if (mark > low && mark < high) marks.push_back({mark, .25 * width});
  for (const double mark : {low, .5 * (low + centre), centre, .5 * (centre + high), high})
    marks.push_back({mark, 0});
  std::ranges::stable_sort(marks, {}, &Conditional::Step::at);
  std::vector<double> ends = {low};
  for (const auto& [at, width] : marks)
    if (at > ends.back() + width) ends.push_back(at);
  return ends;
}

double deviation_of(double loading) {
  const double variance = 1 - loading * loading;
  return variance > one_factor_steep * one_factor_steep ? std::sqrt(variance)
                                                        : std::sqrt((1 - loading) * (1 + loading));
}

OneFactor factor_of(std::vector<double> loadings) {
  OneFactor factor{std::move(loadings), {}};
  for (const double l : factor.loadings) factor.deviations.push_back(deviation_of(l));
  return factor;
}

// Two variables. Next to 1 the first is the factor itself: a root would round what is left of the second.
std::optional<OneFactor> pair_factor(double rho) {
  if (rho == 0) return std::nullopt;
  if (std::abs(rho) > one_factor_near_one) return factor_of({1, rho});
  const double root = std::sqrt(std::abs(rho));
  return factor_of({root, std::clamp(rho / root, -1., 1.)});
}

// Bound on the relative change of p, since products of loadings are correlations up to rounding alone.
double slip(const Problem& problem, const OneFactor& factor, double log_value) {
  const std::size_t d = problem.d();
  double total = 0;
  for (std::size_t i = 1; i < d; ++i)
    for (std::size_t j = 0; j < i; ++j)
      total += relative_change(problem.correlation[i * d + j], factor.loadings[i] * factor.loadings[j],
                               problem.upper[i], problem.upper[j], log_value);
  return total;
}

// Where the factor matters and how widely. A logistic of this spread is 1.09 times as wide as the integrand.
void place(const Problem& problem, CommonFactor& factor) {
  const Conditional f(problem, factor_of(factor.loadings), 0);
  factor.centre = mode(f, coarse);
  factor.spread = .6 / std::sqrt(f.derivatives(factor.centre).second);
}

}  // namespace

std::optional<OneFactor> one_factor_of(const Problem& problem) {
  const std::size_t d = problem.d();
  if (d == 2) return pair_factor(problem.correlation[1]);
  const std::vector<double>& r = problem.correlation;
  std::vector<double> loadings(d);
  std::size_t b = 1;  // with variable 0 the pair of largest correlation in its row
  for (std::size_t j = 2; j < d; ++j)
    if (std::abs(r[j]) > std::abs(r[b])) b = j;
  std::size_t c = d;
  for (std::size_t j = 1; j < d; ++j)
    if (j != b && (c == d || std::abs(r[b * d + j]) > std::abs(r[b * d + c]))) c = j;
  if (r[b * d + c] == 0) return std::nullopt;
  const double square = r[b] * r[c] / r[b * d + c];
  if (!(square > 0 && square <= 1 + accuracy)) return std::nullopt;
  loadings[0] = std::min(1., std::sqrt(square));
  for (std::size_t j = 1; j < d; ++j) {
    loadings[j] = r[j] / loadings[0];
    if (std::abs(loadings[j]) > 1 + accuracy) return std::nullopt;
    loadings[j] = std::clamp(loadings[j], -1., 1.);
  }
  for (std::size_t i = 1; i < d; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (std::abs(r[i * d + j] - loadings[i] * loadings[j]) > accuracy) return std::nullopt;
  return factor_of(std::move(loadings));
}

Quadrature one_factor_probability(const Problem& problem, const OneFactor& factor, const Progress* stop) {
  Conditional f(problem, factor, 0);
  if (f.low() >= f.high()) return {-infinity, 0};
  double centre = mode(f, coarse);
  if (!f.steps().empty()) {  // what matters may be as narrow as a step: distances from the mode are exact
    f = Conditional(problem, factor, centre);
    centre = mode(f, 0);
  }
  const double top = f(centre);
  if (!(top > -infinity)) return {-infinity, 0};
  const double low = end(f, centre, top, -1, std::max(f.low(), -1e300));
  const double high = end(f, centre, top, 1, std::min(f.high(), 1e300));
  const std::vector<double> ends = panel_ends(f.steps(), low, centre, high);
  std::size_t halvings = 2000 + 8 * ends.size();
  const auto [value, error] = integrate([&](double t) { return std::exp(f(t) - top); }, ends, 1e-12,
                                        1e-15 * std::abs(top), stop, halvings);
  if (!(value > 0)) return {-infinity, 0};
  const auto d = static_cast<double>(problem.d());
  const double rounding = 1e-15 * (d + 10) * (1 + .05 * std::abs(top)) + accuracy_of_tails * d;
  const double log_value = top - log_sqrt_two_pi + std::log(value);
  return {log_value, error / value + rounding + slip(problem, factor, log_value)};
}

double relative_change(double r, double s, double a, double b, double log_value) {
  const double difference = std::abs(r - s);
  if (difference == 0) return 0;
  const double larger = std::max(std::abs(r), std::abs(s)), rest = (1 - larger) * (1 + larger);
  const double widest = rest + 2 * difference;
  const double apart = r > 0 ? a - b : a + b, same = r > 0 ? a * b : -a * b;
  const double angle = std::min(difference / std::sqrt(rest), 1.12 * std::sqrt(2 * difference));
  const double exponent = -.5 * apart * apart / widest - same / (1 + larger);
  const double absolute = angle / (2 * std::numbers::pi) * std::exp(exponent - log_value);
  const double logarithmic = difference * (1 / rest + a * a + b * b + apart * apart / (rest * rest));
  return rest > 4 * difference ? std::min(absolute, logarithmic) : absolute;
}

double excess_probability(double a, double b, double rho) {
  const Problem problem{{a, -b}, {1, -rho, -rho, 1}};
  const auto factor = one_factor_of(problem);
  return factor ? std::exp(one_factor_probability(problem, *factor).log_value) : cdf(a) * cdf(-b);
}

std::optional<CommonFactor> common_factor(const Problem& problem) {
  const std::size_t d = problem.d();
  const std::vector<double>& r = problem.correlation;
  CommonFactor factor{std::vector<double>(d)};
  std::vector<double>& l = factor.loadings;
  for (std::size_t i = 0; i < d; ++i) {
    double sum = -1;
    for (std::size_t j = 0; j < d; ++j) sum += r[i * d + j];
    l[i] = sum / static_cast<double>(d - 1);
    if (!(l[i] > .05)) return std::nullopt;
    l[i] = std::sqrt(l[i]);
  }
  std::vector<double> next(d);
  for (int step = 0; step < 8; ++step) {
    const double squares = kernel::dot(l.data(), l.data(), d);
    for (std::size_t i = 0; i < d; ++i) {
      const double fit = (kernel::dot(&r[i * d], l.data(), d) - l[i]) / (squares - l[i] * l[i]);
      next[i] = .5 * (l[i] + std::clamp(fit, -.97, .97));
    }
    l.swap(next);
  }
  place(problem, factor);
  return factor;
}

}  // namespace leeway::average_case

#include "leeway/average_case/one_factor.h"

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>

#include "leeway/average_case/kernel.h"
#include "leeway/average_case/normal.h"

namespace leeway::average_case {
namespace {

constexpr double accuracy = 1e-12;        // of a correlation
constexpr double least_variance = 1e-14;  // below, a variable is its factor
constexpr double log_sqrt_two_pi = .9189385332046727;
constexpr double infinity = std::numeric_limits<double>::infinity();

// log of the integrand, less log phi(0).
class Conditional {
 public:
  Conditional(const Problem& problem, const std::vector<double>& loadings) {
    for (std::size_t i = 0; i < problem.d(); ++i) {
      const double l = loadings[i], b = problem.upper[i], variance = 1 - l * l;
      if (variance > least_variance) {
        const double scale = std::sqrt(variance);
        limits_.push_back(b / scale), slopes_.push_back(l / scale);
      } else if (l > 0) {
        high_ = std::min(high_, b / l);
      } else {
        low_ = std::max(low_, b / l);
      }
    }
  }

  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

  [[nodiscard]] double operator()(double t) const {
    double sum = -.5 * t * t;
    for (std::size_t i = 0; i < limits_.size(); ++i) sum += log_cdf(limits_[i] - slopes_[i] * t);
    return sum;
  }

  // First and minus the second derivative.
  [[nodiscard]] std::pair<double, double> derivatives(double t) const {
    double slope = -t, curvature = 1;
    for (std::size_t i = 0; i < limits_.size(); ++i) {
      const double z = limits_[i] - slopes_[i] * t, h = hazard(z);
      slope -= slopes_[i] * h;
      curvature += slopes_[i] * slopes_[i] * h * (z + h);
    }
    return {slope, curvature};
  }

 private:
  std::vector<double> limits_, slopes_;
  double low_ = -infinity, high_ = infinity;
};

// Where a log-concave function is largest: Newton within a bracket that bisection keeps.
double mode(const Conditional& f) {
  double low = std::max(f.low(), -1e4), high = std::min(f.high(), 1e4);
  double t = std::clamp(0., low, high);
  for (int step = 0; step < 100; ++step) {
    const auto [slope, curvature] = f.derivatives(t);
    if (std::abs(slope) < 1e-6 * std::sqrt(curvature)) break;
    (slope > 0 ? low : high) = t;
    if (high - low < 1e-9 * (1 + std::abs(t))) break;
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
  double inside = 0, outside = 1 / std::sqrt(f.derivatives(centre).second);
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

struct Integral {
  double value = 0, error = 0;
};

// Gauss and Kronrod's rule of 15 points; the error is its distance from Gauss's rule of 7.
template <class Function>
Integral kronrod(const Function& f, double from, double to) {
  using Kronrod = boost::math::quadrature::gauss_kronrod<double, 15>;
  using Gauss = boost::math::quadrature::gauss<double, 7>;
  const double centre = .5 * (from + to), half = .5 * (to - from);
  const double middle = f(centre);
  double kronrod = Kronrod::weights()[0] * middle, gauss = Gauss::weights()[0] * middle;
  for (std::size_t i = 1; i < Kronrod::abscissa().size(); ++i) {
    const double x = half * Kronrod::abscissa()[i], both = f(centre - x) + f(centre + x);
    kronrod += Kronrod::weights()[i] * both;
    if (i % 2 == 0) gauss += Gauss::weights()[i / 2] * both;
  }
  return {half * kronrod, half * std::abs(kronrod - gauss)};
}

// Panels are halved until each errs by a small part of the whole; from both ends of a function whose largest
// value is in the middle.
template <class Function>
Integral integrate(const Function& f, double low, double centre, double high) {
  constexpr double tolerance = 1e-12;
  constexpr double narrowest = 1e-10;  // of the whole: a jump, where halving would go on for ever
  struct Panel {
    double from = 0, to = 0;
    Integral found;
  };
  std::vector<Panel> open;
  Integral total;
  double size = 0;
  for (const auto& [from, to] : {std::pair{low, centre}, std::pair{centre, high}})
    for (const auto& [a, b] : {std::pair{from, .5 * (from + to)}, std::pair{.5 * (from + to), to}}) {
      if (!(a < b)) continue;
      open.push_back({a, b, kronrod(f, a, b)});
      size += open.back().found.value;
    }
  while (!open.empty()) {
    const Panel panel = open.back();
    open.pop_back();
    if (panel.found.error <= tolerance * size || panel.to - panel.from < narrowest * (high - low)) {
      total.value += panel.found.value, total.error += panel.found.error;
      continue;
    }
    const double middle = .5 * (panel.from + panel.to);
    open.push_back({panel.from, middle, kronrod(f, panel.from, middle)});
    open.push_back({middle, panel.to, kronrod(f, middle, panel.to)});
  }
  return total;
}

// Where the factor matters and how widely. A logistic of this spread is 1.09 times as wide as the integrand.
void place(const Problem& problem, CommonFactor& factor) {
  const Conditional f(problem, factor.loadings);
  factor.centre = mode(f);
  factor.spread = .6 / std::sqrt(f.derivatives(factor.centre).second);
}

}  // namespace

std::optional<std::vector<double>> one_factor_loadings(const Problem& problem) {
  const std::size_t d = problem.d();
  const std::vector<double>& r = problem.correlation;
  std::vector<double> loadings(d);
  std::size_t b = 1;  // with variable 0 the pair of largest correlation in its row
  for (std::size_t j = 2; j < d; ++j)
    if (std::abs(r[j]) > std::abs(r[b])) b = j;
  double square = std::abs(r[b]);
  if (d > 2) {
    std::size_t c = d;
    for (std::size_t j = 1; j < d; ++j)
      if (j != b && (c == d || std::abs(r[b * d + j]) > std::abs(r[b * d + c]))) c = j;
    if (r[b * d + c] == 0) return std::nullopt;
    square = r[b] * r[c] / r[b * d + c];
  }
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
  return loadings;
}

Quadrature one_factor_probability(const Problem& problem, const std::vector<double>& loadings) {
  const Conditional f(problem, loadings);
  if (f.low() >= f.high()) return {-infinity, 0};
  const double centre = mode(f), top = f(centre);
  const double low = end(f, centre, top, -1, std::max(f.low(), -1e300));
  const double high = end(f, centre, top, 1, std::min(f.high(), 1e300));
  const auto [value, error] = integrate([&](double t) { return std::exp(f(t) - top); }, low, centre, high);
  const double rounding = 1e-15 * static_cast<double>(problem.d() + 10) * (1 + .01 * std::abs(top));
  return {top - log_sqrt_two_pi + std::log(value), error / value + rounding};
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

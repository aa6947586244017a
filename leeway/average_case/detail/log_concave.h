// Integrals of functions of one variable to full precision. Internal.
#pragma once

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "leeway/core/progress.h"

namespace leeway::average_case {

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

// Halves panels until the error of each is at most `tolerance` times the integral, or at most `noise` times
// the integral over the panel (`noise`: relative error of the function's values). Takes what it halves from
// `halvings`; without any left, the errors of open panels add up.
template <class Function>
Integral integrate(const Function& f, const std::vector<double>& ends, double tolerance, double noise,
                   const Progress* stop, std::size_t& halvings) {
  struct Panel {
    double from = 0, to = 0;
    Integral found;
  };
  std::vector<Panel> open;
  Integral total;
  double size = 0;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    open.push_back({ends[i], ends[i + 1], kronrod(f, ends[i], ends[i + 1])});
    size += open.back().found.value;
  }
  while (!open.empty()) {
    stop_if_asked(stop);
    const Panel panel = open.back();
    open.pop_back();
    const double middle = .5 * (panel.from + panel.to);
    const bool fine = panel.found.error <= std::max(tolerance * size, noise * panel.found.value);
    if (fine || halvings == 0 || !(panel.from < middle && middle < panel.to)) {
      total.value += panel.found.value, total.error += panel.found.error;
      continue;
    }
    --halvings;
    open.push_back({panel.from, middle, kronrod(f, panel.from, middle)});
    open.push_back({middle, panel.to, kronrod(f, middle, panel.to)});
  }
  return total;
}

struct LogIntegral {
  double log_value = -std::numeric_limits<double>::infinity(), relative_error = 0;
};

// Integral of exp(f), f concave, from the first to the last of the increasing `ends`; f is smooth between two
// of them. Golden section search finds the maximum of f first, so that no peak hides between two nodes. Where
// exp(f) is below 1e-18 of the maximum, it is left out. `halvings` as for integrate.
template <class Function>
LogIntegral integrate_log_concave(const Function& f, const std::vector<double>& ends, double tolerance,
                                  const Progress* stop, std::size_t& halvings) {
  constexpr double golden = .6180339887498949, fall = 42;
  if (ends.size() < 2) return {};
  double low = ends.front(), high = ends.back(), left = 0, right = 0, at_left = 0, at_right = 0;
  double centre = 0, top = -std::numeric_limits<double>::infinity();
  const auto section = [&] {
    at_left = f(left = high - golden * (high - low)), at_right = f(right = low + golden * (high - low));
  };
  section();
  for (int step = 0; step < 100; ++step) {
    if (!(std::abs(at_left - at_right) > .5)) {
      centre = .5 * (left + right), top = f(centre);
      if (!(top > std::max(at_left, at_right) + .5)) break;  // f exceeds `top` by 1 at most
      low = left, high = right;
      section();
    } else if (at_left > at_right) {
      high = right, right = left, at_right = at_left;
      at_left = f(left = high - golden * (high - low));
    } else {
      low = left, left = right, at_left = at_right;
      at_right = f(right = low + golden * (high - low));
    }
  }
  if (at_left > top) centre = left, top = at_left;
  if (at_right > top) centre = right, top = at_right;
  if (!(top > -std::numeric_limits<double>::infinity())) return {};
  const auto end = [&](double limit) {
    for (int step = 0; step < 60; ++step) {
      const double middle = .5 * (centre + limit);
      if (f(middle) > top - fall) break;
      limit = middle;
    }
    return limit;
  };
  const double from = end(ends.front()), to = end(ends.back());
  std::vector<double> marks = {from};
  const auto add = [&](double mark) {
    if (mark > marks.back() && mark < to) marks.push_back(mark);
  };
  bool passed = false;
  for (const double mark : ends) {
    if (!passed && mark >= centre) add(centre), passed = true;
    add(mark);
  }
  marks.push_back(to);
  const auto [value, error] =
      integrate([&](double t) { return std::exp(f(t) - top); }, marks, tolerance, 0, stop, halvings);
  if (!(value > 0)) return {};
  return {top + std::log(value), error / value};
}

}  // namespace leeway::average_case

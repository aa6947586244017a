// The decision boundary as FAB and DeepFool see it: of the planes that linearized logits have, the nearest.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "leeway/attack/member.h"

namespace leeway::attack {

// m classes a row whose boundary with the class to leave is looked at.
struct Rivals {
  std::size_t m = 0;
  std::vector<std::size_t> classes;  // (n,m)
};

// The classes to which the clean rows may change, most likely first: at most `most` from place `from` on.
// Targeted problems have one plane a row, and these classes do not count.
inline Rivals likely_rivals(const Problem& problem, std::size_t from, std::size_t most) {
  if (problem.targeted) return {1, std::vector<std::size_t>(problem.clean.n)};
  const std::size_t m = std::min(most, problem.classifier.k - 1 - from);
  return {m, likely_wrong_classes(problem, from, m)};
}

// {z: <normal, z - x> = rise}: where the linearized logits of two classes are equal.
struct Planes {
  Points normal;             // gradient of the difference of the logits, F_up - F_down; 0: there is no plane
  std::vector<double> rise;  // F_down(x) - F_up(x); positive where x fails
  std::vector<std::uint8_t> success;  // of x
};

// Difference of the logits and its gradient by the logits. Up is the rival and down the class to leave; of
// targeted problems up is the target and down the largest of the others.
inline double difference_to(const Problem& problem, std::size_t i, Row logits, std::size_t rival,
                            MutableRow cotangent) {
  const std::int64_t y = problem.targets[i];
  if (problem.targeted) {
    const double value = loss_of(Loss::difference, logits, y, cotangent);
    for (float& part : cotangent) part = -part;
    return -value;
  }
  std::ranges::fill(cotangent, 0.f);
  const auto own = static_cast<std::size_t>(y);
  cotangent[rival] = 1, cotangent[own] = -1;
  return static_cast<double>(logits[rival]) - logits[own];
}

// Rows that fail are sent at least to this rise, so that float32 still resolves the step.
inline double least_rise(Row x, Row normal) {
  double rise = 0;
  for (std::size_t j = 0; j < x.size(); ++j)
    rise += std::abs(static_cast<double>(normal[j])) * std::max(1., std::abs(static_cast<double>(x[j])));
  return 1e-6 * rise;
}

// Of each row the plane of smallest |rise| / |normal|_q, q dual to `norm`. One forward pass, one vjp a rival.
inline Planes nearest_planes(const Problem& problem, const Points& x, const Rivals& rivals, Norm norm) {
  const std::size_t n = x.n, k = problem.classifier.k;
  const Linearized here = problem.classifier.linearize(x.values);
  const auto logits = [&](std::size_t i) { return Row(here.logits).subspan(i * k, k); };
  Planes found{Points::zeros(n, x.d), std::vector<double>(n), std::vector<std::uint8_t>(n)};
  std::vector<double> least(n, std::numeric_limits<double>::infinity()), differences(n);
  std::vector<float> cotangents(n * k);
  for (std::size_t m = 0; m < rivals.m; ++m) {
    for (std::size_t i = 0; i < n; ++i)
      differences[i] = difference_to(problem, i, logits(i), rivals.classes[i * rivals.m + m],
                                     MutableRow(cotangents).subspan(i * k, k));
    const Points gradient{n, x.d, here.vjp(cotangents)};
    for_rows(x, [&](std::size_t i) {
      const double slope = norm_of(gradient.row(i), dual_of(norm)), away = std::abs(differences[i]) / slope;
      if (!(away < least[i])) return;  // nor is it where the gradient is 0
      least[i] = away;
      std::ranges::copy(gradient.row(i), found.normal.row(i).begin());
      const bool fails = !succeeds(problem, i, logits(i));
      found.rise[i] =
          fails ? std::max(-differences[i], least_rise(x.row(i), gradient.row(i))) : -differences[i];
    });
  }
  for (std::size_t i = 0; i < n; ++i) found.success[i] = succeeds(problem, i, logits(i));
  return found;
}

}  // namespace leeway::attack

// The global maximum of A(beta) over [0, inf], with a certified gap.
//
// A = f1 - f2 with f1, f2 convex in beta (kernel.h). Between evaluated points a < b, with t = beta - a:
//   f1 <= chord - m t (b-a-t) / 2                    m: the least curvature on [a,b]
//   f1 <= f1(a) + f1'(a) t + f1''(a) (e^{Rt} - 1 - Rt) / R^2        and the same from b
//   f2 >= f2(a) + f2'(a) t + f2''(a) (e^{-Rt} - 1 + Rt) / R^2       and the same from b
// the last two per band of rows (kernel.h), each with its own R: the third cumulant of a bounded variable is
// at most its range R times its variance, so the second derivative changes at most by a factor e^{R |t|}.
// Beyond the last point f1' <= -gap_mean, so the tail is excluded once f2' exceeds that, or by TailBound if
// every pair shares a top class. Newton finds a local maximum; then points are added where the bound is
// highest until it exceeds the best value nowhere by more than the wanted gap. The bounds are third-order
// near a maximum, so few points suffice. Source: ours. Carvalho et al. 2025 (theorem 3, section 3.2) and
// Jiménez Rodríguez 2024 (theorem 3.6.4, section 3.6.2) rely on a concavity that does not hold. Cost:
// typically 7 to 20 evaluations. Deterministic.
//
// Weights of classes in P (a prior) change nothing but f1 and its slope at 0: f1 is the cumulant function
// of a weighted measure on the same values, so it is convex, its third cumulant is at most R times its
// second, and f1' stays at most -gap_mean.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "leeway/agreement/detail/kernel.h"

namespace leeway::agreement {

struct Objective {
  // Means over rows, one for each request; several in one call cost less than one by one.
  std::function<std::vector<Moments>(std::span<const Request>)> evaluate;
  // Points that the proof will likely need (from a search on a sample), evaluated with the first. Not 0.
  std::vector<double> companions;
  std::function<double(double beta)>
      tail;  // upper bound of A on [beta, inf]; empty: the linear rule suffices
  double log_k = 0;
  double f1_at_zero = 0;     // log k, or of the sum of weights
  double slope_at_zero = 0;  // f2'(0)
  double f1_slope_at_zero = 0;
  double gap_mean = 0;  // -sup of f1'
  double spread = 0;    // the largest R of a row
  double limit = 0;     // of A at infinity; -inf where some pair disagrees
  double start = 1;     // where to look first
};

// A at an evaluated point; moments.f1 - moments.f2 = A, moments.d1 - moments.d2 = A'.
struct Point {
  double beta = 0;
  Moments moments;
  Detail detail = Detail::slope;  // what moments hold

  [[nodiscard]] double value() const { return moments.f1 - moments.f2; }
  [[nodiscard]] double slope() const { return moments.d1 - moments.d2; }
  [[nodiscard]] double curvature() const;
};

struct Maximum {
  double beta = 0, value = 0;
  double gap = 0;                     // sup A <= value + gap
  std::optional<double> mean_square;  // of a_i at beta, where the search happened to learn it
  bool converged = false;
  std::size_t evaluations = 0;
  std::vector<Point> points;      // evaluated, sorted by beta, 0 among them
  std::vector<Point> stationary;  // where Newton ended: the local maxima that were met
};

[[nodiscard]] Maximum maximize(const Objective& objective, double gap, std::size_t max_evaluations);

// The evaluated points that suffice for the proof of a converged search, sorted, without 0 and infinity.
[[nodiscard]] std::vector<double> points_of_proof(const Objective& objective, const Maximum& found,
                                                  double gap);

}  // namespace leeway::agreement

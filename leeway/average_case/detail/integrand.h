// The integrand of separation of variables, and its average over lattice points.
//
// Z = L y + ..., y standard normal: constraints become limits on one y_j after the other, so that
//   p = E[ prod_j (Phi(hi_j) - Phi(lo_j)) ],   hi_j, lo_j functions of y_1 .. y_{j-1},
// with y_j drawn from the standard normal between its limits by inversion (Genz 1992). Tilted: y_j is drawn
// from N(tilt_j, 1) between the same limits, and the weight gains the factor exp(tilt_j (tilt_j / 2 - y_j)).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace leeway::average_case {

// One limit: y_variable <= limit - sum_k coefficients_k y_k over k < variable (>= if `lower`). The first row
// of a variable is an upper limit; others come from constraints on earlier variables. Sorted by variable.
struct LimitRow {
  std::uint32_t variable = 0;
  bool lower = false;
};

// What is integrated. The average of the kernel times exp(log_norm) is p.
struct Integrand {
  std::size_t variables = 0;
  std::vector<LimitRow> rows;
  std::vector<double> limits;        // (rows)
  std::vector<double> coefficients;  // (rows, variables)
  std::vector<double> tilt;          // (variables), 0 where untilted
  std::vector<double> reference;     // (variables): y_j at which the weight is 1
  std::vector<double> log_factor;    // (variables): log Phi of its limit there
  double log_norm = 0;
  // With a common factor variable 0 has no rows: logistic around `centre`, weight phi / logistic density.
  bool factor = false;
  double centre = 0, spread = 0;
  bool strips = false;        // a variable has limits on both sides, which may be close
  double smallest_scale = 1;  // least conditional standard deviation of a variable
  // Least coefficient, on its variable, of a limit that stands beside the first one, as a share of that one's.
  double smallest_attached = 1;
};

// Points k = first + step i, i < count, of the lattice of 2^level points, each with every shift.
struct LatticeRange {
  int level = 0;
  std::uint32_t first = 0, step = 1;
  std::size_t count = 0;  // a multiple of points_at_once
};
inline constexpr std::size_t points_at_once = 4;

enum class Precision { f32, f64 };

// The integrand in the form the kernel reads, and its shifts (variables, 16).
class Kernel {
 public:
  Kernel(const Integrand& integrand, Precision precision, std::vector<std::uint32_t> shifts);

  // Adds the sums over the points, shift by shift, to sums (16).
  void add(const LatticeRange& range, double* sums) const;

  [[nodiscard]] double cycles_per_step() const { return cycles_; }  // rough, for points_at_once points

 private:
  template <class T>
  struct Packed {
    std::vector<T> limits, coefficients, tilt, reference, factor;
    T centre = 0, spread = 0;
  };
  template <class T>
  static Packed<T> pack(const Integrand& integrand);

  std::size_t variables_;
  bool has_factor_;
  std::vector<LimitRow> rows_;
  std::vector<std::uint32_t> shifts_;
  Packed<float> f32_;
  Packed<double> f64_;
  Precision precision_;
  double cycles_;
};

// An embedded lattice sequence: for every m up to 20 the points {k z / 2^m}, k < 2^m, are a good lattice that
// contains the lattice of m - 1 (Cools, Kuo and Nuyens 2006).

inline constexpr std::size_t lattice_dimensions = 1001;
inline constexpr int finest_lattice = 20;
inline constexpr std::size_t lattice_shifts = 16;

// z. Odd, so that each coordinate is evenly spread. Found component by component for 2^4 to 2^13 points at
// once, in the Korobov space of smoothness 2 (tests/reference/lattice_vector.py).
extern const std::array<std::uint32_t, lattice_dimensions> lattice_vector;

}  // namespace leeway::average_case

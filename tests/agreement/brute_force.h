// The maximum of posterior agreement by brute force; nothing here is shared with the library. Every row is three shifted
// log-sum-exps; the search is a dense grid of beta, refined by golden sections, and both ends (0 and infinity).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "tests/agreement/cases.h"

namespace leeway::agreement::brute {

// log sum_j exp(beta (x_j - top)), at least 0, with top = max x. Terms that underflow to 0 are left out: exp is slow there.
// A loop over a pointer, because tests are compiled without optimization.
inline double shifted_logsumexp(const std::vector<double>& x, double top, double beta) {
  const double* const values = x.data();
  const std::size_t k = x.size();
  double sum = 0;
  for (std::size_t j = 0; j < k; ++j) {
    const double exponent = beta * (values[j] - top);
    if (exponent > -746) sum += std::exp(exponent);
  }
  return std::log(sum);
}

// One pair of rows relative to its maxima: u = F' - max F', v = F'' - max F'', both exact or rounded once.
struct ShiftedRow {
  std::vector<double> u, v, sum;
  double top = 0;  // of sum
};

inline ShiftedRow shift_row(std::span<const double> clean, std::span<const double> shifted) {
  const double top_clean = *std::max_element(clean.begin(), clean.end());
  const double top_shifted = *std::max_element(shifted.begin(), shifted.end());
  ShiftedRow row;
  for (std::size_t j = 0; j < clean.size(); ++j) {
    row.u.push_back(clean[j] - top_clean);
    row.v.push_back(shifted[j] - top_shifted);
    row.sum.push_back(row.u.back() + row.v.back());
  }
  row.top = *std::max_element(row.sum.begin(), row.sum.end());
  return row;
}

inline double row_limit(const ShiftedRow& row) {
  const auto tops = [](std::span<const double> x) { return std::count(x.begin(), x.end(), 0.0); };
  const auto shared = tops(row.sum);
  if (shared == 0) return -std::numeric_limits<double>::infinity();
  return std::log(static_cast<double>(shared)) -
         std::log(static_cast<double>(tops(row.u)) * static_cast<double>(tops(row.v)));
}

inline double row_agreement(const ShiftedRow& row, double beta) {
  if (std::isinf(beta)) return row_limit(row);
  return beta * row.top + shifted_logsumexp(row.sum, row.top, beta) - shifted_logsumexp(row.u, 0, beta) -
         shifted_logsumexp(row.v, 0, beta);
}

struct Maximum {
  double beta = 0, value = 0;
};

class Objective {
 public:
  explicit Objective(const Pair& pair) {
    for (std::size_t i = 0; i < pair.n; ++i) {
      const std::span clean(pair.clean.data() + i * pair.k, pair.k);
      const std::span shifted(pair.shifted.data() + i * pair.k, pair.k);
      rows_.push_back(shift_row(clean, shifted));
      for (const auto* x : {&rows_.back().u, &rows_.back().v, &rows_.back().sum}) note_differences(*x);
    }
  }

  [[nodiscard]] std::vector<double> per_row(double beta) const {
    std::vector<double> values;
    for (const auto& row : rows_) values.push_back(row_agreement(row, beta));
    return values;
  }

  [[nodiscard]] double operator()(double beta) const {
    long double sum = 0;
    for (const auto& row : rows_) sum += row_agreement(row, beta);
    return static_cast<double>(sum / static_cast<long double>(rows_.size()));
  }

  // 24 betas a decade from 1e-9 to 1e9 over the largest difference within a row, further up where the smallest difference
  // from a top still matters there, and 40 equidistant ones where a row of that size bends.
  [[nodiscard]] std::vector<double> grid() const {
    if (largest_ == 0) return {1};
    std::vector<double> betas;
    const double from = 1e-9 / largest_, to = std::max(1e9 / largest_, 1e3 / smallest_);
    const double ratio = std::pow(10, 1.0 / 24);
    for (double beta = from; beta < to * ratio; beta *= ratio) betas.push_back(beta);
    for (int i = 1; i <= 40; ++i) betas.push_back(.25 * i / largest_);
    std::sort(betas.begin(), betas.end());
    const auto close = [](double a, double b) {
      return b < 1.001 * a;
    };  // equal but for rounding, among others
    betas.erase(std::unique(betas.begin(), betas.end(), close), betas.end());
    return betas;
  }

  // Every local maximum on the grid, refined, and both ends; the best one first.
  [[nodiscard]] std::vector<Maximum> maxima() const {
    const auto betas = grid();
    std::vector<double> values;
    for (const double beta : betas) values.push_back((*this)(beta));
    const double infinity = std::numeric_limits<double>::infinity();
    std::vector<Maximum> found = {{0, (*this)(0)}, {infinity, (*this)(infinity)}};
    for (std::size_t i = 0; i < betas.size(); ++i) {
      const double left = i ? values[i - 1] : found[0].value;
      const double right = i + 1 < betas.size() ? values[i + 1] : found[1].value;
      const bool flat = std::abs(values[i] - left) < 1e-14 && std::abs(values[i] - right) < 1e-14;
      if (!flat && values[i] >= left && values[i] >= right)
        found.push_back(refine(i ? betas[i - 1] : 0, i + 1 < betas.size() ? betas[i + 1] : 2 * betas[i]));
    }
    std::stable_sort(found.begin(), found.end(), [](auto a, auto b) { return a.value > b.value; });
    return found;
  }

 private:
  void note_differences(const std::vector<double>& x) {
    const double top = *std::max_element(x.begin(), x.end());
    for (const double value : x) {
      largest_ = std::max(largest_, top - value);
      if (value < top) smallest_ = std::min(smallest_, top - value);
    }
  }

  [[nodiscard]] Maximum refine(double low, double high) const {
    constexpr double golden = .6180339887498949;
    double a = high - golden * (high - low), b = low + golden * (high - low);
    double at_a = (*this)(a), at_b = (*this)(b);
    for (int step = 0; step < 40; ++step) {
      if (at_a < at_b) {
        low = a, a = b, at_a = at_b;
        b = low + golden * (high - low), at_b = (*this)(b);
      } else {
        high = b, b = a, at_b = at_a;
        a = high - golden * (high - low), at_a = (*this)(a);
      }
    }
    return at_a < at_b ? Maximum{b, at_b} : Maximum{a, at_a};
  }

  std::vector<ShiftedRow> rows_;
  double largest_ = 0, smallest_ = std::numeric_limits<double>::infinity();
};

}  // namespace leeway::agreement::brute

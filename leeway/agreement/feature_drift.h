// Two-sample test of features (embeddings) in linear memory: maximum mean discrepancy (MMD, Gretton et al.
// 2012) by random Fourier features (Rahimi and Recht 2007; Zhao and Meng 2015).
//
// Kernel: k(x,y) = exp(-|x-y|^2 / (2 s^2)), s the median distance of at most 512 pooled rows, equal rows left
// out. With D frequencies w_j ~ N(0, I / s^2), each d of them orthogonal (Yu et al. 2016),
//   phi(x) = (cos w_j'x, sin w_j'x) / sqrt D,  delta = mean phi(target) - mean phi(source),  MMD = |delta|.
// p = (1 + hits) / (1 + draws): redrawn sets of the same sizes reach MMD (exact: a permutation test); for
// pairs, redrawn signs of phi(target row i) - phi(source row i). If no draw reaches it, p is the tail of the
// limit where that is smaller: MMD^2 ~ sum l_i Z_i^2, l_i the eigenvalues of the covariance C of delta
// (Gretton et al. 2009). Its tail is Chernoff's bound with L = (tr C^16)^(1/16) >= max l_i and F = tr C^2:
//   P(MMD^2 >= tr C + b) <= exp(-(u b / L + F (u + log(1 - u)) / L^2) / 2),  u = r / (1 + r),  r = b L / F.
// Chunks of the target use only this tail.
//
// The witness phi(x)'delta is largest where the target has gained most. `scores` are witnesses of rows by the
// delta of the other half of the rows, so that a difference of their distributions is not fitted to them.
// `moved` has the target's rows of largest witness, in standard deviations above the source's mean; of pairs,
// of largest change of the witness.
//
// Shapes: (n,d) and (m,d), float32 or float64, finite and below 1e140. D is 256; beyond 200,000 rows or 1.6e8
// values fewer, at least 64. Memory in addition to the features: 8 D bytes per row. Cost: (n + m) D (2 d +
// 1000) operations. Errors (Error): other shapes or values, with the row. Same bits for any number of
// threads; the order of rows changes only rounding. Use this when the inputs of a model may have moved though
// its predictions did not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/two_samples.h"

namespace leeway::agreement {

struct MovedRow {
  std::size_t row = 0;  // of the target
  double score = 0;
};

struct FeatureDrift {
  TwoSampleTest test;  // statistic: MMD
  struct Half {
    std::vector<double> source, target;
  };
  std::array<Half, 2> scores;
  std::vector<MovedRow> moved;  // largest first
};

class FeatureSets {
 public:
  FeatureSets(const Array& source, std::string_view source_name, const Array& target,
              std::string_view target_name, std::uint64_t seed);

  // `paired`: row i of both is one sample; n = m.
  [[nodiscard]] FeatureDrift drift(bool paired, std::size_t most_moved = 20) const;
  // Of the covariance of phi, about 0 for pairs.
  struct Spread {
    double trace = 0, squares = 0, largest = 0;
    // P(MMD^2 >= square) without drift; inverse_rows: 1/n + 1/m, of pairs 1/n.
    [[nodiscard]] double tail(double square, double inverse_rows) const;
  };
  [[nodiscard]] Spread spread(bool paired) const;
  // Rows of the target against the source; `spread` is spread(false).
  [[nodiscard]] TwoSampleTest chunk(std::span<const std::size_t> rows, const Spread& spread) const;

 private:
  [[nodiscard]] std::span<const float> phi(std::size_t row) const {
    return std::span(phi_).subspan(row * width_, width_);
  }
  [[nodiscard]] std::vector<double> mean(std::span<const std::size_t> rows) const;
  [[nodiscard]] std::vector<double> witnesses(std::span<const std::size_t> rows,
                                              std::span<const double> delta) const;
  [[nodiscard]] TwoSampleTest test(bool paired, double square) const;
  [[nodiscard]] std::vector<std::size_t> places(bool paired) const;
  void copy_difference(std::size_t row, bool paired, std::span<double> out) const;
  [[nodiscard]] std::size_t hits(bool paired, double observed) const;

  std::uint64_t seed_;
  std::size_t n_ = 0, m_ = 0, width_ = 0;  // width_: 2 D
  std::vector<float> phi_;                 // (n + m, width_), not divided by sqrt D; source first
  std::vector<std::size_t> order_;         // rows, sorted by their values
  std::vector<double> source_mean_;        // of phi_ / sqrt D
};

}  // namespace leeway::agreement

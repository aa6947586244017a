// Confidence scores of a classifier's rows at a given inverse temperature t.
//
//   confidence_i         max_j p_ij,            p_i = softmax(t F_i)
//   negative entropy_i   sum_j p_ij log p_ij,   0 log 0 = 0; from -log k to 0
//   log odds_i           log(c / (1 - c)),      c the confidence: in order where the confidences all round to 1
//   margin_i             largest minus second largest of F_i, whatever t
//   predicted_i          the class of the largest, the lowest where tied
//
// At t = infinity p is uniform over the tied top classes, at t = 0 over all classes. Rows with the same
// values in another order get the same bits (except for rare roundings), so ties remain ties.
// Shapes: logits (n,k), float32 or float64, checked (sample.h); `rows`: the rows to use, repeats allowed.
// Errors: none. Cost: n k exponentials. Deterministic for any number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "leeway/core/rows.h"

namespace leeway::error_bound {

// Rows of logits for the estimators: float64, minus the row maximum; all rows or a resample. z_ij = F_ij -
// max_j F_ij <= 0, so softmax(t z) = softmax(t F) cannot overflow. Internal; the sample is checked.

class CentredRows {
 public:
  // `rows`: the rows in order, repeats allowed; empty: all. They must outlive this object.
  explicit CentredRows(Rows logits, std::span<const std::size_t> rows = {})
      : logits_(std::move(logits)),
        rows_(rows),
        k_(logits_.shape()[1]),
        n_(rows.empty() ? logits_.shape()[0] : rows.size()),
        singles_(logits_.type() == ElementType::f32) {}

  [[nodiscard]] std::size_t n() const { return n_; }
  [[nodiscard]] std::size_t k() const { return k_; }
  [[nodiscard]] std::size_t index(std::size_t i) const { return rows_.empty() ? i : rows_[i]; }

  // A function of k alone, so that sums do not depend on threads.
  [[nodiscard]] std::size_t chunk() const { return std::clamp<std::size_t>(32768 / k_, 16, 4096); }

  // Row i in `scratch`, which is as long as a row; valid until the next call with it.
  const double* row(std::size_t i, std::vector<double>& scratch) const {
    return singles_ ? centre<float>(index(i), scratch) : centre<double>(index(i), scratch);
  }

 private:
  template <class T>
  const double* centre(std::size_t row, std::vector<double>& scratch) const {
    std::vector<T> unused;  // a single row lies in one part
    const T* const values = logits_.rows(row, row + 1, unused);
    const auto top = static_cast<double>(*std::max_element(values, values + k_));
    scratch.resize(k_);
    for (std::size_t j = 0; j < k_; ++j) scratch[j] = static_cast<double>(values[j]) - top;
    return scratch.data();
  }

  Rows logits_;
  std::span<const std::size_t> rows_;
  std::size_t k_, n_;
  bool singles_;
};

struct Scores {
  std::vector<double> confidence, negative_entropy, log_odds, margin;  // (n)
  std::vector<std::int32_t> predicted;                                 // (n)
};

[[nodiscard]] Scores scores(const Rows& logits, double inverse_temperature,
                            std::span<const std::size_t> rows = {});

// Computes rows [begin, end) of p on demand, row-major in `scratch`. `rows` must outlive the object.
class Softmax {
 public:
  Softmax(Rows logits, double inverse_temperature, std::span<const std::size_t> rows = {})
      : z_(std::move(logits), rows), t_(inverse_temperature) {}

  [[nodiscard]] std::size_t n() const { return z_.n(); }
  [[nodiscard]] std::size_t k() const { return z_.k(); }
  const double* rows(std::size_t begin, std::size_t end, std::vector<double>& scratch) const;

 private:
  CentredRows z_;
  double t_;
};

}  // namespace leeway::error_bound

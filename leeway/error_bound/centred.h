// Rows of logits for the estimators: float64, minus the row maximum; all rows or a resample. z_ij = F_ij -
// max_j F_ij <= 0, so softmax(t z) = softmax(t F) cannot overflow. Internal; the sample is checked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "leeway/core/rows.h"

namespace leeway::error_bound {

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

}  // namespace leeway::error_bound

// A matrix (n,k) in one array or split by rows over several: one set of outputs in several files.
//
// Results do not depend on where the parts end. Copied only on request, except that float32 parts next to
// float64 parts are widened once. Errors (Error): several parts that are not float matrices with equal
// columns. A single part is not checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "leeway/core/array.h"

namespace leeway {

class Rows {
 public:
  Rows(Array array);  // NOLINT(google-explicit-constructor): an array is its own rows
  explicit Rows(std::vector<Array> parts);

  [[nodiscard]] const std::vector<std::size_t>& shape() const { return shape_; }
  [[nodiscard]] ElementType type() const { return parts_.front().type; }
  [[nodiscard]] std::size_t parts() const { return parts_.size(); }
  [[nodiscard]] std::string shape_text() const;

  // Rows [begin, end), T being the element type: a pointer into the part that holds them all, or to `scratch`,
  // which they are then copied into.
  template <class T>
  [[nodiscard]] const T* rows(std::size_t begin, std::size_t end, std::vector<T>& scratch) const;

  // One element as float64.
  [[nodiscard]] double at(std::size_t row, std::size_t column) const;

  // "row 12"; with several parts "row 12 (row 2 of part 3)", parts counted from 1.
  [[nodiscard]] std::string position_text(std::size_t row) const;

  // All of it as one array; a copy where there are several parts.
  [[nodiscard]] Array joined() const;

  // The rows that `rows` names, in that order.
  [[nodiscard]] Array take(std::span<const std::size_t> rows) const;

 private:
  [[nodiscard]] std::size_t part_of(std::size_t row) const;

  std::vector<Array> parts_;
  std::vector<std::size_t> starts_;  // of every part, and n
  std::vector<std::size_t> shape_;
};

// The values of the rows that `rows` names, in that order.
template <class T>
[[nodiscard]] std::vector<T> at_rows(const std::vector<T>& values, std::span<const std::size_t> rows) {
  std::vector<T> taken;
  taken.reserve(rows.size());
  for (const std::size_t row : rows) taken.push_back(values[row]);
  return taken;
}

[[nodiscard]] std::vector<std::size_t> all_rows(std::size_t n);  // 0 to n - 1

// Both of matrices of floats, in parallel.
// Index of the first element, row after row, that is NaN or not below `limit` in size.
[[nodiscard]] std::optional<std::size_t> first_beyond(const Rows& rows, double limit);
// The column of the largest element, the lowest where tied, of each of the first n rows.
[[nodiscard]] std::vector<std::int32_t> predicted_classes(const Rows& rows, std::size_t n);

}  // namespace leeway

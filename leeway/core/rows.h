// A matrix (n,k) that lies in one array or, row after row, in several: one set of outputs in several files.
//
// Nothing is copied until it is asked for. What is computed from Rows does not depend on where one part ends
// and the next begins. Parts of float32 beside parts of float64 are widened, one whole copy of the former.
// Errors (Error): several parts that are not matrices of floats with equal columns. A single part may be any
// array: who uses it checks it.
#pragma once

#include <cstddef>
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

}  // namespace leeway

#include "leeway/core/rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "leeway/core/array.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"

namespace leeway {
namespace {

template <class T>
const T* row_in(const Array& part, std::size_t row, std::size_t columns) {
  return static_cast<const T*>(part.storage.get()) + row * columns;
}

template <class T>
std::optional<std::size_t> first_beyond_as(const Rows& rows, double limit) {
  const std::size_t width = rows.shape()[1];
  return reduce_chunks<std::optional<std::size_t>>(
      rows.shape()[0], 65536 / std::max<std::size_t>(width, 1) + 1,
      [&](std::size_t begin, std::size_t end) -> std::optional<std::size_t> {
        std::vector<T> scratch;
        const T* const values = rows.rows(begin, end, scratch);
        for (std::size_t i = 0; i < (end - begin) * width; ++i)
          if (!(std::abs(static_cast<double>(values[i])) < limit)) return begin * width + i;
        return std::nullopt;
      },
      [](const auto& left, const auto& right) { return left ? left : right; });
}

template <class T>
std::vector<std::int32_t> predicted_classes_as(const Rows& rows, std::size_t n) {
  constexpr std::size_t block = 256;
  const std::size_t k = rows.shape()[1];
  std::vector<std::int32_t> classes(n);
  parallel_chunks(n, block, [&](std::size_t begin, std::size_t end) {
    std::vector<T> scratch;
    const T* row = rows.rows(begin, end, scratch);
    for (std::size_t i = begin; i < end; ++i, row += k)
      classes[i] = static_cast<std::int32_t>(std::max_element(row, row + k) - row);
  });
  return classes;
}

}  // namespace

Rows::Rows(Array array) : Rows(std::vector{std::move(array)}) {}

Rows::Rows(std::vector<Array> parts) : parts_(std::move(parts)) {
  if (parts_.empty()) throw Error("Rows: expected at least one part, found none");
  const auto refuse = [](std::size_t part, const std::string& expected, const std::string& found) {
    throw Error(fmt::format("Rows: part {}: expected {}, found {}", part, expected, found));
  };
  bool widen = false;
  starts_ = {0};
  for (std::size_t i = 0; i < parts_.size() && parts_.size() > 1; ++i) {
    const Array& part = parts_[i];
    if (!part.is_float() || part.shape.size() != 2)
      refuse(i, "a matrix of floats", fmt::format("shape {} of {}", part.shape_text(), name_of(part.type)));
    if (part.shape[1] != parts_[0].shape[1])
      refuse(i, fmt::format("{} columns", parts_[0].shape[1]), std::to_string(part.shape[1]));
    starts_.push_back(starts_.back() + part.shape[0]);
    widen |= part.type != parts_[0].type;
  }
  shape_ = parts_[0].shape;
  if (parts_.size() == 1) {
    starts_.push_back(shape_.empty() ? 1 : shape_[0]);
    return;
  }
  shape_[0] = starts_.back();
  if (!widen) return;
  for (Array& part : parts_)
    if (part.type == ElementType::f32) part = make_array(part.shape, to_f64(part, "part"));
}

std::string Rows::shape_text() const { return fmt::format("({})", fmt::join(shape_, ", ")); }

std::size_t Rows::part_of(std::size_t row) const {
  return static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end() - 1, row) -
                                  starts_.begin()) -
         1;
}

template <class T>
const T* Rows::rows(std::size_t begin, std::size_t end, std::vector<T>& scratch) const {
  const std::size_t columns = shape_[1], first = part_of(begin);
  if (end <= starts_[first + 1]) return row_in<T>(parts_[first], begin - starts_[first], columns);
  scratch.resize((end - begin) * columns);
  for (std::size_t part = first, row = begin; row < end; ++part) {
    const std::size_t stop = std::min(end, starts_[part + 1]);
    std::copy_n(row_in<T>(parts_[part], row - starts_[part], columns), (stop - row) * columns,
                scratch.data() + (row - begin) * columns);
    row = stop;
  }
  return scratch.data();
}
template const float* Rows::rows(std::size_t, std::size_t, std::vector<float>&) const;
template const double* Rows::rows(std::size_t, std::size_t, std::vector<double>&) const;

double Rows::at(std::size_t row, std::size_t column) const {
  const std::size_t part = part_of(row);
  const std::size_t index = row - starts_[part];
  if (type() == ElementType::f32)
    return static_cast<double>(row_in<float>(parts_[part], index, shape_[1])[column]);
  return row_in<double>(parts_[part], index, shape_[1])[column];
}

std::string Rows::position_text(std::size_t row) const {
  if (parts_.size() == 1) return fmt::format("row {}", row);
  const std::size_t part = part_of(row);
  return fmt::format("row {} (row {} of part {})", row, row - starts_[part], part + 1);
}

Array Rows::joined() const {
  if (parts_.size() == 1) return parts_[0];
  const std::size_t row_bytes = shape_[1] * size_of(type());
  const auto block = allocate_bytes(shape_[0] * row_bytes, "joined rows");
  for (std::size_t i = 0; i < parts_.size(); ++i)
    std::ranges::copy(parts_[i].bytes(), block.get() + starts_[i] * row_bytes);
  return {type(), shape_, block, {}};
}

Array Rows::take(std::span<const std::size_t> rows) const {
  const std::size_t columns = shape_[1], row_bytes = columns * size_of(type());
  const auto block = allocate_bytes(rows.size() * row_bytes, "chosen rows");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t part = part_of(rows[i]);
    const std::byte* const row = row_in<std::byte>(parts_[part], rows[i] - starts_[part], row_bytes);
    std::copy_n(row, row_bytes, block.get() + i * row_bytes);
  }
  return {type(), {rows.size(), columns}, block, {}};
}

std::vector<std::size_t> all_rows(std::size_t n) {
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

std::optional<std::size_t> first_beyond(const Rows& rows, double limit) {
  return rows.type() == ElementType::f32 ? first_beyond_as<float>(rows, limit)
                                         : first_beyond_as<double>(rows, limit);
}

std::vector<std::int32_t> predicted_classes(const Rows& rows, std::size_t n) {
  return rows.type() == ElementType::f32 ? predicted_classes_as<float>(rows, n)
                                         : predicted_classes_as<double>(rows, n);
}

}  // namespace leeway

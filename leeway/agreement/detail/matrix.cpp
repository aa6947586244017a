#include "leeway/agreement/detail/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/core/rows.h"

namespace leeway::agreement {
namespace {

constexpr double limit = 1e140;  // squares, summed over columns and rows, stay finite

}  // namespace

Matrix::Matrix(const Array& values, std::string_view name, std::string_view what)
    : values_(as_float(values, name)), name_(name), what_(what) {
  if (values_.shape.size() != 2 || values_.size() == 0)
    refuse(name_, fmt::format("{} of shape (n,d), n and d at least 1", what_), values_.shape_text());
  if (const auto bad = first_beyond(values_, limit))
    refuse(name_, fmt::format("finite {} below {:g}", what_, limit),
           fmt::format("{:g} at {}", at(*bad / columns(), *bad % columns()), position_text(values_, *bad)));
}

double Matrix::at(std::size_t row, std::size_t column) const {
  const std::size_t index = row * columns() + column;
  return values_.type == ElementType::f32 ? values_.view<float>()[index] : values_.view<double>()[index];
}

void Matrix::copy_row(std::size_t row, std::span<double> out) const {
  const std::size_t d = columns();
  if (values_.type == ElementType::f32)
    std::ranges::copy(values_.view<float>().subspan(row * d, d), out.begin());
  else
    std::ranges::copy(values_.view<double>().subspan(row * d, d), out.begin());
}

std::vector<double> Matrix::row(std::size_t row) const {
  std::vector<double> values(columns());
  copy_row(row, values);
  return values;
}

std::vector<std::size_t> all_rows(std::size_t n) {
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

Dense<double> dense(const Matrix& matrix) { return dense(matrix, all_rows(matrix.rows())); }

Dense<double> dense(const Matrix& matrix, std::span<const std::size_t> rows) {
  Dense<double> copy(rows.size(), matrix.columns());
  std::vector<double> row(matrix.columns());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    matrix.copy_row(rows[i], row);
    for (std::size_t c = 0; c < row.size(); ++c) copy(i, c) = row[c];
  }
  return copy;
}

double center(std::span<double> column) {
  constexpr double rounding = 1e-14;  // of the values
  const auto n = static_cast<double>(column.size());
  const double largest = max_abs(column);
  double mean = 0;
  for (int pass = 0; pass < 2; ++pass) {  // the second corrects the rounding of the first
    const double correction = sum(column) / n;
    for (double& value : column) value -= correction;
    mean += correction;
  }
  if (max_abs(column) <= rounding * largest) std::ranges::fill(column, 0.);
  return mean;
}

void require_equal_columns(const Matrix& clean, const Matrix& shifted) {
  if (clean.columns() != shifted.columns())
    refuse(shifted.name(),
           fmt::format("{} of {} columns, as in {}", shifted.what(), clean.columns(), clean.name()),
           fmt::format("{}", shifted.columns()));
}

std::vector<double> column_means(const Matrix& matrix) {
  const auto add = [](std::vector<double> left, const std::vector<double>& right) {
    for (std::size_t c = 0; c < left.size(); ++c) left[c] += right[c];
    return left;
  };
  const auto sum = [&](std::size_t begin, std::size_t end) {
    std::vector<double> sums(matrix.columns()), row(matrix.columns());
    for (std::size_t i = begin; i < end; ++i) {
      matrix.copy_row(i, row);
      for (std::size_t c = 0; c < row.size(); ++c) sums[c] += row[c];
    }
    return sums;
  };
  std::vector<double> means = reduce_chunks<std::vector<double>>(matrix.rows(), 512, sum, add);
  for (double& mean : means) mean /= static_cast<double>(matrix.rows());
  return means;
}

RowTile::RowTile(const Matrix& matrix, std::span<const std::size_t> rows)
    : values_(lanes * matrix.columns()) {
  std::vector<double> row(matrix.columns());
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    matrix.copy_row(rows[std::min(lane, rows.size() - 1)], row);
    for (std::size_t c = 0; c < row.size(); ++c) values_[c * lanes + lane] = row[c];
  }
}

std::array<double, RowTile::lanes> RowTile::squared_distances(std::span<const double> row) const {
  std::array<double, lanes> sums{};
  const double* values = values_.data();
  for (std::size_t c = 0; c < row.size(); ++c, values += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const double difference = row[c] - values[lane];
      sums[lane] += difference * difference;
    }
  return sums;
}

}  // namespace leeway::agreement

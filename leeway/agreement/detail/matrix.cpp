#include "leeway/agreement/detail/matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/linear_algebra.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"

namespace leeway::agreement {
namespace {

constexpr double limit = 1e140;  // squares, summed over columns and rows, stay finite

constexpr double dependent = 1e-7;  // of a column's length; cancor's tolerance

// Centred columns = q r, q orthonormal (m, rank), r upper triangular, for the columns kept.
struct Factors {
  IndependentColumns independent;
  std::vector<double> means;  // of all columns
};

Factors factors_of(const Matrix& matrix, std::span<const std::size_t> rows) {
  Dense<double> values = dense(matrix, rows);
  Factors factors;
  for (std::size_t c = 0; c < values.columns; ++c) {
    std::vector<double> column(values.column(c).begin(), values.column(c).end());
    factors.means.push_back(center(column));
    std::ranges::copy(column, values.column(c).begin());
  }
  factors.independent = independent_columns(values, dependent, std::min(values.rows - 1, values.columns));
  if (factors.independent.kept.empty())
    refuse(matrix.name(), fmt::format("{} that vary between rows, for canonical correlation", matrix.what()),
           fmt::format("the same in all {} rows", rows.size()));
  return factors;
}

CanonicalSide side_of(const Factors& factors, const Dense<double>& directions) {
  const Dense<double> coefficients = solve_upper(factors.independent.r, directions);
  CanonicalSide side{factors.independent.kept, factors.means, {}};
  for (std::size_t i = 0; i < coefficients.rows; ++i)
    for (std::size_t j = 0; j < coefficients.columns; ++j) side.coefficients.push_back(coefficients(i, j));
  return side;
}

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
           shifted.columns());
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

RowBlock::RowBlock(const Matrix& matrix, std::span<const std::size_t> rows, std::span<const double> means)
    : columns_(matrix.columns()), values_(rows.size() * columns_) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::span<double> row = std::span(values_).subspan(i * columns_, columns_);
    matrix.copy_row(rows[i], row);
    for (std::size_t c = 0; c < means.size(); ++c) row[c] -= means[c];
    squares_.push_back(dot(row, row));
  }
}

std::vector<double> RowBlock::products(const RowBlock& other) const {
  return times_transposed(RowMajor<double>{values_.data(), size(), columns_},
                          RowMajor<double>{other.values_.data(), other.size(), columns_});
}

double RowBlock::squared_distance(std::size_t i, const RowBlock& other, std::size_t j) const {
  double sum = 0;
  const std::span<const double> u = (*this)[i], v = other[j];
  for (std::size_t c = 0; c < columns_; ++c) sum += (u[c] - v[c]) * (u[c] - v[c]);
  return sum;
}

std::size_t RowBlock::rows_of_block(std::size_t columns) {
  return std::clamp<std::size_t>((std::size_t{1} << 21) / columns, 16, 1024);
}

Array CanonicalSide::project(const Matrix& matrix) const {
  constexpr std::size_t chunk = 1024;
  const std::size_t kept = columns.size(), directions = coefficients.size() / kept;
  std::vector<double> variates(matrix.rows() * directions);
  parallel_chunks(matrix.rows(), chunk, [&](std::size_t begin, std::size_t end) {
    std::vector<double> centred;
    for (std::size_t i = begin; i < end; ++i)
      for (const std::size_t c : columns) centred.push_back(matrix.at(i, c) - means[c]);
    const std::vector<double> part = times(RowMajor<double>{centred.data(), end - begin, kept},
                                           RowMajor<double>{coefficients.data(), kept, directions});
    std::ranges::copy(part, variates.begin() + static_cast<std::ptrdiff_t>(begin * directions));
  });
  return make_array<double>({matrix.rows(), directions}, std::move(variates));
}

CanonicalCorrelations canonical_correlations(const Matrix& x, std::span<const std::size_t> x_rows,
                                             const Matrix& y, std::span<const std::size_t> y_rows) {
  if (x_rows.size() != y_rows.size())
    refuse(y.name(), fmt::format("{} rows for canonical correlation, as in {}", x_rows.size(), x.name()),
           y_rows.size());
  if (x_rows.size() < 2) refuse(x.name(), "at least 2 paired rows for canonical correlation", x_rows.size());
  const Factors fx = factors_of(x, x_rows), fy = factors_of(y, y_rows);
  const Svd svd = singular_value_decomposition(transposed_times(fx.independent.q, fy.independent.q));
  CanonicalCorrelations result;
  for (const double s : svd.values) result.correlations.push_back(std::min(1., s));
  result.x = side_of(fx, svd.u);
  result.y = side_of(fy, svd.v);
  return result;
}

}  // namespace leeway::agreement

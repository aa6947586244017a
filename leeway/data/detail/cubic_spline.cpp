#include "leeway/data/detail/cubic_spline.h"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace leeway::data {
namespace {

// The spline's coefficients, in place: two recursive passes with the pole sqrt(3) - 2.
void to_coefficients(std::span<double> line) {
  const std::size_t n = line.size();
  if (n == 1) return;
  const double pole = std::numbers::sqrt3 - 2;
  double sum = line[0], power = 1, mirrored = std::pow(pole, static_cast<double>(2 * n - 2));
  const double whole = mirrored;
  for (std::size_t i = 1; i < n; ++i) {
    power *= pole, mirrored /= pole;
    sum += (i + 1 < n ? power + mirrored : power) * line[i];
  }
  line[0] = sum / (1 - whole);
  for (std::size_t i = 1; i < n; ++i) line[i] += pole * line[i - 1];
  line[n - 1] = pole / (pole * pole - 1) * (line[n - 1] + pole * line[n - 2]);
  for (std::size_t i = n - 1; i-- > 0;) line[i] = pole * (line[i + 1] - line[i]);
  for (double& value : line) value *= 6;
}

std::size_t mirrored(std::ptrdiff_t at, std::size_t n) {
  const auto period = static_cast<std::ptrdiff_t>(2 * n - 2);
  if (period == 0) return 0;
  at = ((at % period) + period) % period;
  return static_cast<std::size_t>(at < static_cast<std::ptrdiff_t>(n) ? at : period - at);
}

std::vector<double> resized_line(std::vector<double> line, std::size_t length) {
  const std::size_t n = line.size();
  to_coefficients(line);
  std::vector<double> result(length);
  for (std::size_t i = 0; i < length; ++i) {
    const double at =
        (static_cast<double>(i) + .5) * static_cast<double>(n) / static_cast<double>(length) - .5;
    const double before = std::floor(at), t = at - before, s = 1 - t;
    const std::array<double, 4> weights = {s * s * s / 6, (4 - 6 * t * t + 3 * t * t * t) / 6,
                                           (4 - 6 * s * s + 3 * s * s * s) / 6, t * t * t / 6};
    for (std::size_t k = 0; k < weights.size(); ++k)
      result[i] +=
          weights[k] *
          line[mirrored(static_cast<std::ptrdiff_t>(before) - 1 + static_cast<std::ptrdiff_t>(k), n)];
  }
  return result;
}

}  // namespace

std::vector<double> cubic_spline_resize(std::span<const double> from,
                                        const std::array<std::size_t, 2>& from_shape,
                                        const std::array<std::size_t, 2>& to_shape) {
  const auto [height, width] = from_shape;
  const std::size_t rows = to_shape[0], columns = to_shape[1];
  if (from.size() != height * width || from.empty() || rows * columns == 0)
    throw std::logic_error("cubic_spline_resize: expected a picture of its shape, with sides of 1 or more");
  std::vector<double> between(height * columns), result(rows * columns);
  for (std::size_t y = 0; y < height; ++y) {
    const auto row = from.subspan(y * width, width);
    const std::vector<double> line = resized_line({row.begin(), row.end()}, columns);
    for (std::size_t x = 0; x < columns; ++x) between[y * columns + x] = line[x];
  }
  std::vector<double> column(height);
  for (std::size_t x = 0; x < columns; ++x) {
    for (std::size_t y = 0; y < height; ++y) column[y] = between[y * columns + x];
    const std::vector<double> line = resized_line(column, rows);
    for (std::size_t y = 0; y < rows; ++y) result[y * columns + x] = line[y];
  }
  return result;
}

}  // namespace leeway::data

#include "leeway/average_case/noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/average_case/detail/noise_kernel.h"
#include "leeway/core/linear_algebra.h"
#include "leeway/core/message.h"

namespace leeway::average_case {
namespace {

constexpr const char* what = "noise covariance";

std::vector<double> checked_values(const Array& covariance, std::size_t d) {
  const bool diagonal = covariance.shape == std::vector<std::size_t>{d};
  const bool full = covariance.shape == std::vector<std::size_t>{d, d};
  if (!diagonal && !full)
    refuse(what, fmt::format("({}) variances or a matrix ({}, {}), d of the inputs", d, d, d),
           fmt::format("shape {}", covariance.shape_text()));
  std::vector<double> values = to_f64(covariance, what);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i])) refuse(what, "finite numbers", fmt::format("{} at {}", values[i], i));
  for (std::size_t j = 0; j < d; ++j)
    if (const double variance = values[full ? j * d + j : j]; variance < 0)
      refuse(what, "variances of at least 0", fmt::format("{} at {}", variance, j));
  return values;
}

void check_symmetry(const std::vector<double>& c, std::size_t d) {
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (std::abs(c[i * d + j] - c[j * d + i]) > 1e-6 * std::sqrt(c[i * d + i] * c[j * d + j]))
        refuse(what, "a symmetric matrix",
               fmt::format("{:g} at ({}, {}), {:g} at ({}, {})", c[i * d + j], i, j, c[j * d + i], j, i));
}

// L with L L' = C, from eigenvalues: C may be singular. Those within rounding of 0 count as 0.
std::vector<double> root_of(const std::vector<double>& c, std::size_t d) {
  const auto [values, vectors] = symmetric_eigen(RowMajor<double>{c.data(), d, d});
  const double largest = std::max(0., values.back());
  if (values.front() < -1e-6 * largest)
    refuse(what, "a positive semi-definite matrix",
           fmt::format("eigenvalues of {:.3g} and {:.3g}", values.front(), largest));
  std::vector<double> root(d * d);
  for (std::size_t j = 0; j < d; ++j) {
    const double factor = values[j] > 1e-12 * largest ? std::sqrt(values[j]) : 0;
    for (std::size_t i = 0; i < d; ++i) root[i * d + j] = vectors(i, j) * factor;
  }
  return root;
}

// Divides every row by the power of 2 that brings its largest entry to [1, 2), and counts it.
void scale_rows(std::vector<double>& j, std::size_t d, std::vector<int>& exponents) {
  for (std::size_t i = 0; i < exponents.size(); ++i) {
    const std::span<double> row = std::span(j).subspan(i * d, d);
    const double largest = max_abs(row);
    if (!(largest > 0 && std::isfinite(largest))) continue;
    const int exponent = std::ilogb(largest);
    for (double& value : row) value = std::ldexp(value, -exponent);
    exponents[i] += exponent;
  }
}

}  // namespace

// Each is defined in noises/, in a file of its name.
NoiseKind gaussian();
NoiseKind uniform();
NoiseKind laplace();

std::span<const NoiseKind> noises() {
  static const NoiseKind list[] = {gaussian(), uniform(), laplace()};
  return list;
}

const NoiseKind& noise_kind(std::string_view name) { return find_member(noises(), "noise", name); }

Noise::Noise(std::size_t d, const NoiseKind& kind, const std::optional<Array>& covariance)
    : d_(d), fill_(kind.fill) {
  if (!covariance) return;
  if (!kind.covariance) refuse(what, "gaussian noise", "another");
  std::vector<double> values = checked_values(*covariance, d);
  if (covariance->shape.size() == 1) {
    for (double& value : values) value = std::sqrt(value);
    scales_ = std::move(values);
    return;
  }
  check_symmetry(values, d);
  root_ = root_of(values, d);
}

bool Noise::isotropic_gaussian() const {
  return fill_ == gaussian().fill && scales_.empty() && root_.empty();
}

void Noise::draw(std::uint64_t seed, std::uint32_t stream, std::uint64_t sample, std::uint64_t draw,
                 std::span<float> out) const {
  const DrawKey key{seed, stream, static_cast<std::uint32_t>(sample), static_cast<std::uint32_t>(draw)};
  fill_(key, out);
  if (!scales_.empty())
    for (std::size_t j = 0; j < d_; ++j) out[j] *= static_cast<float>(scales_[j]);
  if (root_.empty()) return;
  const std::vector<double> z(out.begin(), out.end());
  const std::vector<double> e = times(RowMajor<double>{root_.data(), d_, d_}, z);
  std::ranges::transform(e, out.begin(), [](double value) { return static_cast<float>(value); });
}

Noise::ScaledGram Noise::scaled_gram(std::span<const double> jacobian) const {
  const std::size_t m = jacobian.size() / d_;
  ScaledGram scaled{{}, std::vector<int>(m, 0)};
  std::vector<double> j(jacobian.begin(), jacobian.end());
  scale_rows(j, d_, scaled.exponents);
  if (!scales_.empty() || !root_.empty()) {
    for (std::size_t i = 0; i < j.size() && !scales_.empty(); ++i) j[i] *= scales_[i % d_];
    if (!root_.empty()) j = times({j.data(), m, d_}, RowMajor<double>{root_.data(), d_, d_});
    scale_rows(j, d_, scaled.exponents);
  }
  scaled.products = gram_of_rows({j.data(), m, d_});
  return scaled;
}

}  // namespace leeway::average_case

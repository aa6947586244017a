#include "leeway/average_case/noise.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "leeway/average_case/detail/noise_kernel.h"
#include "leeway/core/error.h"
#include "leeway/core/message.h"

namespace leeway::average_case {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const Matrix>;

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
  const auto size = static_cast<Eigen::Index>(d);
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(ConstMap(c.data(), size, size));
  Eigen::VectorXd values = solver.eigenvalues();
  const double largest = std::max(0., values[size - 1]);
  if (values[0] < -1e-6 * largest)
    refuse(what, "a positive semi-definite matrix",
           fmt::format("an eigenvalue of {:.3g} beside {:.3g}", values[0], largest));
  for (double& value : values) value = value > 1e-12 * largest ? std::sqrt(value) : 0;
  const Matrix root = solver.eigenvectors() * values.asDiagonal();
  return {root.data(), root.data() + root.size()};
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
  if (!kind.covariance) refuse(what, "gaussian noise beside it", "another");
  std::vector<double> values = checked_values(*covariance, d);
  if (covariance->shape.size() == 1) {
    for (double& value : values) value = std::sqrt(value);
    scales_ = std::move(values);
    return;
  }
  check_symmetry(values, d);
  root_ = root_of(values, d);
}

void Noise::draw(std::uint64_t seed, std::uint32_t stream, std::uint64_t sample, std::uint64_t draw,
                 std::span<float> out) const {
  const DrawKey key{seed, stream, static_cast<std::uint32_t>(sample), static_cast<std::uint32_t>(draw)};
  fill_(key, out);
  if (!scales_.empty())
    for (std::size_t j = 0; j < d_; ++j) out[j] *= static_cast<float>(scales_[j]);
  if (root_.empty()) return;
  const auto size = static_cast<Eigen::Index>(d_);
  const Eigen::VectorXd z = Eigen::Map<const Eigen::VectorXf>(out.data(), size).cast<double>();
  Eigen::Map<Eigen::VectorXf>(out.data(), size) = (ConstMap(root_.data(), size, size) * z).cast<float>();
}

namespace {

// J L of rows J.
Matrix times_root(Matrix j, const std::vector<double>& scales, const std::vector<double>& root) {
  const Eigen::Index d = j.cols();
  if (!scales.empty()) j.array().rowwise() *= Eigen::Map<const Eigen::RowVectorXd>(scales.data(), d).array();
  if (!root.empty()) j = j * ConstMap(root.data(), d, d);
  return j;
}

std::vector<double> products(const Eigen::Ref<const Matrix>& j) {
  const Eigen::Index m = j.rows();
  std::vector<double> gram(static_cast<std::size_t>(m * m));
  Eigen::Map<Matrix> to(gram.data(), m, m);
  to.selfadjointView<Eigen::Lower>().rankUpdate(j);
  to.triangularView<Eigen::StrictlyUpper>() = to.transpose();
  return gram;
}

// Divides every row by the power of 2 that brings its largest entry to [1, 2), and counts it.
void scale_rows(Matrix& j, std::vector<int>& exponents) {
  for (Eigen::Index i = 0; i < j.rows(); ++i) {
    const double largest = j.row(i).cwiseAbs().maxCoeff();
    if (!(largest > 0 && std::isfinite(largest))) continue;
    const int exponent = std::ilogb(largest);
    for (double& value : j.row(i)) value = std::ldexp(value, -exponent);
    exponents[static_cast<std::size_t>(i)] += exponent;
  }
}

}  // namespace

std::vector<double> Noise::gram(std::span<const double> jacobian) const {
  const auto d = static_cast<Eigen::Index>(d_), m = static_cast<Eigen::Index>(jacobian.size() / d_);
  const ConstMap given(jacobian.data(), m, d);
  if (scales_.empty() && root_.empty()) return products(given);
  return products(times_root(given, scales_, root_));
}

Noise::ScaledGram Noise::scaled_gram(std::span<const double> jacobian) const {
  const auto d = static_cast<Eigen::Index>(d_), m = static_cast<Eigen::Index>(jacobian.size() / d_);
  ScaledGram scaled{{}, std::vector<int>(static_cast<std::size_t>(m), 0)};
  Matrix j = ConstMap(jacobian.data(), m, d);
  scale_rows(j, scaled.exponents);
  if (!scales_.empty() || !root_.empty()) {
    j = times_root(std::move(j), scales_, root_);
    scale_rows(j, scaled.exponents);
  }
  scaled.products = products(j);
  return scaled;
}

}  // namespace leeway::average_case

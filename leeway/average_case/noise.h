// Noise e that is added to inputs, and what a linear function of it is.
//
//   gaussian   e = sigma L z, z standard normal, L L' = C; C = I where no covariance is given
//   uniform    e_j = sigma sqrt(3) (2 u_j - 1)                    coordinate by coordinate, variance sigma^2
//   laplace    e_j = +-sigma sqrt(1/2) log(1/u_j)                 the same
//
// By the central limit theorem (Han et al. 2024, lemma 2) a linear function of many coordinates of uniform or Laplace noise is
// nearly normal with the variance of Gaussian noise, so the analytic estimators treat all three alike.
//
// Draws are a function of (seed, stream, sample, draw) alone. They are float32; |z| stays below 6.7. Another instruction
// set may change last digits. Cost: some 2 ns a number; with a full covariance d^2 operations a draw.
// Errors (Error): a covariance of another size, not finite, not symmetric (beyond 1e-6 of the variances), with a
// negative variance or not positive semi-definite; one beside uniform or Laplace noise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"

namespace leeway::average_case {

enum class NoiseKind { gaussian, uniform, laplace };

struct NoiseMember {
  std::string_view name, summary;
  NoiseKind kind;
};
[[nodiscard]] std::span<const NoiseMember> noises();

class Noise {
 public:
  // `covariance`: C as (d) variances or (d,d).
  explicit Noise(std::size_t d, NoiseKind kind = NoiseKind::gaussian,
                 const std::optional<Array>& covariance = std::nullopt);

  [[nodiscard]] std::size_t d() const { return d_; }

  // e / sigma of one draw into `out` (d).
  void draw(std::uint64_t seed, std::uint32_t stream, std::uint64_t sample, std::uint64_t draw,
            std::span<float> out) const;

  // J C J' of a Jacobian (m,d) row-major: (m,m), symmetric. Sums in float64.
  [[nodiscard]] std::vector<double> gram(std::span<const double> jacobian) const;

  // The same where squares of entries would underflow or overflow: row i of J was divided by 2^exponents_i,
  //   (J C J')_ij = products_ij 2^(exponents_i + exponents_j),   and the largest products are near 1.
  struct ScaledGram {
    std::vector<double> products;  // (m,m), symmetric
    std::vector<int> exponents;    // (m), 0 for rows of nothing but 0
  };
  [[nodiscard]] ScaledGram scaled_gram(std::span<const double> jacobian) const;

 private:
  std::size_t d_;
  NoiseKind kind_;
  std::vector<double> scales_;  // of coordinates; empty: 1
  std::vector<double> root_;    // L, (d,d) row-major; empty: none
};

}  // namespace leeway::average_case

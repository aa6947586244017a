// Noise e that is added to inputs, and the covariance of linear functions of e.
//
// A family: noises() lists the members; each member's file in noises/ has its equation. e has variance
// sigma^2 in every coordinate or, with a covariance C, the covariance sigma^2 C.
//
// By the central limit theorem (Han et al. 2024, lemma 2) linear functions of many coordinates of uniform or
// Laplace noise are nearly normal with the same variance, so the analytic estimators treat all alike.
//
// Draws are float32 functions of (seed, stream, sample, draw) alone, with |z| < 6.7; last digits may depend
// on the instruction set. Cost: about 2 ns per number; with a full covariance d^2 operations per draw.
// Errors (Error): a covariance of another size, not finite, not symmetric (beyond 1e-6 of the variances),
// with a negative variance or not positive semi-definite; a covariance for uniform or Laplace noise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/family.h"

namespace leeway::average_case {

struct DrawKey;  // noise_kernel.h

struct NoiseKind : Member {
  bool covariance = false;  // may have one
  // e / sigma, independent coordinates of variance 1
  void (*fill)(const DrawKey& key, std::span<float> out) = nullptr;
};
[[nodiscard]] std::span<const NoiseKind> noises();
[[nodiscard]] const NoiseKind& noise_kind(std::string_view name);  // Error that lists the names there are

class Noise {
 public:
  // `covariance`: C as (d) variances or (d,d).
  explicit Noise(std::size_t d, const NoiseKind& kind = noise_kind("gaussian"),
                 const std::optional<Array>& covariance = std::nullopt);

  [[nodiscard]] std::size_t d() const { return d_; }
  [[nodiscard]] bool isotropic_gaussian() const;  // without a covariance

  // e / sigma of one draw into `out` (d).
  void draw(std::uint64_t seed, std::uint32_t stream, std::uint64_t sample, std::uint64_t draw,
            std::span<float> out) const;

  // J C J' of a Jacobian (m,d) row-major. Row i is divided by 2^exponents_i, so that squares do not overflow.
  //   (J C J')_ij = products_ij 2^(exponents_i + exponents_j)
  struct ScaledGram {
    std::vector<double> products;  // (m,m), symmetric
    std::vector<int> exponents;    // (m), 0 for rows of nothing but 0
  };
  [[nodiscard]] ScaledGram scaled_gram(std::span<const double> jacobian) const;

 private:
  std::size_t d_;
  void (*fill_)(const DrawKey& key, std::span<float> out);
  std::vector<double> scales_;  // of coordinates; empty: 1
  std::vector<double> root_;    // L, (d,d) row-major; empty: none
};

}  // namespace leeway::average_case

#include "leeway/average_case/detail/boundaries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/average_case/detail/kernel.h"
#include "leeway/average_case/detail/ordering.h"
#include "leeway/core/message.h"
#include "leeway/core/numbers.h"

namespace leeway::average_case {
namespace {

constexpr double slack = 10;  // roundings by which a Gram matrix may miss being one

// From g_i and the Gram matrix of their gradients, to be scaled by 2^exponents_i. `flat(i)`: s_i is only
// rounding; `wins(i)`: who wins a tie.
template <class Flat, class Wins>
Boundaries normalised(std::span<const double> margins, Noise::ScaledGram scaled, const Flat& flat,
                      const Wins& wins) {
  const std::size_t m = margins.size();
  std::vector<double>& gram = scaled.products;
  Boundaries result;
  result.z.resize(m);
  std::vector<double> inverse(m, 0);
  for (std::size_t i = 0; i < m; ++i) {
    const double s = std::sqrt(std::max(0., gram[i * m + i]));
    if (flat(i, s)) {
      result.z[i] = margins[i] > 0 || (margins[i] == 0 && wins(i)) ? infinity : -infinity;
      continue;
    }
    inverse[i] = 1 / s;
    result.z[i] = std::ldexp(margins[i], -scaled.exponents[i]) / s;
    result.steepest = std::max(result.steepest, std::ldexp(s, scaled.exponents[i]));
  }
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j)
      gram[i * m + j] = i == j ? 1 : std::clamp(gram[i * m + j] * inverse[i] * inverse[j], -1., 1.);
  result.correlation = std::move(gram);
  return result;
}

// z / sigma; at sigma = 0 the side on which the input lies, which is the target's own where it lies on a boundary.
std::vector<double> at(const Boundaries& boundaries, double sigma) {
  std::vector<double> z = boundaries.z;
  for (double& value : z) value = sigma > 0 ? value / sigma : (value >= 0 ? infinity : -infinity);
  return z;
}

}  // namespace

Boundaries boundaries_of(std::span<const double> logits, std::span<const double> gradients,
                         std::size_t target, const Noise& noise, std::span<const std::int32_t> classes) {
  const std::size_t m = logits.size() - 1, d = noise.d();
  std::vector<double> margins(m), differences(m * d);
  const double* const own = gradients.data() + target * d;
  for (std::size_t i = 0; i < m; ++i) {
    const std::size_t other = i + (i >= target);
    margins[i] = logits[target] - logits[other];
    const double* const its = gradients.data() + other * d;
    for (std::size_t j = 0; j < d; ++j) differences[i * d + j] = own[j] - its[j];
  }
  const auto number = [&](std::size_t at) {
    return classes.empty() ? static_cast<std::int32_t>(at) : classes[at];
  };
  return normalised(
      margins, noise.scaled_gram(differences), [](std::size_t, double s) { return s == 0; },
      [&](std::size_t i) { return number(target) < number(i + (i >= target)); });
}

Boundaries boundaries_of_gram(std::span<const double> logits, std::span<const double> gram,
                              std::size_t target, double rounding) {
  const std::size_t k = logits.size(), m = k - 1;
  GramFactor factor = gram_factor(gram, k, rounding);
  if (factor.defect > slack * rounding && rounding < rounding_f32)
    factor = gram_factor(gram, k, rounding = rounding_f32);
  if (factor.defect > slack * rounding)
    refuse("Gram matrix", "a positive semi-definite matrix",
           fmt::format("one with a defect of {:.3g} of its diagonal", factor.defect));
  const std::size_t r = factor.rank;
  std::vector<double> margins(m), vectors(m * r), differences(m * m), sizes(m);
  for (std::size_t i = 0; i < m; ++i) {
    const std::size_t other = i + (i >= target);
    margins[i] = logits[target] - logits[other];
    sizes[i] = gram[target * k + target] + gram[other * k + other];
    for (std::size_t c = 0; c < r; ++c)
      vectors[i * r + c] = factor.rows[target * k + c] - factor.rows[other * k + c];
  }
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      differences[i * m + j] = differences[j * m + i] =
          kernel::dot(vectors.data() + i * r, vectors.data() + j * r, r);
  return normalised(
      margins, {std::move(differences), std::vector<int>(m, 0)},
      [&](std::size_t i, double s) { return s * s <= rounding * sizes[i]; },
      [&](std::size_t i) { return target < i + (i >= target); });
}

MvnProbability probability(const Boundaries& boundaries, double sigma, const MvnOptions& options) {
  return mvn_cdf(at(boundaries, sigma), boundaries.correlation, options);
}

double mv_sigmoid(const Boundaries& boundaries, double sigma) {
  double sum = 1;
  for (const double z : at(boundaries, sigma)) sum += std::exp(-z);
  return 1 / sum;
}

}  // namespace leeway::average_case

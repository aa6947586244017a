// x~ = (1 - m) x + m sum_i w_i chain_i(x) over `width` chains, w ~ Dirichlet(alpha, ..., alpha), m ~
// Beta(alpha, alpha). A chain is `depth` operations (0: one to three, uniformly) with replacement from 9 that
// the common corruptions lack: autocontrast, equalize, posterize, rotate, solarize, shears, translations.
// Bilinear; signs are a fair coin.
//
// The authors' magnitudes, each with its own level L uniform in [.1, severity]: rotate 3 L degrees and
// translate L / 30 of the side, both truncated; shear .03 L; posterize 4 - trunc(.4 L) bits; solarize 256 -
// trunc(25.6 L).
#include <array>
#include <cmath>

#include "leeway/nn/augment/augmentation.h"
#include "leeway/nn/augment/mix.h"
#include "leeway/nn/augment/operation.h"
#include "leeway/nn/augment/parts.h"

namespace leeway::nn::augment {
namespace {

using enum Operation;

constexpr std::array<Operation, 9> mixed_operations = {
    autocontrast, equalize, posterize, rotate, solarize, shear_x, shear_y, translate_x, translate_y};

void mix_with_chains(const Picture& picture, const Parameters& parameters, Random& random) {
  const double severity = parameters.at("severity"), alpha = parameters.at("alpha");
  const double m = draw_beta(alpha, alpha, random);
  const std::vector<double> weights =
      draw_dirichlet(alpha, static_cast<std::size_t>(parameters.at("width")), random);
  std::vector<Levels> chains(weights.size(), Levels(picture.levels.begin(), picture.levels.end()));
  for (Levels& levels : chains) {
    const Picture chain{levels, picture.channels, picture.height, picture.width};
    const double wanted = parameters.at("depth");
    const std::size_t depth = wanted > 0 ? static_cast<std::size_t>(wanted) : 1 + random.below(3);
    for (std::size_t i = 0; i < depth; ++i) {
      const Operation drawn = mixed_operations[random.below(mixed_operations.size())];
      const double t = (.1 + (severity - .1) * random.uniform()) / 10;
      const bool negative = random.below(2) == 1 && is_signed(drawn);
      apply(drawn, chain, augmix_magnitude(drawn, negative ? -t : t, chain), Sampling::bilinear);
    }
  }
  mix_chains(picture, chains, weights, m);
}

}  // namespace

double augmix_magnitude(Operation operation, double t, const Picture& picture) {
  switch (operation) {
    case rotate:
      return std::trunc(30 * t);
    case translate_x:
      return t * static_cast<double>(picture.width) / 3;
    case translate_y:
      return t * static_cast<double>(picture.height) / 3;
    case posterize:
      return 4 - std::trunc(4 * t);
    case solarize:
      return 256 - std::trunc(256 * t);
    default:
      return magnitude_of(operation, t, picture);
  }
}

void mix_chains(const Picture& picture, std::span<const Levels> chains, std::span<const double> weights,
                double m) {
  const std::size_t n = picture.levels.size();
  std::vector<double> sums(n);
  for (std::size_t i = 0; i < n; ++i) sums[i] = (1 - m) * picture.levels[i];
  for (std::size_t k = 0; k < chains.size(); ++k) {
    const double weight = weights[k] * m;
    const std::uint8_t* const chain = chains[k].data();
    for (std::size_t i = 0; i < n; ++i) sums[i] += weight * chain[i];
  }
  for (std::size_t i = 0; i < n; ++i)  // std::nearbyint below 2^51
    picture.levels[i] = static_cast<std::uint8_t>((sums[i] + 0x1.8p52) - 0x1.8p52);
}

Augmentation augmix() {
  return {{"augmix",
           "random mixture of the image and chains of operations on it",
           "Hendrycks et al., ICLR 2020, section 3",
           {{"severity", 3, 1, 10, "the largest level of operations", true},
            {"width", 3, 1, 20, "number of chains", true},
            {"depth", 0, -1, 20, "operations per chain; 0 or -1: one to three", true},
            {"alpha", 1, .01, 100, "parameter of the mixture's Dirichlet and Beta distributions"}}},
          mix_with_chains};
}

}  // namespace leeway::nn::augment

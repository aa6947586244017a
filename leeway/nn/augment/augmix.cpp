// x~ = (1 - m) x + m sum_i w_i chain_i(x), w from Dirichlet(alpha, ..., alpha) over `width` chains, m from Beta(alpha, alpha).
// A chain is `depth` operations (0: one to three, uniformly), each uniform with replacement among 9 that the common corruptions
// do not have (autocontrast, equalize, posterize, rotate, solarize, two shears, two translations), with all-ops among these and
// color, contrast, brightness and sharpness. Pixels between pixels are bilinear; the sign of geometric ones is a fair coin.
//
// Magnitudes are those of the authors' program, each of its own level L uniform in [.1, severity]: rotate 3 L degrees and translate
// L / 30 of the side without fractions, shear .03 L, posterize 4 - .4 L bits and solarize 256 - 25.6 L with .4 L and 25.6 L without
// fractions, factors .1 + .18 L: darker and greyer up to L = 5. With torchvision-levels those of torchvision, its index uniform in
// 0..severity-1, t = index / 9: as in operation.h, but a third of the side times t, 4 - round(4 t) bits, and factors 1 plus or minus
// .9 t. all-ops=1:torchvision-levels=1:truncate=1 is torchvision's AugMix.
#include "leeway/nn/augment/augmix.h"

#include <array>
#include <cmath>

#include "leeway/core/message.h"
#include "leeway/nn/augment/augmentation.h"
#include "leeway/nn/augment/chain.h"
#include "leeway/nn/augment/draw.h"
#include "leeway/nn/augment/operation.h"

namespace leeway::nn::augment {
namespace {

using enum Operation;

constexpr std::array<Operation, 13> operations = {
    autocontrast, equalize,    posterize, rotate,   solarize,   shear_x,  shear_y,
    translate_x,  translate_y, color,     contrast, brightness, sharpness};
constexpr std::size_t core_operations = 9;

struct Mixture {
  double m = 0;
  std::vector<double> weights;
  std::vector<Levels> chains;
};

Mixture draw_mixture(const Picture& picture, const Parameters& parameters, Random& random) {
  const double severity = parameters.at("severity"), alpha = parameters.at("alpha");
  const bool by_index = parameters.at("torchvision-levels") == 1;
  const std::size_t choices = parameters.at("all-ops") == 1 ? operations.size() : core_operations;
  const double m = draw_beta(alpha, alpha, random);
  const std::vector<double> weights =
      draw_dirichlet(alpha, static_cast<std::size_t>(parameters.at("width")), random);
  std::vector<Levels> chains(weights.size(), Levels(picture.levels.begin(), picture.levels.end()));
  for (Levels& levels : chains) {
    const Picture chain{levels, picture.channels, picture.height, picture.width};
    const double wanted = parameters.at("depth");
    const std::size_t depth = wanted > 0 ? static_cast<std::size_t>(wanted) : 1 + random.below(3);
    for (std::size_t i = 0; i < depth; ++i) {
      const Operation drawn = operations[random.below(choices)];
      const double t = by_index ? static_cast<double>(random.below(static_cast<std::uint64_t>(severity))) / 9
                                : (.1 + (severity - .1) * random.uniform()) / 10;
      const bool negative = random.below(2) == 1 && is_signed(drawn);
      const auto magnitude = by_index ? torchvision_augmix_magnitude : augmix_magnitude;
      apply(drawn, chain, magnitude(drawn, negative ? -t : t, chain), Sampling::bilinear);
    }
  }
  return {m, weights, chains};
}

void change(const Picture& picture, const Parameters& parameters, Random& random) {
  const Mixture drawn = draw_mixture(picture, parameters, random);
  mix_chains(picture, drawn.chains, drawn.weights, drawn.m, parameters.at("truncate") == 1);
}

// The mixture is of numbers, what is mixed of 8-bit levels.
void change_floats(const FloatPicture& picture, const Parameters& parameters, Random& random) {
  Levels levels = levels_of(picture.levels);
  const auto [m, weights, chains] =
      draw_mixture({levels, picture.channels, picture.height, picture.width}, parameters, random);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    double sum = (1 - m) * levels[i];
    for (std::size_t k = 0; k < chains.size(); ++k) sum += m * weights[k] * chains[k][i];
    picture.levels[i] = static_cast<float>(sum / 255);
  }
}

void check(const Parameters& parameters) {
  if (parameters.at("floats") == 1 && parameters.at("truncate") == 1)
    refuse("augmentation augmix", "truncate 0, as floats is 1", "1");
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
    case color:
    case contrast:
    case brightness:
    case sharpness:
      return .1 + 1.8 * std::abs(t);
    default:
      return magnitude_of(operation, t, picture);
  }
}

double torchvision_augmix_magnitude(Operation operation, double t, const Picture& picture) {
  switch (operation) {
    case translate_x:
    case translate_y:
      return augmix_magnitude(operation, t, picture);
    case posterize:
      return 4 - std::nearbyint(4 * t);
    default:
      return magnitude_of(operation, t, picture);
  }
}

void mix_chains(const Picture& picture, std::span<const Levels> chains, std::span<const double> weights,
                double m, bool truncate) {
  const std::size_t n = picture.levels.size();
  // As floats where the mixture is truncated, since what they lose is what torchvision loses.
  const auto mix = [&](auto of_all, const auto& to_level) {
    using Number = decltype(of_all);
    std::vector<Number> sums(n);
    for (std::size_t i = 0; i < n; ++i)
      sums[i] = static_cast<Number>(1 - m) * static_cast<Number>(picture.levels[i]);
    for (std::size_t k = 0; k < chains.size(); ++k) {
      const Number weight = static_cast<Number>(weights[k]) * of_all;
      const std::uint8_t* const chain = chains[k].data();
      for (std::size_t i = 0; i < n; ++i) sums[i] += weight * static_cast<Number>(chain[i]);
    }
    for (std::size_t i = 0; i < n; ++i) picture.levels[i] = static_cast<std::uint8_t>(to_level(sums[i]));
  };
  if (truncate)
    mix(static_cast<float>(m), [](float sum) { return sum; });
  else
    mix(m, [](double sum) { return (sum + 0x1.8p52) - 0x1.8p52; });  // std::nearbyint below 2^51
}

Augmentation augmix() {
  return {
      {"augmix",
       "a random mixture of the picture and of chains of operations on it",
       "Hendrycks et al., ICLR 2020, section 3",
       {{"severity", 3, 1, 10, "the largest level of operations", true},
        {"width", 3, 1, 20, "how many chains", true},
        {"depth", 0, -1, 20, "operations of a chain; 0 or -1: one to three", true},
        {"alpha", 1, .01, 100, "of the Dirichlet and Beta distributions of the mixture's weights"},
        {"all-ops", 0, 0, 1, "1: color, contrast, brightness and sharpness, too", true},
        {"torchvision-levels", 0, 0, 1, "1: those of torchvision instead of the authors'", true},
        {"truncate", 0, 0, 1,
         "1: the mixture loses its fractions, as in torchvision, instead of being rounded", true},
        {"floats", 0, 0, 1,
         "1: the mixture is not rounded, as in the authors' program, which mixes normalised numbers", true}}},
      change,
      nullptr,
      check,
      change_floats};
}

}  // namespace leeway::nn::augment

//   weak    flip with probability 1/2; shift by up to an eighth of the side in each direction, zero fill
//   strong  weak, two of 14 RandAugment operations with replacement and independent magnitudes, a gray square
//           of up to half the side
//
// As in RLSbench, except that its "strong" crops without padding, which does not shift 32 x 32 pictures.
#include <algorithm>
#include <array>
#include <cmath>

#include "leeway/nn/augment/augmentation.h"
#include "leeway/nn/augment/operation.h"

namespace leeway::nn::augment {
namespace {

struct Ranged {
  Operation operation = Operation::identity;
  double low = 0, high = 0;  // of a magnitude drawn uniformly; of translations a share of the side
  bool whole = false;
};

constexpr std::array<Ranged, 14> strong_operations = {{{Operation::identity, 0, 0},
                                                       {Operation::autocontrast, 0, 0},
                                                       {Operation::equalize, 0, 0},
                                                       {Operation::rotate, -30, 30},
                                                       {Operation::solarize, 0, 256},
                                                       {Operation::color, .05, .95},
                                                       {Operation::posterize, 4, 8, true},
                                                       {Operation::contrast, .05, .95},
                                                       {Operation::brightness, .05, .95},
                                                       {Operation::sharpness, .05, .95},
                                                       {Operation::shear_x, -.3, .3},
                                                       {Operation::shear_y, -.3, .3},
                                                       {Operation::translate_x, -.3, .3},
                                                       {Operation::translate_y, -.3, .3}}};

// A whole number from -most to most.
std::ptrdiff_t offset(std::size_t most, Random& random) {
  return static_cast<std::ptrdiff_t>(random.below(2 * most + 1)) - static_cast<std::ptrdiff_t>(most);
}

void change_weakly(const Picture& picture, const Parameters& /*parameters*/, Random& random) {
  const bool mirrored = random.below(2) == 1;
  const std::ptrdiff_t dx = offset(picture.width / 8, random), dy = offset(picture.height / 8, random);
  move(picture, dx, dy, mirrored);
}

void grey_square(const Picture& picture, Random& random) {
  constexpr std::array<std::uint8_t, 3> grey = {125, 123, 114};
  constexpr std::uint8_t mean = 121;
  const auto w = static_cast<double>(picture.width), h = static_cast<double>(picture.height);
  const double half = random.uniform() * w / 4, x = random.uniform() * w, y = random.uniform() * h;
  const auto place = [](double value, double end) {
    return static_cast<std::size_t>(std::clamp(value, 0., end));
  };
  for (std::size_t c = 0; c < picture.channels; ++c)
    for (std::size_t j = place(y - half, h); j < place(y + half, h); ++j)
      for (std::size_t i = place(x - half, w); i < place(x + half, w); ++i)
        picture.levels[(c * picture.height + j) * picture.width + i] = picture.channels == 3 ? grey[c] : mean;
}

void change_strongly(const Picture& picture, const Parameters& parameters, Random& random) {
  change_weakly(picture, parameters, random);
  for (int i = 0; i < 2; ++i) {
    const Ranged& drawn = strong_operations[random.below(strong_operations.size())];
    const double at = random.uniform(), span = drawn.high - drawn.low + (drawn.whole ? 1 : 0);
    double magnitude = drawn.low + at * span;
    if (drawn.whole) magnitude = std::floor(magnitude);
    if (drawn.operation == Operation::translate_x) magnitude *= static_cast<double>(picture.width);
    if (drawn.operation == Operation::translate_y) magnitude *= static_cast<double>(picture.height);
    apply(drawn.operation, picture, magnitude);
  }
  grey_square(picture, random);
}

}  // namespace

Augmentation weak() {
  return {{"weak", "random flip and translation by up to an eighth of the side",
           "Sohn et al., NeurIPS 2020, section 2.3"},
          change_weakly};
}

Augmentation strong() {
  return {{"strong", "like weak, then two of 14 operations and a gray square",
           "Sohn et al., NeurIPS 2020, section 2.3; operations as in Garg et al., ICML 2023 (RLSbench)"},
          change_strongly};
}

}  // namespace leeway::nn::augment

#include "leeway/nn/augment/float_picture.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "leeway/nn/augment/hue.h"

namespace leeway::nn::augment {
namespace {

// g of each pixel; without colours the numbers themselves.
std::vector<double> greys(const FloatPicture& picture) {
  if (picture.channels != 3) return {picture.levels.begin(), picture.levels.end()};
  const std::size_t area = picture.area();
  std::vector<double> grey(area);
  for (std::size_t i = 0; i < area; ++i)
    grey[i] =
        .2989 * picture.levels[i] + .587 * picture.levels[area + i] + .114 * picture.levels[2 * area + i];
  return grey;
}

// factor v + (1 - factor) other(i), cut.
template <class Other>
void blend(const FloatPicture& picture, double factor, const Other& other) {
  for (std::size_t i = 0; i < picture.levels.size(); ++i)
    picture.levels[i] =
        static_cast<float>(std::clamp(factor * picture.levels[i] + (1 - factor) * other(i), 0., 1.));
}

void hue(const FloatPicture& picture, double turn) {
  if (picture.channels != 3) return;
  const std::size_t area = picture.area();
  for (std::size_t i = 0; i < area; ++i) {
    const auto colour =
        turned({picture.levels[i], picture.levels[area + i], picture.levels[2 * area + i]}, turn);
    for (std::size_t c = 0; c < 3; ++c) picture.levels[c * area + i] = static_cast<float>(colour[c]);
  }
}

}  // namespace

void apply(Operation operation, const FloatPicture& picture, double magnitude) {
  switch (operation) {
    case Operation::brightness:
      return blend(picture, magnitude, [](std::size_t) { return 0.; });
    case Operation::contrast: {
      const std::vector<double> grey = greys(picture);
      const double mean = std::accumulate(grey.begin(), grey.end(), 0.) / static_cast<double>(grey.size());
      return blend(picture, magnitude, [=](std::size_t) { return mean; });
    }
    case Operation::color:
    case Operation::gray: {
      if (picture.channels != 3) return;
      const std::vector<double> grey = greys(picture);
      return blend(picture, operation == Operation::gray ? 0 : magnitude,
                   [&](std::size_t i) { return grey[i % grey.size()]; });
    }
    case Operation::hue:
      return hue(picture, magnitude);
    default:
      throw std::logic_error("augment: expected brightness, color, contrast, hue or gray of numbers");
  }
}

void mirror(const FloatPicture& picture) {
  for (std::size_t row = 0; row < picture.channels * picture.height; ++row)
    std::ranges::reverse(picture.levels.subspan(row * picture.width, picture.width));
}

}  // namespace leeway::nn::augment

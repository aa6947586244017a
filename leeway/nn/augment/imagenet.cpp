// Random crop resized to the picture's size (bilinear, antialiased), random flip, color jitter, random gray.
// Recipes:
//   the defaults                                           those of Jeon et al. 2025
//   flip=0.5:jitter=0                                      the usual one
//   crop-scale=0.7:flip=0.5:jitter=0.3:hue=0.3:gray=0.1    DomainBed's
#include <algorithm>
#include <cmath>

#include "leeway/data/picture_file.h"
#include "leeway/data/resize.h"
#include "leeway/nn/augment/augmentation.h"
#include "leeway/nn/augment/operation.h"
#include "leeway/nn/augment/parts.h"

namespace leeway::nn::augment {
namespace {

void crop_and_resize(const Picture& picture, const Parameters& parameters, Random& random) {
  const std::size_t w = picture.width, h = picture.height;
  const Crop crop = draw_crop(h, w, parameters.at("crop-scale"), parameters.at("crop-ratio"), random);
  if (crop.height != h || crop.width != w) {
    Levels part;
    for (std::size_t c = 0; c < picture.channels; ++c)
      for (std::size_t y = 0; y < crop.height; ++y) {
        const auto row = picture.levels.subspan((c * h + crop.top + y) * w + crop.left, crop.width);
        part.insert(part.end(), row.begin(), row.end());
      }
    data::resize(part, {picture.channels, crop.height, crop.width}, picture.levels, {picture.channels, h, w});
  }
  if (random.uniform() < parameters.at("flip")) move(picture, 0, 0, true);
  const double part = parameters.at("jitter");
  change_colours(picture, {part, part, part, parameters.at("hue")}, random);
  if (random.uniform() < parameters.at("gray")) apply(Operation::gray, picture, 0);
}

}  // namespace

Crop draw_crop(std::size_t height, std::size_t width, double scale, double ratio, Random& random) {
  const auto rows = static_cast<double>(height), columns = static_cast<double>(width);
  const auto whole = [](double side) { return static_cast<std::size_t>(std::nearbyint(side)); };
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double area = rows * columns * (scale + (1 - scale) * random.uniform());
    const double aspect = std::exp(std::log(ratio) * (2 * random.uniform() - 1));
    const std::size_t w = whole(std::sqrt(area * aspect)), h = whole(std::sqrt(area / aspect));
    if (w < 1 || h < 1 || w > width || h > height) continue;
    const std::size_t top = random.below(height - h + 1), left = random.below(width - w + 1);
    return {top, left, h, w};
  }
  Crop crop{0, 0, height, width};
  if (columns / rows < ratio) crop.height = std::min(height, whole(columns / ratio));
  if (columns / rows > 1 / ratio) crop.width = std::min(width, whole(rows / ratio));
  crop.top = (height - crop.height) / 2;
  crop.left = (width - crop.width) / 2;
  return crop;
}

Augmentation imagenet() {
  return {{"imagenet",
           "crop of random area and aspect ratio, resized; optional flip, color jitter and grayscale",
           "Szegedy et al., CVPR 2015; He et al., CVPR 2016",
           {{"crop-scale", .08, .0001, 1, "minimum share of the area"},
            {"crop-ratio", .75, .01, 1, "minimum aspect ratio of the crop; the maximum is its inverse"},
            {"flip", 0, 0, 1, "probability of a horizontal flip"},
            {"jitter", .4, 0, 1, "maximum relative change of brightness, contrast and saturation (uniform)"},
            {"hue", 0, 0, .5, "maximum rotation of the hue, as a share of the circle"},
            {"gray", 0, 0, 1, "probability of grayscale"}}},
          crop_and_resize};
}

}  // namespace leeway::nn::augment

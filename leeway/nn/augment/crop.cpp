#include "leeway/nn/augment/augmentation.h"
#include "leeway/nn/augment/operation.h"

namespace leeway::nn::augment {
namespace {

// Of the picture with `padding` zeros on every side, a window of the picture's size at a uniform place.
void move_at_random(const Picture& picture, const Parameters& parameters, Random& random) {
  const auto padding = static_cast<std::ptrdiff_t>(parameters.at("padding"));
  const auto offset = [&] {
    return static_cast<std::ptrdiff_t>(random.below(static_cast<std::uint64_t>(2 * padding + 1))) - padding;
  };
  const std::ptrdiff_t dx = offset(), dy = offset();
  move(picture, dx, dy, false);
}

}  // namespace

Augmentation crop() {
  return {{"crop",
           "random crop after zero padding",
           "He et al., CVPR 2016, section 4.2",
           {{"padding", 4, 0, 1000, "padding in pixels on each side", true}}},
          move_at_random};
}

Augmentation flip() {
  return {{"flip", "horizontal flip", "", {{"probability", .5, 0, 1, "probability of a flip"}}},
          [](const Picture& picture, const Parameters& parameters, Random& random) {
            if (random.uniform() < parameters.at("probability")) move(picture, 0, 0, true);
          }};
}

}  // namespace leeway::nn::augment

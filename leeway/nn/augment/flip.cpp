#include "leeway/nn/augment/augmentation.h"
#include "leeway/nn/augment/operation.h"

namespace leeway::nn::augment {
namespace {

void flip_picture(const Picture& picture, const Parameters& parameters, Random& random) {
  if (random.uniform() < parameters.at("probability")) move(picture, 0, 0, true);
}

}  // namespace

Augmentation flip() {
  return {{"flip", "mirrored left to right", "", {{"probability", .5, 0, 1, "that a picture is mirrored"}}},
          flip_picture};
}

}  // namespace leeway::nn::augment

#include <array>
#include <utility>

#include "leeway/nn/augment/augmentation.h"
#include "leeway/nn/augment/operation.h"
#include "leeway/nn/augment/parts.h"

namespace leeway::nn::augment {

void change_colours(const Picture& picture, const Jitter& jitter, Random& random) {
  const auto around = [&](double middle, double part) { return middle + part * (2 * random.uniform() - 1); };
  std::array<std::pair<Operation, double>, 4> steps = {{{Operation::brightness, around(1, jitter.brightness)},
                                                        {Operation::contrast, around(1, jitter.contrast)},
                                                        {Operation::color, around(1, jitter.saturation)},
                                                        {Operation::hue, around(0, jitter.hue)}}};
  shuffle(steps, random);
  for (const auto& step : steps) apply(step.first, picture, step.second);
}

Augmentation jitter() {
  return {{"jitter",
           "random changes of brightness, contrast, saturation and hue, in random order",
           "torchvision's ColorJitter",
           {{"brightness", .4, 0, 1, "maximum relative change of brightness (uniform)"},
            {"contrast", .4, 0, 1, "maximum relative change of contrast"},
            {"saturation", .4, 0, 1, "maximum relative change of saturation"},
            {"hue", 0, 0, .5, "maximum rotation of the hue, as a share of the circle"}}},
          [](const Picture& picture, const Parameters& parameters, Random& random) {
            change_colours(picture,
                           {parameters.at("brightness"), parameters.at("contrast"),
                            parameters.at("saturation"), parameters.at("hue")},
                           random);
          }};
}

}  // namespace leeway::nn::augment

// The policy that TensorFlow's EfficientNet program calls v0: one of 25 pairs of its operations (tensorflow.h, levels of 10, translations of up to
// 250 pixels of 224), uniformly; then each of the two in order with its own probability. It is none of the paper's. One of its operations
// makes pictures black: posterize at level 2 keeps no bit.
#include <array>

#include "leeway/nn/augment/augmentation.h"
#include "leeway/nn/augment/tensorflow.h"

namespace leeway::nn::augment {
namespace {

struct Step {
  std::string_view operation;
  double probability = 0, level = 0;
};

constexpr std::array<std::array<Step, 2>, 25> policy = {{
    {{{"equalize", .8, 1}, {"shear-y", .8, 4}}},
    {{{"color", .4, 9}, {"equalize", .6, 3}}},
    {{{"color", .4, 1}, {"rotate", .6, 8}}},
    {{{"solarize", .8, 3}, {"equalize", .4, 7}}},
    {{{"solarize", .4, 2}, {"solarize", .6, 2}}},
    {{{"color", .2, 0}, {"equalize", .8, 8}}},
    {{{"equalize", .4, 8}, {"solarize-add", .8, 3}}},
    {{{"shear-x", .2, 9}, {"rotate", .6, 8}}},
    {{{"color", .6, 1}, {"equalize", 1, 2}}},
    {{{"invert", .4, 9}, {"rotate", .6, 0}}},
    {{{"equalize", 1, 9}, {"shear-y", .6, 3}}},
    {{{"color", .4, 7}, {"equalize", .6, 0}}},
    {{{"posterize", .4, 6}, {"autocontrast", .4, 7}}},
    {{{"solarize", .6, 8}, {"color", .6, 9}}},
    {{{"solarize", .2, 4}, {"rotate", .8, 9}}},
    {{{"rotate", 1, 7}, {"translate-y", .8, 9}}},
    {{{"shear-x", 0, 0}, {"solarize", .8, 4}}},
    {{{"shear-y", .8, 0}, {"color", .6, 4}}},
    {{{"color", 1, 0}, {"rotate", .6, 2}}},
    {{{"equalize", .8, 4}, {"equalize", 0, 8}}},
    {{{"equalize", 1, 4}, {"autocontrast", .6, 2}}},
    {{{"shear-y", .4, 7}, {"solarize-add", .6, 7}}},
    {{{"posterize", .8, 2}, {"solarize", .6, 10}}},
    {{{"solarize", .6, 8}, {"equalize", .6, 1}}},
    {{{"color", .8, 6}, {"rotate", .4, 5}}},
}};

void change(const Picture& picture, const Parameters&, Random& random) {
  for (const Step& step : policy[random.below(policy.size())])
    if (random.uniform() < step.probability)
      apply_tensorflow(tensorflow_number(step.operation), picture, step.level, random, 250);
}

}  // namespace

Augmentation autoaugment_v0() {
  return {{"autoaugment-v0", "one of 25 pairs of operations, the policy v0 of TensorFlow's EfficientNet",
           "Tan and Le, ICML 2019, their program"},
          change};
}

}  // namespace leeway::nn::augment

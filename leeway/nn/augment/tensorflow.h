// RandAugment as TensorFlow's EfficientNet program has it. No LibTorch here.
#pragma once

#include <string_view>

#include "leeway/core/random.h"
#include "leeway/nn/augment/picture.h"

namespace leeway::nn::augment {

// One of its 16 operations at level L of 10, without an end at 10. As in operation.h but for what follows; "down" is towards zero.
//   rotate 3 L degrees, shear .03 L, translate pixels/224 of the side times L / 10, each with the sign of a fair coin; what comes from
//                    outside has level 128
//   posterize        .4 L bits, down; solarize 25.6 L, down: both weaker with L
//   factors          .1 + .18 L, without a sign
//   contrast f       about the number of pixels / 256, at most 255, in place of the mean
//   solarize-add     levels below 128 are raised by 11 L, down, to 255 at most
//   cutout           a square of side 2 r, r = 40/224 of the side times L / 10, down, about a uniform pixel, of level 128
[[nodiscard]] std::string_view tensorflow_operation(std::size_t number);  // its name; 16 of them
[[nodiscard]] std::size_t tensorflow_number(std::string_view name);       // of a name there is
// `pixels`: of 224 that translations have at level 10.
void apply_tensorflow(std::size_t number, const Picture& picture, double level, Random& random,
                      double pixels = 100);

inline constexpr std::size_t tensorflow_operations = 16;

}  // namespace leeway::nn::augment

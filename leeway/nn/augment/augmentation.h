// Augmentations. augmentation.cpp lists the members, one file each. No LibTorch here.
//
// A member changes one 8-bit picture in place, or mixes the images of a batch. The result depends only on the
// picture (or batch shape), the parameters and the random numbers, which the caller keys by seed, row and
// epoch. Any size; three channels are red, green, blue.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "leeway/core/family.h"
#include "leeway/core/random.h"
#include "leeway/nn/augment/mix.h"
#include "leeway/nn/augment/operation.h"

namespace leeway::nn::augment {

using Parameters = std::map<std::string, double>;  // all of a member's, defaults filled in

struct Augmentation : Member {
  void (*change)(const Picture& picture, const Parameters& parameters, Random& random) = nullptr;
  Mix (*plan)(std::size_t rows, std::size_t height, std::size_t width, const Parameters& parameters,
              Random& random) = nullptr;
  // Error for invalid combinations of parameters; null: all are valid.
  void (*check)(const Parameters& parameters) = nullptr;
};

[[nodiscard]] std::span<const Augmentation> augmentations();
[[nodiscard]] const Augmentation& augmentation(
    std::string_view name);  // Error that lists the names there are

}  // namespace leeway::nn::augment

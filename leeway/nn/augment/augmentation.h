// Augmentations: a family. augmentation.cpp holds the visible list; every member is one file with its method, its parameters
// and its source. No LibTorch here.
//
// A member changes one picture of 8-bit levels in place, or it mixes the images of a batch. The result is a function of the
// picture (or of the shape of the batch), the parameters and the random numbers alone; the caller keys random numbers by seed,
// row and epoch. Pictures of any size; three channels are red, green and blue.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "leeway/core/family.h"
#include "leeway/core/random.h"
#include "leeway/nn/augment/mix.h"
#include "leeway/nn/augment/picture.h"

namespace leeway::nn::augment {

using Parameters = std::map<std::string, double>;  // all of a member's, defaults filled in

// `change` or `plan`.
struct Augmentation : Member {
  void (*change)(const Picture& picture, const Parameters& parameters, Random& random) = nullptr;
  Mix (*plan)(std::size_t rows, std::size_t height, std::size_t width, const Parameters& parameters,
              Random& random) = nullptr;
  // Error where parameters that are legal one by one do not go together; null: all do.
  void (*check)(const Parameters& parameters) = nullptr;
};

[[nodiscard]] std::span<const Augmentation> augmentations();
[[nodiscard]] const Augmentation& augmentation(
    std::string_view name);  // Error that lists the names there are

}  // namespace leeway::nn::augment

// Operations on pictures of numbers in [0,1], as torchvision's functions have them on float tensors: those of operation.h without its
// levels, so that nothing is rounded and everything is cut to [0,1]. Computed in double, kept in float32. No LibTorch here.
#pragma once

#include "leeway/nn/augment/operation.h"

namespace leeway::nn::augment {

// brightness, color, contrast, hue and gray; std::logic_error of the others.
void apply(Operation operation, const FloatPicture& picture, double magnitude);
void mirror(const FloatPicture& picture);  // left to right

}  // namespace leeway::nn::augment

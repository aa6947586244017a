// Architectures that tensors of unknown origin fit, by names and shapes.
//
// An architecture fits where a network of it has the tensors' names, prefixes aside, and their shapes, for as many classes as its
// last layer has outputs. That does not prove that they were trained in it: what a network does between its layers has no tensor.
// Inputs tried: the one given; else images of 3, 1 and 4 channels with usual sides, and rows of as many numbers as a
// matrix among the tensors takes. Cost: an uninitialised network of each architecture that has a tensor of the name of its last
// layer, milliseconds each.
#pragma once

#include <vector>

#include "leeway/core/array.h"
#include "leeway/nn/model.h"

namespace leeway::nn {

[[nodiscard]] std::vector<FittingArchitecture> fitting_architectures(const ArrayMap& tensors,
                                                                     const InputShape& input);

}  // namespace leeway::nn

// Runs an attack on a set of images.
//
// If more than most_zero_gradients of the rows have a gradient of exactly 0 at every start (sign, rounding or
// quantized layers), the robust accuracy of the attack alone is not valid. Then the attack "noise" runs too:
// within the same radius or, for minimum norm, within radii that double from 1/256 of the box. Each row keeps
// the worse result: a success, then the smaller norm.
#pragma once

#include <functional>
#include <string>

#include "leeway/nn/attack/attack.h"

namespace leeway::nn {

struct AttackedModel {
  ForwardFunction forward;  // images to logits, checked
  std::function<Outputs(const Images& images, const std::string& task, Progress* progress)> outputs;
  torch::Device device = torch::kCPU;  // where `forward` takes images
};

// Options are complete (complete_attack). Errors: invalid targets, errors of the model, NoGradients. Same
// bits for any number of threads.
[[nodiscard]] AttackResult run_attack(const AttackedModel& model, const Images& images,
                                      const AttackOptions& options, Progress* progress);

}  // namespace leeway::nn

// An attack on a set of images, from the clean outputs to what is stored.
//
// Where the gradient of more than most_zero_gradients of the rows is exactly 0 wherever the attack began, as behind sign,
// rounding or quantised layers, the attack is blind and its robust accuracy is no finding. Then the attack "noise" is run
// beside it, within the same radius or, where the smallest is looked for, within radii that double from 1/256 of the box on;
// and each row keeps what is worse for the model: a success, then where it counts the smaller norm.
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

// Options are complete (complete_attack). Errors: targets that are not a class for each image; those of the model; NoGradients.
// Same bits for any number of threads.
[[nodiscard]] AttackResult run_attack(const AttackedModel& model, const Images& images,
                                      const AttackOptions& options, Progress* progress);

}  // namespace leeway::nn

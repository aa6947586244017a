// An attack on a set of images, from the clean outputs to what is stored.
//
// Where the gradient of more than most_zero_gradients of the rows is exactly 0 wherever the attack began, as behind sign,
// rounding or quantised layers, the attack is blind and its robust accuracy is no finding. Then the attack "noise" is run
// with the same options beside it, and of every row that withstood the attack alone the image of the noise is kept.
#pragma once

#include <functional>
#include <string>

#include "leeway/nn/attack/attack.h"

namespace leeway::nn {

struct AttackedModel {
  ForwardFunction forward;  // images to logits, checked
  std::function<Outputs(const Images& images, const std::string& task, Progress* progress)> outputs;
};

// Options are checked (check_attack). Errors: those of the model; NoGradients. Same bits for any number of threads.
[[nodiscard]] AttackResult run_attack(const AttackedModel& model, const Images& images,
                                      const AttackOptions& options, Progress* progress);

}  // namespace leeway::nn

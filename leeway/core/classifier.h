// A classifier as the analyses see it: functions from inputs to logits and to their gradients. What runs a model
// supplies them (leeway/nn/model.h), or anybody's own code.
//
// Inputs are rows of d numbers, (n,d) row-major; no range is asked of them, since noise leads out of any. Both
// functions are called from one thread at a time and may use threads themselves; same rows, same bits. No gradients: empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace leeway {

struct ClassGradients {
  std::vector<float> logits;     // (n,k)
  std::vector<float> gradients;  // (n,m,d): of the m classes asked for, or of all k
};

struct Classifier {
  std::size_t d = 0, k = 0;
  std::function<std::vector<float>(std::span<const float> x)> logits;  // (n,d) -> (n,k)
  // Gradients of logits with respect to the input. `classes` (n,m), m for each row, or empty: all of them in order.
  std::function<ClassGradients(std::span<const float> x, std::span<const std::int32_t> classes)> gradients;
};

}  // namespace leeway

// The learned policies of AutoAugment. No LibTorch here.
#pragma once

#include <array>

#include "leeway/nn/augment/operation.h"

namespace leeway::nn::augment {

// Two operations in order, each with its probability and its level of 0 to 9 (0 where it has none).
struct PolicyStep {
  Operation operation = Operation::identity;
  double probability = 0;
  int level = 0;
};
using SubPolicy = std::array<PolicyStep, 2>;
using Policy = std::array<SubPolicy, 25>;

extern const Policy imagenet_policy, cifar10_policy;

}  // namespace leeway::nn::augment

// The members of the family of architectures, one file each.
#pragma once

#include "leeway/nn/model/architecture.h"

namespace leeway::nn {

[[nodiscard]] Architecture linear();
[[nodiscard]] Architecture small_cnn();
[[nodiscard]] Architecture resnet20_cifar();
[[nodiscard]] Architecture resnet32_cifar();
[[nodiscard]] Architecture resnet44_cifar();
[[nodiscard]] Architecture resnet56_cifar();
[[nodiscard]] Architecture resnet110_cifar();

}  // namespace leeway::nn

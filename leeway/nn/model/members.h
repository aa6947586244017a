// The members of the family of architectures, one file each.
#pragma once

#include "leeway/nn/model/architecture.h"

namespace leeway::nn {

[[nodiscard]] Architecture linear();
[[nodiscard]] Architecture mlp();
[[nodiscard]] Architecture small_cnn();
[[nodiscard]] Architecture defended_cnn();
[[nodiscard]] Architecture resnet20_cifar();
[[nodiscard]] Architecture resnet32_cifar();
[[nodiscard]] Architecture resnet44_cifar();
[[nodiscard]] Architecture resnet56_cifar();
[[nodiscard]] Architecture resnet110_cifar();
[[nodiscard]] Architecture resnet18();
[[nodiscard]] Architecture resnet50();
[[nodiscard]] Architecture resnet101();
[[nodiscard]] Architecture resnet18_cifar();
[[nodiscard]] Architecture resnet50_cifar();
[[nodiscard]] Architecture resnet101_cifar();
[[nodiscard]] Architecture preact_resnet18();
[[nodiscard]] Architecture wrn_28_10();
[[nodiscard]] Architecture densenet121();
[[nodiscard]] Architecture vit();
[[nodiscard]] Architecture vit_patch12();
[[nodiscard]] Architecture vit_patch16();
[[nodiscard]] Architecture vit_b_16();
[[nodiscard]] Architecture clip_vit_b_32();

}  // namespace leeway::nn

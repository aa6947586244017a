#include "leeway/nn/model/layers.h"

namespace leeway::nn {
namespace {

// Convolution, three stages of (depth - 2) / 6 blocks with 16, 32, 64 maps, means (features), linear layer.
Architecture cifar_resnet(int depth, std::string_view name, std::string_view summary) {
  const int blocks = (depth - 2) / 6;
  return residual_network(
      {.blocks = {blocks, blocks, blocks}, .small_images = true, .first_maps = 16, .option_a = true},
      {name, summary, "He et al., CVPR 2016, section 4.2; shortcuts of option A"}, 4);
}

}  // namespace

Architecture resnet20_cifar() {
  return cifar_resnet(20, "resnet20-cifar", "CIFAR ResNet of 20 layers, for small images");
}
Architecture resnet32_cifar() { return cifar_resnet(32, "resnet32-cifar", "CIFAR ResNet of 32 layers"); }
Architecture resnet44_cifar() { return cifar_resnet(44, "resnet44-cifar", "CIFAR ResNet of 44 layers"); }
Architecture resnet56_cifar() { return cifar_resnet(56, "resnet56-cifar", "CIFAR ResNet of 56 layers"); }
Architecture resnet110_cifar() { return cifar_resnet(110, "resnet110-cifar", "CIFAR ResNet of 110 layers"); }

}  // namespace leeway::nn

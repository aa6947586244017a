#include "leeway/nn/augment/augmentation.h"

namespace leeway::nn::augment {

// Defined in crop.cpp, jitter.cpp, imagenet.cpp, randaugment.cpp, autoaugment.cpp, augmix.cpp, views.cpp, mix.cpp.
Augmentation flip(), crop(), jitter(), imagenet(), randaugment(), autoaugment_imagenet(),
    autoaugment_cifar10(), augmix(), weak(), strong(), mixup(), cutmix();

std::span<const Augmentation> augmentations() {
  static const Augmentation list[] = {
      flip(),   crop(), jitter(), imagenet(), randaugment(), autoaugment_imagenet(), autoaugment_cifar10(),
      augmix(), weak(), strong(), mixup(),    cutmix()};
  return list;
}

const Augmentation& augmentation(std::string_view name) {
  return find_member(augmentations(), "augmentation", name);
}

}  // namespace leeway::nn::augment

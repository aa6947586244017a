#include "leeway/nn/augment/augmentation.h"

namespace leeway::nn::augment {

// Defined in crop.cpp, jitter.cpp, imagenet.cpp, randaugment.cpp, autoaugment.cpp, augmix.cpp, views.cpp, mix.cpp.
Augmentation flip();
Augmentation crop();
Augmentation jitter();
Augmentation imagenet();
Augmentation randaugment();
Augmentation autoaugment_imagenet();
Augmentation autoaugment_cifar10();
Augmentation augmix();
Augmentation weak();
Augmentation strong();
Augmentation mixup();
Augmentation cutmix();

std::span<const Augmentation> augmentations() {
  static const Augmentation list[] = {
      flip(),   crop(), jitter(), imagenet(), randaugment(), autoaugment_imagenet(), autoaugment_cifar10(),
      augmix(), weak(), strong(), mixup(),    cutmix(),
  };
  return list;
}

const Augmentation& augmentation(std::string_view name) {
  return find_member(augmentations(), "augmentation", name);
}

}  // namespace leeway::nn::augment

// One of 25 uniform pairs of operations, each applied with its probability; signs are a fair coin. Levels 0
// to 9 are torchvision's magnitudes (operation.h, t = level / 9).
#include "leeway/nn/augment/augmentation.h"
#include "leeway/nn/augment/parts.h"

namespace leeway::nn::augment {

using enum Operation;

// Table 9 of the paper's appendix.
const Policy imagenet_policy = {
    {{{{posterize, .4, 8}, {rotate, .6, 9}}}, {{{solarize, .6, 5}, {autocontrast, .6}}},
     {{{equalize, .8}, {equalize, .6}}},      {{{posterize, .6, 7}, {posterize, .6, 6}}},
     {{{equalize, .4}, {solarize, .2, 4}}},   {{{equalize, .4}, {rotate, .8, 8}}},
     {{{solarize, .6, 3}, {equalize, .6}}},   {{{posterize, .8, 5}, {equalize, 1}}},
     {{{rotate, .2, 3}, {solarize, .6, 8}}},  {{{equalize, .6}, {posterize, .4, 6}}},
     {{{rotate, .8, 8}, {color, .4, 0}}},     {{{rotate, .4, 9}, {equalize, .6}}},
     {{{equalize, 0}, {equalize, .8}}},       {{{invert, .6}, {equalize, 1}}},
     {{{color, .6, 4}, {contrast, 1, 8}}},    {{{rotate, .8, 8}, {color, 1, 2}}},
     {{{color, .8, 8}, {solarize, .8, 7}}},   {{{sharpness, .4, 7}, {invert, .6}}},
     {{{shear_x, .6, 5}, {equalize, 1}}},     {{{color, .4, 0}, {equalize, .6}}},
     {{{equalize, .4}, {solarize, .2, 4}}},   {{{solarize, .6, 5}, {autocontrast, .6}}},
     {{{invert, .6}, {equalize, 1}}},         {{{color, .6, 4}, {contrast, 1, 8}}},
     {{{equalize, .8}, {equalize, .6}}}}};

// Table 7.
const Policy cifar10_policy = {
    {{{{invert, .1}, {contrast, .2, 6}}},          {{{rotate, .7, 2}, {translate_x, .3, 9}}},
     {{{sharpness, .8, 1}, {sharpness, .9, 3}}},   {{{shear_y, .5, 8}, {translate_y, .7, 9}}},
     {{{autocontrast, .5}, {equalize, .9}}},       {{{shear_y, .2, 7}, {posterize, .3, 7}}},
     {{{color, .4, 3}, {brightness, .6, 7}}},      {{{sharpness, .3, 9}, {brightness, .7, 9}}},
     {{{equalize, .6}, {equalize, .5}}},           {{{contrast, .6, 7}, {sharpness, .6, 5}}},
     {{{color, .7, 7}, {translate_x, .5, 8}}},     {{{equalize, .3}, {autocontrast, .4}}},
     {{{translate_y, .4, 3}, {sharpness, .2, 6}}}, {{{brightness, .9, 6}, {color, .2, 8}}},
     {{{solarize, .5, 2}, {invert, 0}}},           {{{equalize, .2}, {autocontrast, .6}}},
     {{{equalize, .2}, {equalize, .6}}},           {{{color, .9, 9}, {equalize, .6}}},
     {{{autocontrast, .8}, {solarize, .2, 8}}},    {{{brightness, .1, 3}, {color, .7, 0}}},
     {{{solarize, .4, 5}, {autocontrast, .9}}},    {{{translate_y, .9, 9}, {translate_y, .7, 9}}},
     {{{autocontrast, .9}, {solarize, .8, 3}}},    {{{equalize, .8}, {invert, .1}}},
     {{{translate_y, .7, 9}, {autocontrast, .9}}}}};

namespace {

void apply_policy(const Policy& policy, const Picture& picture, Random& random) {
  for (const PolicyStep& step : policy[random.below(policy.size())]) {
    const double t = step.level / 9.;
    const bool taken = random.uniform() < step.probability,
               negative = random.below(2) == 1 && is_signed(step.operation);
    if (taken) apply(step.operation, picture, magnitude_of(step.operation, negative ? -t : t, picture));
  }
}

}  // namespace

Augmentation autoaugment_imagenet() {
  return {{"autoaugment-imagenet", "one of 25 pairs of operations learned on ImageNet",
           "Cubuk et al., CVPR 2019, table 9 of the appendix; magnitudes as in torchvision"},
          [](const Picture& picture, const Parameters& /*parameters*/, Random& random) {
            apply_policy(imagenet_policy, picture, random);
          }};
}

Augmentation autoaugment_cifar10() {
  return {{"autoaugment-cifar10", "one of 25 pairs of operations learned on CIFAR-10",
           "Cubuk et al., CVPR 2019, table 7 of the appendix; magnitudes as in torchvision"},
          [](const Picture& picture, const Parameters& /*parameters*/, Random& random) {
            apply_policy(cifar10_policy, picture, random);
          }};
}

}  // namespace leeway::nn::augment

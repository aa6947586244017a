#include "leeway/record/corruption.h"

namespace leeway::record {

void fields(CorruptionChoice& choice, Fields& f) {
  f.choice("set", choice.set,
           {{"auto", "chosen by image size, with scaled lengths"},
            {"cifar", "CIFAR-10-C, 32 x 32 pixels"},
            {"tiny", "TinyImageNet-C, 64 x 64"},
            {"imagenet", "ImageNet-C, 224 x 224"}},
           "constants of the corruptions");
  f.choice("variant", choice.variant,
           {{"corrected", "rounded to the nearest level, without the defects of the published programs"},
            {"published",
             "as in the published image sets: rounded down, with those defects, and with JPEG compression "
             "for tiny and imagenet"}},
           "variant of the corruptions");
  f("frost_dir", choice.frost_dir,
    "folder of frost images, PNG or JPEG (default: procedural images, not the published ones)");
}

void fields(CorruptionUse& use, Fields& f) {
  f.choice("set", use.set, {{"cifar", ""}, {"tiny", ""}, {"imagenet", ""}}, "constants of the corruptions");
  f("lengths", use.lengths, at_least(0), "factor by which the set's lengths were multiplied");
  f.choice("variant", use.variant, {{"corrected", ""}, {"published", ""}}, "variant of the corruptions");
  f("frost", use.frost, "frost images: procedural, or their folder");
}

}  // namespace leeway::record

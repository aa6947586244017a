#include "leeway/record/corruption.h"

namespace leeway::record {

void fields(CorruptionChoice& choice, Fields& f) {
  f.choice("set", choice.set,
           {{"auto", "by the size of the pictures, lengths scaled with it"},
            {"cifar", "CIFAR-10-C, 32 pixels a side"},
            {"tiny", "TinyImageNet-C, 64"},
            {"imagenet", "ImageNet-C, 224"}},
           "constants of the corruptions");
  f.choice("variant", choice.variant,
           {{"corrected", "levels rounded to nearest, without the defects of the published programs"},
            {"published",
             "as in the published image sets: rounded down, with those defects, and compressed as JPEG with "
             "the constants of tiny and imagenet"}},
           "variant of the corruptions");
  f("frost_dir", choice.frost_dir,
    "folder of frost pictures, PNG or JPEG (default: procedural pictures, which are not the published ones)");
}

void fields(CorruptionUse& use, Fields& f) {
  f.choice("set", use.set, {{"cifar", ""}, {"tiny", ""}, {"imagenet", ""}}, "constants of the corruptions");
  f("lengths", use.lengths, at_least(0), "factor by which the set's lengths were multiplied");
  f.choice("variant", use.variant, {{"corrected", ""}, {"published", ""}}, "variant of the corruptions");
  f("frost", use.frost, "pictures of frost: procedural, or their folder");
}

}  // namespace leeway::record

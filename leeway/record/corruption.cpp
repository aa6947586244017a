#include "leeway/record/corruption.h"

namespace leeway::record {

void fields(CorruptionChoice& choice, Fields& f) {
  f.choice("set", choice.set,
           {{"auto", "by the size of the pictures, lengths scaled with it"},
            {"cifar", "CIFAR-10-C, 32 pixels a side"},
            {"tiny", "TinyImageNet-C, 64"},
            {"imagenet", "ImageNet-C, 224"}},
           "whose constants a corruption has");
  f.choice("rounding", choice.rounding,
           {{"nearest", "to the nearest level, halves upwards"},
            {"trunc", "down, as the published files are: half a level too dark where there is noise"}},
           "of corrupted pictures to 8 bits");
  f.choice(
      "glass", choice.glass,
      {{"copy", "both pixels get one's value, as in the published colour sets"},
       {"swap", "they change places"}},
      "what glass-blur does to two pixels (default: copy in colour, swap in grey, as the published program)");
  f("frost_dir", choice.frost_dir,
    "folder of the pictures of frost, PNG or JPEG (default: procedural ones, which are not the published "
    "ones)");
  f.choice(
      "saved", choice.saved,
      {{"levels", "as they are"},
       {"jpeg", "as JPEG of quality 85 and read again, as the files of ImageNet-C and TinyImageNet-C were"}},
      "how corrupted pictures are saved");
  f.choice("slips", choice.slips,
           {{"mended", "as the method is meant"},
            {"published",
             "as in the authors' programs: spatter without a drop is black, defocus-blur of radius 8 and 10 "
             "mirrors its disc"}},
           "slips of the authors' programs that few pictures show");
  f.choice("grey", choice.grey,
           {{"channel", "they stay grey"},
            {"colour", "as three equal channels, as in imagecorruptions: noise and saturate tint them"}},
           "how grey pictures are corrupted");
}

void fields(CorruptionUse& use, Fields& f) {
  f.choice("set", use.set, {{"cifar", ""}, {"tiny", ""}, {"imagenet", ""}}, "whose constants");
  f("lengths", use.lengths, at_least(0), "what the set's lengths were multiplied with");
  f.choice("rounding", use.rounding, {{"nearest", ""}, {"trunc", ""}}, "to 8 bits");
  f.choice("glass", use.glass, {{"copy", ""}, {"swap", ""}}, "what glass-blur does to two pixels");
  f("frost", use.frost, "pictures of frost: procedural, or the folder they are from");
  f.choice("saved", use.saved, {{"levels", ""}, {"jpeg", ""}},
           "as they are, or as JPEG of quality 85 and read again");
  f.choice("slips", use.slips, {{"mended", ""}, {"published", ""}},
           "of the authors' programs, in spatter and defocus-blur");
  f.choice("grey", use.grey, {{"channel", ""}, {"colour", ""}},
           "grey pictures in their channel, or as three equal ones");
}

}  // namespace leeway::record

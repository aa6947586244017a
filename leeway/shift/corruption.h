// Common corruptions: 15 of the benchmark and 4 extra, at five severities, with constants for each of the
// three published picture sizes.
//
// A family: corruption.cpp lists the members; each has one file in corruptions/ with its formula and
// constants. Unless a file says otherwise, the formula is that of Hendrycks and Dietterich, "Benchmarking
// neural network robustness to common corruptions and perturbations", ICLR 2019, with the constants of the
// authors' programs.
//
// The result is 8-bit levels, as in the published files: clipped to [0,1], times 255, rounded as the variant
// says. Severity 0 changes only the type. Image i draws from Random(seed, stream(name), i), the same numbers
// at every severity, so neither threads nor other images change it. Pictures with another number of channels
// than 3 are corrupted per channel as gray, with the same draws except for noise. `saturate` cannot change
// gray pictures (on_grey).
//
// Errors (Error): a severity outside 0 to 5; for `frost`, an empty list of pictures. Cost: one pass, images
// in parallel; the result, one byte per pixel, is in memory. Throws Interrupted when `progress` requests it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "leeway/core/family.h"
#include "leeway/core/progress.h"
#include "leeway/core/random.h"
#include "leeway/io/images.h"
#include "leeway/shift/frost_pictures.h"

namespace leeway::shift {

inline constexpr std::string_view benchmark_paper = "Hendrycks and Dietterich, ICLR 2019";

// Whose constants: CIFAR-10-C (32 pixels), TinyImageNet-C (64), ImageNet-C (224), or what the size is nearest to.
enum class ConstantSet : std::uint8_t { automatic, cifar, tiny, imagenet };
// Levels of a corruption. corrected: rounded half up. published: as the published image sets were made, i.e.
//   - rounded down, which makes noisy pictures half a level too dark;
//   - with the constants of tiny and imagenet compressed as JPEG of quality 85;
//   - spatter turns a picture without a drop black (0 / 0);
//   - defocus-blur smooths its disc on a grid that radius 8 or 10 fills to the edge, mirrored there.
enum class Variant : std::uint8_t { corrected, published };

// A set, never automatic, and what its lengths are multiplied with: 1 where the picture has the set's own size.
struct Scale {
  ConstantSet set = ConstantSet::cifar;
  double lengths = 1;
};
// automatic: a shorter side up to 45 takes cifar, up to 119 tiny, else imagenet; lengths by side / 32, 64 or 224 where that
// differs from 1 by more than .15. A set by name: lengths as published.
[[nodiscard]] Scale scale_for(ConstantSet set, std::size_t height, std::size_t width);

struct CorruptionOptions {
  int severity = 1;  // 0 to 5
  ConstantSet set = ConstantSet::automatic;
  Variant variant = Variant::corrected;
  std::shared_ptr<const FrostPictures> frost = {};  // none: procedural ones, made for the seed
  std::uint64_t seed = 0;
  std::size_t first_row = 0;  // number of the first image, where they are a part of a set
};

enum class CorruptionGroup : std::uint8_t { noise, blur, weather, digital, extra };

// A picture in [0,1], (c,h,w), that a member changes in place. Values that leave [0,1] are clipped afterwards.
struct CorruptedPicture {
  std::span<float> values;
  std::size_t channels = 1, height = 1, width = 1;

  [[nodiscard]] std::size_t area() const { return height * width; }
  [[nodiscard]] std::span<float> plane(std::size_t channel) const {
    return values.subspan(channel * area(), area());
  }
};

// The same in levels, for members that work on those alone.
struct CorruptedLevels {
  std::span<std::uint8_t> values;
  std::size_t channels = 1, height = 1, width = 1;
};

// What a member is told of one call. severity is 1 to 5.
struct CorruptionSetting {
  int severity = 1;
  Scale scale = {};
  Variant variant = Variant::corrected;
  const FrostPictures* frost = nullptr;  // of frost alone

  // The constants of that set and severity, from a member's table.
  template <class Constants>
  [[nodiscard]] const Constants& of(
      const std::array<std::array<Constants, 5>, 3>& cifar_tiny_imagenet) const {
    return cifar_tiny_imagenet[static_cast<std::size_t>(scale.set) - 1]
                              [static_cast<std::size_t>(severity - 1)];
  }
};

struct Corruption : leeway::Member {
  CorruptionGroup group = CorruptionGroup::noise;
  // One of the two. Channels are 1 or 3 of `change`, any number of `change_levels`, which draws nothing; floats become levels before it.
  void (*change)(const CorruptedPicture& picture, const CorruptionSetting& setting, Random& random) = nullptr;
  void (*change_levels)(const CorruptedLevels& picture, const CorruptionSetting& setting) = nullptr;
  bool on_grey = true;       // changes grey pictures at all
  bool takes_frost = false;  // is given pictures of frost

  [[nodiscard]] Images apply(const Images& images, const CorruptionOptions& options,
                             Progress* progress) const;
};

[[nodiscard]] std::span<const Corruption> corruptions();  // in the published order, the extra ones last
[[nodiscard]] const Corruption& corruption(std::string_view name);  // Error that lists the names there are

}  // namespace leeway::shift

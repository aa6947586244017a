// Shifts of images: of pixels by a strength, of pixels by a severity (common corruptions), of rows and of
// labels.
//
// A family: shift.cpp lists the members; each has one file in pixels/ or rows/ with its formula, constants and
// source. A strength is a number in the member's range. A severity is 1 to 5 of the benchmark of Hendrycks and
// Dietterich, "Benchmarking neural network robustness to common corruptions and perturbations", ICLR 2019: the
// 15 corruptions and 4 extra, whose formulas and constants for the three published picture sizes are those of
// the authors' programs unless a file says otherwise. A member has strengths, severities or both.
// Augmentations are shifts, too: outputs on shifted images are a second sample for posterior agreement.
//
// By a strength, images are float32 in [0,1]. By a severity, they are 8-bit levels, as in the published files:
// clipped to [0,1], times 255, rounded as the variant says; severity 0 changes only the type. Members that
// select rows or change labels change neither pixels nor type. A shift is a pure function of images, options
// and row numbers: image i draws from Random(seed, stream(name), i), the same numbers at every strength and
// severity, so neither threads nor other images change it. By a severity, pictures with another number of
// channels than 3 are changed per channel as gray, with the same draws except for noise; `saturate` cannot
// change gray pictures.
//
// Errors (Error): a strength or severity that the member does not have or outside its range, missing labels,
// classes that do not occur, are named twice or are missing from an order, an empty list of frost images. Cost:
// one pass, images in parallel; the result is in memory. Throws Interrupted when `progress` requests it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "leeway/core/family.h"
#include "leeway/core/progress.h"
#include "leeway/core/random.h"
#include "leeway/io/images.h"
#include "leeway/shift/frost_pictures.h"

namespace leeway::shift {

inline constexpr std::string_view benchmark_paper = "Hendrycks and Dietterich, ICLR 2019";

// Whose constants: CIFAR-10-C (32 pixels), TinyImageNet-C (64), ImageNet-C (224), or what the size is nearest to.
enum class ConstantSet : std::uint8_t { automatic, cifar, tiny, imagenet };
// Levels of a severity. corrected: rounded half up. published: as the published image sets were made, i.e.
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

struct Options {
  double strength = 0;
  std::uint64_t seed = 0;
  std::vector<std::int64_t> classes =
      {};                          // label-subset: the classes kept; imbalance: all, rarest last; label noise
  std::vector<double> rates = {};  // label noise: of every row, in place of the strength
  std::optional<int> severity = {};          // 0 to 5, in place of a strength
  ConstantSet set = ConstantSet::automatic;  // of a severity, like the next two
  Variant variant = Variant::corrected;
  std::shared_ptr<const FrostPictures> frost = {};  // none: procedural ones, made for the seed
  std::size_t first_row = 0;  // number of the first image, where they are a part of a set
};

struct Shifted {
  Images images;                  // with the labels of the rows kept
  std::vector<std::size_t> rows;  // rows[i]: where image i came from; all in order unless the member selects
};

// A picture, (c,h,w), that a member changes in place.
template <class Value>
struct PictureOf {
  std::span<Value> values;
  std::size_t channels = 1, height = 1, width = 1;

  [[nodiscard]] std::size_t area() const { return height * width; }
  [[nodiscard]] std::span<Value> plane(std::size_t channel) const {
    return values.subspan(channel * area(), area());
  }
};
using Picture = PictureOf<float>;               // in [0,1]
using PictureLevels = PictureOf<std::uint8_t>;  // for members that work on levels alone

// The arguments of one call of a member.
struct Setting {
  int severity = 0;  // 1 to 5; 0: a strength
  Scale scale = {};
  Variant variant = Variant::corrected;
  const FrostPictures* frost = nullptr;  // of frost alone
  double strength = 0;

  // The constants of that set and severity, from a member's table.
  template <class Constants>
  [[nodiscard]] const Constants& of(
      const std::array<std::array<Constants, 5>, 3>& cifar_tiny_imagenet) const {
    return cifar_tiny_imagenet[static_cast<std::size_t>(scale.set) - 1]
                              [static_cast<std::size_t>(severity - 1)];
  }
};

// Its only parameter, where it has one, is the strength: what the number means, with its unit.
struct Member : leeway::Member {
  using Change = void (*)(const Picture& picture, const Setting& setting, Random& random);

  std::string_view group = {};   // of severities: noise, blur, weather, digital; extra, which no mean counts
  Change by_severity = nullptr;  // channels are 1 or 3; values that leave [0,1] are clipped afterwards
  Change by_strength = nullptr;  // any channels; values stay in [0,1]
  // In place of by_severity; any channels. Draws nothing; floats become levels before it.
  void (*levels_by_severity)(const PictureLevels& picture, const Setting& setting) = nullptr;
  // The rows that a member selects by the labels, in order; the classes of the options occur.
  std::vector<std::size_t> (*select)(const Images& images, const Options& options) = nullptr;
  // The labels that a member gives the rows in place of theirs.
  std::vector<std::int64_t> (*relabel)(const Images& images, const Options& options) = nullptr;
  bool needs_classes = false;  // has no meaning without Options::classes
  bool on_grey = true;         // severities change gray pictures at all
  bool takes_frost = false;    // is given pictures of frost

  [[nodiscard]] bool keeps_pixels() const { return select != nullptr || relabel != nullptr; }
  [[nodiscard]] bool has_strengths() const { return by_strength != nullptr || keeps_pixels(); }
  [[nodiscard]] bool has_severities() const { return !group.empty(); }
  [[nodiscard]] Parameter strength() const;  // from 0 to 0 where it has none
  [[nodiscard]] Shifted apply(const Images& images, const Options& options, Progress* progress) const;
};

[[nodiscard]] std::span<const Member> members();
[[nodiscard]] const Member& member(std::string_view name);  // Error that lists the names there are
// The members with severities: the first of the list, in the published order, the extra ones last.
[[nodiscard]] std::span<const Member> corruptions();

}  // namespace leeway::shift

#include "leeway/shift/corruption.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "leeway/core/message.h"
#include "leeway/shift/detail/family.h"
#include "leeway/shift/jpeg.h"

namespace leeway::shift {
namespace {

constexpr int quality_of_files = 85;

// A half goes up, and a whole level stays where it is, although rounding in float32 left it just below. Constants like .1 and .5
// make many of both.
constexpr float to_the_nearest = .5001f, to_truncate = .001f;

// Clipped and rounded by what is added. NaN becomes 0.
void to_levels(std::span<const float> values, float added, std::uint8_t* levels) {
  for (const float value : values) {
    const float positive = value > 0 ? value : 0;
    *levels++ = static_cast<std::uint8_t>(static_cast<int>((positive < 1 ? positive : 1) * 255 + added));
  }
}

// The levels of a picture, those of floats as to_levels has them.
void copy_levels(const Images& images, std::size_t row, float added, std::span<std::uint8_t> levels) {
  if (images.pixels.type == ElementType::u8) {
    std::ranges::copy(images.pixels.view<std::uint8_t>().subspan(row * levels.size(), levels.size()),
                      levels.begin());
  } else {
    thread_local std::vector<float> values;
    values.resize(levels.size());
    images.copy_row(row, values);
    to_levels(values, added, levels.data());
  }
}

// Three channels together, any other number one by one: what is no noise does to each the same.
void change_picture(const Corruption& member, const CorruptedPicture& picture,
                    const CorruptionSetting& setting, Random& random) {
  if (picture.channels == 3) return member.change(picture, setting, random);
  for (std::size_t c = 0; c < picture.channels; ++c) {
    Random same = random;
    member.change({picture.plane(c), 1, picture.height, picture.width}, setting,
                  member.name.ends_with("noise") ? random : same);
  }
}

}  // namespace

// Each is defined in corruptions/, in a file of its name.
Corruption corrupt_gaussian_noise();
Corruption corrupt_shot_noise();
Corruption corrupt_impulse_noise();
Corruption corrupt_defocus_blur();
Corruption corrupt_glass_blur();
Corruption corrupt_motion_blur();
Corruption corrupt_zoom_blur();
Corruption corrupt_snow();
Corruption corrupt_frost();
Corruption corrupt_fog();
Corruption corrupt_brightness();
Corruption corrupt_contrast();
Corruption corrupt_elastic_transform();
Corruption corrupt_pixelate();
Corruption corrupt_jpeg_compression();
Corruption corrupt_speckle_noise();
Corruption corrupt_gaussian_blur();
Corruption corrupt_spatter();
Corruption corrupt_saturate();

std::span<const Corruption> corruptions() {
  static const Corruption list[] = {
      corrupt_gaussian_noise(),
      corrupt_shot_noise(),
      corrupt_impulse_noise(),
      corrupt_defocus_blur(),
      corrupt_glass_blur(),
      corrupt_motion_blur(),
      corrupt_zoom_blur(),
      corrupt_snow(),
      corrupt_frost(),
      corrupt_fog(),
      corrupt_brightness(),
      corrupt_contrast(),
      corrupt_elastic_transform(),
      corrupt_pixelate(),
      corrupt_jpeg_compression(),
      corrupt_speckle_noise(),
      corrupt_gaussian_blur(),
      corrupt_spatter(),
      corrupt_saturate(),
  };
  return list;
}

const Corruption& corruption(std::string_view name) { return find_member(corruptions(), "corruption", name); }

Scale scale_for(ConstantSet set, std::size_t height, std::size_t width) {
  if (set != ConstantSet::automatic) return {set, 1};
  const std::size_t side = std::min(height, width);
  set = side <= 45 ? ConstantSet::cifar : side <= 119 ? ConstantSet::tiny : ConstantSet::imagenet;
  const double own = set == ConstantSet::cifar ? 32 : set == ConstantSet::tiny ? 64 : 224;
  const double factor = static_cast<double>(side) / own;
  return {set, std::abs(factor - 1) <= .15 ? 1 : factor};
}

Images Corruption::apply(const Images& images, const CorruptionOptions& options, Progress* progress) const {
  if (options.severity < 0 || options.severity > 5)
    refuse(fmt::format("corruption {}", name), "a severity from 0 to 5", fmt::format("{}", options.severity));
  const std::size_t n = images.n(), size = images.pixels_per_image();
  auto frost = options.frost;
  if (takes_frost && !frost && options.severity > 0) frost = procedural_frost_pictures(options.seed);
  if (takes_frost && frost && frost->empty())
    refuse(fmt::format("corruption {}", name), "at least one frost image", "none");
  const CorruptionSetting setting{options.severity, scale_for(options.set, images.height(), images.width()),
                                  options.variant, frost.get()};
  const bool published = options.variant == Variant::published;
  const float rounding = published ? to_truncate : to_the_nearest;
  const bool as_jpeg = published && options.severity > 0 && setting.scale.set != ConstantSet::cifar;
  const auto change_one = [&](std::size_t row, std::span<std::uint8_t> out) {
    if (options.severity == 0) return copy_levels(images, row, rounding, out);
    if (change_levels) {
      copy_levels(images, row, to_the_nearest, out);
      return change_levels({out, images.channels(), images.height(), images.width()}, setting);
    }
    thread_local std::vector<float> values;
    values.resize(size);
    images.copy_row(row, values);
    Random random(options.seed, stream(name), options.first_row + row);
    change_picture(*this, {values, images.channels(), images.height(), images.width()}, setting, random);
    to_levels(values, rounding, out.data());
  };
  std::vector<std::uint8_t> levels(n * size);
  for_each_picture(n, name, progress, [&](std::size_t row) {
    const std::span<std::uint8_t> out = std::span(levels).subspan(row * size, size);
    change_one(row, out);
    if (as_jpeg) compress_jpeg(out, images.height(), images.width(), quality_of_files);
  });
  Images changed{images.path, make_array(images.pixels.shape, std::move(levels)), images.labels};
  changed.class_names = images.class_names;
  return changed;
}

}  // namespace leeway::shift

#include "leeway/shift/shift.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

#include "leeway/core/error.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/core/rows.h"
#include "leeway/shift/jpeg.h"

namespace leeway::shift {

// Each is defined in pixels/ or rows/, in a file of its name; jpeg_compression in jpeg.cpp.
Member gaussian_noise();
Member shot_noise();
Member impulse_noise();
Member defocus_blur();
Member glass_blur();
Member motion_blur();
Member zoom_blur();
Member snow();
Member frost();
Member fog();
Member brightness();
Member contrast();
Member elastic_transform();
Member pixelate();
Member jpeg_compression();
Member speckle_noise();
Member gaussian_blur();
Member spatter();
Member saturate();
Member rotation();
Member pixelation();
Member jpeg();
Member imbalance();
Member label_subset();
Member label_noise();
Member label_noise_pair();

std::span<const Member> members() {
  static const Member list[] = {
      gaussian_noise(),
      shot_noise(),
      impulse_noise(),
      defocus_blur(),
      glass_blur(),
      motion_blur(),
      zoom_blur(),
      snow(),
      frost(),
      fog(),
      brightness(),
      contrast(),
      elastic_transform(),
      pixelate(),
      jpeg_compression(),
      speckle_noise(),
      gaussian_blur(),
      spatter(),
      saturate(),
      rotation(),
      pixelation(),
      jpeg(),
      imbalance(),
      label_subset(),
      label_noise(),
      label_noise_pair(),
  };
  return list;
}

const Member& member(std::string_view name) { return find_member(members(), "shift", name); }

std::span<const Member> corruptions() {
  const std::span<const Member> all = members();
  return all.first(static_cast<std::size_t>(std::ranges::count_if(all, &Member::has_severities)));
}

Scale scale_for(ConstantSet set, std::size_t height, std::size_t width) {
  if (set != ConstantSet::automatic) return {set, 1};
  const std::size_t side = std::min(height, width);
  set = side <= 45 ? ConstantSet::cifar : side <= 119 ? ConstantSet::tiny : ConstantSet::imagenet;
  const double own = set == ConstantSet::cifar ? 32 : set == ConstantSet::tiny ? 64 : 224;
  const double factor = static_cast<double>(side) / own;
  return {set, std::abs(factor - 1) <= .15 ? 1 : factor};
}

namespace {

constexpr int quality_of_files = 85;
constexpr std::size_t pictures_between_reports = 512;

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
void change_picture(const Member& member, const Picture& picture, const Setting& setting, Random& random) {
  if (picture.channels == 3) return member.by_severity(picture, setting, random);
  for (std::size_t c = 0; c < picture.channels; ++c) {
    Random same = random;
    member.by_severity({picture.plane(c), 1, picture.height, picture.width}, setting,
                       member.name.ends_with("noise") ? random : same);
  }
}

// Images whose picture `row` is what change(row, out) makes.
template <class Value>
Shifted changed(const Images& images, std::string_view task, Progress* progress,
                const std::function<void(std::size_t row, std::span<Value> out)>& change) {
  const std::size_t n = images.n(), size = images.pixels_per_image();
  std::vector<Value> pixels(n * size);
  for (std::size_t begin = 0; begin < n; begin += pictures_between_reports) {
    if (progress && progress->stop_requested())
      throw Interrupted(fmt::format("{} stopped after {} of {} images; nothing was written", task, begin, n));
    const std::size_t count = std::min(pictures_between_reports, n - begin);
    parallel_for(count, [&](std::size_t i) {
      change(begin + i, std::span(pixels).subspan((begin + i) * size, size));
    });
    if (progress) progress->update(task, begin + count, n, "");
  }
  Shifted shifted{{images.path, make_array(images.pixels.shape, std::move(pixels)), images.labels},
                  std::vector<std::size_t>(n)};
  shifted.images.class_names = images.class_names;
  std::iota(shifted.rows.begin(), shifted.rows.end(), std::size_t{0});
  return shifted;
}

Shifted change_by_severity(const Member& member, const Images& images, const Options& options,
                           Progress* progress) {
  const std::string where = fmt::format("corruption {}", member.name);
  const int severity = *options.severity;
  if (severity < 0 || severity > 5) refuse(where, "a severity from 0 to 5", fmt::format("{}", severity));
  auto frost = options.frost;
  if (member.takes_frost && !frost && severity > 0) frost = procedural_frost_pictures(options.seed);
  if (member.takes_frost && frost && frost->empty()) refuse(where, "at least one frost image", "none");
  const Setting setting{severity, scale_for(options.set, images.height(), images.width()), options.variant,
                        frost.get()};
  const bool published = options.variant == Variant::published;
  const float rounding = published ? to_truncate : to_the_nearest;
  const bool as_jpeg = published && severity > 0 && setting.scale.set != ConstantSet::cifar;
  const auto change_one = [&](std::size_t row, std::span<std::uint8_t> out) {
    if (severity == 0) return copy_levels(images, row, rounding, out);
    if (member.levels_by_severity) {
      copy_levels(images, row, to_the_nearest, out);
      return member.levels_by_severity({out, images.channels(), images.height(), images.width()}, setting);
    }
    thread_local std::vector<float> values;
    values.resize(out.size());
    images.copy_row(row, values);
    Random random(options.seed, stream(member.name), options.first_row + row);
    change_picture(member, {values, images.channels(), images.height(), images.width()}, setting, random);
    to_levels(values, rounding, out.data());
  };
  return changed<std::uint8_t>(images, member.name, progress,
                               [&](std::size_t row, std::span<std::uint8_t> out) {
                                 change_one(row, out);
                                 if (as_jpeg)
                                   compress_jpeg(out, images.height(), images.width(), quality_of_files);
                               });
}

// Error without labels, and where the classes name one twice or one that no label has.
void check_classes(const Member& member, const Images& images, const std::vector<std::int64_t>& classes) {
  if (member.needs_classes && classes.empty())
    throw Error(fmt::format("shift {}: expected the classes to keep, found none", member.name));
  if (!images.labels)
    throw Error(fmt::format("{}: shift {}: expected labels (`y`), found none", images.path, member.name));
  const std::set<std::int64_t> present(images.labels->begin(), images.labels->end());
  std::set<std::int64_t> seen;
  for (const auto label : classes) {
    if (!present.contains(label))
      throw Error(fmt::format("{}: shift {}: expected classes that occur, found {}, which is in no row",
                              images.path, member.name, label));
    if (!seen.insert(label).second)
      throw Error(fmt::format("shift {}: expected every class once, found {} twice", member.name, label));
  }
}

void check_strength(const Member& member, double wanted) {
  const std::string where = fmt::format("shift {}", member.name), found = fmt::format("{}", wanted);
  const Parameter legal = member.strength();
  if (!(wanted >= legal.low && wanted <= legal.high))
    refuse(where, fmt::format("a strength ({}) from {} to {}", legal.meaning, legal.low, legal.high), found);
  if (legal.integer && wanted != std::floor(wanted))
    refuse(where, fmt::format("an integer from {} to {}", legal.low, legal.high), found);
}

}  // namespace

Parameter Member::strength() const {
  return parameters.empty() ? Parameter{"strength", 0, 0, 0, "none"} : parameters.front();
}

Shifted Member::apply(const Images& images, const Options& options, Progress* progress) const {
  if (options.severity ? !has_severities() : !has_strengths())
    refuse(fmt::format("shift {}", name), has_severities() ? "a severity" : "a strength",
           options.severity ? "a severity" : "a strength");
  if (options.severity) return change_by_severity(*this, images, options, progress);
  check_strength(*this, options.strength);
  if (select != nullptr) {
    check_classes(*this, images, options.classes);
    std::vector<std::size_t> rows = select(images, options);
    Images kept = select_rows(images, rows);
    return {std::move(kept), std::move(rows)};
  }
  if (relabel != nullptr) {
    check_classes(*this, images, options.classes);
    Images noisy = images;  // of the same pixels
    noisy.labels = relabel(images, options);
    return {std::move(noisy), all_rows(images.n())};
  }
  const Setting setting{.strength = options.strength};
  return changed<float>(images, name, progress, [&](std::size_t row, std::span<float> out) {
    images.copy_row(row, out);
    Random random(options.seed, stream(name), options.first_row + row);
    by_strength({out, images.channels(), images.height(), images.width()}, setting, random);
  });
}

}  // namespace leeway::shift

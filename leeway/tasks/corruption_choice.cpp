#include "leeway/tasks/corruption_choice.h"

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "leeway/core/parallel.h"

namespace leeway::tasks {
namespace {

shift::ConstantSet set_named(const std::string& name) {
  return name == "cifar"      ? shift::ConstantSet::cifar
         : name == "tiny"     ? shift::ConstantSet::tiny
         : name == "imagenet" ? shift::ConstantSet::imagenet
                              : shift::ConstantSet::automatic;
}

const char* name_of_set(shift::ConstantSet set) {
  return set == shift::ConstantSet::cifar ? "cifar" : set == shift::ConstantSet::tiny ? "tiny" : "imagenet";
}

}  // namespace

shift::CorruptionOptions options_of(const record::CorruptionChoice& choice, bool frost, std::uint64_t seed) {
  shift::CorruptionOptions options;
  options.set = set_named(choice.set);
  options.rounding = choice.rounding == "trunc" ? shift::Rounding::truncate : shift::Rounding::nearest;
  if (choice.glass)
    options.glass = *choice.glass == "copy" ? shift::GlassExchange::copy : shift::GlassExchange::swap;
  if (frost && choice.frost_dir) options.frost = shift::read_frost_pictures(*choice.frost_dir);
  options.saved = choice.saved == "jpeg" ? shift::Saved::jpeg : shift::Saved::levels;
  options.slips = choice.slips == "published" ? shift::Slips::published : shift::Slips::mended;
  options.seed = seed;
  return options;
}

record::CorruptionUse use_of(const record::CorruptionChoice& choice, const Images& images) {
  const shift::Scale scale = shift::scale_for(set_named(choice.set), images.height(), images.width());
  return {name_of_set(scale.set),
          scale.lengths,
          choice.rounding,
          choice.glass.value_or(images.channels() == 3 ? "copy" : "swap"),
          choice.frost_dir.value_or("procedural"),
          choice.saved,
          choice.slips,
          choice.grey};
}

Images as_chosen(const record::CorruptionChoice& choice, Images images) {
  if (choice.grey != "colour" || images.channels() != 1) return images;
  std::vector<std::size_t> shape = images.pixels.shape;
  shape[1] = 3;
  const std::size_t size = images.pixels_per_image();
  const auto in_colour = [&]<class T>(std::span<const T> grey) {
    std::vector<T> levels;
    levels.reserve(3 * grey.size());
    for (std::size_t row = 0; row < images.n(); ++row)
      for (int channel = 0; channel < 3; ++channel) {
        const auto plane = grey.subspan(row * size, size);
        levels.insert(levels.end(), plane.begin(), plane.end());
      }
    return make_array(shape, std::move(levels));
  };
  images.pixels = images.pixels.type == ElementType::u8 ? in_colour(images.pixels.view<std::uint8_t>())
                                                        : in_colour(images.pixels.view<float>());
  return images;
}

bool defined_on(const shift::Corruption& corruption, const Images& images) {
  return corruption.on_grey || images.channels() == 3;
}

std::string name_of(shift::CorruptionGroup group) {
  switch (group) {
    case shift::CorruptionGroup::noise:
      return "noise";
    case shift::CorruptionGroup::blur:
      return "blur";
    case shift::CorruptionGroup::weather:
      return "weather";
    case shift::CorruptionGroup::digital:
      return "digital";
    case shift::CorruptionGroup::extra:
      break;
  }
  return "extra";
}

double mean_change(const Images& before, const Images& after, std::size_t first) {
  constexpr std::size_t rows_at_once = 256;
  const std::size_t size = before.pixels_per_image();
  const double sum = reduce_chunks<double>(
      after.n(), rows_at_once,
      [&](std::size_t begin, std::size_t end) {
        std::vector<float> was(size), is(size);
        double part = 0;
        for (std::size_t row = begin; row < end; ++row) {
          before.copy_row(first + row, was);
          after.copy_row(row, is);
          for (std::size_t i = 0; i < size; ++i) part += std::abs(static_cast<double>(is[i]) - was[i]);
        }
        return part;
      },
      [](double left, double right) { return left + right; });
  return sum / static_cast<double>(after.n() * size);
}

}  // namespace leeway::tasks

#include "leeway/tasks/corruption_choice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "leeway/core/parallel.h"

namespace leeway::tasks {

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

namespace {

constexpr std::array<std::string_view, 4> set_names = {"auto", "cifar", "tiny", "imagenet"};

shift::ConstantSet set_named(std::string_view name) {
  return static_cast<shift::ConstantSet>(std::ranges::find(set_names, name) - set_names.begin());
}

}  // namespace

shift::CorruptionOptions options_of(const CorruptionChoice& choice, bool frost, std::uint64_t seed) {
  shift::CorruptionOptions options;
  options.set = set_named(choice.set);
  if (choice.variant == "published") options.variant = shift::Variant::published;
  if (frost && choice.frost_dir) options.frost = shift::read_frost_pictures(*choice.frost_dir);
  options.seed = seed;
  return options;
}

CorruptionUse use_of(const CorruptionChoice& choice, const Images& images) {
  const shift::Scale scale = shift::scale_for(set_named(choice.set), images.height(), images.width());
  return {std::string(set_names[static_cast<std::size_t>(scale.set)]), scale.lengths, choice.variant,
          choice.frost_dir.value_or("procedural")};
}

bool defined_on(const shift::Corruption& corruption, const Images& images) {
  return corruption.on_grey || images.channels() == 3;
}

std::string name_of(shift::CorruptionGroup group) {
  constexpr std::array names = {"noise", "blur", "weather", "digital", "extra"};
  return names[static_cast<std::size_t>(group)];
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

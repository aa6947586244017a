#include "leeway/tasks/shifted_sets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "leeway/core/parallel.h"
#include "leeway/data/load.h"
#include "leeway/io/columns.h"

namespace leeway::tasks {
namespace {

constexpr std::array<std::string_view, 4> set_names = {"auto", "cifar", "tiny", "imagenet"};

shift::ConstantSet set_named(std::string_view name) {
  return static_cast<shift::ConstantSet>(std::ranges::find(set_names, name) - set_names.begin());
}

constexpr std::size_t block_bytes = std::size_t{64} << 20, shard = 32, shifted_sets_most_rows = 2048;

Images rows_of(const Images& images, std::size_t begin, std::size_t end) {
  Images part{images.path, images.pixels, std::nullopt};
  const std::size_t each = images.pixels_per_image() * size_of(images.pixels.type);
  part.pixels.shape[0] = end - begin;
  part.pixels.storage = std::shared_ptr<const void>(
      images.pixels.storage, static_cast<const std::byte*>(images.pixels.storage.get()) + begin * each);
  if (images.labels)
    part.labels.emplace(images.labels->begin() + static_cast<std::ptrdiff_t>(begin),
                        images.labels->begin() + static_cast<std::ptrdiff_t>(end));
  return part;
}

// Rows of one pass as a part of those of all units.
class BlockProgress : public Progress {
 public:
  BlockProgress(const PassProgress& pass, std::size_t begin, std::size_t rows)
      : pass_(pass), begin_(begin), rows_(rows) {}

  void update(std::string_view, std::size_t done, std::size_t total, std::string_view) override {
    const std::size_t rows = rows_ * std::min(done, total) / std::max<std::size_t>(1, total);
    pass_.whole->update(pass_.task, pass_.before + begin_ + rows, pass_.total, pass_.note);
  }
  [[nodiscard]] bool stop_requested() const override { return pass_.whole->stop_requested(); }

 private:
  const PassProgress& pass_;
  std::size_t begin_, rows_;
};

}  // namespace

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
             "as in the published image sets: rounded down, with the defects of the published programs, "
             "and with JPEG compression for tiny and imagenet"}},
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

shift::Options options_of(const CorruptionChoice& choice, bool frost, std::uint64_t seed) {
  shift::Options options;
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

bool defined_on(const shift::Member& member, const Images& images) {
  return member.on_grey || images.channels() == 3;
}

double sum_of_changes(const Images& before, const Images& after, std::size_t first) {
  constexpr std::size_t rows_at_once = 256;
  const std::size_t size = before.pixels_per_image();
  return reduce_chunks<double>(
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
}

ShiftedImages as_they_are(const Images& images) {
  return {images.pixels.type, images.pixels.shape, images.labels,
          [&images](std::size_t begin, std::size_t end) { return rows_of(images, begin, end); }};
}

ShiftedImages shifted(const Images& images, const ShiftUnit& unit, const shift::Options& options) {
  return {unit.severity ? ElementType::u8 : ElementType::f32, images.pixels.shape, images.labels,
          [&images, unit, options](std::size_t begin, std::size_t end) {
            shift::Options own = options;
            own.strength = unit.strength;
            if (unit.severity) own.severity = static_cast<int>(*unit.severity);
            own.first_row = begin;
            return unit.member->apply(rows_of(images, begin, end), own, nullptr).images;
          }};
}

std::string published_name(std::string_view corruption) {
  std::string name(corruption);
  std::ranges::replace(name, '-', '_');
  return name;
}

ShiftedImages published(const std::string& folder, std::string_view format, const ShiftUnit& unit,
                        const Images& like) {
  const data::CorruptionPart part{published_name(unit.member->name), unit.severity};
  auto set = std::make_shared<const data::Loaded>(data::load_set(format, {folder}, part));
  ShiftedImages images;
  images.shape = {set->n, set->shape[0], set->shape[1], set->shape[2]};
  if (!std::ranges::equal(std::span(images.shape).subspan(1), std::span(like.pixels.shape).subspan(1)))
    refuse(display_name(folder),
           fmt::format("images of {}, as in {}", fmt::join(std::span(like.pixels.shape).subspan(1), " x "),
                       display_name(like.path)),
           fmt::format("{}", fmt::join(set->shape, " x ")));
  images.labels.emplace(set->columns[0].codes.begin(), set->columns[0].codes.end());
  // published numbers stay where the names are others
  const auto places = places_of_names(set->columns[0].values, like.class_names);
  if (std::ranges::all_of(places, [](const auto& place) { return place.has_value(); }))
    for (std::int64_t& label : *images.labels)
      label = static_cast<std::int64_t>(*places[static_cast<std::size_t>(label)]);
  images.block = [set, labels = *images.labels, folder](std::size_t begin, std::size_t end) {
    const std::size_t each = set->shape[0] * set->shape[1] * set->shape[2];
    std::vector<std::uint8_t> levels((end - begin) * each);
    parallel_for(end - begin,
                 [&](std::size_t i) { set->picture(begin + i, std::span(levels).subspan(i * each, each)); });
    return Images{folder,
                  make_array({end - begin, set->shape[0], set->shape[1], set->shape[2]}, std::move(levels)),
                  std::vector<std::int64_t>(labels.begin() + static_cast<std::ptrdiff_t>(begin),
                                            labels.begin() + static_cast<std::ptrdiff_t>(end))};
  };
  return images;
}

void for_blocks(const ShiftedImages& images, const PassProgress& progress,
                const std::function<void(std::size_t, const Images&, Progress*)>& use) {
  const std::size_t n = images.shape[0], each = images.shape[1] * images.shape[2] * images.shape[3];
  const std::size_t fitting = block_bytes / std::max<std::size_t>(each, 1) / shard * shard,
                    rows = std::clamp(fitting, 2 * shard, shifted_sets_most_rows);
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = std::min(begin + rows, n);
    if (n - end < 2 * shard) end = n;
    if (progress.whole && progress.whole->stop_requested())
      throw Interrupted(
          fmt::format("{} stopped after {} of {} images; nothing was written", progress.task, begin, n));
    BlockProgress own(progress, begin, end - begin);
    use(begin, images.block(begin, end), progress.whole ? &own : nullptr);
    if (progress.whole)
      progress.whole->update(progress.task, progress.before + end, progress.total, progress.note);
    begin = end;
  }
}

}  // namespace leeway::tasks

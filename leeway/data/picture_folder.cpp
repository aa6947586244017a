#include "leeway/data/picture_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/core/numbers.h"
#include "leeway/data/detail/load_columns.h"
#include "leeway/data/detail/load_pictures.h"
#include "leeway/io/column_words.h"

namespace leeway::data {
namespace {

namespace fs = std::filesystem;

// Of the picture height x width: its size after resizing, and the part to keep.
Window window_of(std::size_t height, std::size_t width, const Preprocessing& how) {
  Window of{height, width};
  const std::size_t side = how.resize_shorter;
  if (side > 0)
    of = height <= width ? Window{side, side * width / height} : Window{side * height / width, side};
  if (how.crop == 0 || of.height < how.crop || of.width < how.crop) return of;
  of.top = place_of_middle(of.height, how.crop), of.left = place_of_middle(of.width, how.crop);
  return of;
}

void require_pictures(const fs::path& folder, const Loaded& set) {
  const LoadedColumn& image = set.columns.back();
  for (const std::string& name : image.values)
    if (!is_readable_picture(name))
      refuse(display_name(folder / name), "a PNG or JPEG image", "another format");
  if (set.columns.size() > 2) return;  // domains need not have every class
  for (const fs::path& path : paths_in(folder, true, "a folder"))
    if (std::ranges::find(set.columns[0].values, printable(path.filename().string(), 200)) ==
        set.columns[0].values.end())
      refuse(display_name(path), "images of the class", "none");
}

// Names of classes, sorted; of a table, whole numbers are class numbers.
void set_labels_of(Images& images, const LoadedColumn& label, bool of_table) {
  const bool numbers = of_table && std::ranges::all_of(label.values, [](const std::string& text) {
                         return whole_number(text).has_value();
                       });
  std::vector<std::string> names = label.values;
  std::ranges::sort(names);
  images.labels.emplace();
  for (const std::uint32_t code : label.codes) {
    const std::string& text = label.values[code];
    images.labels->push_back(numbers ? static_cast<std::int64_t>(*whole_number(text))
                                     : std::ranges::lower_bound(names, text) - names.begin());
  }
  if (!numbers) images.class_names = std::move(names);
}

}  // namespace

Preprocessing preprocessing_of(const PictureOptions& options) {
  Preprocessing how;
  const std::string preset = options.preprocess.value_or("");
  const bool timm = preset.starts_with("timm:");
  const auto share = parse_number(timm ? preset.substr(5) : "1");
  if ((!preset.empty() && !timm && preset != "imagenet") || !share || !(*share > 0 && *share <= 1))
    refuse("preprocess", "imagenet, or timm:SHARE with a share above 0 and up to 1, e.g. timm:0.875",
           in_quotes(preset));
  if (!preset.empty()) {
    how.crop = options.crop.value_or(224);
    how.resize_shorter = timm ? static_cast<std::size_t>(static_cast<double>(how.crop) / *share) : 256;
    if (timm) how.interpolation = Interpolation::bicubic;
    how.mean = {.485, .456, .406}, how.std = {.229, .224, .225};
  }
  if (options.resize_shorter) how.resize_shorter = *options.resize_shorter;
  if (preset.empty()) how.crop = options.crop.value_or(how.resize_shorter);
  if (const auto& name = options.interpolation) {
    constexpr std::string_view names[] = {"bilinear", "bicubic", "nearest"};  // in the order of Interpolation
    const auto* const found = std::ranges::find(names, *name);
    if (found == std::end(names)) refuse("interpolation", "bilinear, bicubic or nearest", in_quotes(*name));
    how.interpolation = static_cast<Interpolation>(found - names);
  }
  if (how.resize_shorter > 0 && how.crop > how.resize_shorter)
    refuse("crop", fmt::format("at most {}, the shorter side", how.resize_shorter), how.crop);
  return how;
}

Loaded preprocessed(Loaded set, const Preprocessing& how) {
  if (how.crop == 0) return set;
  if (!set.stored) refuse("crop", "images in files of their own", "others");
  const std::array<std::size_t, 3> shape = {set.shape[0], how.crop, how.crop};
  set.picture = [stored = std::move(set.stored), how, shape, image = set.columns.back()](
                    std::size_t row, std::span<std::uint8_t> out) {
    const Planes planes = stored(row);
    const Window of = window_of(planes.shape[1], planes.shape[2], how);
    if (std::min(of.height, of.width) < how.crop)
      refuse(image.values[image.codes[row]], fmt::format("at least {0} x {0} pixels (crop)", how.crop),
             fmt::format("{} x {}", of.height, of.width));
    resize(planes.pixels, planes.shape, out, shape, of, how.interpolation);
  };
  set.stored = nullptr;
  set.shape = shape;
  return set;
}

Images read_picture_folder(const fs::path& folder, const PictureOptions& options) {
  const Preprocessing how = preprocessing_of(options);
  const auto& table = options.picture_labels;
  const bool classes = !table && !paths_in(folder, true, "a folder of images").empty();
  Loaded set;
  if (table) {
    set = load_table({*table, folder}, "");
  } else if (classes) {
    set = load_set("folder", {folder});
    require_pictures(folder, set);
  } else {
    LoadedColumn& image = set.columns.emplace_back(LoadedColumn{"image", {}, {}});
    for (const fs::path& file : pictures_in(folder, "images")) add_file(image, file.filename().string());
    set.n = image.codes.size();
    add_pictures_of_folder(set, folder, folder);
  }
  set = preprocessed(std::move(set), how);
  Images images;
  images.path = folder.string();
  images.pixels = {ElementType::u8, {set.n, set.shape[0], set.shape[1], set.shape[2]}, nullptr, nullptr};
  images.picture = std::move(set.picture);
  if (classes || is_label(set.columns[0].name)) set_labels_of(images, set.columns[0], !classes);
  return images;
}

std::optional<Images> pictures_at(const std::string& path, const PictureOptions& options) {
  if (is_folder(path)) return read_picture_folder(path, options);
  if (options != PictureOptions{})
    refuse(display_name(path), "a folder of pictures, for --preprocess, --resize-shorter and --crop",
           is_there(path) ? "a file" : "nothing");
  return std::nullopt;
}

}  // namespace leeway::data

// Data sets stored as NumPy arrays or IDX files.
//
// dSprites ("dsprites-dataset", Matthey et al.): dsprites_ndarray_co1sh3sc6or40x32y32_64x64.npz with imgs
// (n,64,64), 0 or 1, and latents_classes (n,6): color, shape, scale, orientation, x, y. CIFAR-10-C and -100-C
// (Hendrycks and Dietterich): CORRUPTION.npy (50000,32,32,3) in u8, 10,000 pictures of the test set, in
// order, per severity 1 to 5, and labels.npy (50000). CIFAR-10.1 (Recht et al.): cifar10.1_v6_data.npy and
// cifar10.1_v6_labels.npy likewise. Arrays are memory-mapped.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "leeway/core/file.h"
#include "leeway/data/detail/load_columns.h"
#include "leeway/data/render.h"
#include "leeway/io/images.h"
#include "leeway/io/npy.h"

namespace leeway::data {
namespace {

const Array& member(const ArrayMap& arrays, const char* array, const std::string& name) {
  const auto found = arrays.find(array);
  if (found == arrays.end()) refuse(name, "an array " + in_quotes(array), "none");
  return found->second;
}

// (n,h,w,3) in u8 and n labels.
Loaded pictures_and_labels(const Paths& paths, const std::vector<std::string>& classes) {
  const std::string name = display_name(paths[0]), label_name = display_name(paths[1]);
  const Array pixels = read_npy(paths[0]), labels = read_npy(paths[1]);
  if (pixels.type != ElementType::u8 || pixels.shape.size() != 4 || pixels.shape[3] != 3)
    refuse(name, "images (n,h,w,3) of uint8",
           fmt::format("shape {} of {}", pixels.shape_text(), name_of(pixels.type)));
  Loaded set;
  set.n = pixels.shape[0];
  set.shape = {3, pixels.shape[1], pixels.shape[2]};
  if (labels.shape != std::vector<std::size_t>{set.n})
    refuse(label_name, fmt::format("{} labels", set.n), "shape " + labels.shape_text());
  NumberedColumn label("label", classes);
  for (const std::int64_t code : to_i64(labels, label_name)) label.add(code, label_name);
  set.columns.push_back(label.finish());
  const std::size_t area = set.shape[1] * set.shape[2];
  set.picture = [pixels, area](std::size_t row, std::span<std::uint8_t> out) {
    const auto from = pixels.view<std::uint8_t>().subspan(row * 3 * area, 3 * area);
    for (std::size_t i = 0; i < area; ++i)
      for (std::size_t c = 0; c < 3; ++c) out[c * area + i] = from[3 * i + c];
  };
  return set;
}

}  // namespace

Loaded load_dsprites(const Paths& paths) {
  const std::string name = display_name(paths[0]);
  const ArrayMap arrays = parse_npz(map_file(paths[0]), name, [](std::string_view array) {
    return array == "imgs" || array == "latents_classes";
  });
  const Array &pixels = member(arrays, "imgs", name), &latents = member(arrays, "latents_classes", name);
  if (pixels.type != ElementType::u8 || pixels.shape.size() != 3)
    refuse(name + ": imgs", "images (n,h,w) of uint8",
           fmt::format("shape {} of {}", pixels.shape_text(), name_of(pixels.type)));
  Loaded set;
  set.n = pixels.shape[0];
  set.shape = {1, pixels.shape[1], pixels.shape[2]};
  if (latents.shape != std::vector<std::size_t>{set.n, 6})
    refuse(name + ": latents_classes", fmt::format("shape ({}, 6)", set.n), latents.shape_text());
  const auto bright = std::ranges::find_if(pixels.view<std::uint8_t>(), [](auto v) { return v > 1; });
  if (const auto values = pixels.view<std::uint8_t>(); bright != values.end())
    refuse(name + ": imgs", "pixels of 0 and 1", fmt::format("{}", *bright));
  const auto codes = to_i64(latents, name + ": latents_classes");
  // Colour is white alone; the others are the factors that the rendered set has after its two colours.
  const RenderedSet& rendered = rendered_set("dsprites");
  for (const RenderedColumn& column : rendered.columns) {
    if (column.factor < 2) continue;
    NumberedColumn latent(column.name, column.texts);
    for (std::size_t row = 0; row < set.n; ++row)
      latent.add(codes[row * 6 + column.factor - 1], name + ": latents_classes");
    LoadedColumn loaded = latent.finish();
    put_values_in_order(loaded.values, loaded.codes, values_of(column));
    set.columns.push_back(std::move(loaded));
  }
  const std::size_t area = set.shape[1] * set.shape[2];
  set.picture = [pixels, area](std::size_t row, std::span<std::uint8_t> out) {
    const auto from = pixels.view<std::uint8_t>().subspan(row * area, area);
    std::ranges::transform(from, out.begin(),
                           [](std::uint8_t v) { return static_cast<std::uint8_t>(v * 255); });
  };
  return set;
}

namespace {

// The arrays of a part: FOLDER/CORRUPTION.npy, or the one that was named.
Paths arrays_of(const Paths& paths, const CorruptionPart& part) {
  const std::optional<std::string>& wanted = part.corruption;
  if (paths.size() == 2) {
    if (wanted && paths[0].stem().string() != *wanted)
      refuse(display_name(paths[0]), fmt::format("{}.npy", printable(*wanted)), "another corruption");
    return {paths[0]};
  }
  const CorruptionFolder folder = corruption_folder(paths[0]);
  Paths arrays;
  for (const std::string& name : folder.corruptions)
    if (!wanted || name == *wanted) arrays.push_back(paths[0] / (name + ".npy"));
  if (arrays.empty())
    refuse(display_name(paths[0]), fmt::format("{}.npy", printable(wanted.value_or("CORRUPTION"))), "none");
  return arrays;
}

Loaded load_cifar_c(const Paths& paths, const CorruptionPart& part, const std::vector<std::string>& classes) {
  if (paths.size() == 1 && !is_folder(paths[0]))
    refuse(display_name(paths[0]), "a folder, or CORRUPTION.npy labels.npy",
           is_there(paths[0]) ? "one file" : "nothing");
  const std::filesystem::path labels = paths.size() == 2 ? paths[1] : paths[0] / "labels.npy";
  Loaded all;
  LoadedColumn label, severity{"severity", {"1", "2", "3", "4", "5"}, {}}, corruption{"corruption", {}, {}};
  std::vector<std::pair<Loaded, std::size_t>> parts;  // and the row that each begins with
  for (const std::filesystem::path& array : arrays_of(paths, part)) {
    Loaded one = pictures_and_labels({array, labels}, classes);
    if (one.n % severities != 0)
      refuse(display_name(array), fmt::format("{} severities with the same number of images", severities),
             fmt::format("{} images", one.n));
    if (!parts.empty() && one.shape != all.shape)
      refuse(display_name(array), fmt::format("images of {} x {}", all.shape[1], all.shape[2]),
             fmt::format("{} x {}", one.shape[1], one.shape[2]));
    const std::size_t each = one.n / severities, first = part.severity ? (*part.severity - 1) * each : 0,
                      count = part.severity ? each : one.n;
    for (std::size_t row = first; row < first + count; ++row) {
      label.codes.push_back(one.columns[0].codes[row]);
      severity.codes.push_back(static_cast<std::uint32_t>(row / each));
      corruption.codes.push_back(static_cast<std::uint32_t>(corruption.values.size()));
    }
    corruption.values.push_back(array.stem().string());
    label.name = one.columns[0].name, label.values = one.columns[0].values;
    all.n += count, all.shape = one.shape;
    parts.emplace_back(std::move(one), first);
  }
  const std::size_t each = all.n / parts.size();
  const bool even = std::ranges::all_of(parts, [&](const auto& one) {
    return (part.severity ? one.first.n / severities : one.first.n) == each;
  });
  if (!even) refuse(display_name(paths[0]), "the same number of images for each corruption", "others");
  all.columns = {std::move(label), std::move(corruption), std::move(severity)};
  all.picture = [parts = std::move(parts), each](std::size_t row, std::span<std::uint8_t> out) {
    const auto& [one, first] = parts[row / each];
    one.picture(first + row % each, out);
  };
  return all;
}

}  // namespace

Loaded load_cifar10_c(const Paths& paths, const CorruptionPart& part) {
  return load_cifar_c(paths, part, cifar10_classes());
}
Loaded load_cifar100_c(const Paths& paths, const CorruptionPart& part) {
  return load_cifar_c(paths, part, numbers(100));
}

Loaded load_cifar10_1(const Paths& paths) { return pictures_and_labels(paths, cifar10_classes()); }

Loaded load_idx(const Paths& paths) {
  const auto images = std::make_shared<const Images>(read_images(paths[0].string()));
  const std::string name = display_name(paths[0]);
  if (images->pixels.type != ElementType::u8) refuse(name, "pixels of uint8", "float");
  if (!images->labels) refuse(name, "a file of labels next to it (labels-idx1 for images-idx3)", "none");
  Loaded set;
  set.n = images->n();
  set.shape = {images->channels(), images->height(), images->width()};
  TextColumn label("label");
  for (const std::int64_t one : *images->labels) label.add(std::to_string(one));
  set.columns.push_back(label.finish());
  set.picture = [images, each = images->pixels_per_image()](std::size_t row, std::span<std::uint8_t> out) {
    std::ranges::copy(images->pixels.view<std::uint8_t>().subspan(row * each, each), out.begin());
  };
  return set;
}

}  // namespace leeway::data

#include "leeway/core/images.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "leeway/core/content.h"
#include "leeway/core/error.h"
#include "leeway/core/file.h"
#include "leeway/core/file_checks.h"
#include "leeway/core/idx.h"
#include "leeway/core/inflate.h"
#include "leeway/core/memory.h"
#include "leeway/core/message.h"
#include "leeway/core/npz.h"
#include "leeway/core/outputs.h"

namespace leeway {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view fashion_mnist = "fashion-mnist:";

// The file of Debian's package for "fashion-mnist:train" and "fashion-mnist:test"; another path as it is.
fs::path resolve(const std::string& path_or_name) {
  if (!path_or_name.starts_with(fashion_mnist)) return path_or_name;
  const std::string part = path_or_name.substr(fashion_mnist.size());
  if (part != "train" && part != "test")
    refuse(printable(path_or_name), "fashion-mnist:train or fashion-mnist:test", in_quotes(part));
  fs::path path = fs::path("/usr/share/datasets/fashion-mnist") /
                  ((part == "train" ? "train" : "t10k") + std::string("-images-idx3-ubyte.gz"));
  if (!fs::exists(path))
    refuse(path_or_name, "the files of Debian's package dataset-fashion-mnist", "no " + path.string());
  return path;
}

// "t10k-labels-idx1-ubyte.gz" for "t10k-images-idx3-ubyte.gz", plain or gzipped; empty where there is none.
fs::path labels_beside(const fs::path& images) {
  std::string name = images.filename().string();
  const std::string_view word = "images-idx3";
  const std::size_t at = name.rfind(word);
  if (at == std::string::npos) return {};
  return plain_or_gzip(images.parent_path() / name.replace(at, word.size(), "labels-idx1"));
}

std::vector<std::int64_t> label_values(const Array& labels, std::size_t n, const std::string& where) {
  if (labels.shape != std::vector<std::size_t>{n})
    refuse(where, fmt::format("shape ({}), one label an image", n), "shape " + labels.shape_text());
  std::vector<std::int64_t> values = to_i64(labels, where);
  const auto negative = std::ranges::find_if(values, [](std::int64_t v) { return v < 0; });
  if (negative != values.end())
    refuse(where, "labels of at least 0", fmt::format("{} at row {}", *negative, negative - values.begin()));
  return values;
}

void refuse_pixel(double value, std::size_t image, const std::string& where) {
  refuse(where, "float pixels in [0,1]", fmt::format("{} at row {}", value, image));
}

// (n,c,h,w) as u8 or as float32 in [0,1].
Array checked_pixels(Array pixels, const std::string& where) {
  if (pixels.shape.size() != 4) refuse(where, "shape (n, c, h, w)", "shape " + pixels.shape_text());
  if (pixels.size() == 0) refuse(where, "at least one pixel", "shape " + pixels.shape_text());
  if (pixels.type == ElementType::u8) return pixels;
  const std::size_t per_image = pixels.size() / pixels.shape[0];
  const auto is_pixel = [](auto v) { return v >= 0 && v <= 1; };
  if (pixels.type == ElementType::f32) {
    const auto values = pixels.view<float>();
    const auto bad = std::ranges::find_if_not(values, is_pixel);
    if (bad != values.end())
      refuse_pixel(*bad, static_cast<std::size_t>(bad - values.begin()) / per_image, where);
    return pixels;
  }
  if (pixels.type != ElementType::f64) refuse(where, "pixels of type uint8 or float", name_of(pixels.type));
  const auto values = pixels.view<double>();
  std::vector<float> narrow(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!is_pixel(values[i])) refuse_pixel(values[i], i / per_image, where);
    narrow[i] = static_cast<float>(values[i]);
  }
  return make_array(pixels.shape, std::move(narrow));
}

Images from_idx(const MappedFile& file, const fs::path& path) {
  const std::string name = display_name(path);
  Array pixels = parse_idx(file, name);
  if (pixels.shape.size() != 3 || pixels.type != ElementType::u8)
    refuse(name, "IDX images: three dimensions of uint8",
           fmt::format("shape {} of {}", pixels.shape_text(), name_of(pixels.type)));
  pixels.shape.insert(pixels.shape.begin() + 1, 1);
  Images images{name, checked_pixels(std::move(pixels), name), std::nullopt};
  if (const fs::path labels = labels_beside(path); !labels.empty())
    images.labels = label_values(read_idx(labels), images.n(), display_name(labels));
  return images;
}

// Pixels or labels; a bare array is pixels where none is named x.
bool is_images_name(const std::string& key, const ArrayMap& arrays) {
  return key == "x" || key == "y" || key == "labels" || (key.empty() && !arrays.contains("x"));
}

}  // namespace

std::vector<fs::path> image_files(const std::string& path_or_name) {
  const fs::path path = resolve(path_or_name);
  const fs::path labels = labels_beside(path);
  return labels.empty() ? std::vector{path} : std::vector{path, labels};
}

Images read_images(const std::string& path_or_name) {
  ArrayMap others;
  return read_images(path_or_name, others);
}

Images read_images(const std::string& path_or_name, ArrayMap& others) {
  others.clear();
  const fs::path path = resolve(path_or_name);
  const MappedFile file = map_file(path);
  const std::string name = display_name(path);
  const Content content = identify(file.bytes);
  if (content == Content::idx || content == Content::gzip) {
    Images images = from_idx(file, path);
    images.path = path_or_name;
    return images;
  }
  const ArrayMap arrays = read_arrays(path);
  Images images = images_of(arrays, name);
  images.path = path_or_name;
  for (const auto& [key, array] : arrays)
    if (!is_images_name(key, arrays)) others.emplace(key, array);
  return images;
}

Images images_of(const ArrayMap& arrays, const std::string& name) {
  const auto x = arrays.contains("x") ? arrays.find("x") : arrays.find("");
  if (x == arrays.end()) {
    std::vector<std::string> names;
    for (const auto& entry : arrays) names.push_back(entry.first);
    refuse(name, "an array named x", printable(fmt::format("{}", fmt::join(names, ", ")), 100));
  }
  const std::string where = x->first.empty() ? name : name + ": x";
  Images images{name, checked_pixels(x->second, where), std::nullopt};
  const auto y = arrays.find("y"), labels = arrays.find("labels");
  if (y != arrays.end() && labels != arrays.end()) refuse(name, "one of y, labels", "both");
  if (const auto found = y != arrays.end() ? y : labels; found != arrays.end())
    images.labels = label_values(found->second, images.n(), name + ": " + found->first);
  return images;
}

void Images::copy_row(std::size_t row, std::span<float> out) const {
  const std::size_t size = pixels_per_image();
  if (row >= n() || out.size() != size)
    throw Error(
        fmt::format("Images::copy_row: expected a row below {} and room for {} values, found row {} and {}",
                    n(), size, row, out.size()));
  if (pixels.type == ElementType::f32) {
    std::ranges::copy(pixels.view<float>().subspan(row * size, size), out.begin());
    return;
  }
  const auto bytes = pixels.view<std::uint8_t>().subspan(row * size, size);
  static const std::array<float, 256> level = [] {
    std::array<float, 256> all{};
    for (std::size_t v = 0; v < all.size(); ++v) all[v] = static_cast<float>(v) / 255.0f;
    return all;
  }();
  std::ranges::transform(bytes, out.begin(), [](std::uint8_t v) { return level[v]; });
}

void write_images(const fs::path& path, const Images& images) {
  ArrayMap arrays{{"x", images.pixels}};
  if (images.labels) arrays["y"] = make_array({images.n()}, *images.labels);
  write_npz(path, arrays);
}

Images select_rows(const Images& images, std::span<const std::size_t> rows) {
  const std::size_t bytes = images.pixels_per_image() * size_of(images.pixels.type);
  const auto from = images.pixels.bytes();
  const auto block = allocate_bytes(rows.size() * bytes, images.path);
  Images selected;
  selected.path = images.path;
  selected.pixels = images.pixels;
  selected.pixels.shape[0] = rows.size();
  selected.pixels.storage = block;
  if (images.labels) selected.labels.emplace();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= images.n())
      throw Error(fmt::format("select_rows: expected rows below {}, found {}", images.n(), rows[i]));
    std::memcpy(block.get() + i * bytes, from.data() + rows[i] * bytes, bytes);
    if (images.labels) selected.labels->push_back((*images.labels)[rows[i]]);
  }
  return selected;
}

}  // namespace leeway

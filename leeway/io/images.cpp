#include "leeway/io/images.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "leeway/core/array.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/core/rows.h"
#include "leeway/io/column_words.h"
#include "leeway/io/content.h"
#include "leeway/io/idx.h"
#include "leeway/io/inflate.h"
#include "leeway/io/npy.h"
#include "leeway/io/outputs.h"
#include "leeway/io/outputs_arrays.h"

namespace leeway {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view fashion_mnist = "fashion-mnist:";
constexpr std::size_t few_pictures = 256;  // whose pixels may stay in memory

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

// Arrays of an images file that are not labels.
constexpr std::string_view beside_images[] = {"x",           "class_names", "groups", "group_names",
                                              "environment", "success",     "norms",  "rows"};

void add_doubt(Images& images, const std::string& line) {
  if (!line.empty()) images.doubt += (images.doubt.empty() ? "" : "; ") + line;
}

// Of `images` with pixels and class names. `missing`: rows may lack a label (-1, NaN).
void set_labels(Images& images, const NamedArray& found, bool missing) {
  const bool text = found.array.type == ElementType::text;
  const std::vector<std::string>& names = images.class_names;
  if (text && names.empty())
    refuse(found.where,
           "integers, or text with an array class_names (class_names, y = numpy.unique(y, "
           "return_inverse=True))",
           "text without class_names");
  const std::size_t n = images.n(),
                    k = names.empty() ? std::numeric_limits<std::int32_t>::max() : names.size();
  std::vector<std::int64_t> labels = label_values(found, n, k, names, 0).values;
  const std::size_t known = count_labels(labels);
  const bool ones = std::ranges::all_of(labels, [](auto label) { return label == no_label || label == 1; });
  if (!text && known > 0 && known < n && ones)
    refuse(found.where, "labels 0 and 1 for two classes (-1 means no label)", "-1 and 1 only");
  if (known > 0 && known < n && !missing)
    refuse(found.where, "a label of at least 0 for every image",
           fmt::format("-1 or NaN at row {}", std::ranges::find(labels, no_label) - labels.begin()));
  if (known == 0) return;
  add_doubt(images, missing_labels_text(images.path, labels));
  images.labels = std::move(labels);
}

// Under a standard name, or the only array under another word for labels. `targets` of leeway attack are none.
std::optional<NamedArray> labels_of_images(const ArrayMap& arrays, const std::string& name) {
  if (auto found = pick_array(arrays, {"y", "labels", "y_true"}, name)) return found;
  ArrayNames others;
  for (const auto& [key, array] : arrays)
    if (is_label(key) && !(key == "targets" && arrays.contains("success"))) others.push_back(key);
  return pick_array(arrays, others, name);
}

// Of a file without labels: the arrays that may hold them.
std::string unread_labels(const ArrayMap& arrays, const std::string& name, std::size_t n) {
  std::vector<std::string> names;
  for (const auto& [key, array] : arrays) {
    if (key.empty() || is_label(key) || std::ranges::find(beside_images, key) != std::end(beside_images))
      continue;
    const auto is_whole = [](double value) { return value == std::floor(value); };
    const bool numbers = array.type != ElementType::text && array.size() == n;
    if (is_misspelt_label(key) || (numbers && std::ranges::all_of(to_f64(array, key), is_whole)))
      names.push_back(key);
  }
  if (names.empty()) return {};
  return fmt::format("{}: no labels; ignored: {} (labels are an array y, labels or y_true)", name,
                     comma_list(names));
}

bool is_pixel(double value) { return value >= 0 && value <= 1; }

// Floats in [0,1], or bytes.
bool are_pixels(const Array& array) {
  if (array.type == ElementType::u8) return true;
  if (array.type == ElementType::f32) return std::ranges::all_of(array.view<float>(), is_pixel);
  return array.type == ElementType::f64 && std::ranges::all_of(array.view<double>(), is_pixel);
}

// (n,c,h,w) as u8 or as float32 in [0,1].
Array checked_pixels(Array pixels, const std::string& where) {
  if (pixels.type == ElementType::u8) return pixels;
  if (!pixels.is_float()) refuse(where, "pixels of type uint8 or float", name_of(pixels.type));
  const std::size_t per_image = pixels.size() / pixels.shape[0];
  const auto checked = [&](auto values) {
    const auto bad = std::ranges::find_if_not(values, is_pixel);
    if (bad != values.end())
      refuse(where, "float pixels in [0,1] (divide by 255, or undo the normalization)",
             fmt::format("{} at row {}", *bad, static_cast<std::size_t>(bad - values.begin()) / per_image));
    return values;
  };
  if (pixels.type == ElementType::f64) {
    const auto values = checked(pixels.view<double>());
    return make_array(pixels.shape, std::vector<float>(values.begin(), values.end()));
  }
  checked(pixels.view<float>());
  return pixels;
}

// (n,h,w,c) as (n,c,h,w).
template <class T>
Array channels_first(const Array& array) {
  const std::size_t n = array.shape[0], c = array.shape[3], places = array.shape[1] * array.shape[2];
  const auto from = array.view<T>();
  std::vector<T> to(from.size());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t place = 0; place < places; ++place)
      for (std::size_t channel = 0; channel < c; ++channel)
        to[(i * c + channel) * places + place] = from[(i * places + place) * c + channel];
  return make_array({n, c, array.shape[1], array.shape[2]}, std::move(to));
}

Array channels_first(const Array& pixels, const std::string& where) {
  if (pixels.type == ElementType::u8) return channels_first<std::uint8_t>(pixels);
  if (pixels.type == ElementType::f32) return channels_first<float>(pixels);
  if (pixels.type == ElementType::f64) return channels_first<double>(pixels);
  refuse(where, "pixels of type uint8 or float", name_of(pixels.type));
}

// Numbers of any range, in the shape of images.
Array checked_rows(const Array& array, const std::string& where) {
  const std::vector<double> values = to_f64(array, where);
  const std::size_t width = array.size() / array.shape[0];
  std::vector<float> narrow(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    narrow[i] = static_cast<float>(values[i]);
    if (!std::isfinite(narrow[i]))
      refuse(where, "finite numbers that fit into float32",
             fmt::format("{} at row {}", values[i], i / width));
  }
  std::vector<std::size_t> shape = array.shape;
  shape.resize(4, 1);
  return make_array(std::move(shape), std::move(narrow));
}

bool few_channels(std::size_t size) { return size == 1 || size == 3 || size == 4; }

// Of `rows`, whether the caller takes other rows than images.
Layout layout_of(const Array& x, bool rows, const std::string& where) {
  const std::vector<std::size_t>& shape = x.shape;
  if (shape.size() == 4)
    return few_channels(shape[3]) && !few_channels(shape[1]) ? Layout::nhwc : Layout::nchw;
  if (shape.size() == 3 && (!rows || are_pixels(x))) return Layout::nhw;
  if (shape.size() == 3 && are_byte_levels(x))
    refuse(where,
           "float pixels in [0,1] (divide by 255, or store uint8; --layout rows allows numbers of any range)",
           "numbers from 0 to 255");
  if (rows && (shape.size() == 2 || shape.size() == 3)) return Layout::rows;
  refuse(where, rows ? "shape (n, c, h, w), (n, h, w, c), (n, h, w) or (n, d)" : "shape (n, c, h, w)",
         "shape " + x.shape_text());
}

void check_layout(const Array& x, Layout layout, const std::string& where) {
  constexpr std::string_view ranks[] = {"", "4", "4", "3", "2 or 3"};  // in the order of Layout
  const std::string_view expected = ranks[static_cast<std::size_t>(layout)];
  if (expected.find(std::to_string(x.shape.size())) == expected.npos)
    refuse(where, fmt::format("{} dimensions, as {} has", expected, name_of(layout)),
           "shape " + x.shape_text());
}

// One line, or nothing. `named`: the layout was.
std::string doubt_of(const Images& images, bool named, const std::string& where) {
  if (std::string doubt = doubt_of_levels(images.pixels, where); !doubt.empty()) return doubt;
  if (named || few_channels(images.channels())) return {};
  return fmt::format("{}: shape {} is read as images of {} channels; usually there are 1, 3 or 4", where,
                     images.pixels.shape_text(), images.channels());
}

// Pixels, rank, note and doubt of `images` from an array of any layout.
void take_array(Images& images, Array x, bool rows, Layout layout, const std::string& where) {
  const std::string shape = x.shape_text();
  const bool named = layout != Layout::found;
  if (!named) layout = layout_of(x, rows, where);
  check_layout(x, layout, where);
  if (x.size() == 0) refuse(where, "at least one pixel", "shape " + shape);
  if (layout == Layout::rows) {
    images.rank = x.shape.size();
    images.pixels = checked_rows(x, where);
    return;
  }
  if (layout == Layout::nhwc) x = channels_first(x, where);
  if (layout == Layout::nhw) x.shape.insert(x.shape.begin() + 1, 1);
  images.pixels = checked_pixels(std::move(x), where);
  images.doubt = doubt_of(images, named, where);
  if (named || layout == Layout::nchw) return;
  images.note = layout == Layout::nhwc
                    ? fmt::format("{} {} is read as images with channels last", where, shape)
                    : fmt::format("{} {} is read as grayscale images{}", where, shape,
                                  rows ? " (--layout rows reads rows of numbers instead)" : "");
}

Images images_from(const ArrayMap& arrays, const std::string& name, bool rows, Layout layout) {
  const auto x = arrays.contains("x") ? arrays.find("x") : arrays.find("");
  if (x == arrays.end()) refuse(name, "an array named x", comma_list(array_names(arrays)));
  Images images{name, {}, std::nullopt};
  take_array(images, x->second, rows, layout, x->first.empty() ? name : name + ": x");
  const auto classes = arrays.find("classes"), names = arrays.find("class_names");
  if (names != arrays.end() && names->second.type != ElementType::text)
    refuse(name + ": class_names", "text", name_of(names->second.type));
  if (names != arrays.end())
    images.class_names = *names->second.texts;
  else if (classes != arrays.end() && classes->second.type == ElementType::text)
    images.class_names = *classes->second.texts;
  if (const auto labels = labels_of_images(arrays, name))
    set_labels(images, *labels, rows);
  else
    add_doubt(images, unread_labels(arrays, name, images.n()));
  return images;
}

Images from_idx(const MappedFile& file, const fs::path& path) {
  const std::string name = display_name(path);
  Array pixels = parse_idx(file, name);
  if (pixels.shape.size() != 3 || pixels.type != ElementType::u8)
    refuse(name, "IDX images: three dimensions of uint8",
           fmt::format("shape {} of {}", pixels.shape_text(), name_of(pixels.type)));
  pixels.shape.insert(pixels.shape.begin() + 1, 1);
  Images images{name, checked_pixels(std::move(pixels), name), std::nullopt};
  images.doubt = doubt_of(images, true, name);
  if (const fs::path labels = labels_beside(path); !labels.empty())
    set_labels(images, {read_idx(labels), display_name(labels)}, false);
  return images;
}

// Pixels or labels; a bare array is pixels where none is named x.
bool is_images_name(const std::string& key, const ArrayMap& arrays) {
  return key == "x" || is_label(key) || key == "class_names" || (key.empty() && !arrays.contains("x"));
}

std::vector<std::string> fashion_mnist_classes() {
  return {"T-shirt", "trouser", "pullover", "dress", "coat",
          "sandal",  "shirt",   "sneaker",  "bag",   "ankle boot"};
}

template <class T>
bool are_byte_levels(std::span<const T> values) {
  return std::ranges::all_of(values, [](T value) { return value >= 0 && value <= 255; }) &&
         std::ranges::any_of(values, [](T value) { return value > 16; });
}

}  // namespace

bool are_byte_levels(const Array& array) {
  if (array.shape.size() < 3 || array.shape.size() > 4) return false;
  if (array.type == ElementType::f32) return are_byte_levels(array.view<float>());
  return array.type == ElementType::f64 && are_byte_levels(array.view<double>());
}

std::string doubt_of_levels(const Array& pixels, const std::string& where) {
  const auto is_binary = [](std::uint8_t level) { return level <= 1; };
  if (pixels.type != ElementType::u8 || !std::ranges::all_of(pixels.view<std::uint8_t>(), is_binary))
    return {};
  return fmt::format(
      "{}: all uint8 pixels are 0 or 1, which is read as 0 and 1/255; for black and white, multiply by 255",
      where);
}

std::vector<fs::path> image_files(const std::string& path_or_name) {
  const fs::path path = resolve(path_or_name);
  const fs::path labels = labels_beside(path);
  return labels.empty() ? std::vector{path} : std::vector{path, labels};
}

Images read_images(const std::string& path_or_name) {
  ArrayMap others;
  return read_images(path_or_name, others);
}

static Images read_any(const std::string& path_or_name, ArrayMap& others, bool rows, Layout layout) {
  others.clear();
  const fs::path path = resolve(path_or_name);
  const MappedFile file = map_file(path);
  const std::string name = display_name(path);
  const Content content = identify(file.bytes);
  if (content == Content::idx || content == Content::gzip) {
    if (layout != Layout::found && layout != Layout::nhw)
      refuse(name, "a file other than IDX, which is nhw, or --layout nhw", name_of(layout));
    Images images = from_idx(file, path);
    images.path = path_or_name;
    if (path_or_name.starts_with(fashion_mnist)) images.class_names = fashion_mnist_classes();
    return images;
  }
  const ArrayMap arrays = read_arrays(path);
  Images images = images_from(arrays, name, rows, layout);
  images.path = path_or_name;
  for (const auto& [key, array] : arrays)
    if (!is_images_name(key, arrays)) others.emplace(key, array);
  return images;
}

Images read_images(const std::string& path_or_name, ArrayMap& others) {
  return read_any(path_or_name, others, false, Layout::found);
}

Images read_inputs(const std::string& path_or_name, ArrayMap& others, Layout layout) {
  return read_any(path_or_name, others, true, layout);
}

Images images_of(const ArrayMap& arrays, const std::string& name) {
  return images_from(arrays, name, false, Layout::found);
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
  std::vector<std::uint8_t> made(picture ? size : 0);
  if (picture) picture(row, made);
  const auto bytes =
      picture ? std::span<const std::uint8_t>(made) : pixels.view<std::uint8_t>().subspan(row * size, size);
  static const std::array<float, 256> level = [] {
    std::array<float, 256> all{};
    for (std::size_t v = 0; v < all.size(); ++v) all[v] = static_cast<float>(v) / 255.0f;
    return all;
  }();
  std::ranges::transform(bytes, out.begin(), [](std::uint8_t v) { return level[v]; });
}

void write_images(const fs::path& path, const Images& images) {
  ArrayMap arrays{{"x", images.pixels}};
  arrays["x"].shape = images.own_shape();
  arrays.merge(label_arrays(images));
  write_npz(path, arrays);
}

ArrayMap label_arrays(const Images& images) {
  ArrayMap arrays;
  if (images.labels) arrays["y"] = make_array({images.n()}, *images.labels);
  if (const auto& names = images.class_names; !names.empty()) arrays["class_names"] = make_text_array(names);
  return arrays;
}

Images middle_of(const Images& images, std::size_t side) {
  const std::size_t height = images.height(), width = images.width();
  if (side == 0 || side > height || side > width)
    throw Error(fmt::format("center crop: expected 1 to {} pixels, found {}", std::min(height, width), side));
  Images middle = images;
  middle.pixels.shape[2] = middle.pixels.shape[3] = side;
  if (images.picture) {
    middle.picture = [images, side](std::size_t row, std::span<std::uint8_t> out) {
      const Images part = middle_of(select_rows(images, std::array{row}), side);
      std::ranges::copy(part.pixels.view<std::uint8_t>(), out.begin());
    };
    return middle;
  }
  const std::size_t pixel = size_of(images.pixels.type), line = side * pixel;
  const auto block = allocate_bytes(images.n() * images.channels() * side * line, images.path);
  const std::size_t top = place_of_middle(height, side), left = place_of_middle(width, side);
  std::byte* out = block.get();
  for (std::size_t plane = 0; plane < images.n() * images.channels(); ++plane)
    for (std::size_t y = 0; y < side; ++y, out += line)
      std::memcpy(out, images.pixels.bytes().data() + ((plane * height + top + y) * width + left) * pixel,
                  line);
  middle.pixels.storage = block;
  return middle;
}

Images in_memory(Images images) {
  if (!images.picture) return images;
  const std::size_t size = images.pixels_per_image();
  const auto block = allocate_bytes(images.n() * size, images.path);
  auto* const levels = reinterpret_cast<std::uint8_t*>(block.get());
  parallel_for(images.n(), [&](std::size_t row) { images.picture(row, {levels + row * size, size}); });
  images.pixels.storage = block;
  images.picture = nullptr;
  return images;
}

Images select_rows(const Images& images, std::span<const std::size_t> rows) {
  for (const std::size_t row : rows)
    if (row >= images.n())
      throw Error(fmt::format("select_rows: expected rows below {}, found {}", images.n(), row));
  const Array& pixels = images.pixels;
  Images selected{images.path, pixels, std::nullopt, images.rank, {}, images.class_names};
  if (images.labels) selected.labels = at_rows(*images.labels, rows);
  selected.pixels.shape[0] = rows.size();
  if (images.picture) {
    selected.picture = [made = images.picture, some = std::vector(rows.begin(), rows.end())](
                           std::size_t row, std::span<std::uint8_t> out) { made(some[row], out); };
    return rows.size() <= few_pictures ? in_memory(std::move(selected)) : selected;
  }
  const Rows flat(Array{pixels.type, {images.n(), images.pixels_per_image()}, pixels.storage, {}});
  selected.pixels.storage = flat.take(rows).storage;
  return selected;
}

std::vector<std::string> class_names_of(const Images& images, std::size_t k) {
  return images.class_names.size() == k ? images.class_names : std::vector<std::string>();
}

}  // namespace leeway

// An images file: `x` (n,c,h,w), u8 or float in [0,1], and optionally `y` (n) (`labels`, `y_true`; else the
// only array under another word for labels, column_words.h) and `class_names` (`classes`), the name of each
// label from 0 (columns.h aligns sets and models by these names). Text labels are among these names. Without
// labels, `doubt` lists the arrays that may hold them. read_inputs also takes rows without a label (-1, NaN),
// which have no_label.
//
// Without a Layout, the layout is detected: (n,h,w) of u8 or of floats in [0,1] are gray images; (n,h,w,c)
// whose last dimension is 1, 3 or 4 and whose second is not are channels-last and are transposed. read_inputs
// also takes tables (n,d) and sequences (n,a,b) of any range, kept as (n,d,1,1) and (n,a,b,1) with their
// original rank.
//
// Read from .npz, .safetensors and IDX(.gz): IDX pictures (n,h,w) become (n,1,h,w); their labels come from
// the file whose name has "labels-idx1" for "images-idx3". "fashion-mnist:train" and "fashion-mnist:test"
// name the files of Debian's package dataset-fashion-mnist. Errors (Error: file, expected, found, row):
// another rank or type, n = 0, a float pixel outside [0,1], values that are not finite, labels that are
// negative, -1 and 1 alone, of another length or without a name among class_names, a Layout that the shape
// contradicts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"

namespace leeway {

// How the sizes of `x` stand: found out, or as named.
enum class Layout { found, nchw, nhwc, nhw, rows };
inline constexpr Layout every_layout[] = {Layout::found, Layout::nchw, Layout::nhwc, Layout::nhw,
                                          Layout::rows};
[[nodiscard]] constexpr std::string_view name_of(Layout layout) {
  constexpr std::string_view names[] = {"auto", "nchw", "nhwc", "nhw", "rows"};
  return names[static_cast<std::size_t>(layout)];
}

struct Images {
  std::string path;
  Array pixels;  // (n,c,h,w), u8 (value / 255) or float32
  std::optional<std::vector<std::int64_t>> labels;
  std::size_t rank = 4;   // 2 of tables, 3 of sequences: the array that models take; 4: images
  std::string note = {};  // what was found out about the layout, one line; empty: it is (n,c,h,w)
  std::vector<std::string> class_names = {};  // empty, or the name of every label
  // What makes the reading doubtful, one line: bytes of 0 and 1 alone, an unusual number of channels, labels
  std::string doubt = {};
  // Makes the levels of image `row` whenever they are read; thread-safe. `pixels` is then u8 without storage.
  std::function<void(std::size_t row, std::span<std::uint8_t> out)> picture = {};

  [[nodiscard]] bool are_rows() const { return rank < 4; }  // of any range
  [[nodiscard]] std::vector<std::size_t> own_shape() const {
    return {pixels.shape.begin(), pixels.shape.begin() + static_cast<std::ptrdiff_t>(rank)};
  }

  [[nodiscard]] std::size_t n() const { return pixels.shape[0]; }
  [[nodiscard]] std::size_t channels() const { return pixels.shape[1]; }
  [[nodiscard]] std::size_t height() const { return pixels.shape[2]; }
  [[nodiscard]] std::size_t width() const { return pixels.shape[3]; }
  [[nodiscard]] std::size_t pixels_per_image() const { return channels() * height() * width(); }

  // Image `row` as floats in [0,1], other rows as they are, into `out` (pixels_per_image() values).
  void copy_row(std::size_t row, std::span<float> out) const;
};

[[nodiscard]] Images read_images(const std::string& path_or_name);
// `others` gets the arrays of the file that are neither pixels nor labels.
[[nodiscard]] Images read_images(const std::string& path_or_name, ArrayMap& others);

// The same for what models take: images, or rows of any range; found out, or as named.
[[nodiscard]] Images read_inputs(const std::string& path_or_name, ArrayMap& others,
                                 Layout layout = Layout::found);

// The files that read_images opens: that of the name, and the labels beside it. Errors (Error): a name that is no set.
[[nodiscard]] std::vector<std::filesystem::path> image_files(const std::string& path_or_name);

// Images from named arrays (a bare array: ""); u8 and float32 pixels share storage. `name` opens messages.
[[nodiscard]] Images images_of(const ArrayMap& arrays, const std::string& name);

// `x` in the shape that it had as rows or (n,c,h,w), as it is (u8 stays u8, float32 stays float32), with `y` and
// `class_names` where there are any.
void write_images(const std::filesystem::path& path, const Images& images);
// The arrays `y` and `class_names` of images that have them.
[[nodiscard]] ArrayMap label_arrays(const Images& images);

// Where the middle `part` of `whole` pixels begins; of two middles the even one, as torchvision's CenterCrop.
[[nodiscard]] constexpr std::size_t place_of_middle(std::size_t whole, std::size_t part) {
  const std::size_t rest = whole - part, half = rest / 2;
  return half + rest % 2 * (half % 2);
}
// The middle side x side pixels of every image, with their labels. Error where there are fewer.
[[nodiscard]] Images middle_of(const Images& images, std::size_t side);

// The images with their pixels in memory, made in parallel.
[[nodiscard]] Images in_memory(Images images);

// Rows `rows` of `images`, in that order, with their labels; at most 256 pictures are then in memory.
[[nodiscard]] Images select_rows(const Images& images, std::span<const std::size_t> rows);

// Whether floats look like levels from 0 to 255 that should have been divided by 255: three or four dimensions, all values
// from 0 to 255, one of them above 16. Every reader of floats of any range refuses such arrays.
[[nodiscard]] bool are_byte_levels(const Array& array);
// A warning for uint8 pixels that are all 0 or 1, usually black and white that should be 0 and 255: "x: all uint8 pixels
// are 0 or 1, ..."; empty for other arrays.
[[nodiscard]] std::string doubt_of_levels(const Array& pixels, const std::string& where);

// The class names of images for outputs of k classes; empty if there are not k.
[[nodiscard]] std::vector<std::string> class_names_of(const Images& images, std::size_t k);

}  // namespace leeway

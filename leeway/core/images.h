// An images file: `x` (n,c,h,w), u8 or float in [0,1], and optionally `y` (n) (alias `labels`).
//
// Read from .npz and .safetensors, and from IDX(.gz): IDX pictures (n,h,w) become (n,1,h,w), and their labels
// are taken from the file beside them whose name has "labels-idx1" for "images-idx3". The names
// "fashion-mnist:train" and "fashion-mnist:test" mean the files of Debian's package dataset-fashion-mnist.
// Errors (Error: file, expected, found, row): another rank or type, n = 0, a float pixel outside [0,1] or
// NaN, labels of another length or negative.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "leeway/core/array.h"

namespace leeway {

struct Images {
  std::string path;
  Array pixels;  // (n,c,h,w), u8 (value / 255) or float32
  std::optional<std::vector<std::int64_t>> labels;

  [[nodiscard]] std::size_t n() const { return pixels.shape[0]; }
  [[nodiscard]] std::size_t channels() const { return pixels.shape[1]; }
  [[nodiscard]] std::size_t height() const { return pixels.shape[2]; }
  [[nodiscard]] std::size_t width() const { return pixels.shape[3]; }
  [[nodiscard]] std::size_t pixels_per_image() const { return channels() * height() * width(); }

  // Image `row` as floats in [0,1] into `out` (pixels_per_image() values).
  void copy_row(std::size_t row, std::span<float> out) const;
};

[[nodiscard]] Images read_images(const std::string& path_or_name);
// `others` gets the arrays of the file that are neither pixels nor labels.
[[nodiscard]] Images read_images(const std::string& path_or_name, ArrayMap& others);

// Images of arrays under the names of an images file (a bare array: ""); u8 and float32 pixels share their storage with the
// result. `name` opens messages.
[[nodiscard]] Images images_of(const ArrayMap& arrays, const std::string& name);

// `x` as it is (u8 stays u8, float32 stays float32), `y` where there are labels.
void write_images(const std::filesystem::path& path, const Images& images);

// Rows `rows` of `images`, in that order, with their labels.
[[nodiscard]] Images select_rows(const Images& images, std::span<const std::size_t> rows);

}  // namespace leeway

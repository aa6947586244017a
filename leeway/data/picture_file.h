// A PNG or JPEG picture file, recognized by its content.
//
// The pixels are those of Pillow: ImageOps.exif_transpose(Image.open(file)).convert("RGB"). Gray pictures
// have one channel, others RGB; CMYK is converted, color profiles are ignored (PNG: png.h). libjpeg-turbo
// decodes with the accurate integer transform and smooth chroma upsampling. Errors (Error): another format,
// or what png.h refuses; JPEG: sides above 16,384, more than 500 scans, any libjpeg warning (truncated files:
// libjpeg would invent the rest). Thread-safe; same bits on one machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/random.h"
#include "leeway/io/images.h"
#include "leeway/io/png.h"

namespace leeway::data {

// ".jpg" of "a.JPG".
[[nodiscard]] std::string suffix_of(const std::filesystem::path& file);
// Whether a file of that name is PNG or JPEG.
[[nodiscard]] bool is_readable_picture(const std::filesystem::path& file);

// Files or folders in a folder, by name. `what` it is, for the Error where it is no folder.
[[nodiscard]] std::vector<std::filesystem::path> paths_in(const std::filesystem::path& folder, bool folders,
                                                          const std::string& what);
// Pictures in a folder, by name. `what` they are, for the Error where it is no folder or has none.
[[nodiscard]] std::vector<std::filesystem::path> pictures_in(const std::filesystem::path& folder,
                                                             const std::string& what);

[[nodiscard]] Bitmap read_picture(const std::filesystem::path& file);
[[nodiscard]] Bitmap parse_jpeg(std::span<const std::byte> bytes, std::string_view name);
// Red, green and blue planes (3,h,w) of a picture; those of a gray one are equal.
[[nodiscard]] std::vector<std::uint8_t> color_planes(const Bitmap& bitmap);

// An image in levels from 0 to 255.
[[nodiscard]] std::vector<std::uint8_t> levels_of(const Images& images, std::size_t row);

// Error where `folder` is none; `what` it should be.
void expect_folder(const std::filesystem::path& folder, const std::string& what);

// Contact sheets of images: pictures side by side, for people to look at.
//
// Pictures of more than 256 pixels a side are shown as 256 x 256, small ones enlarged by whole factors.
// Errors (Error): images of other channels than 1 and 3.

// Pictures in 8 bits, one behind the other, that a sheet is made of.
class PictureSheet {
 public:
  // Of the shape that all pictures have; each row of the sheet has `columns` of them.
  PictureSheet(std::size_t channels, std::size_t height, std::size_t width, std::size_t columns);
  void add(const Images& images, std::size_t row);
  void leave_empty();  // white, in place of a picture
  [[nodiscard]] Bitmap bitmap() const;

 private:
  std::size_t channels_, height_, width_, columns_;
  std::vector<std::uint8_t> pixels_;
};

// `count` distinct rows of n, ascending, each subset equally likely (Floyd); all if n <= count.
[[nodiscard]] std::vector<std::size_t> sample_rows(Random random, std::size_t n, std::size_t count);

// Pictures (n, channels, height, width) side by side, `columns` a row, two pixels of white between them;
// small ones are enlarged by whole factors so that they are at least 64 pixels high. 1 or 3 channels.
[[nodiscard]] Bitmap contact_sheet(std::span<const std::uint8_t> pictures, std::size_t channels,
                                   std::size_t height, std::size_t width, std::size_t columns = 10);
// Rows to show of a set.
[[nodiscard]] inline std::vector<std::size_t> rows_of_sheet(std::size_t n, std::size_t count,
                                                            std::uint64_t seed) {
  return sample_rows(Random(seed, stream("sheet")), n, count);
}

}  // namespace leeway::data

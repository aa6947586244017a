#include "leeway/data/picture_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/data/exif.h"
#include "leeway/data/jpeg_handle.h"
#include "leeway/data/resize.h"

namespace leeway::data {
namespace {

constexpr int jpeg_flags = TJFLAG_ACCURATEDCT | TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS;

// Four inks a pixel, stored as 255 - ink (Adobe), to red, green and blue as Pillow's convert("RGB"): (255 -
// ink) (255 - black) / 255, rounded.
void inks_to_colors(Bitmap& bitmap) {
  const std::size_t area = bitmap.height * bitmap.width;
  for (std::size_t i = 0; i < area; ++i) {
    const int paper = bitmap.pixels[4 * i + 3];
    for (std::size_t c = 0; c < 3; ++c) {
      const int product = (255 - bitmap.pixels[4 * i + c]) * paper + 128;
      bitmap.pixels[3 * i + c] =
          static_cast<std::uint8_t>(std::max(0, paper - (((product >> 8) + product) >> 8)));
    }
  }
  bitmap.pixels.resize(3 * area);
}

constexpr std::size_t largest = 256;

}  // namespace

namespace fs = std::filesystem;

std::string suffix_of(const fs::path& file) { return lower_case(file.extension().string()); }

bool is_readable_picture(const fs::path& file) {
  const std::string suffix = suffix_of(file);
  return suffix == ".png" || suffix == ".jpg" || suffix == ".jpeg";
}

void expect_folder(const fs::path& folder, const std::string& what) {
  if (!is_folder(folder)) refuse(display_name(folder), what, is_there(folder) ? "a file" : "nothing");
}

std::vector<std::uint8_t> color_planes(const Bitmap& bitmap) {
  const std::size_t area = bitmap.height * bitmap.width;
  std::vector<std::uint8_t> planes(3 * area);
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < area; ++i)
      planes[c * area + i] = bitmap.pixels[i * bitmap.channels + (bitmap.channels == 3 ? c : 0)];
  return planes;
}

std::vector<std::uint8_t> levels_of(const Images& images, std::size_t row) {
  std::vector<float> values(images.pixels_per_image());
  images.copy_row(row, values);
  std::vector<std::uint8_t> levels(values.size());
  std::ranges::transform(values, levels.begin(),
                         [](float x) { return static_cast<std::uint8_t>(std::lround(x * 255)); });
  return levels;
}

std::vector<fs::path> paths_in(const fs::path& folder, bool folders, const std::string& what) {
  expect_folder(folder, what);
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code unreadable;
    if (folders ? it->is_directory(unreadable) : it->is_regular_file(unreadable)) paths.push_back(it->path());
  }
  if (error) refuse(display_name(folder), "a readable folder", error.message());
  std::ranges::sort(paths);
  return paths;
}

std::vector<fs::path> pictures_in(const fs::path& folder, const std::string& what) {
  std::vector<fs::path> files = paths_in(folder, false, "a folder of " + what);
  std::erase_if(files, [](const fs::path& file) { return !is_readable_picture(file); });
  if (files.empty()) refuse(display_name(folder), what + " (.png, .jpg, .jpeg)", "none");
  return files;
}

Bitmap parse_jpeg(std::span<const std::byte> bytes, std::string_view name) {
  thread_local JpegHandle handle = jpeg_decompressor();
  const auto fail = [&] {
    const std::string why = printable(tjGetErrorStr2(handle.get()), 200);
    handle = jpeg_decompressor();  // one that failed within a header would read on there
    refuse(name, "a complete JPEG image", why);
  };
  if (bytes.empty()) refuse(name, "a complete JPEG image", "an empty file");
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  int width = 0, height = 0, subsampling = 0, colours = 0;
  if (tjDecompressHeader3(handle.get(), data, bytes.size(), &width, &height, &subsampling, &colours) != 0)
    fail();
  const bool grey = colours == TJCS_GRAY, inks = colours == TJCS_CMYK || colours == TJCS_YCCK;
  Bitmap bitmap{grey ? 1u : 3u, static_cast<std::size_t>(height), static_cast<std::size_t>(width), {}};
  expect_pixels(bitmap.height, bitmap.width, bitmap.height * bitmap.width, bytes.size(), name);
  bitmap.pixels.resize((inks ? 4 : bitmap.channels) * bitmap.height * bitmap.width);
  if (tjDecompress2(handle.get(), data, bytes.size(), bitmap.pixels.data(), width, 0, height,
                    inks   ? TJPF_CMYK
                    : grey ? TJPF_GRAY
                           : TJPF_RGB,
                    jpeg_flags) != 0)
    fail();
  if (inks) inks_to_colors(bitmap);
  return bitmap;
}

Bitmap read_picture(const fs::path& path) {
  const MappedFile file = map_file(path);
  const std::string name = display_name(path);
  const auto begins = [&](std::initializer_list<unsigned char> with) {
    return std::ranges::equal(file.bytes.first(std::min(with.size(), file.bytes.size())), with, {},
                              [](std::byte byte) { return std::to_integer<unsigned char>(byte); });
  };
  if (begins({0xff, 0xd8, 0xff})) return upright(parse_jpeg(file.bytes, name), orientation_of(file.bytes));
  if (begins({0x89, 'P', 'N', 'G'})) return upright(parse_png(file.bytes, name), orientation_of(file.bytes));
  refuse(name, "a PNG or JPEG image", file.bytes.empty() ? "an empty file" : "other content");
}

PictureSheet::PictureSheet(std::size_t channels, std::size_t height, std::size_t width, std::size_t columns)
    : channels_(channels), height_(height), width_(width), columns_(columns) {
  if (channels != 1 && channels != 3) refuse("contact sheet", "images with 1 or 3 channels", channels);
  if (std::max(height, width) > largest) height_ = width_ = largest;
}

void PictureSheet::add(const Images& images, std::size_t row) {
  const std::array<std::size_t, 3> from{images.channels(), images.height(), images.width()},
      to{channels_, height_, width_};
  const std::size_t before = pixels_.size();
  pixels_.resize(before + channels_ * height_ * width_);
  resize(levels_of(images, row), from, std::span(pixels_).subspan(before), to);
}

void PictureSheet::leave_empty() {
  constexpr std::uint8_t white = 255;
  pixels_.resize(pixels_.size() + channels_ * height_ * width_, white);
}

Bitmap PictureSheet::bitmap() const { return contact_sheet(pixels_, channels_, height_, width_, columns_); }

std::vector<std::size_t> sample_rows(Random random, std::size_t n, std::size_t count) {
  std::vector<std::size_t> rows;
  if (count >= n) {
    rows.resize(n);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
  }
  std::unordered_set<std::size_t> drawn;
  for (std::size_t j = n - count; j < n; ++j) {
    const std::size_t row = random.below(j + 1);
    rows.push_back(drawn.insert(row).second ? row : j);
    drawn.insert(rows.back());
  }
  std::ranges::sort(rows);
  return rows;
}

Bitmap contact_sheet(std::span<const std::uint8_t> pictures, std::size_t channels, std::size_t height,
                     std::size_t width, std::size_t columns) {
  constexpr std::size_t gap = 2, least_height = 64;
  const std::size_t each = channels * height * width, count = pictures.size() / each;
  const std::size_t factor = (least_height + height - 1) / height, rows = (count + columns - 1) / columns;
  Bitmap sheet{channels, rows * (height * factor + gap) + gap, columns * (width * factor + gap) + gap, {}};
  sheet.pixels.assign(sheet.channels * sheet.height * sheet.width, 255);
  for (std::size_t p = 0; p < count; ++p) {
    const std::size_t top = p / columns * (height * factor + gap) + gap,
                      left = p % columns * (width * factor + gap) + gap;
    for (std::size_t y = 0; y < height * factor; ++y)
      for (std::size_t x = 0; x < width * factor; ++x)
        for (std::size_t c = 0; c < channels; ++c)
          sheet.pixels[((top + y) * sheet.width + left + x) * channels + c] =
              pictures[p * each + (c * height + y / factor) * width + x / factor];
  }
  return sheet;
}

}  // namespace leeway::data

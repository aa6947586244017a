#include "leeway/data/picture_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "leeway/core/message.h"
#include "leeway/data/resize.h"

namespace leeway::data {
namespace {

constexpr std::size_t largest = 256;

}  // namespace

PictureSheet::PictureSheet(std::size_t channels, std::size_t height, std::size_t width, std::size_t columns)
    : channels_(channels), height_(height), width_(width), columns_(columns) {
  if (channels != 1 && channels != 3)
    refuse("contact sheet", "images with 1 or 3 channels", fmt::format("{}", channels));
  if (std::max(height, width) > largest) height_ = width_ = largest;
}

void PictureSheet::add(const Images& images, std::size_t row) {
  const std::array<std::size_t, 3> from{images.channels(), images.height(), images.width()},
      to{channels_, height_, width_};
  std::vector<float> values(images.pixels_per_image());
  images.copy_row(row, values);
  std::vector<std::uint8_t> levels(values.size());
  std::ranges::transform(values, levels.begin(),
                         [](float x) { return static_cast<std::uint8_t>(std::lround(x * 255)); });
  const std::size_t before = pixels_.size();
  pixels_.resize(before + channels_ * height_ * width_);
  resize(levels, from, std::span(pixels_).subspan(before), to);
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

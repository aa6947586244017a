#include "leeway/data/picture_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "leeway/core/message.h"
#include "leeway/data/detail/contact_sheet.h"
#include "leeway/data/resize.h"

namespace leeway::data {
namespace {

constexpr std::size_t largest = 256;

}  // namespace

PictureSheet::PictureSheet(std::size_t channels, std::size_t height, std::size_t width, std::size_t columns)
    : channels_(channels), height_(height), width_(width), columns_(columns) {
  if (channels != 1 && channels != 3)
    refuse("contact sheet", "pictures of 1 or 3 channels", fmt::format("{}", channels));
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

std::vector<std::size_t> rows_of_sheet(std::size_t n, std::size_t count, std::uint64_t seed) {
  return sample_rows(Random(seed, stream("sheet")), n, count);
}

}  // namespace leeway::data

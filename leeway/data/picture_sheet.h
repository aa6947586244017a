// Contact sheets of images: pictures side by side, for people to look at.
//
// Pictures of more than 256 pixels a side are shown as 256 x 256, small ones enlarged by whole factors.
// Errors (Error): images of other channels than 1 and 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leeway/core/images.h"
#include "leeway/core/png.h"
#include "leeway/core/random.h"

namespace leeway::data {

// Pictures in 8 bits, one behind the other, that a sheet is made of.
class PictureSheet {
 public:
  // Of the shape that all pictures have; `columns` of them stand in a row of the sheet.
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

// Pictures (n, channels, height, width) side by side, `columns` a row, two pixels of white between them; small ones are enlarged
// by whole factors so that they are at least 64 pixels high. 1 or 3 channels.
[[nodiscard]] Bitmap contact_sheet(std::span<const std::uint8_t> pictures, std::size_t channels,
                                   std::size_t height, std::size_t width, std::size_t columns = 10);
// Rows to show of a set.
[[nodiscard]] inline std::vector<std::size_t> rows_of_sheet(std::size_t n, std::size_t count,
                                                            std::uint64_t seed) {
  return sample_rows(Random(seed, stream("sheet")), n, count);
}

}  // namespace leeway::data

#include "leeway/data/detail/contact_sheet.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace leeway::data {

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

// A picture of pictures, so that people see what a data set holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leeway/core/png.h"
#include "leeway/core/random.h"

namespace leeway::data {

// `count` different rows of n at random, ascending: every set of so many is as likely as any other (Floyd). All where there
// are no more.
[[nodiscard]] std::vector<std::size_t> sample_rows(Random random, std::size_t n, std::size_t count);

// Pictures (n, channels, height, width) side by side, `columns` a row, two pixels of white between them; small ones are enlarged
// by whole factors so that they are at least 64 pixels high. 1 or 3 channels.
[[nodiscard]] Bitmap contact_sheet(std::span<const std::uint8_t> pictures, std::size_t channels,
                                   std::size_t height, std::size_t width, std::size_t columns = 10);

}  // namespace leeway::data

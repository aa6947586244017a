// The exchange of pixels of glass blur. Not part of the library's interface.
#pragma once

#include <cstddef>
#include <span>

#include "leeway/shift/corruption.h"

namespace leeway::shift {

// Pixels that one pass visits: rows height - delta down to delta + 1, columns likewise.
[[nodiscard]] std::size_t visited_pixels(std::size_t height, std::size_t width, std::size_t delta);

// One pass: the i-th pixel visited, row after row from the last to the first and columns likewise, meets the one moves[i] =
// down * width + right places after it, down and right from -delta to delta - 1. In grey they change places, in colour the
// visited one takes the other's value.
void exchange_pixels(const CorruptedPicture& picture, std::size_t delta,
                     std::span<const std::ptrdiff_t> moves);

}  // namespace leeway::shift

// The orientation that a camera notes in a picture file (Exif 2.3, tag 0x0112): 1, as stored, to 8.
#pragma once

#include <cstddef>
#include <span>

#include "leeway/io/png.h"

namespace leeway::data {

// Of the first Exif block of a JPEG or PNG file; 1 where there is none or it is damaged.
[[nodiscard]] std::size_t orientation_of(std::span<const std::byte> file);

// The picture upright, as Pillow's ImageOps.exif_transpose.
[[nodiscard]] Bitmap upright(Bitmap stored, std::size_t orientation);

}  // namespace leeway::data

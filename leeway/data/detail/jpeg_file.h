// JPEG files as bitmaps: pictures that data sets come as.
//
// Grey files have one channel, others red, green and blue. Decoded by libjpeg-turbo with the accurate integer transform and
// smooth upsampling of colour: the bytes of Pillow's Image.open with the same libjpeg-turbo. Orientation (Exif) and colour
// profiles are not looked at.
//
// Errors (Error): no JPEG; four inks (CMYK); sides above 16,384; more than 500 scans; and all that libjpeg warns of, such as
// a file that ends early, because it then makes up the rest. Thread-safe; the same bits on one machine.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "leeway/core/png.h"

namespace leeway::data {

[[nodiscard]] Bitmap parse_jpeg(std::span<const std::byte> bytes, std::string_view name);

}  // namespace leeway::data

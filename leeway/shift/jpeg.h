// JPEG compression and decompression of a picture, for the shift `jpeg` and for defences.
//
// Pixels are clipped, rounded to bytes and compressed by libjpeg-turbo with the accurate integer transform.
// Three channels are RGB with 4:2:0 chroma; otherwise each channel is a gray picture. The same bytes as
// Pillow's save(format="JPEG", quality=quality) and open. Error: a side above 65,500 pixels. Thread-safe; the
// same bits on one machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace leeway::shift {

// `picture`: (channels,height,width) in place; multiples of 1/255 afterwards. `quality`: 1 (worst) to 100.
void compress_jpeg(std::span<float> picture, std::size_t height, std::size_t width, int quality);

// The same of levels.
void compress_jpeg(std::span<std::uint8_t> picture, std::size_t height, std::size_t width, int quality);

}  // namespace leeway::shift

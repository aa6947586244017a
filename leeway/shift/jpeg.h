// JPEG compression of one picture and back, as a function: the shift `jpeg` and defences that compress use it.
//
// Pixels are rounded to bytes (values outside [0,1] become 0 or 255), compressed by libjpeg-turbo with the accurate
// integer transform and read again. Three channels are red, green and blue, with colour at half the resolution (4:2:0);
// with any other number of channels each is a grey picture by itself. The same bytes as Pillow's
// save(format="JPEG", quality=quality) and open.
//
// Error: a side of more than 65,500 pixels. Thread-safe; the same bits on one machine.
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

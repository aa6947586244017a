#include "leeway/data/exif.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace leeway::data {
namespace {

using Bytes = std::span<const std::byte>;

// A whole number of `count` bytes; 0 beyond the end.
std::size_t number_at(Bytes bytes, std::size_t at, std::size_t count, bool little_endian) {
  if (at > bytes.size() || count > bytes.size() - at) return 0;
  std::size_t number = 0;
  for (std::size_t i = 0; i < count; ++i)
    number = number << 8 | std::to_integer<std::size_t>(bytes[at + (little_endian ? count - 1 - i : i)]);
  return number;
}

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// The TIFF structure of the Exif block; empty where there is none.
Bytes exif_of(Bytes file) {
  constexpr std::string_view name("Exif\0\0", 6);
  if (number_at(file, 0, 2, false) != 0xffd8) {
    for (const PngChunk& chunk : png_chunks(file))
      if (chunk.type == "eXIf") return chunk.bytes.subspan(8, chunk.bytes.size() - 12);
    return {};
  }
  // A segment of a JPEG file: 0xFF, marker, length with its own two bytes, data.
  for (std::size_t at = 2; number_at(file, at, 1, false) == 0xff;) {
    const std::size_t marker = number_at(file, at + 1, 1, false), size = number_at(file, at + 2, 2, false);
    if (marker == 0xda || size < 2 || size > file.size() - at - 2) return {};
    const Bytes data = file.subspan(at + 4, size - 2);
    if (marker == 0xe1 && text_of(data).starts_with(name)) return data.subspan(name.size());
    at += 2 + size;
  }
  return {};
}

}  // namespace

std::size_t orientation_of(Bytes file) {
  const Bytes tiff = exif_of(file);
  const bool little = text_of(tiff).starts_with("II");
  if (!little && !text_of(tiff).starts_with("MM")) return 1;
  constexpr std::size_t entry_size = 12, tag = 0x0112, short_type = 3;
  const std::size_t list = number_at(tiff, 4, 4, little), entries = number_at(tiff, list, 2, little);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t at = list + 2 + i * entry_size;
    if (number_at(tiff, at, 2, little) != tag || number_at(tiff, at + 2, 2, little) != short_type) continue;
    const std::size_t found = number_at(tiff, at + 8, 2, little);
    return found >= 1 && found <= 8 ? found : 1;
  }
  return 1;
}

Bitmap upright(Bitmap stored, std::size_t orientation) {
  if (orientation == 1) return stored;
  constexpr bool bottom_first[] = {false, false, false, true, true, false, true, true, false},
                 right_first[] = {false, false, true, true, false, false, false, true, true};
  const bool swapped = orientation >= 5, from_bottom = bottom_first[orientation],
             from_right = right_first[orientation];
  Bitmap turned{stored.channels, stored.height, stored.width,
                std::vector<std::uint8_t>(stored.pixels.size())};
  if (swapped) std::swap(turned.height, turned.width);
  std::uint8_t* out = turned.pixels.data();
  for (std::size_t y = 0; y < turned.height; ++y)
    for (std::size_t x = 0; x < turned.width; ++x, out += stored.channels) {
      const std::size_t row = swapped ? x : y, column = swapped ? y : x;
      const std::size_t v = from_bottom ? stored.height - 1 - row : row,
                        u = from_right ? stored.width - 1 - column : column;
      std::copy_n(&stored.pixels[(v * stored.width + u) * stored.channels], stored.channels, out);
    }
  return turned;
}

}  // namespace leeway::data

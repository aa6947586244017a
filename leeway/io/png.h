// PNG files: pictures for people to view, and data sets stored as folders of pictures.
//
// Reads the stored levels as 8-bit gray or RGB, as Pillow's convert("RGB"): transparency, gamma and color
// profiles are ignored. Samples of 16 bits are scaled to 8. Errors (Error): what libpng refuses, sides above
// 16,384, more pixels than 10^8 or than the file can hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace leeway {

struct Bitmap {
  std::size_t channels = 3, height = 0, width = 0;  // 1 or 3 channels
  std::vector<std::uint8_t> pixels;                 // (height, width, channels)
};

// The same bitmap gives the same bytes, for one version of libpng and zlib.
[[nodiscard]] std::string encode_png(const Bitmap& bitmap);
// "data:image/png;base64,..." of planes (channels, height, width).
[[nodiscard]] std::string png_data_uri(std::size_t channels, std::size_t height, std::size_t width,
                                       std::span<const std::uint8_t> planes);
void write_png(const std::filesystem::path& path, const Bitmap& bitmap);

// Error: a side above 16,384, more than 10^8 pixels (300 MB), or more bytes of pixels than deflate can pack
// into a file of this size; nor can JPEG.
void expect_pixels(std::size_t height, std::size_t width, std::size_t unpacked, std::size_t packed,
                   std::string_view name);

// The parts of a file, in order: signature (type ""), chunks, and bytes that are no chunk (type "").
struct PngChunk {
  std::string_view type;             // "IDAT"
  std::span<const std::byte> bytes;  // length (4), type (4), data, checksum (4)
};
[[nodiscard]] std::vector<PngChunk> png_chunks(std::span<const std::byte> bytes);

[[nodiscard]] Bitmap parse_png(std::span<const std::byte> bytes, std::string_view name);

}  // namespace leeway

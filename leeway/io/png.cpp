#include "leeway/io/png.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/io/inflate.h"

namespace leeway {
namespace {

// Bytes of the pixels as the header describes them, for files that libpng accepts.
std::size_t unpacked_size(std::span<const std::byte> bytes, std::size_t height, std::size_t width) {
  constexpr std::size_t depth_at = 24, color_at = 25;  // in the first chunk, which is the header
  constexpr std::array<std::size_t, 8> samples = {1, 0, 3, 1, 2, 0, 4, 0};  // by color type
  const auto depth = std::to_integer<std::size_t>(bytes[depth_at]);
  const auto color = std::to_integer<std::size_t>(bytes[color_at]) % samples.size();
  return height * ((width * depth * samples[color] + 7) / 8);
}

// Without gamma, color profile and transparency, which would change the stored levels.
std::vector<std::byte> levels_alone(std::span<const std::byte> bytes) {
  std::vector<std::byte> kept;
  kept.reserve(bytes.size());
  for (const PngChunk& chunk : png_chunks(bytes))
    if (chunk.type == "IHDR" || chunk.type == "PLTE" || chunk.type == "IDAT" || chunk.type == "IEND" ||
        chunk.type.empty())
      kept.insert(kept.end(), chunk.bytes.begin(), chunk.bytes.end());
  return kept;
}

std::string base64(std::string_view bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 3; ++j)
      word = word << 8 | (j < left ? static_cast<std::uint8_t>(bytes[i + j]) : 0u);
    for (std::size_t j = 0; j < 4; ++j) out += j <= left ? digits[word >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

}  // namespace

std::vector<PngChunk> png_chunks(std::span<const std::byte> bytes) {
  constexpr std::size_t signature = 8, around = 12;  // a chunk: length, type, data, checksum
  std::vector<PngChunk> chunks{{"", bytes.first(std::min(signature, bytes.size()))}};
  std::size_t at = chunks[0].bytes.size();
  while (bytes.size() - at >= around) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) size = size << 8 | std::to_integer<std::size_t>(bytes[at + i]);
    if (size > bytes.size() - at - around) break;
    const std::string_view type(reinterpret_cast<const char*>(&bytes[at + 4]), 4);
    chunks.push_back({type, bytes.subspan(at, size + around)});
    at += size + around;
  }
  chunks.push_back({"", bytes.subspan(at)});
  return chunks;
}

std::string encode_png(const Bitmap& bitmap) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(bitmap.width);
  header.height = static_cast<png_uint_32>(bitmap.height);
  header.format = bitmap.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&header, bytes.data(), &size, 0, bitmap.pixels.data(), 0, nullptr) == 0)
    throw std::runtime_error(fmt::format("cannot write a PNG image: {}", header.message));
  bytes.resize(size);
  return bytes;
}

std::string png_data_uri(std::size_t channels, std::size_t height, std::size_t width,
                         std::span<const std::uint8_t> planes) {
  Bitmap bitmap{channels, height, width, std::vector<std::uint8_t>(planes.size())};
  const std::size_t area = height * width;
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t p = 0; p < area; ++p) bitmap.pixels[p * channels + c] = planes[c * area + p];
  return "data:image/png;base64," + base64(encode_png(bitmap));
}

void write_png(const std::filesystem::path& path, const Bitmap& bitmap) {
  write_text(path, encode_png(bitmap));
}

void expect_pixels(std::size_t height, std::size_t width, std::size_t unpacked, std::size_t packed,
                   std::string_view name) {
  if (height > 16'384 || width > 16'384 || height * width > 100'000'000)
    refuse(name, "an image of at most 100000000 pixels, at most 16384 pixels per side",
           fmt::format("{} x {}", height, width));
  if (unpacked / max_expansion > packed)
    refuse(name, fmt::format("an image that {} compressed bytes can hold", packed),
           fmt::format("{} bytes of pixels", unpacked));
}

Bitmap parse_png(std::span<const std::byte> bytes, std::string_view name) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  const std::unique_ptr<png_image, decltype(&png_image_free)> closed(&header, &png_image_free);
  if (bytes.empty()) refuse(name, "a PNG image", "an empty file");
  const std::vector<std::byte> bare = levels_alone(bytes);
  if (png_image_begin_read_from_memory(&header, bare.data(), bare.size()) == 0)
    refuse(name, "a PNG image", printable(header.message));
  expect_pixels(header.height, header.width, unpacked_size(bytes, header.height, header.width), bytes.size(),
                name);
  header.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  const std::size_t channels = (header.format & PNG_FORMAT_FLAG_COLOR) != 0 ? 3 : 1;
  const bool alpha = (header.format & PNG_FORMAT_FLAG_ALPHA) != 0;
  header.format = (channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY) | (alpha ? PNG_FORMAT_FLAG_ALPHA : 0u);
  Bitmap bitmap{channels, header.height, header.width, {}};
  bitmap.pixels.resize(PNG_IMAGE_SIZE(header));
  if (png_image_finish_read(&header, nullptr, bitmap.pixels.data(), 0, nullptr) == 0)
    refuse(name, "a PNG image", printable(header.message));
  if (!alpha) return bitmap;
  const std::size_t area = bitmap.height * bitmap.width;
  for (std::size_t i = 0; i < area; ++i)
    std::copy_n(&bitmap.pixels[i * (channels + 1)], channels, &bitmap.pixels[i * channels]);
  bitmap.pixels.resize(area * channels);
  return bitmap;
}

}  // namespace leeway

#include "leeway/core/png.h"

#include <fmt/format.h>
#include <png.h>

#include <memory>
#include <stdexcept>

#include "leeway/core/file.h"
#include "leeway/core/message.h"

namespace leeway {
namespace {

constexpr std::size_t longest_side = 16'384;

}  // namespace

std::string encode_png(const Bitmap& bitmap) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(bitmap.width);
  header.height = static_cast<png_uint_32>(bitmap.height);
  header.format = bitmap.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&header, bytes.data(), &size, 0, bitmap.pixels.data(), 0, nullptr) == 0)
    throw std::runtime_error(fmt::format("cannot write a PNG picture: {}", header.message));
  bytes.resize(size);
  return bytes;
}

void write_png(const std::filesystem::path& path, const Bitmap& bitmap) {
  write_text(path, encode_png(bitmap));
}

Bitmap parse_png(std::span<const std::byte> bytes, std::string_view name) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  const std::unique_ptr<png_image, decltype(&png_image_free)> closed(&header, &png_image_free);
  if (bytes.empty()) refuse(name, "a PNG picture", "an empty file");
  if (png_image_begin_read_from_memory(&header, bytes.data(), bytes.size()) == 0)
    refuse(name, "a PNG picture", printable(header.message));
  if (header.width > longest_side || header.height > longest_side)
    refuse(name, fmt::format("a picture of at most {} pixels a side", longest_side),
           fmt::format("{} x {}", header.height, header.width));
  const bool color = (header.format & PNG_FORMAT_FLAG_COLOR) != 0;
  header.format = color ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  Bitmap bitmap{color ? 3u : 1u, header.height, header.width, {}};
  bitmap.pixels.resize(bitmap.channels * bitmap.height * bitmap.width);
  const png_color black{0, 0, 0};
  if (png_image_finish_read(&header, &black, bitmap.pixels.data(), 0, nullptr) == 0)
    refuse(name, "a PNG picture", printable(header.message));
  return bitmap;
}

}  // namespace leeway

#include "leeway/data/detail/jpeg_file.h"

#include <string>

#include "leeway/core/message.h"
#include "leeway/data/jpeg_handle.h"

namespace leeway::data {
namespace {

constexpr int longest_jpeg_side = 16'384;
constexpr int flags = TJFLAG_ACCURATEDCT | TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS;

}  // namespace

Bitmap parse_jpeg(std::span<const std::byte> bytes, std::string_view name) {
  thread_local JpegHandle handle = jpeg_decompressor();
  const auto fail = [&] {
    const std::string why = printable(tjGetErrorStr2(handle.get()), 200);
    handle = jpeg_decompressor();  // one that failed within a header would read on there
    refuse(name, "a whole JPEG picture", why);
  };
  if (bytes.empty()) refuse(name, "a whole JPEG picture", "an empty file");
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  int width = 0, height = 0, subsampling = 0, colours = 0;
  if (tjDecompressHeader3(handle.get(), data, bytes.size(), &width, &height, &subsampling, &colours) != 0)
    fail();
  if (colours == TJCS_CMYK || colours == TJCS_YCCK)
    refuse(name, "a JPEG picture in grey or in red, green and blue", "one of four inks (CMYK)");
  if (width > longest_jpeg_side || height > longest_jpeg_side)
    refuse(name, fmt::format("a picture of at most {} pixels a side", longest_jpeg_side),
           fmt::format("{} x {}", height, width));
  const bool grey = colours == TJCS_GRAY;
  Bitmap bitmap{grey ? 1u : 3u, static_cast<std::size_t>(height), static_cast<std::size_t>(width), {}};
  bitmap.pixels.resize(bitmap.channels * bitmap.height * bitmap.width);
  if (tjDecompress2(handle.get(), data, bytes.size(), bitmap.pixels.data(), width, 0, height,
                    grey ? TJPF_GRAY : TJPF_RGB, flags) != 0)
    fail();
  return bitmap;
}

}  // namespace leeway::data

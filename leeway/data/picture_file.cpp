#include "leeway/data/picture_file.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/text.h"
#include "leeway/data/jpeg_handle.h"

namespace leeway::data {
namespace {

constexpr int jpeg_flags = TJFLAG_ACCURATEDCT | TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS;

}  // namespace

namespace fs = std::filesystem;

std::string suffix_of(const fs::path& file) { return lower_case(file.extension().string()); }

bool is_readable_picture(const fs::path& file) {
  const std::string suffix = suffix_of(file);
  return suffix == ".png" || suffix == ".jpg" || suffix == ".jpeg";
}

void expect_folder(const fs::path& folder, const std::string& what) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    refuse(display_name(folder), what, fs::exists(folder, error) ? "a file" : "nothing");
}

std::vector<std::uint8_t> color_planes(const Bitmap& bitmap) {
  const std::size_t area = bitmap.height * bitmap.width;
  std::vector<std::uint8_t> planes(3 * area);
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < area; ++i)
      planes[c * area + i] = bitmap.pixels[i * bitmap.channels + (bitmap.channels == 3 ? c : 0)];
  return planes;
}

std::vector<fs::path> paths_in(const fs::path& folder, bool folders, const std::string& what) {
  expect_folder(folder, what);
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code unreadable;
    if (folders ? it->is_directory(unreadable) : it->is_regular_file(unreadable)) paths.push_back(it->path());
  }
  if (error) refuse(display_name(folder), "a readable folder", error.message());
  std::ranges::sort(paths);
  return paths;
}

std::vector<fs::path> pictures_in(const fs::path& folder, const std::string& what) {
  std::vector<fs::path> files = paths_in(folder, false, "a folder of " + what);
  std::erase_if(files, [](const fs::path& file) { return !is_readable_picture(file); });
  if (files.empty()) refuse(display_name(folder), what + " (.png, .jpg, .jpeg)", "none");
  return files;
}

Bitmap parse_jpeg(std::span<const std::byte> bytes, std::string_view name) {
  thread_local JpegHandle handle = jpeg_decompressor();
  const auto fail = [&] {
    const std::string why = printable(tjGetErrorStr2(handle.get()), 200);
    handle = jpeg_decompressor();  // one that failed within a header would read on there
    refuse(name, "a complete JPEG image", why);
  };
  if (bytes.empty()) refuse(name, "a complete JPEG image", "an empty file");
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  int width = 0, height = 0, subsampling = 0, colours = 0;
  if (tjDecompressHeader3(handle.get(), data, bytes.size(), &width, &height, &subsampling, &colours) != 0)
    fail();
  if (colours == TJCS_CMYK || colours == TJCS_YCCK)
    refuse(name, "a grayscale or RGB JPEG image", "a CMYK image");
  const bool grey = colours == TJCS_GRAY;
  Bitmap bitmap{grey ? 1u : 3u, static_cast<std::size_t>(height), static_cast<std::size_t>(width), {}};
  expect_pixels(bitmap.height, bitmap.width, bitmap.height * bitmap.width, bytes.size(), name);
  bitmap.pixels.resize(bitmap.channels * bitmap.height * bitmap.width);
  if (tjDecompress2(handle.get(), data, bytes.size(), bitmap.pixels.data(), width, 0, height,
                    grey ? TJPF_GRAY : TJPF_RGB, jpeg_flags) != 0)
    fail();
  return bitmap;
}

Bitmap read_picture(const fs::path& path) {
  const MappedFile file = map_file(path);
  const std::string name = display_name(path);
  const auto begins = [&](std::initializer_list<unsigned char> with) {
    return std::ranges::equal(file.bytes.first(std::min(with.size(), file.bytes.size())), with, {},
                              [](std::byte byte) { return std::to_integer<unsigned char>(byte); });
  };
  if (begins({0xff, 0xd8, 0xff})) return parse_jpeg(file.bytes, name);
  if (begins({0x89, 'P', 'N', 'G'})) return parse_png(file.bytes, name);
  refuse(name, "a PNG or JPEG image", file.bytes.empty() ? "an empty file" : "other content");
}

}  // namespace leeway::data

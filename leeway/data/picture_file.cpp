#include "leeway/data/picture_file.h"

#include <algorithm>
#include <initializer_list>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/text.h"
#include "leeway/data/detail/jpeg_file.h"

namespace leeway::data {

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

std::vector<fs::path> pictures_in(const fs::path& folder, const std::string& what) {
  expect_folder(folder, "a folder of " + what);
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->is_regular_file(error) && is_readable_picture(it->path())) files.push_back(it->path());
  if (error) refuse(display_name(folder), "a folder that can be read", error.message());
  if (files.empty()) refuse(display_name(folder), what + " (.png, .jpg, .jpeg)", "none");
  std::ranges::sort(files);
  return files;
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
  refuse(name, "a PNG or JPEG picture", file.bytes.empty() ? "an empty file" : "other content");
}

}  // namespace leeway::data

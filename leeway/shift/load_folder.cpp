// A folder of pictures by class: FOLDER/CLASS/x.png, or FOLDER/DOMAIN/CLASS/x.png as PACS and OfficeHome have it.
//
// The table has the class, the domain where there is one, and the file; rows are in the order of the files' names.
// Pictures come with it, in colour, where all are PNG and of one size.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>

#include "leeway/core/png.h"
#include "leeway/shift/load_columns.h"

namespace leeway::shift {
namespace {

namespace fs = std::filesystem;

std::string suffix_of(const fs::path& path) {
  std::string suffix = path.extension().string();
  std::ranges::transform(suffix, suffix.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return suffix;
}

constexpr std::array<std::string_view, 6> picture_suffixes = {".png", ".jpg", ".jpeg",
                                                              ".bmp", ".tif", ".webp"};

// Relative paths of all pictures, sorted.
std::vector<fs::path> pictures_below(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  if (!fs::is_directory(folder, error))
    refuse(display_name(folder), "a folder", fs::exists(folder, error) ? "a file" : "nothing");
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->is_regular_file(error) &&
        std::ranges::find(picture_suffixes, suffix_of(it->path())) != picture_suffixes.end())
      files.push_back(it->path().lexically_relative(folder));
  if (error) refuse(display_name(folder), "a folder that can be read", error.message());
  std::ranges::sort(files);
  return files;
}

}  // namespace

Loaded load_folder(const Paths& paths) {
  const fs::path& folder = paths[0];
  const std::string name = display_name(folder);
  const auto files = std::make_shared<const std::vector<fs::path>>(pictures_below(folder));
  if (files->empty()) refuse(name, "pictures in folders of their class", "none");
  const auto depth = std::distance(files->front().begin(), files->front().end());
  if (depth != 2 && depth != 3)
    refuse(name, "CLASS/x.png or DOMAIN/CLASS/x.png", in_quotes(files->front().string()));
  Loaded set;
  set.n = files->size();
  TextColumn label("class"), domain("domain");
  LoadedColumn image{"image", {}, {}};
  bool all_png = true;
  for (const fs::path& file : *files) {
    if (std::distance(file.begin(), file.end()) != depth)
      refuse(name, fmt::format("pictures {} folders deep", depth - 1), in_quotes(file.string()));
    const auto part = file.begin();
    if (depth == 3) domain.add(printable(part->string(), 200));
    label.add(printable(std::next(part, depth - 2)->string(), 200));
    image.codes.push_back(static_cast<std::uint32_t>(image.values.size()));
    image.values.push_back(printable(file.generic_string(), 1000));
    all_png = all_png && suffix_of(file) == ".png";
  }
  set.columns.push_back(label.finish());
  if (depth == 3) set.columns.push_back(domain.finish());
  set.columns.push_back(std::move(image));
  if (!all_png) return set;
  const Bitmap first = read_png(folder / files->front());
  set.shape = {3, first.height, first.width};
  set.picture = [folder, files, shape = set.shape](std::size_t row, std::span<std::uint8_t> out) {
    const Bitmap bitmap = read_png(folder / (*files)[row]);
    if (bitmap.height != shape[1] || bitmap.width != shape[2])
      refuse(display_name(folder / (*files)[row]),
             fmt::format("{} x {} pixels, as the first picture", shape[1], shape[2]),
             fmt::format("{} x {}", bitmap.height, bitmap.width));
    const std::size_t area = shape[1] * shape[2];
    for (std::size_t i = 0; i < area; ++i)
      for (std::size_t c = 0; c < 3; ++c)
        out[c * area + i] = bitmap.pixels[i * bitmap.channels + (bitmap.channels == 3 ? c : 0)];
  };
  return set;
}

}  // namespace leeway::shift

// A folder of pictures by class: FOLDER/CLASS/x.png, or FOLDER/DOMAIN/CLASS/x.png as in PACS and OfficeHome.
// The table has the class, any domain, and the file, ordered by file name; color pictures are included if all
// are PNG or JPEG.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "leeway/data/detail/load_columns.h"
#include "leeway/data/detail/load_pictures.h"

namespace leeway::data {
namespace {

namespace fs = std::filesystem;

// Those that cannot be read count too: a table without pictures.
bool is_picture(const fs::path& file) {
  constexpr std::array<std::string_view, 4> others = {".bmp", ".tif", ".tiff", ".webp"};
  return is_readable_picture(file) || std::ranges::find(others, suffix_of(file)) != others.end();
}

// Relative paths of all pictures, sorted.
std::vector<fs::path> pictures_below(const fs::path& folder) {
  expect_folder(folder, "a folder");
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->is_regular_file(error) && is_picture(it->path()))
      files.push_back(it->path().lexically_relative(folder));
  if (error) refuse(display_name(folder), "a readable folder", error.message());
  std::ranges::sort(files);
  return files;
}

}  // namespace

Loaded load_folder(const Paths& paths) {
  const fs::path& folder = paths[0];
  const std::string name = display_name(folder);
  std::vector<fs::path> files = pictures_below(folder);
  if (files.empty()) refuse(name, "images in one folder per class", "none");
  const auto depth = std::distance(files.front().begin(), files.front().end());
  if (depth != 2 && depth != 3)
    refuse(name, "CLASS/x.png or DOMAIN/CLASS/x.png", in_quotes(files.front().string()));
  Loaded set;
  set.n = files.size();
  TextColumn label("class"), domain("domain");
  LoadedColumn image{"image", {}, {}};
  bool all_readable = true;
  for (const fs::path& file : files) {
    if (std::distance(file.begin(), file.end()) != depth)
      refuse(name, fmt::format("images {} folders deep", depth - 1), in_quotes(file.string()));
    const auto part = file.begin();
    if (depth == 3) domain.add(printable(part->string(), 200));
    label.add(printable(std::next(part, depth - 2)->string(), 200));
    add_file(image, file.generic_string());
    all_readable = all_readable && is_readable_picture(file);
  }
  set.columns.push_back(label.finish());
  if (depth == 3) set.columns.push_back(domain.finish());
  set.columns.push_back(std::move(image));
  if (!all_readable) return set;
  for (fs::path& file : files) file = folder / file;
  add_pictures(set, std::move(files));
  return set;
}

}  // namespace leeway::data

#include "leeway/data/detail/load_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "leeway/core/message.h"
#include "leeway/data/picture_file.h"
#include "leeway/data/resize.h"

namespace leeway::data {

namespace fs = std::filesystem;

void add_pictures(Loaded& set, std::vector<fs::path> files) {
  const auto shared = std::make_shared<const std::vector<fs::path>>(std::move(files));
  set.stored = [shared](std::size_t row) {
    const Bitmap bitmap = read_picture((*shared)[row]);
    return Planes{{3, bitmap.height, bitmap.width}, color_planes(bitmap)};
  };
  set.shape = set.stored(0).shape;
  set.picture = [shared, stored = set.stored, shape = set.shape](std::size_t row,
                                                                 std::span<std::uint8_t> out) {
    const Planes planes = stored(row);
    if (planes.shape != shape)
      refuse(display_name((*shared)[row]),
             fmt::format("{} x {} pixels, as in the first image (--resize-shorter N --crop N: all to N x N)",
                         shape[1], shape[2]),
             fmt::format("{} x {}", planes.shape[1], planes.shape[2]));
    std::ranges::copy(planes.pixels, out.begin());
  };
}

void add_pictures_of_folder(Loaded& set, const fs::path& folder, const fs::path& list) {
  expect_folder(folder, "the folder of images");
  const LoadedColumn& image = set.columns.back();
  std::vector<fs::path> files;
  for (const std::uint32_t code : image.codes) {
    const fs::path name = image.values[code];
    if (name.is_absolute() || std::ranges::find(name, "..") != name.end())
      refuse(display_name(list), "names of images in " + in_quotes(folder.string()),
             fmt::format("{} at row {}", in_quotes(name.string()), files.size()));
    files.push_back(folder / name);
  }
  add_pictures(set, std::move(files));
}

Loaded set_in(const fs::path& folder, std::vector<LoadedColumn> columns) {
  Loaded set;
  set.n = columns.back().codes.size();
  set.columns = std::move(columns);
  if (set.n > 0) add_pictures_of_folder(set, folder, folder);
  return set;
}

Loaded resized(Loaded set, std::size_t side) {
  if (!set.has_pictures()) refuse("size", "a data set with images", "a table only");
  if (side == 0 || side > longest_side) refuse("size", fmt::format("1 to {}", longest_side), side);
  const std::array<std::size_t, 3> shape = {set.shape[0], side, side};
  auto stored = std::move(set.stored);
  if (!stored)
    stored = [picture = std::move(set.picture), from = set.shape](std::size_t row) {
      Planes planes{from, std::vector<std::uint8_t>(from[0] * from[1] * from[2])};
      picture(row, planes.pixels);
      return planes;
    };
  set.picture = [stored = std::move(stored), shape](std::size_t row, std::span<std::uint8_t> out) {
    const Planes planes = stored(row);
    resize(planes.pixels, planes.shape, out, shape);
  };
  set.stored = nullptr;
  set.shape = shape;
  return set;
}

}  // namespace leeway::data

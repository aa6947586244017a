// What tests of loaders share: the small files that tests/reference/published_layouts.py wrote, and what is in a set.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "leeway/data/load.h"
#include "tests/message_of.h"

namespace leeway::data {

inline std::filesystem::path layout(const std::string& name) {
  return std::filesystem::path(LEEWAY_REFERENCE) / "layouts" / name;
}

inline Loaded load(const std::string& format, const std::vector<std::string>& names) {
  Paths paths;
  for (const std::string& name : names) paths.push_back(layout(name));
  return load_set(format, paths);
}

inline std::string load_error(const std::string& format, const std::vector<std::string>& names) {
  return message_of([&] { (void)load(format, names); });
}

inline std::vector<std::string> texts(const Loaded& set, const std::string& name) {
  std::vector<std::string> found;
  for (const LoadedColumn& column : set.columns)
    if (column.name == name)
      for (const std::uint32_t code : column.codes) found.push_back(column.values[code]);
  return found;
}

inline std::vector<std::string> column_names(const Loaded& set) {
  std::vector<std::string> names;
  for (const LoadedColumn& column : set.columns) names.push_back(column.name);
  return names;
}

inline std::vector<std::uint8_t> picture(const Loaded& set, std::size_t row) {
  std::vector<std::uint8_t> out(set.shape[0] * set.shape[1] * set.shape[2]);
  set.picture(row, out);
  return out;
}

inline std::uint8_t made(std::size_t i, std::size_t j) {
  return static_cast<std::uint8_t>((7 * i + j) % 251);
}

// And, of pictures that change slowly, as that of channel c.
inline int smooth(std::size_t i, std::size_t c, std::size_t y, std::size_t x) {
  return static_cast<int>(60 + 20 * i + 40 * c + 2 * x + y);
}

// The largest difference of a picture (3,h,w) from smooth picture i.
inline int distance_from_smooth(const std::vector<std::uint8_t>& pixels, std::size_t i, std::size_t height,
                                std::size_t width) {
  int most = 0;
  for (std::size_t at = 0; at < pixels.size(); ++at)
    most = std::max(most,
                    std::abs(pixels[at] - smooth(i, at / (height * width), at / width % height, at % width)));
  return most;
}

}  // namespace leeway::data

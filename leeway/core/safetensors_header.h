// The JSON header of a safetensors file:
//   {"__metadata__": {TEXT: TEXT, ...}, NAME: {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
//   ...}
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace leeway {

struct SafetensorsEntry {
  std::string dtype;
  std::vector<std::size_t> shape;
  std::size_t begin = 0, end = 0;  // bytes after the header
};

struct SafetensorsHeader {
  std::map<std::string, SafetensorsEntry> entries;
  std::map<std::string, std::string> metadata;
};

// Error for anything but this form, at the place where the form is left: a header nested ever deeper is not
// followed.
[[nodiscard]] SafetensorsHeader parse_safetensors_header(std::string_view text, std::string_view name);

}  // namespace leeway

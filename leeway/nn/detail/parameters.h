// The parts of the texts that name members of families.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace leeway::nn {

// "a,b" -> "a", "b"; of "" one empty part.
[[nodiscard]] inline std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(by, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

}  // namespace leeway::nn

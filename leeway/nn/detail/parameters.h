// The parts of the texts that name members of families.
#pragma once

#include <string_view>
#include <vector>

namespace leeway::nn {

// "a,b" -> "a", "b"; of "" one empty part.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char by);

}  // namespace leeway::nn

// Names of files that a command writes for several sets: "noisy-{strength}.npz".
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace leeway::tasks {

// {NAME} replaced by its value, "/" of a value by "-"; a {NAME} that is not among them stays.
[[nodiscard]] std::string filled_pattern(std::string_view pattern,
                                         const std::vector<std::pair<std::string_view, std::string>>& values);

// "noisy-{strength}.npz" of "noisy.npz" and "{strength}": what a message proposes.
[[nodiscard]] std::string pattern_hint(std::string_view path, std::string_view braces);

}  // namespace leeway::tasks

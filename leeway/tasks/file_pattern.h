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

// A file that a command will write, by the option that names it.
struct NamedFile {
  std::string option, file;
};

// The file of each set, whose values of {NAME} `sets` has. OptionError where two sets would have one file: it proposes `braces`.
[[nodiscard]] std::vector<NamedFile> files_of_sets(
    const std::string& option, const std::string& pattern,
    const std::vector<std::vector<std::pair<std::string_view, std::string>>>& sets, std::string_view braces);

// What {model} or {data} stand for: "cnn" of "models/cnn.pt", or where two would be one all of their paths but the endings;
// "fashion-mnist-test" of "fashion-mnist:test".
[[nodiscard]] std::vector<std::string> names_of_files(const std::vector<std::string>& paths);

// "noisy-{strength}.npz" of "noisy.npz" and "{strength}": what a message proposes.
[[nodiscard]] std::string pattern_hint(std::string_view path, std::string_view braces);

}  // namespace leeway::tasks

// Names of files for several sets, "noisy-{strength}.npz", and of shifts from the files of several models.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace leeway::tasks {

// What every {NAME} stands for.
using PatternValues = std::vector<std::pair<std::string_view, std::string>>;

// {NAME} replaced by its value, "/" of a value by "-"; a {NAME} that is not among them stays.
[[nodiscard]] std::string filled_pattern(std::string_view pattern, const PatternValues& values);

// A file that a command will write, by the option that names it.
struct NamedFile {
  std::string option, file;
};

// The file of each set, whose values of {NAME} `sets` has. OptionError where two sets would have one file: it proposes `braces`.
[[nodiscard]] std::vector<NamedFile> files_of_sets(const std::string& option, const std::string& pattern,
                                                   const std::vector<PatternValues>& sets,
                                                   std::string_view braces);

// What {model} or {data} stand for: "cnn" of "models/cnn.pt", or where two would be one all of their paths but the endings;
// "fashion-mnist-test" of "fashion-mnist:test".
[[nodiscard]] std::vector<std::string> names_of_files(const std::vector<std::string>& paths);

// "noisy-{strength}.npz" of "noisy.npz" and "{strength}": what a message proposes.
[[nodiscard]] std::string pattern_hint(std::string_view path, std::string_view braces);

struct ModelPath {
  std::string model, path;  // one set of outputs of a model
};

// `paths`: `count` files of each model, under the same shifts in the same order. A shift's name is the common
// part of its files, "pgd8" for "cnn/pgd8.npz" and "robust-pgd8.npz", else all their names, "blur / noise".
[[nodiscard]] std::vector<std::string> shift_names(std::span<const ModelPath> paths, std::size_t count);

}  // namespace leeway::tasks

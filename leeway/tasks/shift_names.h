// What a shift is called that several models met, each in files of its own.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace leeway::tasks {

struct ModelPath {
  std::string model, path;  // one set of outputs of a model
};

// `paths` model by model, `count` of each, under the same shifts in the same order. By its place in every model's sets
// a shift is called what their files have in common, "pgd8" of "cnn/pgd8.npz" and "robust-pgd8.npz", or the names of all,
// "blur / noise".
[[nodiscard]] std::vector<std::string> shift_names(std::span<const ModelPath> paths, std::size_t count);

}  // namespace leeway::tasks

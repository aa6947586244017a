// What the classes of a set of images are called.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace leeway {

// Of "fashion-mnist:train" and "fashion-mnist:test", or `class_names` of an .npz file. Empty where nothing names the
// classes, or names another number of them than k. Errors (Error): those of reading the file.
[[nodiscard]] std::vector<std::string> class_names_of(const std::string& images, std::size_t k);

}  // namespace leeway

// A file that is a picture, PNG or JPEG by what it holds.
//
// Errors (Error): neither, or what png.h and the reader of JPEG files refuse: pictures that are cut off, sides above 16,384, four
// inks. Thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "leeway/core/png.h"

namespace leeway::data {

// ".jpg" of "a.JPG".
[[nodiscard]] std::string suffix_of(const std::filesystem::path& file);
// Whether a file of that name is PNG or JPEG.
[[nodiscard]] bool is_readable_picture(const std::filesystem::path& file);

// Those in a folder, by name; folders in it are not looked into. `what` they are, for the Error where it is no folder, cannot be read
// or has none.
[[nodiscard]] std::vector<std::filesystem::path> pictures_in(const std::filesystem::path& folder,
                                                             const std::string& what);

[[nodiscard]] Bitmap read_picture(const std::filesystem::path& file);
// Red, green and blue planes (3,h,w) of a picture; those of a gray one are equal.
[[nodiscard]] std::vector<std::uint8_t> color_planes(const Bitmap& bitmap);

// Error where `folder` is none; `what` it should be.
void expect_folder(const std::filesystem::path& folder, const std::string& what);

}  // namespace leeway::data

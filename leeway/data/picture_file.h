// A PNG or JPEG picture file, recognized by its content.
//
// JPEG: gray files have one channel, others RGB. libjpeg-turbo decodes with the accurate integer transform
// and smooth chroma upsampling: the bytes of Pillow's Image.open with the same libjpeg-turbo. Exif
// orientation and color profiles are ignored. Errors (Error): another format, or what png.h refuses; JPEG:
// CMYK, sides above 16,384, more than 500 scans, any libjpeg warning (truncated files: libjpeg would invent
// the rest). Thread-safe; same bits on one machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/png.h"

namespace leeway::data {

// ".jpg" of "a.JPG".
[[nodiscard]] std::string suffix_of(const std::filesystem::path& file);
// Whether a file of that name is PNG or JPEG.
[[nodiscard]] bool is_readable_picture(const std::filesystem::path& file);

// Files or folders in a folder, by name. `what` it is, for the Error where it is no folder.
[[nodiscard]] std::vector<std::filesystem::path> paths_in(const std::filesystem::path& folder, bool folders,
                                                          const std::string& what);
// Pictures in a folder, by name. `what` they are, for the Error where it is no folder or has none.
[[nodiscard]] std::vector<std::filesystem::path> pictures_in(const std::filesystem::path& folder,
                                                             const std::string& what);

[[nodiscard]] Bitmap read_picture(const std::filesystem::path& file);
[[nodiscard]] Bitmap parse_jpeg(std::span<const std::byte> bytes, std::string_view name);
// Red, green and blue planes (3,h,w) of a picture; those of a gray one are equal.
[[nodiscard]] std::vector<std::uint8_t> color_planes(const Bitmap& bitmap);

// Error where `folder` is none; `what` it should be.
void expect_folder(const std::filesystem::path& folder, const std::string& what);

}  // namespace leeway::data

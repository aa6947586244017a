// Inflates deflate streams and gzip files of one or more members (libdeflate).
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "leeway/core/file.h"

namespace leeway {

// Deflate expands at most 1032 to 1: a larger claim is a lie and need not be allocated.
inline constexpr std::size_t max_expansion = 1032;

// Packed files of up to this size, in bytes, have one limit; each further byte adds to it.
inline constexpr std::size_t small_packed = 10'000'000;

// Bytes that leeway unpacks from a gzip file of `packed` bytes.
[[nodiscard]] constexpr std::size_t most_in_gzip(std::size_t packed) {
  constexpr std::size_t of_small = std::size_t{384} << 20, ratio = 32;
  return std::min(max_expansion * packed, of_small + ratio * (std::max(packed, small_packed) - small_packed));
}

// Bytes that the members of a zip archive of `packed` bytes unpack to: at most.
[[nodiscard]] constexpr std::size_t most_in_zip(std::size_t packed) {
  constexpr std::size_t of_small = std::size_t{384} << 20, ratio = 200;
  return of_small + ratio * (std::max(packed, small_packed) - small_packed);
}

// The `size` bytes that a deflate stream holds. Error if it is damaged or holds another number.
[[nodiscard]] MappedFile inflated(std::span<const std::byte> packed, std::size_t size, std::string_view name);

// That file, or where it is not there the same with or without .gz at the end of its name; empty where neither is.
[[nodiscard]] std::filesystem::path plain_or_gzip(const std::filesystem::path& path);

// The contents of all members of a gzip file; other files are returned unchanged. Error if a checksum or a size
// differs, and if there are more bytes than most_in_gzip.
[[nodiscard]] MappedFile unpack_gzip(const MappedFile& file, std::string_view name);

// A gzip file of one member.
[[nodiscard]] std::string gzipped(std::string_view text);

}  // namespace leeway

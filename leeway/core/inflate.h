// Deflate and gzip streams, of one or more members, inflated piece by piece into memory of the caller.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
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

enum class StreamFormat { raw_deflate, gzip };

class Inflater {
 public:
  // `name` opens error messages; both spans must outlive this.
  Inflater(std::span<const std::byte> packed, StreamFormat format, std::string_view name);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Fills `out` entirely. Throws Error where the stream is damaged or ends before.
  void read(std::span<std::byte> out);

  // Fills `out` as far as the stream goes; returns the number of bytes.
  [[nodiscard]] std::size_t read_some(std::span<std::byte> out);

  // Error unless the stream ends here; verifies gzip checksums.
  void expect_end();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// That file, or where it is not there the same with or without .gz at the end of its name; empty where neither is.
[[nodiscard]] std::filesystem::path plain_or_gzip(const std::filesystem::path& path);

// The contents of all members of a gzip file; other files are returned unchanged. Error if a checksum or a size
// differs, and if there are more bytes than most_in_gzip.
[[nodiscard]] MappedFile unpack_gzip(const MappedFile& file, std::string_view name);

}  // namespace leeway

// Deflate and gzip streams, inflated piece by piece into memory that the caller provides.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "leeway/core/file.h"

namespace leeway {

// Deflate expands at most 1032 to 1: a larger claim is a lie and need not be allocated.
inline constexpr std::size_t max_expansion = 1032;

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

  // Error unless the stream ends here; verifies gzip checksums.
  void expect_end();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// That file, or where it is not there the same with or without .gz at the end of its name; empty where neither is.
[[nodiscard]] std::filesystem::path plain_or_gzip(const std::filesystem::path& path);

// What a gzip file holds; a file that begins otherwise is returned as it is. Its last four bytes are the size, modulo
// 4 GiB: Error where that is not what comes, so larger ones are refused, and where the checksum differs.
[[nodiscard]] MappedFile unpack_gzip(const MappedFile& file, std::string_view name);

}  // namespace leeway

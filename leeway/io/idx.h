// The IDX format of MNIST, plain or gzipped: bytes 0 0 type rank, then big-endian sizes and data.
#pragma once

#include <filesystem>
#include <string_view>

#include "leeway/core/array.h"
#include "leeway/core/file.h"

namespace leeway {

// Any of the six IDX element types. Errors: those of unpack_gzip; a length unlike the header's.
[[nodiscard]] Array read_idx(const std::filesystem::path& path);

// From memory. `name` opens error messages.
[[nodiscard]] Array parse_idx(const MappedFile& file, std::string_view name);

}  // namespace leeway

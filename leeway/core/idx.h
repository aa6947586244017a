// The IDX format of MNIST and its relatives, plain or gzipped: bytes 0 0 type rank, big-endian sizes,
// big-endian data.
#pragma once

#include <filesystem>
#include <string_view>

#include "leeway/core/array.h"
#include "leeway/core/file.h"

namespace leeway {

// Any of the six IDX element types. A gzip stream may expand to at most 1032 times its size and must end
// where the header says.
[[nodiscard]] Array read_idx(const std::filesystem::path& path);

// From memory. `name` opens error messages.
[[nodiscard]] Array parse_idx(const MappedFile& file, std::string_view name);

}  // namespace leeway

// The safetensors format: 8 bytes little-endian header length, a JSON header, raw little-endian data.
//
// Read: F16 and BF16 (widened to float32), F32, F64, I8..I64, U8..U64, BOOL; memory-mapped when aligned.
// Refused, by tensor name: offsets outside the file, bytes that belong to no tensor or to two, a shape that
// does not match its bytes, duplicate names, other element types, a header above 100 MB or not in the format.
// Written: tensors by falling element size, then name, aligned to 8 bytes. No text arrays.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "leeway/core/array.h"
#include "leeway/core/file.h"

namespace leeway {

struct Safetensors {
  ArrayMap tensors;
  std::map<std::string, std::string> metadata;  // the "__metadata__" entry
};

[[nodiscard]] Safetensors read_safetensors(const std::filesystem::path& path);

// From memory. `name` opens error messages.
[[nodiscard]] Safetensors parse_safetensors(const MappedFile& file, std::string_view name);

void write_safetensors(const std::filesystem::path& path, const Safetensors& content);

}  // namespace leeway

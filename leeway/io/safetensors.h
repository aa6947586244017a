// The safetensors format: 8 bytes little-endian header length, a JSON header, raw little-endian data.
//
// Read: F16 and BF16 (widened to float32), F32, F64, I8..I64, U8..U64, BOOL; memory-mapped when aligned.
// Refused, by tensor name: offsets outside the file, bytes that belong to no tensor or to two, a shape that
// does not match its bytes, duplicate names, other element types, a header above 100 MB or not in the format.
// Written: tensors by falling element size, then name, aligned to 8 bytes. No text arrays.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
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

// State files, from which interrupted work resumes: safetensors with a digest of all names, texts and arrays.
//
// A file with one changed bit, without a digest or of another kind counts as damaged. The owner of the state then
// warns with damaged_state() and starts anew. Cost: one pass over the arrays. Errors: those of core/file.h.
//
//   write_state(path, {arrays, {{"plan", plan}}});
//   if (const auto content = read_state(path)) resume(*content); else warn(damaged_state(path));

void write_state(const std::filesystem::path& path, Safetensors content);  // atomic

// Nothing if the file is damaged.
[[nodiscard]] std::optional<Safetensors> read_state(const std::filesystem::path& path);

// "FILE: state damaged, starting anew".
[[nodiscard]] std::string damaged_state(const std::filesystem::path& path);

}  // namespace leeway

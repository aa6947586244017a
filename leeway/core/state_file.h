// State files, from which interrupted work resumes: safetensors with a digest of all names, texts and arrays.
//
// A file with one changed bit, without a digest or of another kind counts as damaged. The owner of the state then
// warns with damaged_state() and starts anew. Cost: one pass over the arrays. Errors: those of core/file.h.
//
//   write_state(path, {arrays, {{"plan", plan}}});
//   if (const auto content = read_state(path)) resume(*content); else warn(damaged_state(path));
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "leeway/core/safetensors.h"

namespace leeway {

void write_state(const std::filesystem::path& path, Safetensors content);  // atomic

// Nothing if the file is damaged.
[[nodiscard]] std::optional<Safetensors> read_state(const std::filesystem::path& path);

// "FILE: state damaged, starting anew".
[[nodiscard]] std::string damaged_state(const std::filesystem::path& path);

}  // namespace leeway

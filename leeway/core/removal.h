// Removal of what leeway made. Every command removes files and folders through these functions alone.
//
// `path` must lie below `folder`, which leeway made or writes to: without "..", and without a symbolic link on
// the way from `folder` to `path`. A name out of a file of somebody else then leads nowhere else. A folder is
// removed with its contents, of a symbolic link the link alone. A missing path is no error.
#pragma once

#include <filesystem>

namespace leeway {

// Error: `path` is outside, nothing is removed. std::runtime_error: the system refuses the removal.
void remove_made(const std::filesystem::path& folder, const std::filesystem::path& path);

// The same for destructors: a path that remove_made refuses stays.
void discard_made(const std::filesystem::path& folder, const std::filesystem::path& path) noexcept;

}  // namespace leeway

// Removes what leeway created. Commands remove files and folders only through these functions.
//
// `path` must lie below `folder`, which leeway made or writes to: without "..", and without a symbolic link on
// the way from `folder` to `path`. A name from a foreign file then cannot lead elsewhere. A folder is removed
// with its contents; for a symbolic link, only the link is removed. A missing path is not an error.
#pragma once

#include <filesystem>

namespace leeway {

// Error: `path` is outside, nothing is removed. std::runtime_error: the system refuses the removal.
void remove_made(const std::filesystem::path& folder, const std::filesystem::path& path);

// The same for destructors: a path that remove_made refuses stays.
void discard_made(const std::filesystem::path& folder, const std::filesystem::path& path) noexcept;

}  // namespace leeway

// What programs ask about files besides reading and writing them (file.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace leeway {

// Throws what AtomicFile(path) would throw: there is no such folder, it may not be written to, a folder has that
// name. A device or pipe is asked for its permission alone, and not opened.
void require_writable(const std::filesystem::path& path);

// The file that AtomicFile(path) makes or replaces, by its whole name: through symbolic links, also to a file that is not
// there yet. std::filesystem::filesystem_error for links in a circle.
[[nodiscard]] std::filesystem::path written_path(const std::filesystem::path& path);

// Bytes of a mapped file that another process cuts short are gone, and touching them is SIGBUS. The library installs no
// handler. One that a program installs can ask here whose bytes they were, as the command does: the file, as messages
// show it, whose mapping holds this address; null where none does, and for mappings beyond the first 4096 that are open
// at a time. May be called in a signal handler.
[[nodiscard]] const char* mapped_name(const void* address) noexcept;

// The files that read_images (images.h) opens: that of the name, and the labels beside it. Errors (Error): a name that is
// no set.
[[nodiscard]] std::vector<std::filesystem::path> image_files(const std::string& path_or_name);

}  // namespace leeway

// Recognizes the kind of a file by its first bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace leeway {

// In the order of their names in describe_content.
enum class Content { npy, npz, safetensors, idx, gzip, other };

[[nodiscard]] Content identify(std::span<const std::byte> bytes);

// For messages about files that cannot be read: "an HTML page", "a Python pickle", "an empty file", "text".
[[nodiscard]] std::string describe_content(std::span<const std::byte> bytes);

// UTF-8 without control codes as far as one looks (4 KB): may be read as a table.
[[nodiscard]] bool looks_like_text(std::span<const std::byte> bytes);

}  // namespace leeway

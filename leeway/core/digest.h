// The digest of bytes in memory; that of a file is in file.h.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace leeway {

// XXH3 128-bit digest as 32 hexadecimal digits.
[[nodiscard]] std::string digest_text(std::string_view text);
// The same of parts one behind the other.
[[nodiscard]] std::string digest_bytes(std::initializer_list<std::span<const std::byte>> parts);

}  // namespace leeway

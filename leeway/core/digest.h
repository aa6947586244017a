// The digest of bytes in memory; that of a file is in file.h.
#pragma once

#include <string>
#include <string_view>

namespace leeway {

// XXH3 128-bit digest as 32 hexadecimal digits.
[[nodiscard]] std::string digest_text(std::string_view text);

}  // namespace leeway

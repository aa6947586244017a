#include "leeway/core/message.h"

#include <fmt/format.h>

#include <limits>

#include "leeway/core/error.h"
#include "leeway/core/utf8.h"

namespace leeway {

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (i >= limit) return out + "...";
    const std::size_t length = utf8_length(text.substr(i));
    const auto first = static_cast<unsigned char>(text[i]);
    // U+0080..U+009F are control characters too: C2 80 .. C2 9F.
    const bool control = first < 0x20 || first == 0x7f ||
                         (length == 2 && first == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0);
    if (length == 0 || control) {
      out += fmt::format("\\x{:02x}", first);
      ++i;
      continue;
    }
    out += text.substr(i, length);
    i += length;
  }
  return out;
}

std::string in_quotes(std::string_view text) { return "'" + printable(text) + "'"; }

std::string display_name(const std::filesystem::path& path) {
  return printable(path.native(), std::numeric_limits<std::size_t>::max());
}

void refuse(std::string_view name, std::string_view expected, std::string_view found) {
  throw Error(fmt::format("{}: expected {}, found {}", name, expected, found));
}

}  // namespace leeway

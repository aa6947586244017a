#include "leeway/core/encoding.h"

#include <cstddef>

#include "leeway/core/message.h"
#include "leeway/core/text.h"
#include "leeway/core/utf8.h"

namespace leeway {
namespace {

// Bytes 80 to 9F of Windows-1252; elsewhere a byte is its code point.
constexpr char32_t windows_points[] = {0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021,
                                       0x2c6,  0x2030, 0x160,  0x2039, 0x152,  0x8d,   0x17d,  0x8f,
                                       0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                       0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178};

std::u32string points_of_bytes(std::string_view text, bool windows) {
  std::u32string points;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    points += windows && byte >= 0x80 && byte < 0xa0 ? windows_points[byte - 0x80] : char32_t{byte};
  }
  return points;
}

std::u32string points_of_utf16(std::string_view text) {
  const bool big = text.starts_with("\xfe\xff");
  if (big || text.starts_with("\xff\xfe")) text.remove_prefix(2);
  std::u32string points;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const auto first = static_cast<unsigned char>(text[i]), second = static_cast<unsigned char>(text[i + 1]);
    const auto unit = static_cast<char32_t>(big ? first * 256 + second : second * 256 + first);
    const bool pair = !points.empty() && points.back() >= 0xd800 && points.back() < 0xdc00 &&
                      unit >= 0xdc00 && unit < 0xe000;
    if (pair)
      points.back() = 0x10000 + ((points.back() - 0xd800) << 10) + (unit - 0xdc00);
    else
      points += unit;
  }
  return points;
}

}  // namespace

std::optional<Encoding> encoding_of(std::string_view name) {
  const std::string word = bare_word(name);
  if (word == "utf8") return Encoding::utf8;
  if (word == "windows1252" || word == "cp1252") return Encoding::windows_1252;
  if (word == "latin1" || word == "iso88591") return Encoding::latin1;
  return word == "utf16" ? std::optional(Encoding::utf16) : std::nullopt;
}

std::string_view likely_encoding(std::string_view text) {
  return text.find('\0') != std::string_view::npos ? "utf-16" : "windows-1252";
}

std::string to_utf8(std::string_view text, Encoding encoding, std::string_view name) {
  if (encoding == Encoding::utf8) return std::string(text);
  const bool wide = encoding == Encoding::utf16;
  const auto converted = utf8_from_code_points(
      wide ? points_of_utf16(text) : points_of_bytes(text, encoding == Encoding::windows_1252));
  if (!converted || (wide && text.size() % 2 != 0)) refuse(name, "UTF-16 text (--encoding)", "other bytes");
  return *converted;
}

}  // namespace leeway

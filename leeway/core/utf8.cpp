#include "leeway/core/utf8.h"

#include <boost/locale/utf.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "leeway/core/message.h"

namespace leeway {
namespace {

namespace utf = boost::locale::utf;

// Between UTF-8, UTF-16 and code points, by the size of a character. Nothing where `text` is not valid.
template <class Out, class In>
std::optional<std::basic_string<Out>> converted(std::basic_string_view<In> text) {
  std::basic_string<Out> out;
  for (auto at = text.begin(); at != text.end();) {
    const utf::code_point point = utf::utf_traits<In>::decode(at, text.end());
    if (!utf::is_valid_codepoint(point)) return std::nullopt;
    utf::utf_traits<Out>::encode(point, std::back_inserter(out));
  }
  return out;
}

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

std::u16string units_of_utf16(std::string_view text) {
  const bool big = text.starts_with("\xfe\xff");
  if (big || text.starts_with("\xff\xfe")) text.remove_prefix(2);
  std::u16string units;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const auto first = static_cast<unsigned char>(text[i]), second = static_cast<unsigned char>(text[i + 1]);
    units += static_cast<char16_t>(big ? first * 256 + second : second * 256 + first);
  }
  return units;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  const auto* at = text.begin();
  const utf::code_point point = utf::utf_traits<char>::decode(at, text.end());
  return utf::is_valid_codepoint(point) ? static_cast<std::size_t>(at - text.begin()) : 0;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    std::uint64_t eight = 0;  // letters of ASCII at a time, which most text is made of
    while (text.size() >= sizeof eight) {
      std::memcpy(&eight, text.data(), sizeof eight);
      if ((eight & 0x8080808080808080) != 0) break;
      text.remove_prefix(sizeof eight);
    }
    if (text.empty()) break;
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::optional<std::string> utf8_from_code_points(std::u32string_view points) {
  return converted<char>(points);
}

std::optional<std::u32string> code_points_from_utf8(std::string_view text) {
  return converted<char32_t>(text);
}

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
  const auto utf8 = wide ? converted<char, char16_t>(units_of_utf16(text))
                         : utf8_from_code_points(points_of_bytes(text, encoding == Encoding::windows_1252));
  if (!utf8 || (wide && text.size() % 2 != 0)) refuse(name, "UTF-16 text (--encoding)", "other bytes");
  return *utf8;
}

}  // namespace leeway

#include "leeway/core/utf8.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "leeway/core/message.h"

namespace leeway {
namespace {

bool is_scalar(char32_t point) { return point < 0xd800 || (point > 0xdfff && point <= 0x10ffff); }

// The first character and its length; length 0: not valid.
struct Decoded {
  char32_t point = 0;
  std::size_t length = 0;
};

Decoded decode(std::string_view text) {
  if (text.empty()) return {};
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return {};
  char32_t point = first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return {};
    point = point << 6 | (next & 0x3fu);
  }
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (point < smallest[length] || !is_scalar(point)) return {};
  return {point, length};
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

std::size_t utf8_length(std::string_view text) { return decode(text).length; }

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
  std::string out;
  const auto add = [&](char32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  for (const char32_t p : points) {
    if (!is_scalar(p)) return std::nullopt;
    if (p < 0x80) {
      add(p);
    } else if (p < 0x800) {
      add(0xc0 | p >> 6);
      add(0x80 | (p & 0x3f));
    } else if (p < 0x10000) {
      add(0xe0 | p >> 12);
      add(0x80 | (p >> 6 & 0x3f));
      add(0x80 | (p & 0x3f));
    } else {
      add(0xf0 | p >> 18);
      add(0x80 | (p >> 12 & 0x3f));
      add(0x80 | (p >> 6 & 0x3f));
      add(0x80 | (p & 0x3f));
    }
  }
  return out;
}

std::optional<std::u32string> code_points_from_utf8(std::string_view text) {
  std::u32string out;
  while (!text.empty()) {
    const Decoded next = decode(text);
    if (next.length == 0) return std::nullopt;
    out += next.point;
    text.remove_prefix(next.length);
  }
  return out;
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
  const auto converted = utf8_from_code_points(
      wide ? points_of_utf16(text) : points_of_bytes(text, encoding == Encoding::windows_1252));
  if (!converted || (wide && text.size() % 2 != 0)) refuse(name, "UTF-16 text (--encoding)", "other bytes");
  return *converted;
}

}  // namespace leeway

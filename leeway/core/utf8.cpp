#include "leeway/core/utf8.h"

#include <cstdint>
#include <cstring>

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

}  // namespace leeway

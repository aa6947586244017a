#include "leeway/io/content.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "leeway/core/utf8.h"
#include "leeway/io/npy_header.h"

namespace leeway {
namespace {

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 4096)};
}

// A header length below 2^32 and the opening brace of the header.
bool is_safetensors(std::string_view text) {
  return text.size() > 8 && text[8] == '{' && text.substr(4, 4) == std::string_view("\0\0\0\0", 4);
}

// Two zeros, one of the type codes, 1 to 32 dimensions.
bool is_idx(std::string_view text) {
  return text.size() >= 4 && text[0] == 0 && text[1] == 0 &&
         std::string_view("\x08\x09\x0b\x0c\x0d\x0e").find(text[2]) != std::string_view::npos &&
         text[3] > 0 && text[3] <= 32;
}

}  // namespace

Content identify(std::span<const std::byte> bytes) {
  const std::string_view text = as_text(bytes);
  if (text.starts_with(npy_magic)) return Content::npy;
  if (text.starts_with("PK\x03\x04") || text.starts_with("PK\x05\x06")) return Content::npz;
  if (is_safetensors(text)) return Content::safetensors;
  if (is_idx(text)) return Content::idx;
  if (text.starts_with("\x1f\x8b")) return Content::gzip;
  return Content::other;
}

bool looks_like_text(std::span<const std::byte> bytes) {
  const std::string_view text = as_text(bytes);
  const bool control = std::ranges::any_of(text, [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
  });
  if (control) return false;
  if (is_utf8(text)) return true;
  // The last character may be cut in two by the limit on how far one looks.
  const bool cut = bytes.size() > text.size();
  return cut && (is_utf8(text.substr(0, text.size() - 1)) || is_utf8(text.substr(0, text.size() - 2)) ||
                 is_utf8(text.substr(0, text.size() - 3)));
}

std::string describe_content(std::span<const std::byte> bytes) {
  const std::string_view text = as_text(bytes);
  if (text.empty()) return "an empty file";
  constexpr std::string_view known[] = {"an npy file", "a zip archive", "a safetensors file", "an IDX file",
                                        "a gzip file"};
  const Content content = identify(bytes);
  if (content != Content::other) return std::string(known[static_cast<std::size_t>(content)]);
  const std::string_view start = text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (start.starts_with('<')) return "an HTML or XML page";
  if (start.starts_with('{') || start.starts_with('[')) return "JSON";
  if (text[0] == '\x80' && text.size() > 1 && text[1] >= 2 && text[1] <= 5) return "a Python pickle";
  if (text.starts_with("PAR1")) return "a Parquet file";
  if (text.starts_with("\x89HDF")) return "an HDF5 file";
  if (text.starts_with("\x89PNG") || text.starts_with("\xff\xd8\xff")) return "an image";
  if (text.starts_with("%PDF")) return "a PDF document";
  if (looks_like_text(bytes)) return "text";
  return fmt::format("unknown first bytes {:02x}",
                     fmt::join(bytes.first(std::min<std::size_t>(bytes.size(), 4)), " "));
}

}  // namespace leeway

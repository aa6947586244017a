#include "leeway/io/npy_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "leeway/core/message.h"

namespace leeway {
namespace {

constexpr std::size_t npy_header_max_dimensions = 32;  // NumPy's own limit
constexpr std::size_t max_texts = 100'000'000;
constexpr std::size_t max_npy_header = 1'000'000;  // a hundred times what NumPy reads

// NumPy writes the header as a Python dictionary of a string, a boolean and a tuple. JSON has other quotes,
// other brackets, true and false, and no comma before a bracket. Python 2 wrote 3L for 3.
std::string json_of(std::string_view literal) {
  std::string json;
  for (const char c : literal) {
    if (std::string_view(" \t\r\n").find(c) != std::string_view::npos) continue;
    if ((c == '}' || c == ')' || c == ']') && json.ends_with(',')) json.pop_back();
    if (c == 'L' && !json.empty() && is_digit(json.back())) continue;
    const bool word = (c == 'T' || c == 'F') && json.ends_with(':');
    json += c == '\'' ? '"' : c == '(' ? '[' : c == ')' ? ']' : word ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return json;
}

struct NpyFields {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::size_t> shape;
};

NpyFields parse_fields(std::string_view text, std::string_view name) {
  const std::string literal = json_of(text);
  const auto fields = nlohmann::json::parse(literal, nullptr, false);
  // A name that occurs twice has a colon of its own.
  const bool whole = fields.size() == 3 && fields.contains("descr") && fields.contains("fortran_order") &&
                     fields.contains("shape");
  if (!whole || (fields["descr"].is_string() && std::ranges::count(literal, ':') != 3))
    refuse(name, "a dictionary of descr, fortran_order and shape, each once, in the npy header",
           in_quotes(text));
  const auto expect = [&](const char* key, bool fits, std::string_view expected) {
    if (!fits) refuse(name, fmt::format("{} in the npy header", expected), printable(fields[key].dump()));
  };
  const auto& [descr, order, shape] = std::tie(fields["descr"], fields["fortran_order"], fields["shape"]);
  if (descr.is_array()) refuse(name, "an array of numbers or text", "a structured dtype");
  expect("descr", descr.is_string(), "a string as descr");
  expect("fortran_order", order.is_boolean(), "True or False as fortran_order");
  const auto is_size = [](const auto& size) { return size.is_number_unsigned(); };
  expect("shape", shape.is_array() && std::ranges::all_of(shape, is_size),
         "a tuple of sizes of 0 to 2^64 - 1");
  expect("shape", shape.size() <= npy_header_max_dimensions,
         fmt::format("at most {} dimensions", npy_header_max_dimensions));
  return {descr, order, shape};
}

[[noreturn]] void refuse_dtype(std::string_view name, std::string_view what, std::string_view descr) {
  refuse(name, "numbers or text", fmt::format("{} (dtype {})", what, in_quotes(descr)));
}

void set_type(NpyHeader& header, std::string_view descr, std::string_view name) {
  std::string_view rest = descr;
  char order = '=';
  if (!rest.empty() && std::string_view("<>|=").find(rest[0]) != std::string_view::npos) {
    order = rest[0];
    rest.remove_prefix(1);
  }
  if (rest.empty()) refuse_dtype(name, "no element type", descr);
  header.kind = rest[0] == 'a' ? 'S' : rest[0];
  rest.remove_prefix(1);
  switch (header.kind) {
    case 'O':
      refuse_dtype(name, "Python objects", descr);
    case 'V':
      refuse_dtype(name, "structured or raw bytes", descr);
    case 'c':
      refuse_dtype(name, "complex numbers", descr);
    case 'M':
    case 'm':
      refuse_dtype(name, "dates or times", descr);
    default:
      break;
  }
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), header.item_size);
  if (error != std::errc{} || end != rest.data() + rest.size())
    refuse_dtype(name, "an unknown element type", descr);
  const std::size_t size = header.item_size;
  const bool word = size == 2 || size == 4 || size == 8;
  if (header.kind == 'U') {
    if (size == 0 || size > (std::size_t{1} << 28)) refuse_dtype(name, "text of an impossible width", descr);
    header.item_size *= 4;
  } else if (header.kind == 'S') {
    if (size == 0 || size > (std::size_t{1} << 30)) refuse_dtype(name, "text of an impossible width", descr);
  } else if (header.kind == 'b' ? size != 1 : header.kind == 'f' ? !word : size != 1 && !word) {
    refuse_dtype(name, "an element type of another width", descr);
  } else if (header.kind != 'b' && header.kind != 'f' && header.kind != 'i' && header.kind != 'u') {
    refuse_dtype(name, "an unknown element type", descr);
  }
  const bool little = std::endian::native == std::endian::little;
  header.swapped = (order == '>' && little) || (order == '<' && !little);
}

// The text of the header and where the data begins.
struct HeaderText {
  std::string_view text;
  std::size_t data_offset = 0;
};

HeaderText find_header(std::span<const std::byte> bytes, std::string_view name) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!all.starts_with(npy_magic.substr(0, all.size()))) refuse(name, "an npy file", "other first bytes");
  if (all.size() < 10)
    refuse(name, "an npy header", fmt::format("a file truncated after {} bytes", all.size()));
  const auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(bytes[i]); };
  const std::size_t major = byte(6), minor = byte(7);
  if (major < 1 || major > 3 || minor != 0)
    refuse(name, "npy version 1.0, 2.0 or 3.0", fmt::format("{}.{}", major, minor));
  const std::size_t start = major == 1 ? 10 : 12;
  if (all.size() < start)
    refuse(name, "an npy header", fmt::format("a file truncated after {} bytes", all.size()));
  std::size_t length = byte(8) | byte(9) << 8;
  if (major > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > all.size() - start)
    refuse(name, fmt::format("an npy header of {} bytes", length),
           fmt::format("{} bytes left", all.size() - start));
  if (length > max_npy_header)
    refuse(name, fmt::format("an npy header of at most {} bytes", max_npy_header), length);
  return {all.substr(start, length), start + length};
}

// Sets the type, and checks that `present` bytes are what it and the shape promise.
void check_elements(NpyHeader& header, std::string_view descr, std::size_t present, std::string_view name) {
  set_type(header, descr, name);
  const std::string shape_text =
      fmt::format("shape ({}) of {}", fmt::join(header.shape, ", "), in_quotes(descr));
  const auto expected = checked_bytes(header.shape, header.item_size);
  if (!expected) refuse(name, "fewer than 2^63 bytes of data", shape_text);
  if (present != *expected)
    refuse(name, fmt::format("{} bytes of data for {}", *expected, shape_text), present);
  if ((header.kind == 'U' || header.kind == 'S') && *expected / header.item_size > max_texts)
    refuse(name, fmt::format("at most {} strings", max_texts), shape_text);
}

}  // namespace

NpyHeader parse_npy_header(std::span<const std::byte> bytes, std::string_view name) {
  const HeaderText found = find_header(bytes, name);
  NpyFields fields = parse_fields(found.text, name);
  NpyHeader header;
  header.fortran_order = fields.fortran_order;
  header.shape = std::move(fields.shape);
  header.data_offset = found.data_offset;
  check_elements(header, fields.descr, bytes.size() - found.data_offset, name);
  return header;
}

NpyHeader describe_elements(std::string_view descr, const std::vector<std::size_t>& shape,
                            std::size_t present, std::string_view name) {
  NpyHeader header;
  header.shape = shape;
  check_elements(header, descr, present, name);
  return header;
}

std::string make_npy_header(std::string_view descr, std::span<const std::size_t> shape) {
  // Python's tuple of one needs its comma.
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr,
                                 fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const std::size_t unpadded = 10 + text.size() + 1;
  text.append((64 - unpadded % 64) % 64, ' ');
  text += '\n';
  std::string header(npy_magic);
  header += {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return header + text;
}

}  // namespace leeway

#include "leeway/core/npy_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <charconv>
#include <optional>

#include "leeway/core/message.h"

namespace leeway {
namespace {

constexpr std::size_t npy_header_max_dimensions = 32;  // NumPy's own limit
constexpr std::size_t max_texts = 100'000'000;

// Reads the part of Python's literal syntax that NumPy writes: a dictionary of a string, a boolean and a
// tuple.
class DictionaryParser {
 public:
  DictionaryParser(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  struct Fields {
    std::optional<std::string> descr;
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::size_t>> shape;
  };

  Fields parse() {
    Fields fields;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !fields.descr) {
        fields.descr = descr();
      } else if (key == "fortran_order" && !fields.fortran_order) {
        fields.fortran_order = boolean();
      } else if (key == "shape" && !fields.shape) {
        fields.shape = tuple();
      } else {
        fail("the keys descr, fortran_order and shape, each once", "key " + in_quotes(key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (position_ != text_.size())
      fail("nothing after the header's dictionary", in_quotes(text_.substr(position_)));
    return fields;
  }

 private:
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const {
    refuse(name_, expected, found);
  }

  void skip_space() {
    while (position_ < text_.size() &&
           std::string_view(" \t\r\n").find(text_[position_]) != std::string_view::npos)
      ++position_;
  }

  bool accept(char wanted) {
    skip_space();
    if (position_ >= text_.size() || text_[position_] != wanted) return false;
    ++position_;
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) fail(fmt::format("'{}' in the npy header", wanted), rest());
  }

  [[nodiscard]] std::string rest() const {
    return position_ < text_.size() ? in_quotes(text_.substr(position_)) : "the end of the header";
  }

  bool accept_word(std::string_view word) {
    skip_space();
    if (!text_.substr(position_).starts_with(word)) return false;
    position_ += word.size();
    return true;
  }

  std::string string() {
    skip_space();
    const char quote = position_ < text_.size() ? text_[position_] : '\0';
    if (quote != '\'' && quote != '"') fail("a quoted word in the npy header", rest());
    const std::size_t end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) fail("a closed quote in the npy header", rest());
    std::string word(text_.substr(position_ + 1, end - position_ - 1));
    position_ = end + 1;
    return word;
  }

  std::string descr() {
    skip_space();
    if (position_ < text_.size() && (text_[position_] == '[' || text_[position_] == '('))
      fail("an array of numbers or text", "a structured dtype");
    return string();
  }

  bool boolean() {
    if (accept_word("True")) return true;
    if (!accept_word("False")) fail("True or False in the npy header", rest());
    return false;
  }

  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> sizes;
    expect('(');
    while (!accept(')')) {
      if (sizes.size() == npy_header_max_dimensions)
        fail(fmt::format("at most {} dimensions", npy_header_max_dimensions), "more in the npy header");
      sizes.push_back(size());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }

  std::size_t size() {
    skip_space();
    std::size_t value = 0;
    const char* begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc{}) fail("a size of 0 to 2^64 - 1 in the npy header", rest());
    position_ += static_cast<std::size_t>(end - begin);
    accept_word("L");  // Python 2 wrote long integers so
    return value;
  }

  std::string_view text_, name_;
  std::size_t position_ = 0;
};

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
  auto fields = DictionaryParser(found.text, name).parse();
  if (!fields.descr || !fields.fortran_order || !fields.shape)
    refuse(name, "descr, fortran_order and shape in the npy header", in_quotes(found.text));
  NpyHeader header;
  header.fortran_order = *fields.fortran_order;
  header.shape = std::move(*fields.shape);
  header.data_offset = found.data_offset;
  check_elements(header, *fields.descr, bytes.size() - found.data_offset, name);
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

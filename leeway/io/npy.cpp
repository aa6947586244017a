#include "leeway/io/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/utf8.h"
#include "leeway/io/inflate.h"
#include "leeway/io/npy_header.h"
#include "leeway/io/zip.h"

namespace leeway {
namespace {

static_assert(std::endian::native == std::endian::little,
              "descr strings below are those of little-endian machines");

// What a file's elements are once they are native, and their kind in a descr.
constexpr std::pair<ElementType, std::string_view> descrs[] = {
    {ElementType::boolean, "|b1"}, {ElementType::i8, "|i1"},  {ElementType::u8, "|u1"},
    {ElementType::i16, "<i2"},     {ElementType::u16, "<u2"}, {ElementType::i32, "<i4"},
    {ElementType::u32, "<u4"},     {ElementType::i64, "<i8"}, {ElementType::u64, "<u8"},
    {ElementType::f32, "<f4"},     {ElementType::f64, "<f8"},
};

ElementType element_type(const NpyHeader& header) {
  for (const auto& [type, descr] : descrs)
    if (descr[1] == header.kind && size_of(type) == header.item_size) return type;
  return ElementType::text;
}

// Element bytes in C order. `storage` keeps `bytes` alive.
struct Elements {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> storage;
};

Elements own(std::shared_ptr<std::byte> block, std::size_t size) {
  return {{block.get(), size}, std::move(block)};
}

// Order makes no difference where at most one dimension is longer than 1.
bool order_matters(const NpyHeader& header) {
  return header.fortran_order && std::ranges::count_if(header.shape, [](std::size_t s) { return s > 1; }) > 1;
}

// Walks C order and tracks the Fortran position: dimension d steps by the product of those before.
Elements c_order(const Elements& from, const NpyHeader& header, std::string_view name) {
  const std::size_t item = header.item_size, rank = header.shape.size();
  const auto block = allocate_bytes(from.bytes.size(), name);
  std::vector<std::size_t> stride(rank), place(rank, 0);
  for (std::size_t d = 0, step = item; d < rank; step *= header.shape[d++]) stride[d] = step;
  std::size_t source = 0;
  for (std::size_t target = 0; target < from.bytes.size(); target += item) {
    std::memcpy(block.get() + target, from.bytes.data() + source, item);
    for (std::size_t d = rank; d-- > 0;) {
      source += stride[d];
      if (++place[d] < header.shape[d]) break;
      source -= stride[d] * header.shape[d];
      place[d] = 0;
    }
  }
  return own(block, from.bytes.size());
}

// Reverses every `width` bytes. The characters of U text are swapped one by one.
Elements swap_bytes(const Elements& from, std::size_t width, std::string_view name) {
  const auto block = allocate_bytes(from.bytes.size(), name);
  for (std::size_t i = 0; i < from.bytes.size(); i += width)
    std::reverse_copy(from.bytes.data() + i, from.bytes.data() + i + width, block.get() + i);
  return own(block, from.bytes.size());
}

Elements widen(const Elements& from, std::string_view name) {
  const std::size_t count = from.bytes.size() / 2;
  const auto block = allocate_bytes(count * sizeof(float), name);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, from.bytes.data() + 2 * i, 2);
    const float wide = float_from_half(half);
    std::memcpy(block.get() + 4 * i, &wide, 4);
  }
  return own(block, count * sizeof(float));
}

Elements align(const Elements& from, std::size_t alignment, std::string_view name) {
  if (reinterpret_cast<std::uintptr_t>(from.bytes.data()) % alignment == 0) return from;
  const auto block = allocate_bytes(from.bytes.size(), name);
  std::ranges::copy(from.bytes, block.get());
  return own(block, from.bytes.size());
}

// NumPy pads text with zeros.
std::string text_item(std::span<const std::byte> item, char kind, std::string_view name) {
  std::optional<std::string> text;
  if (kind == 'U') {
    std::u32string points(item.size() / 4, U'\0');
    std::memcpy(points.data(), item.data(), item.size());
    points.resize(points.find_last_not_of(U'\0') + 1);
    text = utf8_from_code_points(points);
  } else {
    text.emplace(reinterpret_cast<const char*>(item.data()), item.size());
    text->resize(text->find_last_not_of('\0') + 1);
    if (!is_utf8(*text)) text.reset();
  }
  if (!text) refuse(name, "text", "bytes that are not Unicode");
  return std::move(*text);
}

Array text_array(const Elements& elements, const NpyHeader& header, std::string_view name) {
  std::vector<std::string> texts;
  texts.reserve(elements.bytes.size() / header.item_size);
  for (std::size_t i = 0; i < elements.bytes.size(); i += header.item_size)
    texts.push_back(text_item(elements.bytes.subspan(i, header.item_size), header.kind, name));
  return make_text_array(header.shape, std::move(texts));
}

Array native(const NpyHeader& header, Elements elements, std::string_view name) {
  if (order_matters(header)) elements = c_order(elements, header, name);
  const std::size_t unit = header.kind == 'U' ? 4 : header.kind == 'S' ? 1 : header.item_size;
  if (header.swapped && unit > 1) elements = swap_bytes(elements, unit, name);
  if (header.kind == 'U' || header.kind == 'S') return text_array(elements, header, name);
  Array array;
  array.shape = header.shape;
  if (header.kind == 'f' && header.item_size == 2) {
    elements = widen(elements, name);
    array.type = ElementType::f32;
  } else {
    elements = align(elements, header.item_size, name);
    array.type = element_type(header);
  }
  array.storage = std::shared_ptr<const void>(elements.storage, elements.bytes.data());
  return array;
}

constexpr std::string_view suffix = ".npy";

// Float16 is read as float32; whole numbers of labels, groups and logits become int64 or float64.
std::size_t bytes_once_read(const NpyHeader& header) {
  if (header.kind == 'U' || header.kind == 'S') return sizeof(std::string);
  if (header.kind == 'f') return std::max(header.item_size, sizeof(float));
  return header.shape.size() > 2 ? header.item_size : sizeof(std::int64_t);
}

}  // namespace

Array parse_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> storage,
                std::string_view name) {
  const NpyHeader header = parse_npy_header(bytes, name);
  return native(header, {bytes.subspan(header.data_offset), std::move(storage)}, name);
}

Array array_of_elements(std::string_view descr, const std::vector<std::size_t>& shape,
                        std::span<const std::byte> bytes, std::shared_ptr<const void> storage,
                        std::string_view name) {
  return native(describe_elements(descr, shape, bytes.size(), name), {bytes, std::move(storage)}, name);
}

Array read_npy(const std::filesystem::path& path) {
  const MappedFile file = map_file(path);
  if (file.bytes.empty()) refuse(display_name(path), "an npy file", "an empty file");
  return parse_npy(file.bytes, file.storage, display_name(path));
}

std::string npy_header(ElementType type, const std::vector<std::size_t>& shape) {
  const auto* descr = std::ranges::find(descrs, type, [](const auto& entry) { return entry.first; });
  if (descr == std::end(descrs)) throw Error("npy_header: expected a type of numbers, found text");
  return make_npy_header(descr->second, shape);
}

NpyPieces npy_pieces(const Array& array) {
  NpyPieces pieces;
  if (array.type != ElementType::text) {
    pieces.header = npy_header(array.type, array.shape);
    pieces.data = array.bytes();
    return pieces;
  }
  std::vector<std::u32string> rows;
  std::size_t width = 1;
  for (const std::string& text : *array.texts) {
    auto points = code_points_from_utf8(text);
    if (!points) throw Error("write_npy: expected UTF-8 text, found " + in_quotes(text));
    width = std::max(width, points->size());
    rows.push_back(std::move(*points));
  }
  pieces.text.assign(width * rows.size(), U'\0');
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::ranges::copy(rows[i], pieces.text.begin() + static_cast<std::ptrdiff_t>(i * width));
  pieces.header = make_npy_header(fmt::format("<U{}", width), array.shape);
  pieces.data = std::as_bytes(std::span(pieces.text));
  return pieces;
}

std::string npy_bytes(const Array& array) {
  const NpyPieces pieces = npy_pieces(array);
  return pieces.header + std::string(reinterpret_cast<const char*>(pieces.data.data()), pieces.data.size());
}

void write_npy(const std::filesystem::path& path, const Array& array) { write_text(path, npy_bytes(array)); }

ArrayMap parse_npz(const MappedFile& file, std::string_view name, const WantedName& wanted) {
  ArrayMap arrays;
  bool any = false;
  std::size_t inflated = 0;
  const auto members = list_zip(file.bytes, name);
  for (const ZipMember& member : members) {
    if (!member.name.ends_with(suffix)) continue;
    any = true;
    const std::string key = member.name.substr(0, member.name.size() - suffix.size());
    if (wanted && !wanted(key)) continue;
    const std::string where = fmt::format("{}: {}", name, printable(key));
    const MappedFile content = unpack(member, file, where);
    if (member.deflated) {
      const NpyHeader header = parse_npy_header(content.bytes, where);
      inflated += content.bytes.size() / std::max<std::size_t>(header.item_size, 1) * bytes_once_read(header);
      if (inflated > most_in_zip(file.bytes.size()))
        refuse(where,
               fmt::format("at most {} bytes (in tables, 32 per string and 8 per integer)",
                           most_in_zip(file.bytes.size())),
               "more");
    }
    arrays[key] = parse_npy(content.bytes, content.storage, where);
  }
  if (!any)
    refuse(name, "a zip archive of .npy members",
           members.empty() ? "an empty archive" : "the member " + in_quotes(members.front().name));
  return arrays;
}

ArrayMap read_npz(const std::filesystem::path& path) {
  const MappedFile file = map_file(path);
  if (file.bytes.empty()) refuse(display_name(path), "an npz file", "an empty file");
  return parse_npz(file, display_name(path));
}

void write_npz(const std::filesystem::path& path, const ArrayMap& arrays) {
  NpzWriter writer(path);
  for (const auto& [name, array] : arrays) {
    if (name.empty() || name.size() > 1000)
      throw Error(fmt::format("{}: expected array names of 1 to 1000 bytes, found {}", display_name(path),
                              in_quotes(name)));
    writer.add(name, array);
  }
  writer.commit();
}

void NpzWriter::add(std::string_view name, const Array& array) {
  const NpyPieces pieces = npy_pieces(array);
  const std::array<std::span<const std::byte>, 2> parts{
      std::as_bytes(std::span(pieces.header.data(), pieces.header.size())), pieces.data};
  zip_.add(std::string(name) + std::string(suffix), parts);
}

void NpzWriter::begin(std::string_view name, ElementType type, const std::vector<std::size_t>& shape) {
  const auto bytes = checked_bytes(shape, size_of(type));
  if (type == ElementType::text || !bytes)
    throw Error("NpzWriter::begin: expected numbers of a shape that fits, found another");
  const std::string header = npy_header(type, shape);
  zip_.begin(std::string(name) + std::string(suffix), header.size() + *bytes);
  zip_.append(std::as_bytes(std::span(header.data(), header.size())));
}

void NpzWriter::commit() {
  zip_.finish();
  file_.commit();
}

}  // namespace leeway

#include "leeway/core/idx.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "leeway/core/array.h"
#include "leeway/core/inflate.h"
#include "leeway/core/message.h"

namespace leeway {
namespace {

std::optional<ElementType> element_type(unsigned code) {
  constexpr std::pair<unsigned, ElementType> codes[] = {{0x08, ElementType::u8},  {0x09, ElementType::i8},
                                                        {0x0b, ElementType::i16}, {0x0c, ElementType::i32},
                                                        {0x0d, ElementType::f32}, {0x0e, ElementType::f64}};
  for (const auto& [known, type] : codes)
    if (code == known) return type;
  return std::nullopt;
}

}  // namespace

Array parse_idx(const MappedFile& packed, std::string_view name) {
  const MappedFile file = unpack_gzip(packed, name);
  const auto bytes = file.bytes;
  const auto expect = [&](std::size_t count) {
    if (bytes.size() < count)
      refuse(name, fmt::format("an IDX header of {} bytes", count), fmt::format("{} bytes", bytes.size()));
  };
  expect(4);
  const auto type = element_type(std::to_integer<unsigned>(bytes[2]));
  if (bytes[0] != std::byte{0} || bytes[1] != std::byte{0} || !type)
    refuse(name, "an IDX file", fmt::format("first bytes {:02x}", fmt::join(bytes.first(4), " ")));
  Array array;
  array.type = *type;
  array.shape.assign(std::to_integer<std::size_t>(bytes[3]), 0);
  if (array.shape.empty() || array.shape.size() > 32)
    refuse(name, "an IDX file of 1 to 32 dimensions", array.shape.size());
  const std::size_t header = 4 + 4 * array.shape.size();
  expect(header);
  for (std::size_t i = 4; i < header; ++i)
    array.shape[i / 4 - 1] = array.shape[i / 4 - 1] << 8 | std::to_integer<std::size_t>(bytes[i]);
  const auto size = checked_bytes(array.shape, size_of(*type));
  if (size != bytes.size() - header)
    refuse(name, fmt::format("data for shape {} of {}", array.shape_text(), name_of(*type)),
           fmt::format("{} bytes", bytes.size() - header));
  if (size_of(*type) == 1) {
    array.storage = std::shared_ptr<const void>(file.storage, bytes.data() + header);
    return array;
  }
  const auto block = allocate_bytes(*size, name);
  const std::size_t width = size_of(*type);
  for (std::size_t i = 0; i < *size; i += width)
    std::reverse_copy(bytes.data() + header + i, bytes.data() + header + i + width, block.get() + i);
  array.storage = block;
  return array;
}

Array read_idx(const std::filesystem::path& path) {
  const MappedFile file = map_file(path);
  if (file.bytes.empty()) refuse(display_name(path), "an IDX file", "an empty file");
  return parse_idx(file, display_name(path));
}

}  // namespace leeway

#include "leeway/io/idx.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/message.h"
#include "leeway/io/inflate.h"
#include "leeway/io/npy.h"

namespace leeway {
namespace {

// Types of elements as NumPy describes them, by code; empty: unknown.
std::string_view descr_of(unsigned code) {
  constexpr std::pair<unsigned, std::string_view> codes[] = {{0x08, "|u1"}, {0x09, "|i1"}, {0x0b, ">i2"},
                                                             {0x0c, ">i4"}, {0x0d, ">f4"}, {0x0e, ">f8"}};
  for (const auto& [known, descr] : codes)
    if (code == known) return descr;
  return {};
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
  const std::string_view descr = descr_of(std::to_integer<unsigned>(bytes[2]));
  if (bytes[0] != std::byte{0} || bytes[1] != std::byte{0} || descr.empty())
    refuse(name, "an IDX file", fmt::format("first bytes {:02x}", fmt::join(bytes.first(4), " ")));
  std::vector<std::size_t> shape(std::to_integer<std::size_t>(bytes[3]));
  if (shape.empty() || shape.size() > 32) refuse(name, "an IDX file of 1 to 32 dimensions", shape.size());
  const std::size_t header = 4 + 4 * shape.size();
  expect(header);
  for (std::size_t i = 4; i < header; ++i)
    shape[i / 4 - 1] = shape[i / 4 - 1] << 8 | std::to_integer<std::size_t>(bytes[i]);
  return array_of_elements(descr, shape, bytes.subspan(header), file.storage, name);
}

Array read_idx(const std::filesystem::path& path) {
  const MappedFile file = map_file(path);
  if (file.bytes.empty()) refuse(display_name(path), "an IDX file", "an empty file");
  return parse_idx(file, display_name(path));
}

}  // namespace leeway

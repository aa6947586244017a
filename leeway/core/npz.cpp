#include "leeway/core/npz.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "leeway/core/error.h"
#include "leeway/core/inflate.h"
#include "leeway/core/message.h"
#include "leeway/core/npy.h"
#include "leeway/core/npy_header.h"
#include "leeway/core/zip.h"

namespace leeway {
namespace {

constexpr std::string_view suffix = ".npy";

// Float16 is read as float32; whole numbers of labels, groups and logits become int64 or float64.
std::size_t bytes_once_read(const NpyHeader& header) {
  if (header.kind == 'U' || header.kind == 'S') return sizeof(std::string);
  if (header.kind == 'f') return std::max(header.item_size, sizeof(float));
  return header.shape.size() > 2 ? header.item_size : sizeof(std::int64_t);
}

}  // namespace

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
               fmt::format("at most {} bytes (each text 32, each whole number of a table 8)",
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

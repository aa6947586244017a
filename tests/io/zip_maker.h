// Zip archives made by hand, each field free to lie.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/core/files.h"

namespace leeway::testing {

inline std::string deflate(std::string_view data) {
  z_stream stream{};
  ::deflateInit2(&stream, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY);
  std::string out(::deflateBound(&stream, data.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

inline std::string gzip(std::string_view data) {
  const auto crc = static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(data.data()), static_cast<uInt>(data.size())));
  return std::string("\x1f\x8b\x08\0\0\0\0\0\x02\xff", 10) + deflate(data) + raw(crc) +
         raw(static_cast<std::uint32_t>(data.size()));
}

struct ZipEntry {
  std::string name, packed;
  std::uint32_t size = 0, crc = 0;
  std::uint16_t method = 0, flags = 0;
  std::string extra = {};  // of the central record
  std::optional<std::uint32_t> packed_size = {}, offset = {}, local_size = {};
  std::optional<std::string> local_name = {};
};

inline ZipEntry stored_entry(std::string name, std::string data) {
  const auto crc = ::crc32(0, reinterpret_cast<const Bytef*>(data.data()), static_cast<uInt>(data.size()));
  const auto size = static_cast<std::uint32_t>(data.size());
  return {std::move(name), std::move(data), size, static_cast<std::uint32_t>(crc)};
}

inline ZipEntry deflated_entry(std::string name, const std::string& data) {
  ZipEntry entry = stored_entry(std::move(name), data);
  entry.packed = deflate(data);
  entry.method = 8;
  return entry;
}

struct ZipLies {
  std::optional<std::uint16_t> count = {};
  std::optional<std::uint32_t> size = {}, offset = {};
};

inline std::string make_zip(const std::vector<ZipEntry>& entries, const ZipLies& lies = {}) {
  const auto u16 = [](std::size_t v) { return raw(static_cast<std::uint16_t>(v)); };
  const auto u32 = [](std::size_t v) { return raw(static_cast<std::uint32_t>(v)); };
  std::string out, directory;
  for (const ZipEntry& e : entries) {
    const std::size_t packed = e.packed_size.value_or(static_cast<std::uint32_t>(e.packed.size()));
    const std::string local_name = e.local_name.value_or(e.name);
    directory += u32(0x02014b50) + u16(20) + u16(20) + u16(e.flags) + u16(e.method) + u32(0) + u32(e.crc) +
                 u32(packed) + u32(e.size) + u16(e.name.size()) + u16(e.extra.size()) + u16(0) + u16(0) +
                 u16(0) + u32(0) + u32(e.offset.value_or(static_cast<std::uint32_t>(out.size()))) + e.name +
                 e.extra;
    out += u32(0x04034b50) + u16(20) + u16(e.flags) + u16(e.method) + u32(0) + u32(e.crc) + u32(packed) +
           u32(e.local_size.value_or(e.size)) + u16(local_name.size()) + u16(0) + local_name + e.packed;
  }
  const std::size_t start = out.size();
  return out + directory + u32(0x06054b50) + u16(0) + u16(0) + u16(lies.count.value_or(entries.size())) +
         u16(lies.count.value_or(entries.size())) + u32(lies.size.value_or(directory.size())) +
         u32(lies.offset.value_or(start)) + u16(0);
}

}  // namespace leeway::testing

#include "leeway/io/inflate.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <memory>
#include <new>
#include <system_error>

#include "leeway/core/array.h"
#include "leeway/core/message.h"

namespace leeway {
namespace {

constexpr std::size_t smallest_gzip = 18;  // header and trailer

struct FreeInflater {
  void operator()(libdeflate_decompressor* inflater) const { ::libdeflate_free_decompressor(inflater); }
};
struct FreeDeflater {
  void operator()(libdeflate_compressor* deflater) const { ::libdeflate_free_compressor(deflater); }
};

std::unique_ptr<libdeflate_decompressor, FreeInflater> make_inflater() {
  if (auto* const made = ::libdeflate_alloc_decompressor())
    return std::unique_ptr<libdeflate_decompressor, FreeInflater>(made);
  throw std::bad_alloc();
}

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

[[noreturn]] void refuse_stream(std::string_view name) {
  refuse(name, "a valid compressed stream", "damage or a truncated stream");
}

}  // namespace

MappedFile inflated(std::span<const std::byte> packed, std::size_t size, std::string_view name) {
  const auto block = allocate_bytes(size, name);
  std::size_t taken = 0, made = 0;
  const libdeflate_result result = ::libdeflate_deflate_decompress_ex(
      make_inflater().get(), packed.data(), packed.size(), block.get(), size, &taken, &made);
  if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
    refuse(name, fmt::format("{} bytes in the compressed stream", size), "more data");
  if (result != LIBDEFLATE_SUCCESS) refuse_stream(name);
  if (made < size) refuse(name, fmt::format("{} bytes in the compressed stream", size), made);
  if (taken < packed.size()) refuse(name, "no data after the compressed stream", "more bytes");
  return {block, {block.get(), size}};
}

std::filesystem::path plain_or_gzip(const std::filesystem::path& path) {
  std::filesystem::path other = path;
  if (path.extension() == ".gz")
    other.replace_extension();
  else
    other += ".gz";
  std::error_code unknown;  // of a name that no file can have
  for (const std::filesystem::path& one : {path, other})
    if (std::filesystem::exists(one, unknown)) return one;
  return {};
}

MappedFile unpack_gzip(const MappedFile& file, std::string_view name) {
  auto bytes = file.bytes;
  if (!is_gzip(bytes)) return file;
  if (bytes.size() < smallest_gzip) refuse_stream(name);
  const std::size_t most = most_in_gzip(bytes.size());
  const auto expect_size = [&](std::size_t found) {
    if (found > most)
      refuse(name,
             fmt::format("at most {} bytes from {} compressed bytes (decompress it with gunzip)", most,
                         file.bytes.size()),
             found);
  };
  std::uint32_t size = 0;  // of the last member; little-endian
  for (std::size_t i = 0; i < 4; ++i)
    size |= std::to_integer<std::uint32_t>(bytes[bytes.size() - 4 + i]) << (8 * i);
  expect_size(size);
  const auto inflater = make_inflater();
  std::size_t filled = 0, room = size;
  auto block = allocate_bytes(room, name);
  while (!bytes.empty()) {
    if (!is_gzip(bytes)) refuse(name, "no data after the compressed stream", "more bytes");
    std::size_t taken = 0, made = 0;
    const libdeflate_result result = ::libdeflate_gzip_decompress_ex(
        inflater.get(), bytes.data(), bytes.size(), block.get() + filled, room - filled, &taken, &made);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) {
      expect_size(room + 1);
      const auto larger = allocate_bytes(room = std::min(2 * room + smallest_gzip, most), name);
      std::copy_n(block.get(), filled, larger.get());
      block = larger;
      continue;
    }
    if (result != LIBDEFLATE_SUCCESS) refuse_stream(name);
    filled += made;
    bytes = bytes.subspan(taken);
  }
  return {block, {block.get(), filled}};
}

std::string gzipped(std::string_view text) {
  constexpr int level = 6;  // gzip's own
  const std::unique_ptr<libdeflate_compressor, FreeDeflater> deflater(::libdeflate_alloc_compressor(level));
  if (!deflater) throw std::bad_alloc();
  std::string packed(::libdeflate_gzip_compress_bound(deflater.get(), text.size()), '\0');
  packed.resize(
      ::libdeflate_gzip_compress(deflater.get(), text.data(), text.size(), packed.data(), packed.size()));
  return packed;
}

}  // namespace leeway

#include "leeway/io/inflate.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <system_error>

#include "leeway/core/array.h"
#include "leeway/core/message.h"

namespace leeway {
namespace {

constexpr std::size_t piece = std::size_t{1} << 30;  // zlib counts in 32 bits
constexpr std::size_t smallest_gzip = 18;            // header and trailer

// Inflates a stream piece by piece: one of deflate, or the members of a gzip file one after another.
class Inflater {
 public:
  Inflater(std::span<const std::byte> packed, bool gzip, std::string_view name)
      : packed_(packed), name_(name), gzip_(gzip) {
    if (::inflateInit2(&stream_, gzip ? 15 + 16 : -15) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { ::inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Fills `out` as far as the stream goes; returns the number of bytes.
  std::size_t read(std::span<std::byte> out) {
    const std::size_t wanted = out.size();
    while (!out.empty() && !ended_) out = out.subspan(step(out));
    return wanted - out.size();
  }

  // Error unless the stream ends here; verifies gzip checksums.
  void expect_end() {
    std::byte extra{};
    if (read({&extra, 1}) > 0) refuse(name_, "the end of the compressed stream", "more data");
    if (stream_.avail_in != 0 || !packed_.empty())
      refuse(name_, "nothing after the compressed stream", "more bytes");
  }

 private:
  void refill() {
    if (stream_.avail_in > 0 || packed_.empty()) return;
    const auto next = packed_.first(std::min(packed_.size(), piece));
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(next.data()));
    stream_.avail_in = static_cast<uInt>(next.size());
    packed_ = packed_.subspan(next.size());
  }

  // One call of inflate. Returns the number of bytes written.
  std::size_t step(std::span<std::byte> out) {
    refill();
    const std::size_t room = std::min(out.size(), piece);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(room);
    const int code = ::inflate(&stream_, Z_NO_FLUSH);
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    if (code == Z_STREAM_END) {
      refill();
      ended_ = !gzip_ || stream_.avail_in == 0 || *stream_.next_in != 0x1f;  // else another member follows
      if (!ended_) ::inflateReset(&stream_);
    } else if (code == Z_BUF_ERROR) {
      refuse(name_, "a whole compressed stream", "a truncated stream");
    } else if (code != Z_OK) {
      refuse(name_, "a valid compressed stream",
             fmt::format("damage ({})", stream_.msg ? stream_.msg : "zlib"));
    }
    return room - stream_.avail_out;
  }

  z_stream stream_{};
  std::span<const std::byte> packed_;  // not yet handed to zlib
  std::string_view name_;
  bool gzip_, ended_ = false;
};

}  // namespace

MappedFile inflated(std::span<const std::byte> packed, std::size_t size, std::string_view name) {
  const auto block = allocate_bytes(size, name);
  Inflater inflater(packed, false, name);
  if (const std::size_t found = inflater.read({block.get(), size}); found < size)
    refuse(name, fmt::format("{} bytes in the compressed stream", size), found);
  inflater.expect_end();
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
  const auto bytes = file.bytes;
  if (bytes.size() < 2 || bytes[0] != std::byte{0x1f} || bytes[1] != std::byte{0x8b}) return file;
  if (bytes.size() < smallest_gzip) refuse(name, "a whole compressed stream", "a truncated stream");
  std::uint32_t size = 0;  // little-endian
  for (std::size_t i = 0; i < 4; ++i)
    size |= std::to_integer<std::uint32_t>(bytes[bytes.size() - 4 + i]) << (8 * i);
  const std::size_t most = most_in_gzip(bytes.size());
  const auto expect_size = [&](std::size_t found) {
    if (found > most)
      refuse(name,
             fmt::format("at most {} bytes in {} compressed ones (decompress it with gunzip)", most,
                         bytes.size()),
             fmt::format("{}", found));
  };
  expect_size(size);
  Inflater inflater(bytes, true, name);
  std::size_t filled = 0, room = std::size_t{size} + 1;  // of the last member, and a byte of others
  for (auto block = allocate_bytes(room, name);;) {
    filled += inflater.read({block.get() + filled, room - filled});
    if (filled < room) {
      inflater.expect_end();
      return {block, {block.get(), filled}};
    }
    expect_size(filled);
    const auto larger = allocate_bytes(room = std::min(2 * room, most + 1), name);
    std::memcpy(larger.get(), block.get(), filled);
    block = larger;
  }
}

}  // namespace leeway

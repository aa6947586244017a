#include "leeway/core/inflate.h"

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

}  // namespace

struct Inflater::State {
  z_stream stream{};
  std::span<const std::byte> packed;  // not yet handed to zlib
  std::string_view name;
  bool gzip = false, ended = false;

  void refill() {
    if (stream.avail_in > 0 || packed.empty()) return;
    const auto next = packed.first(std::min(packed.size(), piece));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(next.data()));
    stream.avail_in = static_cast<uInt>(next.size());
    packed = packed.subspan(next.size());
  }

  // One call of inflate. Returns the number of bytes written.
  std::size_t step(std::span<std::byte> out) {
    refill();
    const std::size_t room = std::min(out.size(), piece);
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(room);
    const int code = ::inflate(&stream, Z_NO_FLUSH);
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    if (code == Z_STREAM_END) {
      refill();
      ended = !gzip || stream.avail_in == 0 || *stream.next_in != 0x1f;  // else another member follows
      if (!ended) ::inflateReset(&stream);
    } else if (code == Z_BUF_ERROR) {
      refuse(name, "a whole compressed stream", "a truncated stream");
    } else if (code != Z_OK) {
      refuse(name, "a valid compressed stream", fmt::format("damage ({})", stream.msg ? stream.msg : "zlib"));
    }
    return room - stream.avail_out;
  }
};

Inflater::Inflater(std::span<const std::byte> packed, StreamFormat format, std::string_view name)
    : state_(std::make_unique<State>()) {
  state_->packed = packed;
  state_->name = name;
  state_->gzip = format == StreamFormat::gzip;
  const int window_bits = format == StreamFormat::gzip ? 15 + 16 : -15;
  if (::inflateInit2(&state_->stream, window_bits) != Z_OK) throw std::bad_alloc();
}

Inflater::~Inflater() { ::inflateEnd(&state_->stream); }

void Inflater::read(std::span<std::byte> out) {
  const std::size_t wanted = out.size();
  while (!out.empty()) {
    if (state_->ended)
      refuse(state_->name, fmt::format("{} more bytes in the compressed stream", wanted),
             fmt::format("its end after {}", wanted - out.size()));
    out = out.subspan(state_->step(out));
  }
}

std::size_t Inflater::read_some(std::span<std::byte> out) {
  const std::size_t wanted = out.size();
  while (!out.empty() && !state_->ended) out = out.subspan(state_->step(out));
  return wanted - out.size();
}

void Inflater::expect_end() {
  std::byte extra{};
  while (!state_->ended)
    if (state_->step({&extra, 1}) != 0) refuse(state_->name, "the end of the compressed stream", "more data");
  if (state_->stream.avail_in != 0 || !state_->packed.empty())
    refuse(state_->name, "nothing after the compressed stream", "more bytes");
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
  Inflater inflater(bytes, StreamFormat::gzip, name);
  std::size_t filled = 0, room = std::size_t{size} + 1;  // of the last member, and a byte of others
  for (auto block = allocate_bytes(room, name);;) {
    filled += inflater.read_some({block.get() + filled, room - filled});
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

// Zip archives: the list of members, and a member's bytes.
//
// Listing checks the end of the central directory, that members lie inside the file and do not overlap, that
// local headers agree with the directory, that names are unique, and that sizes are possible for the packed
// bytes. Refused by name: encryption, several disks, compression other than deflate.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/file.h"

namespace leeway {

struct ZipMember {
  std::string name;
  bool deflated = false;
  std::uint32_t crc = 0;
  std::size_t size = 0;               // inflated
  std::span<const std::byte> packed;  // in the archive
};

[[nodiscard]] std::vector<ZipMember> list_zip(std::span<const std::byte> archive, std::string_view name);

// The member's bytes, its checksum verified: a view of the archive where stored, a new block where deflated.
// A stored member's checksum 0 stands for none, as PyTorch's set_crc32_options leaves it.
[[nodiscard]] MappedFile unpack(const ZipMember& member, const MappedFile& archive, std::string_view name);

// Writes stored members at multiples of 64 bytes. Dates are fixed: equal content gives equal bytes.
class ZipWriter {
 public:
  explicit ZipWriter(AtomicFile& file) : file_(file) {}
  void add(std::string_view name, std::span<const std::span<const std::byte>> pieces);
  // A member of `size` bytes in pieces; the checksum follows (data descriptor). std::logic_error for another
  // size.
  void begin(std::string_view name, std::uint64_t size);
  void append(std::span<const std::byte> bytes);
  void end();
  void finish();  // the central directory

 private:
  struct Entry {
    std::string name;
    std::uint32_t crc = 0;
    std::uint64_t size = 0, offset = 0;
    bool streamed = false;
  };
  void put(std::string_view bytes);
  void put_header(const Entry& entry);
  static void append_facts(std::string& to, const Entry& entry, bool large, std::string_view extra);

  AtomicFile& file_;
  std::uint64_t offset_ = 0;
  std::vector<Entry> entries_;
  Entry open_;
  std::uint64_t written_ = 0;  // of open_
};

}  // namespace leeway

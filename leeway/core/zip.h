// Zip archives: the list of members, and a member's bytes.
//
// Checked when listing: the central directory ends where the file's end record says, every member lies inside
// the file and apart from the others, its local header agrees with the directory, no name stands twice, and a
// size is one that the packed bytes can hold. Refused by name: encryption, several disks, compression other
// than deflate.
#pragma once

#include <cstdint>
#include <memory>
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

// The member's bytes, their checksum verified (crc32.h): a view of the archive where stored, a new block where deflated.
// A stored member's checksum 0 stands for none, as PyTorch's set_crc32_options leaves it.
[[nodiscard]] MappedFile unpack(const ZipMember& member, const MappedFile& archive, std::string_view name);

// Writes stored members one after another, each starting at a multiple of 64 bytes. Dates are fixed: the same
// content gives the same bytes.
class ZipWriter {
 public:
  explicit ZipWriter(AtomicFile& file) : file_(file) {}
  void add(std::string_view name, std::span<const std::span<const std::byte>> pieces);
  // A member of `size` bytes that come one piece after another; its checksum follows them (a data descriptor).
  // std::logic_error where the pieces are not that long.
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

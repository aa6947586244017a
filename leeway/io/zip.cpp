#include "leeway/io/zip.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <stdexcept>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/message.h"
#include "leeway/io/inflate.h"

namespace leeway {
namespace {

static_assert(std::endian::native == std::endian::little, "zip fields are little-endian");

constexpr std::uint32_t local_signature = 0x04034b50, central_signature = 0x02014b50,
                        end_signature = 0x06054b50, end64_signature = 0x06064b50,
                        locator64_signature = 0x07064b50;
constexpr std::size_t local_size = 30, central_size = 46, end_size = 22, end64_size = 56, locator64_size = 20;
constexpr std::uint32_t in_zip64 = 0xffffffff;
constexpr std::uint16_t zip64_field = 0x0001, padding_field = 0xd935;
constexpr std::uint32_t descriptor_signature = 0x08074b50;
constexpr std::uint16_t stored = 0, deflated = 8;
constexpr std::uint16_t utf8_names = 0x0800, sizes_follow_data = 8;  // flags

// Of what `so_far` is the checksum of, followed by `bytes`; 0 is the checksum of nothing.
std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t so_far = 0) {
  return bytes.empty() ? so_far : ::libdeflate_crc32(so_far, bytes.data(), bytes.size());
}

// A piece of the archive with numbers at byte offsets; reading beyond it is an Error.
class Fields {
 public:
  Fields(std::span<const std::byte> bytes, std::string_view name) : bytes_(bytes), name_(name) {}

  template <class T>
  [[nodiscard]] T number(std::size_t offset) const {
    T value{};
    std::memcpy(&value, part(offset, sizeof(T)).data(), sizeof(T));
    return value;
  }
  [[nodiscard]] std::span<const std::byte> part(std::size_t offset, std::size_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset)
      refuse(name_, "a whole zip archive", "a record that ends outside the file");
    return bytes_.subspan(offset, size);
  }
  [[nodiscard]] std::string text(std::size_t offset, std::size_t size) const {
    const auto bytes = part(offset, size);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  std::span<const std::byte> bytes_;
  std::string_view name_;
};

struct Directory {
  std::uint64_t offset = 0, size = 0, entries = 0;
};

// The end record is the last thing in the file, but for a comment of up to 65535 bytes.
std::size_t find_end(std::span<const std::byte> archive, std::string_view name) {
  const Fields fields(archive, name);
  for (std::size_t comment = 0; comment <= 0xffff && comment + end_size <= archive.size(); ++comment) {
    const std::size_t at = archive.size() - end_size - comment;
    if (fields.number<std::uint32_t>(at) == end_signature && fields.number<std::uint16_t>(at + 20) == comment)
      return at;
  }
  refuse(name, "a zip archive's end record", "none (is the file truncated?)");
}

// Some writers (PyTorch) add the record of zip64 where nothing needs it: it must repeat the shorter one.
void check_zip64(const Directory& directory, const Directory& directory64, std::string_view name) {
  const auto agrees = [](std::uint64_t here, std::uint64_t there, std::uint64_t ones) {
    return here == ones || here == there;
  };
  if (!agrees(directory.offset, directory64.offset, in_zip64) ||
      !agrees(directory.size, directory64.size, in_zip64) ||
      !agrees(directory.entries, directory64.entries, 0xffff))
    refuse(name, "a zip64 end record that matches the end record", "another directory");
}

Directory find_directory(std::span<const std::byte> archive, std::string_view name) {
  const Fields fields(archive, name);
  const std::size_t end = find_end(archive, name);
  const auto disk = fields.number<std::uint16_t>(end + 4), start_disk = fields.number<std::uint16_t>(end + 6);
  Directory directory{fields.number<std::uint32_t>(end + 16), fields.number<std::uint32_t>(end + 12),
                      fields.number<std::uint16_t>(end + 10)};
  std::size_t limit = end;
  if (end >= locator64_size && fields.number<std::uint32_t>(end - locator64_size) == locator64_signature) {
    const auto at = fields.number<std::uint64_t>(end - locator64_size + 8);
    limit = end - locator64_size;
    if (at > limit || limit - at != end64_size || fields.number<std::uint32_t>(at) != end64_signature)
      refuse(name, "a zip64 end record before its locator", fmt::format("none at byte {}", at));
    const Directory directory64{fields.number<std::uint64_t>(at + 48), fields.number<std::uint64_t>(at + 40),
                                fields.number<std::uint64_t>(at + 32)};
    check_zip64(directory, directory64, name);
    directory = directory64;
    limit = at;
  } else if (disk != 0 || start_disk != 0) {
    refuse(name, "a zip archive in one file", "one of several disks");
  }
  if (directory.offset > limit || directory.size != limit - directory.offset)
    refuse(name, "a zip directory that ends at the end record",
           fmt::format("{} bytes from byte {}", directory.size, directory.offset));
  if (directory.entries > directory.size / central_size)
    refuse(name, fmt::format("at most {} members in the zip directory", directory.size / central_size),
           directory.entries);
  return directory;
}

// What a central record says; the fields that are all ones stand in the zip64 extra field, in this order.
struct Record {
  std::uint64_t size = 0, packed = 0, offset = 0;
};

void read_zip64(Record& record, std::span<const std::byte> extra, std::string_view name) {
  if (record.size != in_zip64 && record.packed != in_zip64 && record.offset != in_zip64) return;
  const Fields fields(extra, name);
  for (std::size_t at = 0; at + 4 <= extra.size();) {
    const auto id = fields.number<std::uint16_t>(at), length = fields.number<std::uint16_t>(at + 2);
    const Fields field(fields.part(at + 4, length), name);
    if (id == zip64_field) {
      std::size_t next = 0;
      for (std::uint64_t* value : {&record.size, &record.packed, &record.offset})
        if (*value == in_zip64) {
          *value = field.number<std::uint64_t>(next);
          next += 8;
        }
      return;
    }
    at += 4 + std::size_t{length};
  }
}

struct Located {
  ZipMember member;
  std::size_t begin = 0, end = 0;  // local header and packed bytes
};

// `at` is the place of the central record; everything before `limit` may hold members.
Located read_member(std::span<const std::byte> archive, std::size_t at, std::size_t limit,
                    std::string_view name) {
  const Fields fields(archive, name);
  const auto name_length = fields.number<std::uint16_t>(at + 28),
             extra_length = fields.number<std::uint16_t>(at + 30);
  Located found;
  ZipMember& member = found.member;
  member.name = fields.text(at + central_size, name_length);
  const std::string where = fmt::format("{}: {}", name, printable(member.name));
  if ((fields.number<std::uint16_t>(at + 8) & 1) != 0) refuse(where, "an open member", "an encrypted one");
  const auto method = fields.number<std::uint16_t>(at + 10);
  if (method != stored && method != deflated)
    refuse(where, "a stored or deflated member", fmt::format("compression method {}", method));
  member.deflated = method == deflated;
  member.crc = fields.number<std::uint32_t>(at + 16);
  Record record{fields.number<std::uint32_t>(at + 24), fields.number<std::uint32_t>(at + 20),
                fields.number<std::uint32_t>(at + 42)};
  read_zip64(record, fields.part(at + central_size + name_length, extra_length), where);

  const Fields before(archive.first(limit), where);
  const std::size_t local = record.offset;
  if (before.number<std::uint32_t>(local) != local_signature)
    refuse(where, fmt::format("a local header at byte {}", local), "other bytes");
  const auto local_name = before.number<std::uint16_t>(local + 26),
             local_extra = before.number<std::uint16_t>(local + 28);
  if (before.text(local + local_size, local_name) != member.name ||
      before.number<std::uint16_t>(local + 8) != method)
    refuse(where, "a local header that matches the directory's entry", "another name or method");
  const bool sizes_follow = (before.number<std::uint16_t>(local + 6) & 8) != 0;
  const auto local_packed = before.number<std::uint32_t>(local + 18),
             local_inflated = before.number<std::uint32_t>(local + 22);
  const auto agrees = [](std::uint32_t here, std::uint64_t there) {
    return here == in_zip64 || here == there;
  };
  if (!sizes_follow && !(agrees(local_packed, record.packed) && agrees(local_inflated, record.size)))
    refuse(where, fmt::format("sizes {} and {} in the local header", record.packed, record.size),
           fmt::format("{} and {}", local_packed, local_inflated));
  const std::size_t start = local + local_size + local_name + local_extra;
  member.packed = before.part(start, record.packed);
  member.size = record.size;
  const bool possible =
      member.deflated ? record.size / max_expansion <= record.packed : record.size == record.packed;
  if (!possible)
    refuse(where, fmt::format("a size that {} packed bytes can hold", record.packed), record.size);
  found.begin = local;
  found.end = start + record.packed;
  return found;
}

template <class... T>
void append_to(std::string& out, T... fields) {
  (out.append(reinterpret_cast<const char*>(&fields), sizeof fields), ...);
}

std::uint16_t two(std::size_t value) { return static_cast<std::uint16_t>(value); }

constexpr std::uint32_t first_of_1980 = 1 << 21 | 1 << 16;  // date in the upper half, time in the lower

std::uint32_t clipped(std::uint64_t value) {
  return value >= in_zip64 ? in_zip64 : static_cast<std::uint32_t>(value);
}

}  // namespace

std::vector<ZipMember> list_zip(std::span<const std::byte> archive, std::string_view name) {
  const Directory directory = find_directory(archive, name);
  const Fields fields(archive.first(directory.offset + directory.size), name);
  std::vector<Located> found;
  std::set<std::string> names;
  std::size_t at = directory.offset;
  std::uint64_t inflated = 0;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    if (fields.number<std::uint32_t>(at) != central_signature)
      refuse(name, fmt::format("{} members in the zip directory", directory.entries), i);
    found.push_back(read_member(archive, at, directory.offset, name));
    const ZipMember& member = found.back().member;
    if (!names.insert(member.name).second)
      refuse(name, "members of different names", in_quotes(member.name) + " twice");
    if (member.deflated) inflated += member.size;
    at += central_size + fields.number<std::uint16_t>(at + 28) + fields.number<std::uint16_t>(at + 30) +
          fields.number<std::uint16_t>(at + 32);
  }
  if (at != directory.offset + directory.size)
    refuse(name, fmt::format("{} members in the zip directory", directory.entries), "more bytes");
  const std::size_t most = most_in_zip(archive.size());
  if (inflated > most) refuse(name, fmt::format("at most {} bytes when inflated", most), inflated);

  std::vector<const Located*> by_place;
  for (const Located& one : found) by_place.push_back(&one);
  std::ranges::sort(by_place, {}, &Located::begin);
  for (std::size_t i = 1; i < by_place.size(); ++i)
    if (by_place[i]->begin < by_place[i - 1]->end)
      refuse(name, "members that do not overlap",
             in_quotes(by_place[i - 1]->member.name) + " and " + in_quotes(by_place[i]->member.name));
  std::vector<ZipMember> members;
  for (Located& one : found) members.push_back(std::move(one.member));
  return members;
}

MappedFile unpack(const ZipMember& member, const MappedFile& archive, std::string_view name) {
  const MappedFile content = member.deflated ? inflated(member.packed, member.size, name)
                                             : MappedFile{archive.storage, member.packed};
  if (!member.deflated && member.crc == 0) return content;
  const std::uint32_t crc = crc32_of(content.bytes);
  if (crc != member.crc) refuse(name, fmt::format("checksum {:08x}", member.crc), fmt::format("{:08x}", crc));
  return content;
}

void ZipWriter::put(std::string_view bytes) {
  file_.write(bytes);
  offset_ += bytes.size();
}

// What the header before the data and that of the directory say alike.
void ZipWriter::append_facts(std::string& to, const Entry& entry, bool large, std::string_view extra) {
  append_to(to, two(large ? 45 : 20), two(utf8_names | (entry.streamed ? sizes_follow_data : 0)), stored,
            first_of_1980, entry.crc, clipped(entry.size), clipped(entry.size), two(entry.name.size()),
            two(extra.size()));
}

void ZipWriter::put_header(const Entry& entry) {
  std::string header, extra;
  const bool large = entry.size >= in_zip64;
  if (large) append_to(extra, zip64_field, two(16), entry.size, entry.size);
  // An extra field of zeros moves the data to a multiple of 64 bytes.
  const std::size_t data = offset_ + local_size + entry.name.size() + extra.size() + 4;
  const std::uint16_t padding = two((64 - data % 64) % 64);
  append_to(extra, padding_field, padding);
  extra.append(padding, '\0');
  append_to(header, local_signature);
  append_facts(header, entry, large, extra);
  put(header + entry.name + extra);
}

void ZipWriter::add(std::string_view name, std::span<const std::span<const std::byte>> pieces) {
  Entry entry{std::string(name), 0, 0, offset_};
  for (const auto piece : pieces) {
    entry.crc = crc32_of(piece, entry.crc);
    entry.size += piece.size();
  }
  put_header(entry);
  for (const auto piece : pieces) {
    file_.write(piece);
    offset_ += piece.size();
  }
  entries_.push_back(std::move(entry));
}

void ZipWriter::begin(std::string_view name, std::uint64_t size) {
  open_ = {std::string(name), 0, size, offset_, true};
  written_ = 0;
  put_header(open_);
}

void ZipWriter::append(std::span<const std::byte> bytes) {
  if (bytes.size() > open_.size - written_) throw std::logic_error("ZipWriter: more bytes than announced");
  if (bytes.empty()) return;
  open_.crc = crc32_of(bytes, open_.crc);
  file_.write(bytes);
  offset_ += bytes.size();
  written_ += bytes.size();
}

void ZipWriter::end() {
  if (written_ != open_.size) throw std::logic_error("ZipWriter: fewer bytes than announced");
  std::string descriptor;
  append_to(descriptor, descriptor_signature, open_.crc);
  if (open_.size >= in_zip64)
    append_to(descriptor, open_.size, open_.size);
  else
    append_to(descriptor, clipped(open_.size), clipped(open_.size));
  put(descriptor);
  entries_.push_back(std::move(open_));
}

void ZipWriter::finish() {
  const std::uint64_t start = offset_;
  for (const Entry& entry : entries_) {
    std::string extra, field, record;
    for (const std::uint64_t value : {entry.size, entry.size, entry.offset})
      if (value >= in_zip64) append_to(extra, value);
    if (!extra.empty()) append_to(field, zip64_field, two(extra.size()));
    extra.insert(0, field);
    append_to(record, central_signature, two(45));
    append_facts(record, entry, !extra.empty(), extra);
    record.append(10, '\0');  // comment length, disk, attributes
    append_to(record, clipped(entry.offset));
    put(record + entry.name + extra);
  }
  const std::uint64_t size = offset_ - start, count = entries_.size();
  std::string end;
  constexpr std::uint64_t no_disks = 0;
  if (start >= in_zip64 || size >= in_zip64 || count >= 0xffff) {
    append_to(end, end64_signature, std::uint64_t{end64_size - 12}, two(45), two(45), no_disks, count, count,
              size, start);
    append_to(end, locator64_signature, std::uint32_t{0}, offset_, std::uint32_t{1});
  }
  const std::uint16_t members = two(std::min<std::uint64_t>(count, 0xffff));
  append_to(end, end_signature, std::uint32_t{0}, members, members, clipped(size), clipped(start), two(0));
  put(end);
}

}  // namespace leeway

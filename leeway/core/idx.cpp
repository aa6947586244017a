#include "leeway/core/idx.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
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

// The bytes of an IDX file one after another, plain or inflated.
class Source {
 public:
  Source(const MappedFile& file, std::string_view name) : plain_(file.bytes), name_(name) {
    const bool gzip = plain_.size() >= 2 && plain_[0] == std::byte{0x1f} && plain_[1] == std::byte{0x8b};
    most_left_ = gzip ? most_in_gzip(plain_.size()) : plain_.size();
    if (gzip) inflater_.emplace(plain_, StreamFormat::gzip, name);
  }

  // How many bytes can follow at most.
  [[nodiscard]] std::size_t most_left() const { return most_left_; }

  void read(std::span<std::byte> out) {
    most_left_ -= std::min(most_left_, out.size());
    if (inflater_) return inflater_->read(out);
    if (out.size() > plain_.size())
      refuse(name_, fmt::format("{} more bytes", out.size()), fmt::format("{}", plain_.size()));
    std::ranges::copy(plain_.first(out.size()), out.begin());
    plain_ = plain_.subspan(out.size());
  }

  void expect_end() {
    if (inflater_) return inflater_->expect_end();
    if (!plain_.empty()) refuse(name_, "nothing after the data", fmt::format("{} more bytes", plain_.size()));
  }

 private:
  std::span<const std::byte> plain_;
  std::string_view name_;
  std::size_t most_left_ = 0;
  std::optional<Inflater> inflater_;
};

}  // namespace

Array parse_idx(const MappedFile& file, std::string_view name) {
  Source source(file, name);
  std::array<std::byte, 4> magic{};
  source.read(magic);
  const auto type = element_type(std::to_integer<unsigned>(magic[2]));
  if (magic[0] != std::byte{0} || magic[1] != std::byte{0} || !type)
    refuse(name, "an IDX file", fmt::format("first bytes {:02x}", fmt::join(magic, " ")));
  Array array;
  array.type = *type;
  array.shape.resize(std::to_integer<std::size_t>(magic[3]));
  if (array.shape.empty() || array.shape.size() > 32)
    refuse(name, "an IDX file of 1 to 32 dimensions", fmt::format("{}", array.shape.size()));
  for (std::size_t& size : array.shape) {
    std::array<std::byte, 4> field{};
    source.read(field);
    size = 0;
    for (const std::byte b : field) size = size << 8 | std::to_integer<std::size_t>(b);
  }
  const auto bytes = checked_bytes(array.shape, size_of(*type));
  if (!bytes || *bytes > source.most_left())
    refuse(name, fmt::format("data for shape {} of {}", array.shape_text(), name_of(*type)),
           fmt::format("at most {} bytes", source.most_left()));
  const auto block = allocate_bytes(*bytes, name);
  source.read({block.get(), *bytes});
  source.expect_end();
  if (const std::size_t width = size_of(*type); width > 1)
    for (std::size_t i = 0; i < *bytes; i += width) std::reverse(block.get() + i, block.get() + i + width);
  array.storage = block;
  return array;
}

Array read_idx(const std::filesystem::path& path) {
  const MappedFile file = map_file(path);
  if (file.bytes.empty()) refuse(display_name(path), "an IDX file", "an empty file");
  return parse_idx(file, display_name(path));
}

}  // namespace leeway

#include "leeway/nn/io/strided.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string>

#include "leeway/core/message.h"

namespace leeway::nn {
namespace {

static_assert(std::endian::native == std::endian::little, "storages are little-endian");

constexpr StorageType types[] = {{"torch.FloatStorage", ElementType::f32, 4, nullptr},
                                 {"torch.DoubleStorage", ElementType::f64, 8, nullptr},
                                 {"torch.HalfStorage", ElementType::f32, 2, float_from_half},
                                 {"torch.BFloat16Storage", ElementType::f32, 2, float_from_bfloat16},
                                 {"torch.LongStorage", ElementType::i64, 8, nullptr},
                                 {"torch.IntStorage", ElementType::i32, 4, nullptr},
                                 {"torch.ShortStorage", ElementType::i16, 2, nullptr},
                                 {"torch.CharStorage", ElementType::i8, 1, nullptr},
                                 {"torch.ByteStorage", ElementType::u8, 1, nullptr},
                                 {"torch.BoolStorage", ElementType::boolean, 1, nullptr}};

// Number of the last element that the view reads, or nothing where that overflows. No size is 0.
std::optional<std::int64_t> last_element(const StridedView& view) {
  std::int64_t last = view.offset;
  for (std::size_t d = 0; d < view.sizes.size(); ++d) {
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(view.sizes[d] - 1, view.strides[d], &reach) ||
        __builtin_add_overflow(last, reach, &last))
      return std::nullopt;
  }
  return last;
}

void check_view(const StridedView& view, std::size_t count, std::string_view where) {
  if (view.sizes.size() != view.strides.size())
    refuse(where, fmt::format("{} strides", view.sizes.size()), std::to_string(view.strides.size()));
  const auto negative = [](std::int64_t value) { return value < 0; };
  if (negative(view.offset) || std::ranges::any_of(view.sizes, negative) ||
      std::ranges::any_of(view.strides, negative))
    refuse(where, "an offset, sizes and strides of at least 0",
           fmt::format("offset {}, sizes ({}), strides ({})", view.offset, fmt::join(view.sizes, ", "),
                       fmt::join(view.strides, ", ")));
  if (std::ranges::find(view.sizes, 0) != view.sizes.end()) return;
  const auto last = last_element(view);
  if (!last || static_cast<std::uint64_t>(*last) >= count)
    refuse(where, fmt::format("a tensor inside its {} stored elements", count),
           fmt::format("offset {}, sizes ({}), strides ({})", view.offset, fmt::join(view.sizes, ", "),
                       fmt::join(view.strides, ", ")));
}

bool is_contiguous(const StridedView& view) {
  std::int64_t expected = 1;
  for (std::size_t d = view.sizes.size(); d-- > 0;) {
    if (view.sizes[d] != 1 && view.strides[d] != expected) return false;
    expected *= view.sizes[d];
  }
  return true;
}

// Calls visit(number of the element) in C order. No size is 0.
template <class Visit>
void for_elements(const StridedView& view, const Visit& visit) {
  const std::size_t rank = view.sizes.size();
  const std::int64_t inner = rank == 0 ? 1 : view.sizes[rank - 1],
                     step = rank == 0 ? 0 : view.strides[rank - 1];
  std::vector<std::int64_t> place(rank, 0);
  for (std::int64_t start = view.offset;;) {
    for (std::int64_t i = 0; i < inner; ++i) visit(static_cast<std::size_t>(start + i * step));
    std::size_t d = rank == 0 ? 0 : rank - 1;
    for (; d-- > 0; place[d] = 0) {
      const std::int64_t stride =
          view.sizes[d] == 1 ? 0 : view.strides[d];  // that of one element may be anything
      start += stride;
      if (++place[d] < view.sizes[d]) break;
      start -= view.sizes[d] * stride;
    }
    if (d >= rank) return;
  }
}

std::shared_ptr<std::byte> copy_elements(const StridedView& view, const StorageType& type,
                                         const std::byte* block, std::size_t bytes, std::string_view where) {
  auto copy = allocate_bytes(bytes, where);
  std::byte* out = copy.get();
  for_elements(view, [&](std::size_t element) {
    const std::byte* const from = block + element * type.size;
    if (type.widen == nullptr) {
      std::memcpy(out, from, type.size);
      out += type.size;
      return;
    }
    std::uint16_t narrow = 0;
    std::memcpy(&narrow, from, sizeof narrow);
    const float wide = type.widen(narrow);
    std::memcpy(out, &wide, sizeof wide);
    out += sizeof wide;
  });
  return copy;
}

}  // namespace

const StorageType* find_storage_type(std::string_view name) {
  const auto* found = std::ranges::find(types, name, &StorageType::name);
  return found == std::end(types) ? nullptr : found;
}

Array make_strided(const StridedView& view, const StorageType& type, const MappedFile& block,
                   CopyBudget& budget, std::string_view where) {
  check_view(view, block.bytes.size() / type.size, where);
  Array array;
  array.type = type.type;
  array.shape.assign(view.sizes.begin(), view.sizes.end());
  const auto bytes = checked_bytes(array.shape, size_of(type.type));
  if (!bytes) refuse(where, "fewer than 2^63 bytes", "shape " + array.shape_text());
  if (*bytes == 0) {
    array.storage = allocate_bytes(0);
    return array;
  }
  const std::byte* const start = block.bytes.data() + static_cast<std::size_t>(view.offset) * type.size;
  const bool aligned = reinterpret_cast<std::uintptr_t>(start) % type.size == 0;
  if (type.widen == nullptr && aligned && is_contiguous(view)) {
    array.storage = std::shared_ptr<const void>(block.storage, start);
    return array;
  }
  if (*bytes > budget.left)
    refuse(where, fmt::format("at most {} more bytes of tensors for a file of this size", budget.left),
           *bytes);
  budget.left -= *bytes;
  array.storage = copy_elements(view, type, block.bytes.data(), *bytes, where);
  return array;
}

}  // namespace leeway::nn

#include "leeway/nn/io/onnx_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "leeway/core/file.h"
#include "leeway/core/message.h"

namespace leeway::nn::onnx {
namespace {

using ::onnx::TensorProto;

static_assert(std::endian::native == std::endian::little, "raw data are little-endian");

struct TensorType {
  std::string_view name;
  std::int32_t code;
  ElementType type;               // of the array it becomes
  std::size_t size;               // bytes of a raw element
  float (*widen)(std::uint16_t);  // float16 and bfloat16 to float32; null: taken as it is
};

constexpr TensorType tensor_types[] = {
    {"float32", TensorProto::FLOAT, ElementType::f32, 4, nullptr},
    {"float64", TensorProto::DOUBLE, ElementType::f64, 8, nullptr},
    {"float16", TensorProto::FLOAT16, ElementType::f32, 2, float_from_half},
    {"bfloat16", TensorProto::BFLOAT16, ElementType::f32, 2, float_from_bfloat16},
    {"int64", TensorProto::INT64, ElementType::i64, 8, nullptr},
    {"int32", TensorProto::INT32, ElementType::i32, 4, nullptr},
    {"int16", TensorProto::INT16, ElementType::i16, 2, nullptr},
    {"int8", TensorProto::INT8, ElementType::i8, 1, nullptr},
    {"uint64", TensorProto::UINT64, ElementType::u64, 8, nullptr},
    {"uint32", TensorProto::UINT32, ElementType::u32, 4, nullptr},
    {"uint16", TensorProto::UINT16, ElementType::u16, 2, nullptr},
    {"uint8", TensorProto::UINT8, ElementType::u8, 1, nullptr},
    {"bool", TensorProto::BOOL, ElementType::boolean, 1, nullptr}};

const TensorType* find_tensor_type(std::int32_t code) {
  const auto* const found = std::ranges::find(tensor_types, code, &TensorType::code);
  return found == std::end(tensor_types) ? nullptr : found;
}

std::string foreign_type(std::int32_t code) {
  if (code == TensorProto::UNDEFINED) return "none";
  const std::string name =
      TensorProto::DataType_IsValid(code) ? TensorProto::DataType_Name(TensorProto::DataType(code)) : "";
  return name.empty() ? fmt::format("number {}", code) : name;
}

// An array of that type and shape without its elements, and their number.
Array shaped(const TensorProto& tensor, const TensorType& type, const std::string& where) {
  Array array;
  array.type = type.type;
  array.shape.clear();
  for (const std::int64_t size : tensor.dims()) {
    if (size < 0) refuse(where, "sizes of at least 0", std::to_string(size));
    array.shape.push_back(static_cast<std::size_t>(size));
  }
  if (!checked_bytes(array.shape, std::max(size_of(type.type), type.size)))
    refuse(where, "fewer than 2^63 bytes", "shape " + array.shape_text());
  return array;
}

// `bytes` hold exactly the elements.
std::shared_ptr<const void> copy_raw(const std::byte* bytes, std::size_t count, const TensorType& type) {
  const auto copy = allocate_bytes(count * size_of(type.type));
  if (type.widen != nullptr) {
    for (std::size_t i = 0; i < count; ++i) {
      std::uint16_t narrow = 0;
      std::memcpy(&narrow, bytes + 2 * i, sizeof narrow);
      const float wide = type.widen(narrow);
      std::memcpy(copy.get() + sizeof wide * i, &wide, sizeof wide);
    }
  } else if (type.type == ElementType::boolean) {
    std::transform(bytes, bytes + count, copy.get(),
                   [](std::byte b) { return std::byte{b != std::byte{0}}; });
  } else if (count > 0) {
    std::memcpy(copy.get(), bytes, count * type.size);
  }
  return copy;
}

void check_raw_size(std::size_t bytes, const Array& array, const TensorType& type, const std::string& where) {
  if (bytes != array.size() * type.size)
    refuse(
        where,
        fmt::format("{} bytes for shape {} of {}", array.size() * type.size, array.shape_text(), type.name),
        std::to_string(bytes));
}

// The numbers of a typed field as raw elements.
template <class Element, class Numbers>
std::string raw_elements(const Numbers& numbers, const Array& array, const TensorType& type,
                         const std::string& where) {
  if (static_cast<std::size_t>(numbers.size()) != array.size())
    refuse(where, fmt::format("{} numbers for shape {} of {}", array.size(), array.shape_text(), type.name),
           std::to_string(numbers.size()));
  std::string raw;
  for (const auto number : numbers) {
    if constexpr (!std::is_same_v<decltype(number), const Element>) {
      const std::int64_t low = +std::numeric_limits<Element>::min(),
                         high = +std::numeric_limits<Element>::max();
      if (std::cmp_less(number, low) || std::cmp_greater(number, high))
        refuse(where, fmt::format("{} from {} to {}", type.name, low, high), std::to_string(number));
    }
    const auto element = static_cast<Element>(number);
    raw.append(reinterpret_cast<const char*>(&element), sizeof element);
  }
  return raw;
}

// int32_data holds everything of at most 32 bits but uint32; float16 as the 16 bits it is made of.
std::string raw_of(const TensorProto& tensor, const Array& array, const TensorType& type,
                   const std::string& where) {
  const std::int32_t code = type.code;
  if (code == TensorProto::FLOAT) return raw_elements<float>(tensor.float_data(), array, type, where);
  if (code == TensorProto::DOUBLE) return raw_elements<double>(tensor.double_data(), array, type, where);
  if (code == TensorProto::INT64) return raw_elements<std::int64_t>(tensor.int64_data(), array, type, where);
  if (code == TensorProto::UINT64)
    return raw_elements<std::uint64_t>(tensor.uint64_data(), array, type, where);
  if (code == TensorProto::UINT32)
    return raw_elements<std::uint32_t>(tensor.uint64_data(), array, type, where);
  if (code == TensorProto::INT32) return raw_elements<std::int32_t>(tensor.int32_data(), array, type, where);
  if (code == TensorProto::INT16) return raw_elements<std::int16_t>(tensor.int32_data(), array, type, where);
  if (code == TensorProto::INT8) return raw_elements<std::int8_t>(tensor.int32_data(), array, type, where);
  if (code == TensorProto::UINT8) return raw_elements<std::uint8_t>(tensor.int32_data(), array, type, where);
  if (code == TensorProto::BOOL) return raw_elements<bool>(tensor.int32_data(), array, type, where);
  return raw_elements<std::uint16_t>(tensor.int32_data(), array, type, where);
}

struct ExternalPlace {
  std::string location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};

ExternalPlace place_of(const TensorProto& tensor, const std::string& where) {
  ExternalPlace place;
  const auto number = [&](const std::string& key, const std::string& text) {
    std::uint64_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || end != text.data() + text.size())
      refuse(where, fmt::format("an integer as {} of its external data", key), in_quotes(text));
    return value;
  };
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") place.location = entry.value();
    if (entry.key() == "offset") place.offset = number("offset", entry.value());
    if (entry.key() == "length") place.length = number("length", entry.value());
  }
  return place;
}

bool lies_beneath(const std::filesystem::path& file, const std::filesystem::path& folder) {
  const std::filesystem::path real = std::filesystem::canonical(folder.empty() ? "." : folder);
  return std::mismatch(real.begin(), real.end(), file.begin(), file.end()).first == real.end();
}

// Only files beneath the model's folders, links followed: a model must not name what else lies on the machine.
std::filesystem::path external_path(const ExternalPlace& place,
                                    const std::vector<std::filesystem::path>& folders,
                                    const std::string& where) {
  const std::filesystem::path location(place.location);
  const bool climbs = std::ranges::find(location, "..") != location.end();
  if (location.empty() || location.is_absolute() || climbs || place.location.find('\0') != std::string::npos)
    refuse(where, "external data in a file inside the model's folder", in_quotes(place.location));
  std::filesystem::path path = folders.front() / location;
  std::error_code failure;
  std::filesystem::path real = std::filesystem::canonical(path, failure);
  if (failure) return path;  // whoever opens it says what is wrong
  if (std::ranges::none_of(folders, [&](const auto& folder) { return lies_beneath(real, folder); }))
    refuse(where, "external data in a file inside the model's folder",
           in_quotes(place.location) + ", a link out of the folder");
  return real;
}

void read_external(Array& array, const TensorProto& tensor, const TensorType& type, const std::string& where,
                   const std::vector<std::filesystem::path>& folders) {
  const ExternalPlace place = place_of(tensor, where);
  if (folders.empty())
    refuse(where, "a tensor inside the file", "external data " + in_quotes(place.location));
  const std::filesystem::path path = external_path(place, folders, where);
  const MappedFile file = map_file(path);
  const std::size_t wanted = array.size() * type.size;
  if (place.length && *place.length != wanted)
    check_raw_size(static_cast<std::size_t>(*place.length), array, type, where);
  if (place.offset > file.bytes.size() || wanted > file.bytes.size() - place.offset)
    refuse(where, fmt::format("{} bytes at {} of external data {}", wanted, place.offset, display_name(path)),
           fmt::format("a file of {}", file.bytes.size()));
  const std::byte* const start = file.bytes.data() + place.offset;
  const bool aligned = reinterpret_cast<std::uintptr_t>(start) % std::max<std::size_t>(type.size, 1) == 0;
  if (type.widen == nullptr && type.type != ElementType::boolean && aligned && wanted > 0)
    array.storage = std::shared_ptr<const void>(file.storage, start);
  else
    array.storage = copy_raw(start, array.size(), type);
}

}  // namespace

std::string_view type_name(std::int32_t type) {
  const TensorType* const found = find_tensor_type(type);
  return found == nullptr ? "" : found->name;
}

Array array_of(const TensorProto& tensor, const std::string& where,
               const std::vector<std::filesystem::path>& folders) {
  const TensorType* const type = find_tensor_type(tensor.data_type());
  if (type == nullptr) refuse(where, "a tensor of real numbers", "type " + foreign_type(tensor.data_type()));
  if (tensor.has_segment()) refuse(where, "a contiguous tensor", "a segment");
  Array array = shaped(tensor, *type, where);
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    read_external(array, tensor, *type, where, folders);
  } else if (tensor.has_raw_data()) {
    const auto bytes = std::as_bytes(std::span(tensor.raw_data()));
    check_raw_size(bytes.size(), array, *type, where);
    array.storage = copy_raw(bytes.data(), array.size(), *type);
  } else {
    const std::string raw = raw_of(tensor, array, *type, where);
    array.storage = copy_raw(std::as_bytes(std::span(raw)).data(), array.size(), *type);
  }
  return array;
}

}  // namespace leeway::nn::onnx

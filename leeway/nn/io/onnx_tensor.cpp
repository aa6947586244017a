#include "leeway/nn/io/onnx_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"

namespace leeway::nn::onnx {
namespace {

using ::onnx::TensorProto;

static_assert(std::endian::native == std::endian::little, "raw data are little-endian");

// Which of the typed fields holds the elements where they are not raw.
enum class Field { floats, doubles, small_integers, integers, unsigned_integers };

struct TensorType {
  std::string_view name;
  std::int32_t code;
  ElementType type;               // of the array it becomes
  std::size_t size;               // bytes of a raw element
  float (*widen)(std::uint16_t);  // float16 and bfloat16 to float32; null: taken as it is
  Field field;
  std::int32_t low, high;  // of small integers
};

constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min(),
                       most = std::numeric_limits<std::int32_t>::max();

constexpr TensorType tensor_types[] = {
    {"float32", TensorProto::FLOAT, ElementType::f32, 4, nullptr, Field::floats, 0, 0},
    {"float64", TensorProto::DOUBLE, ElementType::f64, 8, nullptr, Field::doubles, 0, 0},
    {"float16", TensorProto::FLOAT16, ElementType::f32, 2, float_from_half, Field::small_integers, 0, 65535},
    {"bfloat16", TensorProto::BFLOAT16, ElementType::f32, 2, float_from_bfloat16, Field::small_integers, 0,
     65535},
    {"int64", TensorProto::INT64, ElementType::i64, 8, nullptr, Field::integers, 0, 0},
    {"int32", TensorProto::INT32, ElementType::i32, 4, nullptr, Field::small_integers, least, most},
    {"int16", TensorProto::INT16, ElementType::i16, 2, nullptr, Field::small_integers, -32768, 32767},
    {"int8", TensorProto::INT8, ElementType::i8, 1, nullptr, Field::small_integers, -128, 127},
    {"uint64", TensorProto::UINT64, ElementType::u64, 8, nullptr, Field::unsigned_integers, 0, 0},
    {"uint32", TensorProto::UINT32, ElementType::u32, 4, nullptr, Field::unsigned_integers, 0, 0},
    {"uint16", TensorProto::UINT16, ElementType::u16, 2, nullptr, Field::small_integers, 0, 65535},
    {"uint8", TensorProto::UINT8, ElementType::u8, 1, nullptr, Field::small_integers, 0, 255},
    {"bool", TensorProto::BOOL, ElementType::boolean, 1, nullptr, Field::small_integers, 0, 1},
};

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

template <class Element, class Numbers>
std::shared_ptr<const void> copy_numbers(const Numbers& numbers) {
  const auto copy = allocate_bytes(static_cast<std::size_t>(numbers.size()) * sizeof(Element));
  std::byte* out = copy.get();
  for (const auto number : numbers) {
    const auto element = static_cast<Element>(number);
    std::memcpy(out, &element, sizeof element);
    out += sizeof element;
  }
  return copy;
}

// int32_data holds everything of at most 32 bits; float16 as the 16 bits it is made of.
std::shared_ptr<const void> copy_small(const TensorProto& tensor, const TensorType& type,
                                       const std::string& where) {
  const auto& numbers = tensor.int32_data();
  for (const std::int32_t number : numbers)
    if (number < type.low || number > type.high)
      refuse(where, fmt::format("{} from {} to {}", type.name, type.low, type.high), std::to_string(number));
  if (type.widen != nullptr) {
    std::vector<float> wide;
    for (const std::int32_t number : numbers) wide.push_back(type.widen(static_cast<std::uint16_t>(number)));
    return copy_numbers<float>(wide);
  }
  switch (type.size) {
    case 1:
      return copy_numbers<std::uint8_t>(numbers);
    case 2:
      return copy_numbers<std::uint16_t>(numbers);
    default:
      return copy_numbers<std::int32_t>(numbers);
  }
}

// use(the field's numbers)
template <class Use>
auto with_numbers(const TensorProto& tensor, Field field, const Use& use) {
  switch (field) {
    case Field::floats:
      return use(tensor.float_data());
    case Field::doubles:
      return use(tensor.double_data());
    case Field::small_integers:
      return use(tensor.int32_data());
    case Field::integers:
      return use(tensor.int64_data());
    default:
      return use(tensor.uint64_data());
  }
}

std::shared_ptr<const void> copy_unsigned(const TensorProto& tensor, const TensorType& type,
                                          const std::string& where) {
  if (type.size == 8) return copy_numbers<std::uint64_t>(tensor.uint64_data());
  for (const std::uint64_t number : tensor.uint64_data())
    if (number > std::numeric_limits<std::uint32_t>::max())
      refuse(where, "uint32 of at most 4294967295", std::to_string(number));
  return copy_numbers<std::uint32_t>(tensor.uint64_data());
}

std::shared_ptr<const void> copy_typed(const TensorProto& tensor, const TensorType& type,
                                       const std::string& where) {
  if (type.field == Field::small_integers) return copy_small(tensor, type, where);
  if (type.field == Field::unsigned_integers) return copy_unsigned(tensor, type, where);
  return with_numbers(tensor, type.field, [](const auto& numbers) {
    return copy_numbers<std::decay_t<decltype(numbers[0])>>(numbers);
  });
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
      refuse(where, fmt::format("a whole number as {} of its external data", key), in_quotes(text));
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
  if (tensor.has_segment()) refuse(where, "a tensor in one piece", "a segment");
  Array array = shaped(tensor, *type, where);
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    read_external(array, tensor, *type, where, folders);
  } else if (tensor.has_raw_data()) {
    const auto bytes = std::as_bytes(std::span(tensor.raw_data()));
    check_raw_size(bytes.size(), array, *type, where);
    array.storage = copy_raw(bytes.data(), array.size(), *type);
  } else {
    const auto count = with_numbers(
        tensor, type->field, [](const auto& numbers) { return static_cast<std::size_t>(numbers.size()); });
    if (count != array.size())
      refuse(where,
             fmt::format("{} numbers for shape {} of {}", array.size(), array.shape_text(), type->name),
             std::to_string(count));
    array.storage = copy_typed(tensor, *type, where);
  }
  return array;
}

}  // namespace leeway::nn::onnx

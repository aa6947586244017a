#include "leeway/io/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/message.h"
#include "leeway/core/result.h"
#include "leeway/core/utf8.h"
#include "leeway/io/npy.h"

namespace leeway {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors data is little-endian");

constexpr std::size_t max_header = 100'000'000;  // the format's own limit
constexpr std::size_t max_dimensions = 32;

struct SafetensorsEntry {
  std::string dtype;
  std::vector<std::size_t> shape;
  std::size_t begin = 0, end = 0;  // bytes after the header
};

// The header, an object of objects of texts and lists:
//   {"__metadata__": {TEXT: TEXT, ...}, NAME: {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}
// Error for deeper nesting, which is not followed, and for a name that occurs twice.
nlohmann::json parse_header(std::string_view text, std::string_view name) {
  using nlohmann::json;
  if (!text.starts_with('{')) refuse(name, "a JSON object as header", in_quotes(text.substr(0, 20)));
  std::set<std::string> names[2];  // of the header, and of the object within
  const auto check = [&](int depth, json::parse_event_t event, const json& value) {
    if ((event == json::parse_event_t::array_start && depth != 2) ||
        (event == json::parse_event_t::object_start && depth > 1))
      refuse(name, "objects with dtype, shape and data_offsets in the header", "other nesting");
    if (event == json::parse_event_t::object_start) names[depth].clear();
    if (event == json::parse_event_t::key && !names[depth - 1].insert(value.get<std::string>()).second)
      refuse(name, "unique names", in_quotes(value.get<std::string>()) + " twice");
    return true;
  };
  try {
    return json::parse(text.begin(), text.end(), check);
  } catch (const json::parse_error& mistake) {
    refuse(name, "a JSON header", fmt::format("other text at byte {}", mistake.byte + 8));
  } catch (const json::out_of_range&) {
    refuse(name, "a JSON header", "a number beyond float64");
  }
}

std::map<std::string, std::string> metadata_of(const nlohmann::json& object, std::string_view name) {
  std::map<std::string, std::string> metadata;
  const auto is_text = [](const auto& value) { return value.is_string(); };
  if (!object.is_object() || !std::ranges::all_of(object, is_text))
    refuse(fmt::format("{}: __metadata__", name), "an object of texts", printable(object.dump()));
  for (const auto& [key, value] : object.items()) metadata[key] = value;
  return metadata;
}

SafetensorsEntry entry_of(const nlohmann::json& object, std::string_view where) {
  const auto are_sizes = [&](const char* key, std::size_t least, std::size_t most) {
    const auto list = object.find(key);
    return list != object.end() && list->is_array() && list->size() >= least && list->size() <= most &&
           std::ranges::all_of(*list, [](const auto& size) { return size.is_number_unsigned(); });
  };
  if (object.size() != 3 || !object.contains("dtype") || !object["dtype"].is_string() ||
      !are_sizes("shape", 0, max_dimensions) || !are_sizes("data_offsets", 2, 2))
    refuse(where, "dtype, shape and two data_offsets", printable(object.dump(), 200));
  return {object["dtype"], object["shape"], object["data_offsets"][0], object["data_offsets"][1]};
}

struct Dtype {
  std::string_view name;
  ElementType type;
  std::string_view descr;  // as NumPy describes the elements
};
constexpr Dtype dtypes[] = {
    {"F64", ElementType::f64, "<f8"},  {"F32", ElementType::f32, "<f4"},
    {"F16", ElementType::f32, "<f2"},  {"I64", ElementType::i64, "<i8"},
    {"I32", ElementType::i32, "<i4"},  {"I16", ElementType::i16, "<i2"},
    {"I8", ElementType::i8, "|i1"},    {"U64", ElementType::u64, "<u8"},
    {"U32", ElementType::u32, "<u4"},  {"U16", ElementType::u16, "<u2"},
    {"U8", ElementType::u8, "|u1"},    {"BOOL", ElementType::boolean, "|b1"},
    {"BF16", ElementType::f32, "<u2"},
};

Array make_tensor(const SafetensorsEntry& entry, const MappedFile& data, std::string_view where) {
  const auto* dtype = std::ranges::find(dtypes, entry.dtype, &Dtype::name);
  if (dtype == std::end(dtypes)) refuse(where, "a type such as F32, F16, I64", in_quotes(entry.dtype));
  const auto bytes = data.bytes.subspan(entry.begin, entry.end - entry.begin);
  Array array = array_of_elements(dtype->descr, entry.shape, bytes, data.storage, where);
  if (dtype->name != "BF16") return array;
  std::vector<float> wide;
  for (const std::uint16_t upper : array.view<std::uint16_t>()) wide.push_back(float_from_bfloat16(upper));
  return make_array(entry.shape, std::move(wide));
}

// The tensors must cover the data from its first byte to its last, one after another.
void check_cover(const std::map<std::string, SafetensorsEntry>& entries, std::size_t size,
                 std::string_view name) {
  std::vector<const std::pair<const std::string, SafetensorsEntry>*> by_place;
  for (const auto& entry : entries) by_place.push_back(&entry);
  std::ranges::sort(by_place, {}, [](const auto* e) { return std::pair(e->second.begin, e->second.end); });
  std::size_t reached = 0;
  for (const auto* entry : by_place) {
    const auto& [begin, end] = std::pair(entry->second.begin, entry->second.end);
    const std::string where = fmt::format("{}: {}", name, printable(entry->first));
    if (end < begin || end > size)
      refuse(where, fmt::format("offsets within {} bytes of data", size),
             fmt::format("{} to {}", begin, end));
    if (begin != reached)
      refuse(where, fmt::format("data from byte {}", reached), fmt::format("from byte {}", begin));
    reached = end;
  }
  if (reached != size) refuse(name, fmt::format("{} bytes of tensors after the header", reached), size);
}

std::string_view dtype_name(ElementType type, std::string_view where) {
  const auto* found = std::ranges::find(dtypes, type, &Dtype::type);
  if (found == std::end(dtypes)) refuse(where, "numbers", "text");
  return found->name;
}

constexpr const char* digest_key = "digest";

// Lengths stand before names and texts, so that no two contents give the same text.
std::string digest_of_state(const Safetensors& content) {
  std::string text;
  for (const auto& [key, value] : content.metadata)
    if (key != digest_key) text += fmt::format("{} {} {} {}\n", key.size(), key, value.size(), value);
  for (const auto& [name, array] : content.tensors)
    text += fmt::format("{} {} {} {} {}\n", name.size(), name, name_of(array.type), array.shape_text(),
                        digest_bytes({array.bytes()}));
  return digest_text(text);
}

}  // namespace

Safetensors parse_safetensors(const MappedFile& file, std::string_view name) {
  if (file.bytes.size() < 8)
    refuse(name, "a safetensors file", fmt::format("a file of {} bytes", file.bytes.size()));
  std::uint64_t length = 0;
  std::memcpy(&length, file.bytes.data(), 8);
  if (length > max_header) refuse(name, fmt::format("a header of at most {} bytes", max_header), length);
  if (length > file.bytes.size() - 8)
    refuse(name, fmt::format("a header of {} bytes", length),
           fmt::format("{} bytes left", file.bytes.size() - 8));
  const std::string_view text(reinterpret_cast<const char*>(file.bytes.data()) + 8, length);
  Safetensors content;
  std::map<std::string, SafetensorsEntry> entries;
  const nlohmann::json header = parse_header(text, name);
  for (const auto& [key, object] : header.items())
    if (key == "__metadata__")
      content.metadata = metadata_of(object, name);
    else
      entries[key] = entry_of(object, fmt::format("{}: {}", name, printable(key)));
  const MappedFile data{file.storage, file.bytes.subspan(8 + length)};
  check_cover(entries, data.bytes.size(), name);
  for (const auto& [key, entry] : entries)
    content.tensors[key] = make_tensor(entry, data, fmt::format("{}: {}", name, printable(key)));
  return content;
}

Safetensors read_safetensors(const std::filesystem::path& path) {
  return parse_safetensors(map_file(path), display_name(path));
}

void write_safetensors(const std::filesystem::path& path, const Safetensors& content) {
  std::vector<const ArrayMap::value_type*> order;
  for (const auto& entry : content.tensors) order.push_back(&entry);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [](const auto* e) { return size_of(e->second.type); });

  const auto checked = [&](const std::string& text) -> const std::string& {
    if (!is_utf8(text)) throw Error(display_name(path) + ": expected UTF-8 names, found " + in_quotes(text));
    return text;
  };
  Json header = Json::object();
  if (!content.metadata.empty()) {
    Json& metadata = header["__metadata__"] = Json::object();
    for (const auto& [key, value] : content.metadata) metadata[checked(key)] = checked(value);
  }
  std::size_t offset = 0;
  for (const auto* entry : order) {
    const auto& [key, array] = *entry;
    const std::string where = fmt::format("{}: {}", display_name(path), printable(key));
    const std::size_t end = offset + array.bytes().size();
    header[checked(key)] = {{"dtype", dtype_name(array.type, where)},
                            {"shape", array.shape},
                            {"data_offsets", std::vector<std::size_t>{offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  const std::uint64_t length = text.size();
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(text);
  for (const auto* entry : order) file.write(entry->second.bytes());
  file.commit();
}

void write_state(const std::filesystem::path& path, Safetensors content) {
  content.metadata[digest_key] = digest_of_state(content);
  write_safetensors(path, content);
}

std::optional<Safetensors> read_state(const std::filesystem::path& path) {
  try {
    Safetensors content = read_safetensors(path);
    const auto digest = content.metadata.extract(digest_key);
    if (digest && digest.mapped() == digest_of_state(content)) return content;
  } catch (const Error&) {  // not safetensors
  }
  return std::nullopt;
}

std::string damaged_state(const std::filesystem::path& path) {
  return display_name(path) + ": the saved state is damaged; starting over";
}

}  // namespace leeway

// Checkpoints put together by hand, instruction by instruction.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "leeway/core/file.h"

namespace leeway::nn::pickles {

template <class T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

inline std::string text(std::string_view value) {
  return "X" + raw(static_cast<std::uint32_t>(value.size())) + std::string(value);
}
inline std::string number(std::int64_t value) { return std::string("\x8a\x08") + raw(value); }
inline std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}

// Protocol 2 around instructions.
inline std::string pickle(const std::string& instructions) { return "\x80\x02" + instructions + "."; }

// The name of a storage of float32, or of another type.
inline std::string storage(const std::string& key, std::int64_t count,
                           const std::string& type = "FloatStorage") {
  return "(" + text("storage") + global("torch", type) + text(key) + text("cpu") + number(count) + "tQ";
}

inline std::string tuple(std::initializer_list<std::int64_t> values) {
  std::string items = "(";
  for (const std::int64_t value : values) items += number(value);
  return items + "t";
}

inline std::string tensor(const std::string& from, std::int64_t offset, const std::string& sizes,
                          const std::string& strides) {
  return global("torch._utils", "_rebuild_tensor_v2") + "(" + from + number(offset) + sizes + strides +
         "\x89" + global("collections", "OrderedDict") + ")RtR";
}

// A file of the older form; `blocks` follow the list of keys.
inline std::string legacy(const std::string& object, const std::string& keys, const std::string& blocks,
                          bool little_endian = true) {
  return pickle("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19") + pickle("M\xe9\x03") +
         pickle("}" + text("little_endian") + (little_endian ? "\x88" : "\x89") + "s") + pickle(object) +
         pickle(keys) + blocks;
}

// One tensor "w" of float32 elements in a storage "0".
inline std::string one_tensor(std::int64_t claimed, std::int64_t stored, const std::string& bytes,
                              const std::string& sizes, const std::string& strides) {
  return legacy("}" + text("w") + tensor(storage("0", claimed), 0, sizes, strides) + "s",
                "]" + text("0") + "a", raw(stored) + bytes);
}

inline std::span<const std::byte> bytes_of(const std::string& content) {
  return std::as_bytes(std::span(content.data(), content.size()));
}
inline MappedFile file_of(const std::string& content) { return {nullptr, bytes_of(content)}; }

}  // namespace leeway::nn::pickles

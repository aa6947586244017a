// What every fuzz target does: bytes in, arrays or an Error out; every element of an array is then read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "leeway/core/array.h"
#include "leeway/core/error.h"
#include "leeway/core/file.h"
#include "leeway/core/utf8.h"

namespace leeway::fuzz {

// No owner: the bytes outlive the call.
inline MappedFile as_file(const std::uint8_t* data, std::size_t size) {
  return {nullptr, std::as_bytes(std::span(data, size))};
}

// Reads all of it, so that a sanitizer sees storage that is too small; aborts on text that is not UTF-8.
inline void touch(const Array& array) {
  if (array.type == ElementType::text) {
    if (array.texts->size() != array.size()) std::abort();
    for (const auto& text : *array.texts)
      if (!is_utf8(text)) std::abort();
    return;
  }
  std::size_t sum = 0;
  for (const std::byte b : array.bytes()) sum += std::to_integer<std::size_t>(b);
  if (sum > array.bytes().size() * 255) std::abort();
}

// Runs `read`, which may throw Error and nothing else. The message must be one line.
template <class Read>
int guarded(const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}

}  // namespace leeway::fuzz

// What tests of readers and writers share.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/file.h"
#include "tests/files.h"
#include "tests/message_of.h"

namespace leeway::testing {

// The bytes of a number as they lie in memory.
template <class T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// An .npy file with this header dictionary, version 1, not padded.
inline std::string npy_with(std::string_view dictionary, std::string_view data) {
  return "\x93NUMPY" + std::string("\x01\x00", 2) + raw(static_cast<std::uint16_t>(dictionary.size())) +
         std::string(dictionary) + std::string(data);
}

inline MappedFile in_memory(const std::string& bytes) {
  const auto owner = std::make_shared<std::string>(bytes);
  return {owner, std::as_bytes(std::span(owner->data(), owner->size()))};
}

template <class T>
std::vector<T> values_of(const Array& array) {
  const auto view = array.view<T>();
  return {view.begin(), view.end()};
}

inline std::filesystem::path reference(std::string_view name) {
  return std::filesystem::path(LEEWAY_REFERENCE) / "core" / name;
}

}  // namespace leeway::testing

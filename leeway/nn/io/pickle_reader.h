// Reads a pickle's bytes: little-endian numbers, texts, lines. Error at a premature end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace leeway::nn::pickle {

inline constexpr std::size_t longest_name = 200;  // of modules and their members, in bytes

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, std::string_view name) : bytes_(bytes), name_(name) {}

  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] std::string text(std::uint64_t size);
  // Up to a line feed, excluded; Error beyond longest_name.
  [[nodiscard]] std::string line();
  template <class T>
  [[nodiscard]] T number() {
    const std::string part = text(sizeof(T));
    T value{};
    std::memcpy(&value, part.data(), sizeof(T));
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  std::string_view name_;
  std::size_t at_ = 0;
};

// Whether a module's member acts on the machine: "os.system", but not "builtins.set" or getattr (used for
// enumerations; calls of its result are refused). Nothing is called, but files with such names are refused.
[[nodiscard]] bool acts(std::string_view module, std::string_view member);

}  // namespace leeway::nn::pickle

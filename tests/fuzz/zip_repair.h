// A mutator of zip archives that repairs checksums of stored members. For use in one fuzzer's file each.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <span>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace leeway::fuzz {

template <class T>
T field(std::span<const std::uint8_t> bytes, std::size_t at) {
  T value{};
  if (at <= bytes.size() && sizeof(T) <= bytes.size() - at) std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

// Every central record that names a stored member within the bytes.
inline void repair_checksums(std::span<std::uint8_t> bytes) {
  constexpr std::size_t central_size = 46, local_size = 30;
  for (std::size_t at = 0; at + central_size <= bytes.size(); ++at) {
    if (field<std::uint32_t>(bytes, at) != 0x02014b50 || field<std::uint16_t>(bytes, at + 10) != 0) continue;
    const std::size_t local = field<std::uint32_t>(bytes, at + 42),
                      size = field<std::uint32_t>(bytes, at + 20);
    const std::size_t start = local + local_size + field<std::uint16_t>(bytes, local + 26) +
                              field<std::uint16_t>(bytes, local + 28);
    if (start > bytes.size() || size > bytes.size() - start) continue;
    const auto crc = static_cast<std::uint32_t>(::crc32_z(0, bytes.data() + start, size));
    std::memcpy(bytes.data() + at + 16, &crc, sizeof crc);
  }
}

}  // namespace leeway::fuzz

// One change in eight keeps its checksums.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  const std::size_t changed = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 8 != 0) leeway::fuzz::repair_checksums({data, changed});
  return changed;
}

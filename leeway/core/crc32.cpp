#include "leeway/core/crc32.h"

#include <zlib.h>

#include <algorithm>
#include <vector>

#include "leeway/core/parallel.h"

namespace leeway {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;

std::uint32_t of_block(std::span<const std::byte> bytes, std::uint32_t so_far) {
  if (bytes.empty()) return so_far;  // zlib takes a null pointer for a wish to start anew
  return static_cast<std::uint32_t>(
      ::crc32_z(so_far, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t so_far) {
  const std::size_t blocks = (bytes.size() + block_bytes - 1) / block_bytes;
  if (blocks < 2) return of_block(bytes, so_far);
  const auto block = [&](std::size_t b) {
    return bytes.subspan(b * block_bytes, std::min(block_bytes, bytes.size() - b * block_bytes));
  };
  std::vector<std::uint32_t> sums(blocks);
  parallel_for(blocks, [&](std::size_t b) { sums[b] = of_block(block(b), 0); });
  uLong all = so_far;
  for (std::size_t b = 0; b < blocks; ++b)
    all = ::crc32_combine(all, sums[b], static_cast<z_off_t>(block(b).size()));
  return static_cast<std::uint32_t>(all);
}

}  // namespace leeway

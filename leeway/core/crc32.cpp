#include "leeway/core/crc32.h"

#include <zlib.h>

#include <algorithm>
#include <vector>

#include "leeway/core/instruction_set.h"
#include "leeway/core/parallel.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace leeway {
namespace {

constexpr std::size_t block_bytes = std::size_t{8} << 20;

std::uint32_t by_tables(std::span<const std::byte> bytes, std::uint32_t so_far) {
  if (bytes.empty()) return so_far;  // zlib takes a null pointer for a wish to start anew
  return static_cast<std::uint32_t>(
      ::crc32_z(so_far, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

#if defined(__x86_64__)

constexpr std::size_t vector_bytes = 16, step_bytes = 4 * vector_bytes;

__attribute__((target("pclmul"))) inline __m128i load(const std::byte* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

// `earlier` moved ahead by the distance that `powers` stand for, and added to what is there.
__attribute__((target("pclmul"))) inline __m128i fold(__m128i earlier, __m128i there, __m128i powers) {
  const __m128i low = _mm_clmulepi64_si128(earlier, powers, 0x00),
                high = _mm_clmulepi64_si128(earlier, powers, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), there);
}

// At least one step. What is left after the last whole vector is left to the tables.
__attribute__((target("pclmul"))) std::uint32_t by_multiplication(std::span<const std::byte> bytes,
                                                                  std::uint32_t so_far) {
  // x^(d + 32) and x^(d - 32) modulo the polynomial, reflected; d = 512 and 128 bits.
  const __m128i by_step = _mm_set_epi64x(0x1c6e41596, 0x154442bd4),
                by_vector = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
  const std::byte* at = bytes.data();
  const std::byte* const end = at + bytes.size();
  __m128i sum0 = _mm_xor_si128(load(at), _mm_cvtsi32_si128(static_cast<int>(~so_far)));
  __m128i sum1 = load(at + 16), sum2 = load(at + 32), sum3 = load(at + 48);
  for (at += step_bytes; end - at >= static_cast<std::ptrdiff_t>(step_bytes); at += step_bytes) {
    sum0 = fold(sum0, load(at), by_step);
    sum1 = fold(sum1, load(at + 16), by_step);
    sum2 = fold(sum2, load(at + 32), by_step);
    sum3 = fold(sum3, load(at + 48), by_step);
  }
  sum0 = fold(sum0, sum1, by_vector);
  sum0 = fold(sum0, sum2, by_vector);
  sum0 = fold(sum0, sum3, by_vector);
  for (; end - at >= static_cast<std::ptrdiff_t>(vector_bytes); at += vector_bytes)
    sum0 = fold(sum0, load(at), by_vector);
  std::byte rest[vector_bytes];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(rest), sum0);
  // The register starts at 0, not at its complement: `rest` holds the start already.
  const std::uint32_t folded = by_tables(rest, 0xffffffff);
  return by_tables({at, end}, folded);
}

std::uint32_t of_block(std::span<const std::byte> bytes, std::uint32_t so_far) {
  static const bool multiplies =
      instruction_set > InstructionSet::baseline && __builtin_cpu_supports("pclmul") != 0;
  return multiplies && bytes.size() >= step_bytes ? by_multiplication(bytes, so_far)
                                                  : by_tables(bytes, so_far);
}

#else

std::uint32_t of_block(std::span<const std::byte> bytes, std::uint32_t so_far) {
  return by_tables(bytes, so_far);
}

#endif

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

// Compiled with -O3, without errno and without fused products: loops over lanes are vectors with the same bits for any instruction set, whence
// choices by bits in place of branches.
#include "leeway/nn/detail/draw_kernel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "leeway/core/instruction_set.h"
#include "leeway/core/logarithm.h"
#include "leeway/core/vector_lanes.h"

namespace leeway::nn {
namespace {

constexpr std::size_t lanes = 64;  // blocks at a time: several vectors, as each waits for its last product
using Words = std::array<std::uint32_t, lanes>;
using Numbers = std::array<float, lanes>;
using Blocks = std::array<Words, 4>;
using Pairs = std::array<float, 2 * lanes>;

// Philox4x32-10 of core/random.h, its blocks first, first + 1, ... side by side.
LEEWAY_INLINE void fill_blocks(const Draws& draws, std::uint32_t first, Blocks& b) {
  std::array<std::uint32_t, 2> key{static_cast<std::uint32_t>(draws.seed),
                                   static_cast<std::uint32_t>(draws.seed >> 32)};
  for (std::uint32_t l = 0; l < lanes; ++l) {
    b[0][l] = first + l, b[1][l] = draws.purpose;
    b[2][l] = static_cast<std::uint32_t>(draws.sample),
    b[3][l] = static_cast<std::uint32_t>(draws.sample >> 32);
  }
  for (int round = 0; round < 10; ++round) {
    for (std::size_t l = 0; l < lanes; ++l) {
      const std::uint64_t p = std::uint64_t{0xD2511F53U} * b[0][l], q = std::uint64_t{0xCD9E8D57U} * b[2][l];
      b[0][l] = static_cast<std::uint32_t>(q >> 32) ^ b[1][l] ^ key[0];
      b[1][l] = static_cast<std::uint32_t>(q);
      b[2][l] = static_cast<std::uint32_t>(p >> 32) ^ b[3][l] ^ key[1];
      b[3][l] = static_cast<std::uint32_t>(p);
    }
    key[0] += 0x9E3779B9U, key[1] += 0xBB67AE85U;
  }
}

// A word rounded once: both halves are whole floats.
LEEWAY_INLINE float rounded(std::uint32_t word) {
  return static_cast<float>(static_cast<std::int32_t>(word >> 16)) * 65536.f +
         static_cast<float>(static_cast<std::int32_t>(word & 0xFFFFU));
}

// A block's pair: radius sqrt(-2 ln u) of its first two words, an angle of the third.
LEEWAY_INLINE void make_pairs(const Blocks& b, Pairs& out) {
  Numbers cosines{}, sines{};
  for (std::size_t l = 0; l < lanes; ++l) {
    const float u = rounded(b[0][l]) * 0x1p-32f + rounded(b[1][l]) * 0x1p-64f + 0x1p-53f;
    const float rest = rounded(~b[0][l]) * 0x1p-32f + rounded(~b[1][l]) * 0x1p-64f + 0x1p-53f;
    const float radius = std::sqrt(-2 * logarithm_below_one(u, rest));
    // to an eighth of a turn either way from the nearest quarter
    const std::uint32_t quarter = (b[2][l] + 0x20000000U) >> 30;
    const auto turned = static_cast<std::int32_t>(b[2][l] - (quarter << 30));
    const float a = static_cast<float>(turned) * (0x1p-31f * std::numbers::pi_v<float>), q = a * a;
    const float sine = a * (1 - q * (1.f / 6 - q * (1.f / 120 - q * (1.f / 5040 - q * (1.f / 362880)))));
    const float cosine = 1 - q * (1.f / 2 - q * (1.f / 24 - q * (1.f / 720 - q * (1.f / 40320))));
    const auto s = std::bit_cast<std::uint32_t>(sine), c = std::bit_cast<std::uint32_t>(cosine);
    const std::uint32_t swapped = (s ^ c) & (0U - (quarter & 1U));
    cosines[l] = radius * std::bit_cast<float>((c ^ swapped) ^ (((quarter + 1) & 2U) << 30));
    sines[l] = radius * std::bit_cast<float>((s ^ swapped) ^ ((quarter & 2U) << 30));
  }
  for (std::size_t l = 0; l < lanes; ++l) out[2 * l] = cosines[l], out[2 * l + 1] = sines[l];
}

// Two functions that are compiled for one instruction set and called: inlined, GCC would take their arrays apart into single words.
struct Parts {
  void (*fill)(const Draws&, std::uint32_t, Blocks&);
  void (*make)(const Blocks&, Pairs&);
};

LEEWAY_INLINE void normals(const Draws& draws, const Parts& parts, std::span<float> out) {
  Pairs numbers{};
  Blocks blocks;
  std::uint32_t first = 0;
  for (std::size_t begin = 0; begin < out.size(); begin += numbers.size(), first += lanes) {
    parts.fill(draws, first, blocks);
    parts.make(blocks, numbers);
    const std::size_t count = std::min(numbers.size(), out.size() - begin);
    std::copy_n(numbers.begin(), count, out.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

LEEWAY_INLINE void kept_words(const Draws& draws, const Parts& parts, std::uint32_t least, float kept,
                              std::span<float> out) {
  std::array<float, 4 * lanes> numbers{};
  Blocks blocks;
  std::uint32_t first = 0;
  for (std::size_t begin = 0; begin < out.size(); begin += numbers.size(), first += lanes) {
    parts.fill(draws, first, blocks);
    for (std::size_t l = 0; l < lanes; ++l)
      for (std::size_t i = 0; i < 4; ++i) numbers[4 * l + i] = blocks[i][l] >= least ? kept : 0.F;
    const std::size_t count = std::min(numbers.size(), out.size() - begin);
    std::copy_n(numbers.begin(), count, out.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

struct Kernels {
  void (*normals)(const Draws&, std::span<float>);
  void (*kept)(const Draws&, std::uint32_t, float, std::span<float>);
};

// NOLINTBEGIN(bugprone-macro-parentheses): TARGET is an attribute, or nothing
#define LEEWAY_DRAWS(NAME, TARGET)                                                                        \
  TARGET __attribute__((noinline)) void fill_##NAME(const Draws& draws, std::uint32_t first, Blocks& b) { \
    fill_blocks(draws, first, b);                                                                         \
  }                                                                                                       \
  TARGET __attribute__((noinline)) void make_##NAME(const Blocks& b, Pairs& numbers) {                    \
    make_pairs(b, numbers);                                                                               \
  }                                                                                                       \
  constexpr Parts parts_##NAME{fill_##NAME, make_##NAME};                                                 \
  TARGET void normals_##NAME(const Draws& draws, std::span<float> out) {                                  \
    normals(draws, parts_##NAME, out);                                                                    \
  }                                                                                                       \
  TARGET void kept_##NAME(const Draws& draws, std::uint32_t least, float kept, std::span<float> out) {    \
    kept_words(draws, parts_##NAME, least, kept, out);                                                    \
  }                                                                                                       \
  constexpr Kernels kernels_##NAME{normals_##NAME, kept_##NAME};
// NOLINTEND(bugprone-macro-parentheses)

#ifdef __x86_64__
LEEWAY_DRAWS(avx512, __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2"))))
LEEWAY_DRAWS(avx2, __attribute__((target("avx2"))))
#endif
LEEWAY_DRAWS(baseline, )

const Kernels& kernels() {
#ifdef __x86_64__
  if (instruction_set == InstructionSet::avx512) return kernels_avx512;
  if (instruction_set == InstructionSet::avx2) return kernels_avx2;
#endif
  return kernels_baseline;
}

}  // namespace

void draw_normals(const Draws& draws, std::span<float> out) { kernels().normals(draws, out); }

void draw_kept(const Draws& draws, std::uint32_t least, float kept, std::span<float> out) {
  kernels().kept(draws, least, kept, out);
}

}  // namespace leeway::nn

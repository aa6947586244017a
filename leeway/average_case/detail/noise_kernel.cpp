#include "leeway/average_case/detail/noise_kernel.h"

#include <algorithm>
#include <cstddef>
#include <numbers>

#include "leeway/core/instruction_set.h"
#include "leeway/core/vector_lanes.h"

namespace leeway::average_case {
namespace {

constexpr std::size_t lanes = 16, chunk = 4 * lanes;  // numbers made at once: four words of sixteen blocks

template <class T, std::size_t bytes>
struct VectorOf {
  using Type [[gnu::vector_size(bytes)]] = T;
};

// A number does not depend on the width of V, a vector of floats.
template <class V>
struct Simd {
  using Vector = V;
  using Words = typename VectorOf<std::uint32_t, sizeof(V)>::Type;
  using Integers = typename VectorOf<std::int32_t, sizeof(V)>::Type;
  using Pairs = typename VectorOf<std::uint64_t, sizeof(V)>::Type;
  static constexpr std::size_t width = width_of<V>;
  struct Block {
    Words word[4];
  };

  // Words in even and in odd places apart, as 64 bits each.
  static LEEWAY_INLINE void multiply(const Words& a, std::uint32_t factor, Words& high, Words& low) {
    constexpr std::uint64_t mask = 0xFFFFFFFFU;
    const Pairs both = (Pairs)a;
    const Pairs even = (both & mask) * factor, odd = (both >> 32) * factor;
    high = (Words)((even >> 32) | (odd & ~mask));
    low = (Words)((even & mask) | (odd << 32));
  }

  // Blocks first, first + 1, ...
  static LEEWAY_INLINE void philox(const DrawKey& key, std::uint32_t first, Block& block) {
    Words c0, c1{}, c2{}, c3{};
    for (std::uint32_t l = 0; l < width; ++l) c0[l] = first + l;
    c1 += key.stream, c2 += key.sample, c3 += key.draw;
    std::uint32_t k0 = static_cast<std::uint32_t>(key.seed), k1 = static_cast<std::uint32_t>(key.seed >> 32);
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9U, k1 += 0xBB67AE85U) {
      Words high0, low0, high1, low1;
      multiply(c0, 0xD2511F53U, high0, low0);
      multiply(c2, 0xCD9E8D57U, high1, low1);
      c0 = high1 ^ c1 ^ k0, c1 = low1, c2 = high0 ^ c3 ^ k1, c3 = low0;
    }
    block.word[0] = c0, block.word[1] = c1, block.word[2] = c2, block.word[3] = c3;
  }

  // log x for normal positive x, to 3e-7.
  static LEEWAY_INLINE void log_in_place(Vector& x) {
    const Integers bits = (Integers)x;
    const Integers exponent = (bits - 0x3F3504F3) >> 23;
    const Vector m = (Vector)(bits - (exponent << 23)) - 1.f;  // in [sqrt(1/2), sqrt 2) less 1
    // log((1+s)/(1-s)) = 2 (s + s^3/3 + ...), s = m / (2 + m), |s| <= .1716
    const Vector s = m / (m + 2.f), q = s * s;
    Vector p = q * (2.f / 9) + 2.f / 7;
    p = p * q + 2.f / 5;
    p = p * q + 2.f / 3;
    p = p * q + 2.f;
    x = s * p + __builtin_convertvector(exponent, Vector) * std::numbers::ln2_v<float>;
  }

  // Square root of x >= 0: Newton's steps from the exponent halved.
  static LEEWAY_INLINE void sqrt_in_place(Vector& x) {
    Vector y = (Vector)(0x5F3759DF - ((Integers)x >> 1));
    for (int step = 0; step < 3; ++step) y = y * (1.5f - .5f * x * y * y);
    x = x * y;
  }

  // cos and sin of 2 pi w / 2^32.
  static LEEWAY_INLINE void turn(const Words& w, Vector& cosine, Vector& sine) {
    const Words quarter = (w + 0x20000000U) >> 30;          // the nearest multiple of a quarter turn
    const Integers rest = (Integers)(w - (quarter << 30));  // to an eighth of a turn either way
    const Vector a = __builtin_convertvector(rest, Vector) * (std::numbers::pi_v<float> * 0x1p-31f),
                 q = a * a;
    Vector s = q * (-1.f / 5040) + 1.f / 120;
    s = s * q - 1.f / 6;
    s = a + a * q * s;
    Vector c = q * (1.f / 40320) - 1.f / 720;
    c = c * q + 1.f / 24;
    c = c * q - .5f;
    c = c * q + 1.f;
    const Integers swapped = (Integers)(quarter & 1U) != 0;
    const Words minus_cosine = ((quarter + 1) & 2U) << 30, minus_sine = (quarter & 2U) << 30;
    cosine = (Vector)((Words)(swapped ? s : c) ^ minus_cosine);
    sine = (Vector)((Words)(swapped ? c : s) ^ minus_sine);
  }

  // (w + 1/2) 2^-32 from 31 bits: above 0, at most 1.
  static LEEWAY_INLINE void unit(const Words& w, Vector& u) {
    u = __builtin_convertvector((Integers)(w >> 1), Vector) * 0x1p-31f + 0x1p-32f;
  }

  struct Normal {
    static LEEWAY_INLINE void make(const Block& block, Vector* out) {
      for (int pair = 0; pair < 2; ++pair) {
        Vector radius;
        unit(block.word[2 * pair], radius);
        log_in_place(radius);
        radius = radius * -2.f;
        radius = radius > 0.f ? radius : Vector{};
        sqrt_in_place(radius);
        Vector cosine, sine;
        turn(block.word[2 * pair + 1], cosine, sine);
        out[2 * pair] = radius * cosine, out[2 * pair + 1] = radius * sine;
      }
    }
  };

  struct Uniform {
    static LEEWAY_INLINE void make(const Block& block, Vector* out) {
      for (int i = 0; i < 4; ++i)
        out[i] = __builtin_convertvector((Integers)block.word[i], Vector) *
                 (std::numbers::sqrt3_v<float> * 0x1p-31f);
    }
  };

  struct Laplace {
    static LEEWAY_INLINE void make(const Block& block, Vector* out) {
      for (int i = 0; i < 4; ++i) {
        Vector u;
        unit(block.word[i] << 1, u);
        log_in_place(u);
        u = u * (-1 / std::numbers::sqrt2_v<float>);
        out[i] = (Vector)((Words)u ^ (block.word[i] & 0x80000000U));
      }
    }
  };
};

template <class T, class Distribution>
LEEWAY_INLINE void fill(const DrawKey& key, std::span<float> out) {
  std::uint32_t first = 0;
  float numbers[chunk];
  for (std::size_t at = 0; at < out.size(); at += chunk, first += lanes) {
    const bool whole = out.size() - at >= chunk;
    float* const to = whole ? out.data() + at : numbers;
    for (std::size_t part = 0; part < lanes; part += T::width) {
      typename T::Block block{};
      T::philox(key, first + static_cast<std::uint32_t>(part), block);
      typename T::Vector made[4];
      Distribution::make(block, made);
      for (std::size_t i = 0; i < 4; ++i)
        reinterpret_cast<Loose<typename T::Vector>*>(to + i * lanes + part)->v = made[i];
    }
    if (!whole) std::copy_n(numbers, out.size() - at, out.data() + at);
  }
}

using Fill = void (*)(const DrawKey&, std::span<float>);
struct Fills {
  Fill normal, uniform, laplace;
};

// NOLINTBEGIN(bugprone-macro-parentheses): TARGET is an attribute, or nothing
#define LEEWAY_NOISE_KERNEL(NAME, TARGET, V)                             \
  TARGET void normal_##NAME(const DrawKey& key, std::span<float> out) {  \
    fill<Simd<V>, Simd<V>::Normal>(key, out);                            \
  }                                                                      \
  TARGET void uniform_##NAME(const DrawKey& key, std::span<float> out) { \
    fill<Simd<V>, Simd<V>::Uniform>(key, out);                           \
  }                                                                      \
  TARGET void laplace_##NAME(const DrawKey& key, std::span<float> out) { \
    fill<Simd<V>, Simd<V>::Laplace>(key, out);                           \
  }                                                                      \
  constexpr Fills fills_##NAME{normal_##NAME, uniform_##NAME, laplace_##NAME};
// NOLINTEND(bugprone-macro-parentheses)

#ifdef __x86_64__
LEEWAY_NOISE_KERNEL(avx512, __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))), Avx512)
LEEWAY_NOISE_KERNEL(avx2, __attribute__((target("avx2,fma"))), Avx2)
#endif
LEEWAY_NOISE_KERNEL(baseline, , Sse)

const Fills& fills() {
#ifdef __x86_64__
  if (instruction_set == InstructionSet::avx512) return fills_avx512;
  if (instruction_set == InstructionSet::avx2) return fills_avx2;
#endif
  return fills_baseline;
}

}  // namespace

void fill_normal(const DrawKey& key, std::span<float> out) { fills().normal(key, out); }
void fill_uniform(const DrawKey& key, std::span<float> out) { fills().uniform(key, out); }
void fill_laplace(const DrawKey& key, std::span<float> out) { fills().laplace(key, out); }

}  // namespace leeway::average_case

// Arithmetic on vectors for the kernels of critics (core/vector_lanes.h): sums of lanes, exp and log. For source files alone.
#pragma once

#include <cstddef>
#include <limits>
#include <numbers>

#include "leeway/core/vector_lanes.h"

// Sums of a tile stay in registers only where the loops over them are gone.
#define LEEWAY_UNROLL _Pragma("GCC unroll 8")

namespace leeway::error_bound {
namespace {

template <class V>
using Integers = decltype(V{} < V{});

constexpr float infinity = std::numeric_limits<float>::infinity();

template <class V>
LEEWAY_INLINE const Loose<V>& at(const float* p) {
  return *reinterpret_cast<const Loose<V>*>(p);
}
template <class V>
LEEWAY_INLINE Loose<V>& at(float* p) {
  return *reinterpret_cast<Loose<V>*>(p);
}

template <class V>
LEEWAY_INLINE V larger(const V& a, const V& b) {
  return a > b ? a : b;
}

// Sums of neighbors of each of two vectors: half of the lanes each.
template <class V>
LEEWAY_INLINE V paired(const V& a, const V& b) {
#define LEEWAY_PAIRED(EVEN, ODD) \
  __builtin_shufflevector(a, b, LEEWAY_UNPACK EVEN) + __builtin_shufflevector(a, b, LEEWAY_UNPACK ODD)
#define LEEWAY_UNPACK(...) __VA_ARGS__
  if constexpr (width_of<V> == 16)
    return LEEWAY_PAIRED((0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
                         (1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31));
  else if constexpr (width_of<V> == 8)
    return LEEWAY_PAIRED((0, 2, 4, 6, 8, 10, 12, 14), (1, 3, 5, 7, 9, 11, 13, 15));
  else
    return LEEWAY_PAIRED((0, 2, 4, 6), (1, 3, 5, 7));
#undef LEEWAY_PAIRED
#undef LEEWAY_UNPACK
}

// Lane i of the result is the sum of sums[i], which is overwritten.
template <class V>
LEEWAY_INLINE V lane_sums(V (&sums)[width_of<V>]) {
  LEEWAY_UNROLL
  for (std::size_t count = width_of<V> / 2; count > 0; count /= 2) LEEWAY_UNROLL
  for (std::size_t i = 0; i < count; ++i) sums[i] = paired<V>(sums[2 * i], sums[2 * i + 1]);
  return sums[0];
}

constexpr float log2e = std::numbers::log2e_v<float>;

// exp to 2e-7 relative for x <= 87; 2^-80 where it is less.
template <class V>
LEEWAY_INLINE V exp_of(const V& x) {
  const V zero{}, near = larger<V>(x * log2e, zero - 80.f);
  constexpr float rounder =
      12582912.f;  // 1.5 2^23: adding it rounds to a whole number, which the lowest bits hold
  const V shifted = near + rounder, f = near - (shifted - rounder);
  constexpr float l = std::numbers::ln2_v<float>, l2 = l * l, l3 = l2 * l;
  V p = zero + l3 * l3 / 720;  // the series of 2^f, to 1.2e-7 on [-.5, .5]
  p = p * f + l3 * l2 / 120;
  p = p * f + l2 * l2 / 24;
  p = p * f + l3 / 6;
  p = p * f + l2 / 2;
  p = p * f + l;
  p = p * f + 1.f;
  return (V)((Integers<V>)p + ((Integers<V>)shifted << 23));
}

// log to 2e-7 for normal x > 0: x = 2^e m with m in [sqrt(1/2), sqrt(2)), ln m = 2 atanh((m - 1) / (m + 1)).
template <class V>
LEEWAY_INLINE V log_of(const V& x) {
  const Integers<V> bits = (Integers<V>)x, e = (bits - 0x3f3504f3) >> 23;  // the bits of sqrt(1/2)
  const V m = (V)(bits - (e << 23)), z = (m - 1.f) / (m + 1.f), q = z * z;
  const V series = 1.f + q * (1.f / 3 + q * (1.f / 5 + q * (1.f / 7 + q * (1.f / 9))));
  return __builtin_convertvector(e, V) * std::numbers::ln2_v<float> + 2.f * z * series;
}

}  // namespace
}  // namespace leeway::error_bound

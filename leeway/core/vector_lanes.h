// Vectors of the compiler, for kernels: one source for every instruction set (instruction_set.h), and every body is inlined into a function
// that is compiled for one of them, with vectors as wide as its registers: wider ones go through memory. Only
// for source files.
#pragma once

#include <cstddef>

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors wider than the baseline's: never passed between calls

#define LEEWAY_INLINE __attribute__((always_inline)) inline

namespace leeway {

using Avx512 = float __attribute__((vector_size(64)));
using Avx2 = float __attribute__((vector_size(32)));
using Sse = float __attribute__((vector_size(16)));

template <class V>
inline constexpr std::size_t width_of = sizeof(V) / sizeof(float);
template <class V>
struct __attribute__((packed, may_alias)) Loose {  // anywhere in memory
  V v;
};

}  // namespace leeway

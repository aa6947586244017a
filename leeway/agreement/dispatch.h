// Which of a function's versions runs: three instruction sets on x86, the compiler's own elsewhere. Not left
// to libhwy: that library calibrates a timer for 10 ms whenever a program that links it starts. For use in
// the HWY_ONCE part of a file.
#pragma once

#include <hwy/highway.h>

namespace leeway::agreement {

enum class Level { baseline, avx2, avx512 };

inline Level level_of_this_machine() {
#if HWY_ARCH_X86
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return Level::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    return Level::avx2;
#endif
  return Level::baseline;
}

inline const Level level = level_of_this_machine();

}  // namespace leeway::agreement

#if HWY_TARGETS & HWY_AVX3
#define LEEWAY_AVX512(function) \
  if (level == Level::avx512) return &N_AVX3::function;
#else
#define LEEWAY_AVX512(function)
#endif
#if HWY_TARGETS & HWY_AVX2
#define LEEWAY_AVX2(function) \
  if (level >= Level::avx2) return &N_AVX2::function;
#else
#define LEEWAY_AVX2(function)
#endif
#define LEEWAY_BEST(function)              \
  [] {                                     \
    LEEWAY_AVX512(function)                \
    LEEWAY_AVX2(function)                  \
    return &HWY_STATIC_DISPATCH(function); \
  }()

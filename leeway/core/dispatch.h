// Chooses the version of a Highway function (core/instruction_set.h). libhwy's own dispatch would calibrate a
// timer for 10 ms at every program start. For use in the HWY_ONCE part of a file.
#pragma once

#include <hwy/highway.h>

#include "leeway/core/instruction_set.h"

#if HWY_TARGETS & HWY_AVX3
#define LEEWAY_AVX512(function) \
  if (instruction_set == InstructionSet::avx512) return &N_AVX3::function;
#else
#define LEEWAY_AVX512(function)
#endif
#if HWY_TARGETS & HWY_AVX2
#define LEEWAY_AVX2(function) \
  if (instruction_set >= InstructionSet::avx2) return &N_AVX2::function;
#else
#define LEEWAY_AVX2(function)
#endif
#define LEEWAY_BEST(function)              \
  [] {                                     \
    LEEWAY_AVX512(function)                \
    LEEWAY_AVX2(function)                  \
    return &HWY_STATIC_DISPATCH(function); \
  }()

// The instruction sets for which Highway compiles a kernel: those that core/dispatch.h knows, not all. Precedes
// <hwy/foreach_target.h>.
#pragma once

#include <hwy/base.h>

#ifdef HWY_MAJOR  // Highway 1.1 or later, which has more
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_AVX3_ZEN4 | HWY_AVX3_SPR | HWY_NEON_BF16 | HWY_ALL_SVE)
#else
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#endif

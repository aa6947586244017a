// Which version of a kernel runs: one for each of three instruction sets on x86, the compiler's own elsewhere.
//
//   avx2    AVX2, FMA, BMI2
//   avx512  the same and AVX-512 F, BW, CD, DQ, VL
#pragma once

namespace leeway {

enum class InstructionSet { baseline, avx2, avx512 };  // each holds those before it

// Of the machine that asks.
inline const InstructionSet instruction_set = [] {
#if defined(__x86_64__) || defined(__i386__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return InstructionSet::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    return InstructionSet::avx2;
#endif
  return InstructionSet::baseline;
}();

}  // namespace leeway

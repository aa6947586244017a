// Instruction set of the kernels: three versions on x86, the compiler's target elsewhere.
//
//   avx2    AVX2, FMA, BMI2
//   avx512  the same and AVX-512 F, BW, CD, DQ, VL
//
// The best of the machine, or a lower one that LEEWAY_INSTRUCTION_SET names (baseline, avx2, avx512; empty:
// not set), for bug reports and tests. The variable is read once, before main or when the library is loaded.
// LibTorch ignores it; the command and the Python module pass it on to OpenBLAS (lapack.h). Versions differ in
// the last bits of their results. The library ignores an unknown or unsupported value; programs call
// check_instruction_set(), which throws Error (expected, found).
#pragma once

#include <string_view>

namespace leeway {

enum class InstructionSet { baseline, avx2, avx512 };  // each holds those before it

inline constexpr const char* instruction_set_variable = "LEEWAY_INSTRUCTION_SET";

[[nodiscard]] std::string_view name_of(InstructionSet set);
[[nodiscard]] InstructionSet machine_instruction_set();  // the best that this machine has

// The one that `name` chooses where the best is `machine`; that of an empty name. Error: unknown, or above `machine`.
[[nodiscard]] InstructionSet choose_instruction_set(std::string_view name, InstructionSet machine);

void check_instruction_set();  // the variable, as it is now
[[nodiscard]] InstructionSet instruction_set_of_environment();

// The one that kernels run with.
inline const InstructionSet instruction_set = instruction_set_of_environment();

}  // namespace leeway

// Which version of a kernel runs: one for each of three instruction sets on x86, the compiler's own elsewhere.
//
//   avx2    AVX2, FMA, BMI2
//   avx512  the same and AVX-512 F, BW, CD, DQ, VL
//
// The machine's best, or a lower one by name in the environment variable LEEWAY_INSTRUCTION_SET (baseline, avx2, avx512;
// empty counts as not given): for bug reports and tests. Versions differ in the last bits of what they compute. The
// variable is read once, before main or when the library is loaded; kernels of LibTorch and OpenBLAS know nothing of it.
//
// A value that is unknown, or above what the machine has, changes nothing: a library does not end the program that loads
// it. Programs ask check_instruction_set(), which throws Error (what was expected, what was found).
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

#include "leeway/core/instruction_set.h"

#include <array>
#include <cstdlib>
#include <string>

#include "leeway/core/message.h"

namespace leeway {
namespace {

// A constant: other files' variables ask for it before main.
constexpr std::array<std::string_view, 3> names{"baseline", "avx2", "avx512"};

std::string_view wanted() {
  const char* const value = std::getenv(instruction_set_variable);
  return value ? value : "";
}

}  // namespace

std::string_view name_of(InstructionSet set) { return names[static_cast<std::size_t>(set)]; }

InstructionSet machine_instruction_set() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return InstructionSet::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    return InstructionSet::avx2;
#endif
  return InstructionSet::baseline;
}

InstructionSet choose_instruction_set(std::string_view name, InstructionSet machine) {
  if (name.empty()) return machine;
  for (std::size_t set = 0; set < names.size(); ++set) {
    if (names[set] != name) continue;
    if (set <= static_cast<std::size_t>(machine)) return static_cast<InstructionSet>(set);
    refuse(instruction_set_variable,
           std::string(name_of(machine)) + ", the highest that this machine supports, or a lower one",
           in_quotes(name));
  }
  refuse(instruction_set_variable, "baseline, avx2 or avx512", in_quotes(name));
}

void check_instruction_set() { (void)choose_instruction_set(wanted(), machine_instruction_set()); }

InstructionSet instruction_set_of_environment() {
  const InstructionSet machine = machine_instruction_set();
  try {
    return choose_instruction_set(wanted(), machine);
  } catch (const Error&) {
    return machine;
  }
}

}  // namespace leeway

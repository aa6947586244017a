#include "leeway/core/instruction_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "tests/message_of.h"

namespace leeway {
namespace {

using enum InstructionSet;
using ::testing::HasSubstr;

TEST(InstructionSets, AreChosenByName) {
  const auto chosen = [](InstructionSet set) { return choose_instruction_set(name_of(set), avx512); };
  for (const InstructionSet set : {baseline, avx2, avx512}) EXPECT_EQ(chosen(set), set);
  EXPECT_EQ(choose_instruction_set("avx2", avx2), avx2);
  EXPECT_EQ(choose_instruction_set("baseline", avx2), baseline);
  EXPECT_EQ(choose_instruction_set("", avx2), avx2);
}

TEST(InstructionSets, ThatTheMachineLacksOrNobodyKnowsAreRefused) {
  const auto message = [](std::string_view name, InstructionSet machine) {
    return message_of([&] { (void)choose_instruction_set(name, machine); });
  };
  EXPECT_THAT(message("avx512", avx2), HasSubstr("found 'avx512'"));
  EXPECT_THAT(message("avx2", baseline), HasSubstr("this machine, or less, found 'avx2'"));
  EXPECT_THAT(message("AVX2", avx512), HasSubstr("baseline, avx2 or avx512, found 'AVX2'"));
  EXPECT_EQ(message("sse\n9", avx512),
            "LEEWAY_INSTRUCTION_SET: expected baseline, avx2 or avx512, found 'sse\\x0a9'");
}

// The environment variable while it lives, and afterwards as it was.
class Variable {
 public:
  explicit Variable(const char* value) {
    if (const char* const before = std::getenv(instruction_set_variable)) before_ = before;
    setenv(instruction_set_variable, value, 1);
  }
  ~Variable() {
    if (before_)
      setenv(instruction_set_variable, before_->c_str(), 1);
    else
      unsetenv(instruction_set_variable);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  std::optional<std::string> before_;
};

TEST(InstructionSets, OfTheEnvironmentNeverStopALibrary) {
  {
    const Variable variable("baseline");
    EXPECT_EQ(instruction_set_of_environment(), baseline);
    check_instruction_set();
  }
  {
    const Variable variable("");
    EXPECT_EQ(instruction_set_of_environment(), machine_instruction_set());
    check_instruction_set();
  }
  const Variable variable("sse9");
  EXPECT_EQ(instruction_set_of_environment(), machine_instruction_set());
  EXPECT_THAT(message_of(check_instruction_set), HasSubstr("baseline, avx2 or avx512, found 'sse9'"));
}

TEST(InstructionSets, ThatKernelsRunWithAreThoseOfTheEnvironment) {
  EXPECT_EQ(instruction_set, instruction_set_of_environment());
}

}  // namespace
}  // namespace leeway

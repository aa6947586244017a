// Runs the leeway command and keeps what it printed.
#pragma once

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "leeway/core/result.h"
#include "tests/files.h"

namespace leeway {

struct Outcome {
  int code = -1;  // exit code; that of a signal, negative, if one ended it
  std::string out, err;
};

// A process of leeway ARGUMENTS, as a shell would split them, in `folder`; `before` is what that shell does first.
inline pid_t start_command(const std::filesystem::path& folder, const std::string& arguments,
                           const std::string& before = "") {
  const std::string line = before + "cd '" + folder.string() + "' && exec '" LEEWAY_COMMAND "' " + arguments +
                           " >.out 2>.err </dev/null";
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
  ::_exit(127);
}

// What a command in `folder` said, after its end.
inline Outcome outcome_of(pid_t child, const std::filesystem::path& folder) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), read_bytes(folder / ".out"),
          read_bytes(folder / ".err")};
}

inline Outcome run_command(const std::filesystem::path& folder, const std::string& arguments,
                           const std::string& before = "") {
  return outcome_of(start_command(folder, arguments, before), folder);
}

// A call that the command refuses: its exit code, and what the one line on stderr holds.
struct Refused {
  std::string arguments;
  int code;
  std::vector<std::string> parts;
};

// A fixture with an empty folder, in which commands run.
class CommandTest : public ::testing::Test {
 protected:
  [[nodiscard]] Outcome run(const std::string& arguments) const { return run_command(folder_, arguments); }
  // A run that ends well.
  Outcome good(const std::string& arguments) const {
    Outcome said = run(arguments);
    EXPECT_EQ(said.code, 0) << arguments << "\n" << said.err;
    return said;
  }
  // The record of a run that ends well.
  [[nodiscard]] Json record(const std::string& arguments) const {
    const Outcome said = good(arguments + " --json");
    return said.code == 0 ? Json::parse(said.out) : Json();
  }
  // A mistake in the call: exit 2 and this line alone.
  void refused(const std::string& arguments, const std::string& line) const {
    const Outcome said = run(arguments);
    EXPECT_EQ(said.code, 2) << arguments;
    EXPECT_EQ(said.out, "") << arguments;
    EXPECT_EQ(said.err, "leeway: " + line + "\n") << arguments;
  }
  // Nothing on stdout, one line on stderr.
  void refused(const Refused& call) const {
    const Outcome said = run(call.arguments);
    EXPECT_EQ(said.code, call.code) << call.arguments << "\n" << said.err;
    EXPECT_EQ(said.out, "") << call.arguments;
    EXPECT_EQ(std::ranges::count(said.err, '\n'), 1) << call.arguments << "\n" << said.err;
    for (const std::string& part : call.parts)
      EXPECT_THAT(said.err, ::testing::HasSubstr(part)) << call.arguments;
  }
  // Of calls that begin alike.
  void all_refused(const std::string& begin, const std::vector<Refused>& calls) const {
    for (const auto& [arguments, code, parts] : calls) refused({begin + arguments, code, parts});
  }

 private:
  const TemporaryFolder temporary_;

 protected:
  const std::filesystem::path folder_ = temporary_.path();
};

}  // namespace leeway

// Runs the leeway command and keeps what it printed.
#pragma once

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "leeway/core/result.h"

namespace leeway {

struct Outcome {
  int code = -1;  // exit code; -1 if a signal ended it
  std::string out, err;
};

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// leeway ARGUMENTS, as a shell would split them, in `folder`; `limits` is what that shell does first.
inline Outcome run_command(const std::filesystem::path& folder, const std::string& arguments,
                           const std::string& limits = "") {
  const std::string line = limits + "cd '" + folder.string() + "' && exec '" LEEWAY_COMMAND "' " + arguments +
                           " >.out 2>.err </dev/null";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(folder / ".out"),
          read_text(folder / ".err")};
}

// A call that the command refuses: its exit code, and what the one line on stderr holds.
struct Refused {
  std::string arguments;
  int code;
  std::vector<std::string> parts;
};

// A fixture with an empty folder, removed afterwards; commands run in it.
class CommandTest : public ::testing::Test {
 protected:
  CommandTest() { std::filesystem::create_directories(folder_); }
  ~CommandTest() override { std::filesystem::remove_all(folder_); }

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

  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ("leeway_command_" + std::to_string(getpid()));
};

}  // namespace leeway

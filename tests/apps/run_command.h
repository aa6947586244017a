// Runs the leeway command in a folder of its own and keeps what it printed.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace leeway {

struct Outcome {
  int code = -1;  // exit code; -1 if a signal ended it
  std::string out, err;
};

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A fixture with an empty folder, removed afterwards; commands run in it.
class CommandTest : public testing::Test {
 protected:
  CommandTest() { std::filesystem::create_directories(folder_); }
  ~CommandTest() override { std::filesystem::remove_all(folder_); }

  // leeway ARGUMENTS, as a shell would split them.
  [[nodiscard]] Outcome run(const std::string& arguments) const {
    const std::string out = folder_ / ".out", err = folder_ / ".err";
    const std::string line = "cd '" + folder_.string() + "' && '" LEEWAY_COMMAND "' " + arguments + " >'" +
                             out + "' 2>'" + err + "'";
    const int status = std::system(line.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(out), read_text(err)};
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("leeway_command_" + std::to_string(getpid()));
};

}  // namespace leeway

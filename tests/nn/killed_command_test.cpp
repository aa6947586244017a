// The commands that run models, interrupted or with inputs that change: files are whole or absent, and what was begun goes on.
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/nn/command_fixture.h"

namespace leeway::killed_command_test {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Its time changes as long as the command runs: what was read may be of either file, so that there is no output.
TEST_F(Command, AnInputThatChangesMeanwhileLeavesNoOutput) {
  const std::string model = trained(), data = path("data.npz");
  struct Case {
    std::vector<std::string> arguments;
    std::string changes;
  };
  for (auto& [arguments, changes] :
       std::vector<Case>{{{"infer", "--model", model}, data},
                         {{"attack", "--model", model}, data},
                         {{"train", "--epochs", "1"}, data},
                         {{"train", "--epochs", "1", "--start", model}, model}}) {
    const std::string command = arguments.front();
    arguments.insert(arguments.end(), {"--data", data, "--out", path("o.npz"), "--quiet"});
    const pid_t child = start(arguments);
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
      std::filesystem::last_write_time(changes, std::filesystem::file_time_type::clock::now());
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 3) << err();
    EXPECT_THAT(err(), HasSubstr("a changed file"));
    EXPECT_FALSE(std::filesystem::exists(path("o.npz"))) << command;
  }
}

TEST_F(Command, InterruptedTrainingIsExit130AndGoesOn) {
  const std::vector<std::string> arguments{"train",      "--data", images(600), "--epochs", "300",
                                           "--patience", "0",      "--batch",   "8",        "--threads",
                                           "1",          "--out",  path("m")};
  const pid_t child = start(arguments);
  for (int i = 0; i < 600 && !std::filesystem::exists(path("m.state")); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  kill(child, SIGINT);
  EXPECT_EQ(wait_for(child), 130) << err();
  EXPECT_THAT(err(),
              AllOf(HasSubstr("m.state holds epoch "), HasSubstr("the same command resumes from there")));
  EXPECT_FALSE(std::filesystem::exists(path("m")));
}

}  // namespace leeway::killed_command_test

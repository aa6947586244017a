// The commands that run models, killed and interrupted: files are whole or absent, and what was begun goes on.
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/nn/command_fixture.h"

namespace leeway {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class KillsTier2 : public Command {};

// Killed at moments spread over the whole run: the final name never holds anything but a whole file, and
// running on ends in the bits of a run that nobody killed.
TEST_F(KillsTier2, TrainingSurvivesKills) {
  const std::string data = images(600);
  const std::vector<std::string> whole{"train",      "--data",  data,      "--epochs",   "12",
                                       "--patience", "0",       "--batch", "8",          "--threads",
                                       "1",          "--quiet", "--out",   path("whole")};
  const auto before = std::chrono::steady_clock::now();
  ASSERT_EQ(run(whole), 0) << err();
  const std::chrono::duration<double> length = std::chrono::steady_clock::now() - before;
  std::vector<std::string> broken = whole;
  broken.back() = path("broken");
  std::erase(broken, "--quiet");
  int killed = 0;
  for (int i = 0; i < 6; ++i) {
    const pid_t child = start(broken);
    std::this_thread::sleep_for(length * (.3 + .1 * i));
    kill(child, SIGKILL);
    const int status = wait_for(child);
    killed += status == -SIGKILL;
    if (std::filesystem::exists(path("broken"))) {
      EXPECT_EQ(text_of(path("broken")), text_of(path("whole")));
    }
    if (status == 0) break;
  }
  EXPECT_GT(killed, 0);
  const bool finished = std::filesystem::exists(path("broken")),
             state = std::filesystem::exists(path("broken.state"));
  ASSERT_EQ(run(broken), 0) << err();
  if (!finished && state) {
    EXPECT_THAT(err(), HasSubstr("broken.state: continued after epoch "));
  }
  EXPECT_EQ(text_of(path("broken")), text_of(path("whole")));
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    EXPECT_THAT(entry.path().filename().string(), testing::Not(HasSubstr("partial"))) << "left behind";
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
              AllOf(HasSubstr("m.state holds epoch "), HasSubstr("the same command goes on from there")));
  EXPECT_FALSE(std::filesystem::exists(path("m")));
}

}  // namespace
}  // namespace leeway

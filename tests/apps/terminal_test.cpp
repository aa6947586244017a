// Signals that ask a long command to stop: heard by the library, or after a second by an alarm.
#include "apps/leeway/terminal.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace leeway::app::terminal_test {

// A step that hears nothing, and one around it whose word counts again.
TEST(HardStop, EndsWithTheWordOfTheInnermostStep) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        const TerminalProgress progress(true);
        const HardStop outer("m.pt did not return");
        const HardStop inner("average-case: stopped within a pass");
        (void)raise(SIGTERM);
        while (true) pause();  // what LibTorch may do for minutes
      },
      ::testing::ExitedWithCode(130), "leeway: average-case: stopped within a pass");
  EXPECT_EXIT(
      {
        const TerminalProgress progress(true);
        const HardStop outer("m.pt did not return");
        { const HardStop inner("average-case: stopped within a pass"); }
        (void)raise(SIGINT);
        while (true) pause();
      },
      ::testing::ExitedWithCode(130), "leeway: m.pt did not return");
}

TEST(HardStop, LeavesASignalThatWasHeededAlone) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        const TerminalProgress progress(true);
        {
          const HardStop stop("average-case: stopped within a pass");
          (void)raise(SIGTERM);
        }
        const unsigned left = alarm(0);
        _exit(progress.stop_requested() && left == 0 ? 7 : 8);
      },
      ::testing::ExitedWithCode(7), "");
}

}  // namespace leeway::app::terminal_test

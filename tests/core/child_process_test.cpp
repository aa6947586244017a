#include "leeway/core/child_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>
#include <system_error>

#include "tests/core/files.h"

namespace leeway {
namespace {

// It answers with its word, its session, and its descriptors.
TEST(ChildProcess, HasASocketASessionAndNoOtherFile) {
  const testing::TemporaryFolder folder;
  const auto script = folder / "program";
  testing::write_bytes(script,
                       "#!/bin/sh\nread word <&3\nset -- /proc/$$/fd/*\n"
                       "echo $word $(cut -d' ' -f6 /proc/$$/stat) $$ $(readlink /proc/$$/fd/[0-2]) "
                       "$(ls /proc/self/fd | grep -vx '[0-3]' | wc -l) >&3\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const ChildProcess child = start_child(script);
  ASSERT_EQ(write(child.socket, "hello\n", 6), 6);
  std::string answer;
  std::array<char, 200> part{};
  for (ssize_t got = 1; got > 0;) {
    got = read(child.socket, part.data(), part.size());
    if (got > 0) answer.append(part.data(), static_cast<std::size_t>(got));
  }
  close(child.socket);
  int status = -1;
  EXPECT_EQ(waitpid(child.id, &status, 0), child.id);
  EXPECT_EQ(status, 0);
  const std::string id = std::to_string(child.id);
  EXPECT_EQ(answer, "hello " + id + " " + id + " /dev/null /dev/null /dev/null 1\n") << "1: what ls reads";
}

TEST(ChildProcess, ThatIsMissingIsAnError) {
  EXPECT_THROW((void)start_child("/no/such/program"), std::system_error);
}

}  // namespace
}  // namespace leeway

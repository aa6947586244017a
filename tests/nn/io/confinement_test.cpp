#include "leeway/nn/io/confinement.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "leeway/core/error.h"
#include "leeway/core/parallel.h"

namespace leeway::nn {
namespace {

class Confinement : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = why_not_confined(); !reason.empty()) GTEST_SKIP() << reason;
    folder_ = std::filesystem::temp_directory_path() / ("leeway-confinement-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    std::ofstream(path("there")) << "text";
  }
  void TearDown() override {
    set_threads(0);
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // What `act` is refused as; "" where it may.
  [[nodiscard]] static std::string refusal(const std::function<void()>& act) {
    try {
      run_confined("p", act);
    } catch (const Error& error) {
      const std::string text = error.what(),
                        before = "p: expected a program that only computes, found one that ";
      EXPECT_EQ(text.substr(0, before.size()), before);
      return text.substr(before.size());
    }
    return "";
  }

  std::filesystem::path folder_;
};

TEST_F(Confinement, FilesAreReadAndNotWritten) {
  const std::string old = path("there"), name = path("new");
  EXPECT_EQ(refusal([&] {
              std::string text;
              std::ifstream(old) >> text;
              EXPECT_EQ(text, "text");
            }),
            "");
  const std::string writes = "writes files (--trust lets it)",
                    changes = "changes or removes files (--trust lets it)";
  EXPECT_EQ(refusal([&] { std::ofstream(name) << "more"; }), writes) << "though the stream says nothing";
  EXPECT_EQ(refusal([&] {
              EXPECT_EQ(open(old.c_str(), O_RDONLY | O_TRUNC), -1);  // NOLINT
              EXPECT_EQ(errno, EACCES);
            }),
            writes);
  EXPECT_EQ(refusal([&] { EXPECT_EQ(creat(name.c_str(), 0600), -1); }), writes);
  EXPECT_EQ(refusal([&] { EXPECT_NE(mkdir(name.c_str(), 0700), 0); }), writes);
  EXPECT_EQ(refusal([&] { EXPECT_NE(symlink(old.c_str(), name.c_str()), 0); }), writes);
  EXPECT_EQ(refusal([&] { EXPECT_NE(rename(old.c_str(), name.c_str()), 0); }), changes);
  EXPECT_EQ(refusal([&] { EXPECT_NE(unlink(old.c_str()), 0); }), changes);
  EXPECT_EQ(refusal([&] { EXPECT_NE(truncate(old.c_str(), 0), 0); }), changes);
  EXPECT_EQ(refusal([&] { EXPECT_NE(chmod(old.c_str(), 0), 0); }), changes);
  EXPECT_FALSE(std::filesystem::exists(name));
  EXPECT_EQ(std::filesystem::file_size(old), 4U);
}

TEST_F(Confinement, NeitherProgramsNorSocketsAreOpened) {
  EXPECT_EQ(refusal([] { EXPECT_EQ(socket(AF_INET, SOCK_STREAM, 0), -1); }),
            "opens sockets (--trust lets it)");
  EXPECT_EQ(refusal([] { EXPECT_EQ(execl("/bin/true", "true", nullptr), -1); }),
            "starts programs (--trust lets it)");
  EXPECT_EQ(refusal([] { EXPECT_NE(kill(getppid(), 0), 0); }),
            "reaches into other processes (--trust lets it)");
}

TEST_F(Confinement, HoldsForThreadsThatAreStartedWithinAndForNoOthers) {
  const auto opened = [&] {  // by the threads of a loop
    std::atomic<int> count{0};
    parallel_for(8, [&](std::size_t i) { count += std::ofstream(path(std::to_string(i))).is_open(); });
    return count.load();
  };
  set_threads(4);
  EXPECT_NE(refusal([&] { std::jthread([&] { std::ofstream(path("new")) << "more"; }).join(); }), "");
  EXPECT_FALSE(std::filesystem::exists(path("new")));
  EXPECT_NE(refusal([&] { EXPECT_EQ(opened(), 0); }), "");
  EXPECT_EQ(opened(), 8) << "the caller keeps its rights, and so do the threads of its loops";
  EXPECT_NE(refusal([&] { EXPECT_EQ(opened(), 0); }), "");
}

TEST_F(Confinement, ItsLoopsVisitEveryIndexAndPassOnWhatTheLowestOneThrows) {
  for (const int threads : {1, 2, 7}) {
    set_threads(threads);
    for (const std::size_t count : {0U, 1U, 5U, 200U}) {
      std::vector<std::atomic<int>> visits(count);
      run_confined("p", [&] {
        parallel_for(count, [&](std::size_t i) { parallel_for(3, [&](std::size_t) { ++visits[i]; }); });
      });
      for (const auto& visit : visits) EXPECT_EQ(visit, 3);
    }
    try {
      run_confined("p", [] {
        parallel_for(100, [](std::size_t i) {
          if (i > 5) throw std::out_of_range(std::to_string(i));
        });
      });
      FAIL();
    } catch (const std::out_of_range& error) {
      EXPECT_STREQ(error.what(), "6");
    }
  }
}

// A process whose kernel answers seccomp with ENOSYS, as a filter of its own makes it.
TEST_F(Confinement, AKernelThatCannotConfineIsNamed) {
  const pid_t child = fork();
  if (child == 0) {
    sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 1),
                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog program{4, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
      _exit(10);
    execl("/proc/self/exe", "confinement_test", "--gtest_also_run_disabled_tests",
          "--gtest_filter=*DISABLED_OnAKernelThatCannot", nullptr);
    _exit(11);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
}

// Run by the test above alone.
TEST(ConfinementOf, DISABLED_OnAKernelThatCannot) {
  EXPECT_EQ(why_not_confined(), "seccomp: Function not implemented");
  bool ran = false;
  try {
    run_confined("m.pt", [&] { ran = true; });
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "m.pt: its threads cannot be confined (seccomp: Function not implemented)");
  }
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace leeway::nn

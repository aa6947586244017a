#include "leeway/nn/process/confinement.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "tests/files.h"

namespace leeway::nn::confinement_test {

struct Child {
  std::string text;
  int status = 0;
};
Child run_in_child(const std::function<std::string()>& act) {
  int ends[2];
  if (pipe(ends) != 0) return {"no pipe", -1};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const std::string text = act();
    _exit(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  Child result;
  char buffer[200];
  for (ssize_t got = 1; got > 0;) {
    got = read(ends[0], buffer, sizeof buffer);
    if (got > 0) result.text.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  waitpid(child, &result.status, 0);
  if (WIFSIGNALED(result.status) && WTERMSIG(result.status) == SIGSYS) result.text = "killed";
  return result;
}

class Confinement : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = why_not_confined(); !reason.empty()) GTEST_SKIP() << reason;
    std::ofstream(path("there")) << "text";
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // What a confined process hears of an act that fails; "done" where it succeeds.
  [[nodiscard]] static std::string refusal(Confine limits, const std::function<bool()>& act) {
    return run_in_child([&] {
             confine(limits);
             const bool done = act();
             return done ? std::string("done") : std::string(refused_act());
           })
        .text;
  }

  const TemporaryFolder folder_;
};

TEST_F(Confinement, FilesAreReadUntilTheProcessOnlyComputes) {
  const auto reads = [&] {
    std::string text;
    std::ifstream(path("there")) >> text;
    return text == "text";
  };
  EXPECT_EQ(refusal(Confine::read, reads), "done");
  EXPECT_EQ(refusal(Confine::compute, reads), "") << "refused, and not reported: libraries look at files";
  EXPECT_EQ(refusal(Confine::read, [&] { return confine(Confine::compute), reads(); }), "");
  EXPECT_EQ(refusal(Confine::compute, [] { return open("/proc/self/maps", O_RDONLY) >= 0; }), "");
}

TEST_F(Confinement, NothingIsWrittenStartedOrReached) {
  const std::string old = path("there"), name = path("new");
  const std::string writes = "writes files", changes = "changes or removes files", starts = "starts programs",
                    talks = "opens sockets", reaches = "accesses other processes";
  struct Act {
    std::string said;
    std::function<bool()> act;
  };
  const std::vector<Act> acts{
      {writes, [&] { return std::ofstream(name).is_open(); }},
      {writes, [&] { return open(old.c_str(), O_RDONLY | O_TRUNC) >= 0; }},
      {writes, [&] { return creat(name.c_str(), 0600) >= 0; }},
      {writes, [&] { return mkdir(name.c_str(), 0700) == 0; }},
      {writes, [&] { return symlink(old.c_str(), name.c_str()) == 0; }},
      {writes,
       [&] {
         bool written = false;
         std::thread([&] { written = std::ofstream(name).is_open(); }).join();
         return written;
       }},
      {changes, [&] { return rename(old.c_str(), name.c_str()) == 0; }},
      {changes, [&] { return unlink(old.c_str()) == 0; }},
      {changes, [&] { return truncate(old.c_str(), 0) == 0; }},
      {changes, [&] { return chmod(old.c_str(), 0) == 0; }},
      {starts, [] { return execl("/bin/true", "true", nullptr) == 0; }},
      {starts, [] { return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) >= 0; }},
      {talks, [] { return socket(AF_INET, SOCK_STREAM, 0) >= 0; }},
      {reaches, [] { return kill(getppid(), 0) == 0; }},
      {"",
       [] {
         const rlimit limit{1, 1};
         return setrlimit(RLIMIT_NOFILE, &limit) == 0;
       }},
  };
  for (const Confine limits : {Confine::read, Confine::compute})
    for (std::size_t i = 0; i < acts.size(); ++i) EXPECT_EQ(refusal(limits, acts[i].act), acts[i].said) << i;
  // fork() of glibc 2.41 blocks all signals, so the kernel kills the process instead of reporting the refused call
  EXPECT_THAT(refusal(Confine::compute, [] { return fork() >= 0; }), ::testing::AnyOf(starts, "killed"));
  EXPECT_FALSE(std::filesystem::exists(name));
  EXPECT_EQ(std::filesystem::file_size(old), 4U);
}

TEST_F(Confinement, AProcessThatOnlyComputesHasThreadsMemoryAndAnEnd) {
  EXPECT_EQ(refusal(Confine::compute,
                    [] {
                      std::vector<double> large(1 << 22, 1);
                      std::thread([&] { large[7] = 2; }).join();
                      rlimit limit{};
                      return large[7] == 2 && getrlimit(RLIMIT_NOFILE, &limit) == 0;
                    }),
            "done");
  const Child aborted = run_in_child([]() -> std::string {
    confine(Confine::compute);
    std::abort();
  });
  EXPECT_TRUE(WIFSIGNALED(aborted.status) && WTERMSIG(aborted.status) == SIGABRT);
}

#ifndef LEEWAY_SANITIZED
TEST(ConfinedMemory, EndsWithBadAlloc) {
  const auto allocates = [](std::size_t bytes) {
    return run_in_child([bytes]() -> std::string {
             limit_memory(std::size_t{1} << 30);
             try {
               return std::vector<char>(bytes, 1).back() == 1 ? "done" : "";
             } catch (const std::bad_alloc&) {
               return "refused";
             }
           })
        .text;
  };
  EXPECT_EQ(allocates(std::size_t{1} << 26), "done");
  EXPECT_EQ(allocates(std::size_t{1} << 31), "refused");
}
#endif

TEST_F(Confinement, AKernelThatCannotConfineIsNamed) {
  const auto act = []() -> std::string {
    sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 1),
                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog program{4, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
      return "no filter";
    try {
      confine(Confine::read);
    } catch (const std::exception& failure) {
      return failure.what();
    }
    return "confined";
  };
  EXPECT_EQ(run_in_child(act).text, "seccomp: Function not implemented");
}

}  // namespace leeway::nn::confinement_test

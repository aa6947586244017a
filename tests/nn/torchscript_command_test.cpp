// What the program of a model file may do, from outside. And what OpenMP's environment may do to training.
#include <gmock/gmock.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "leeway/core/result.h"
#include "tests/nn/command_fixture.h"

namespace leeway::torchscript_command_test {

using ::testing::HasSubstr;

std::string torchscript(const std::string& name) {
  return std::string(LEEWAY_REFERENCE) + "/torchscript/" + name;
}

class Program : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    if (IsSkipped()) return;
    data_ = images(20);
    static const int status = run({"inspect", torchscript("logits.pt"), "--no-timing"});
    if (status != 0) GTEST_SKIP() << "this machine runs no TorchScript";
  }
  [[nodiscard]] std::vector<std::string> infer(const std::string& model) const {
    return {"infer", "--model", torchscript(model), "--data", data_, "--out", path("o.npz")};
  }
  // Until the process has handlers of signals of its own.
  static void wait_for_handler(pid_t child) {
    const std::string status = "/proc/" + std::to_string(child) + "/status";
    for (int i = 0; i < 2000; ++i) {
      const std::string text = text_of(status);
      const std::size_t at = text.find("SigCgt:");
      if (at != std::string::npos &&
          (std::stoull(text.substr(at + 7), nullptr, 16) >> (SIGTERM - 1) & 1) != 0)
        return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    FAIL() << "no handler";
  }

  std::string data_;
};

TEST_F(Program, ThatWritesFilesIsStopped) {
  const std::filesystem::path written = path("written-by-the-model");
  std::filesystem::remove(written);
  for (const std::string model : {"writes.pt", "writes_when_read.pt"}) {
    std::vector<std::string> arguments = infer(model);
    EXPECT_EQ(run(arguments), 3);
    EXPECT_THAT(err(), HasSubstr(model + ": expected a program that only computes"));
    EXPECT_FALSE(std::filesystem::exists(written)) << model;
    EXPECT_FALSE(std::filesystem::exists(path("o.npz")));
    if (model == "writes_when_read.pt") continue;
    arguments.emplace_back("--trust");
    EXPECT_EQ(run(arguments), 0) << err();
    EXPECT_TRUE(std::filesystem::remove(written)) << model;
    std::filesystem::remove(path("o.npz"));
  }
}

// On a kernel that answers seccomp with ENOSYS.
TEST_F(Program, NeedsTrustWhereNothingConfines) {
  const pid_t child = fork();
  if (child == 0) {
    sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 1),
                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog program{4, filter};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    std::vector<std::string> arguments = infer("pair.pt");
    if (run(arguments) != 3 || err().find("--trust") == std::string::npos) _exit(1);
    arguments.emplace_back("--trust");
    _exit(run(arguments));
  }
  EXPECT_EQ(wait_for(child), 0) << err();
}

TEST_F(Program, ThatNeverReturnsEndsWithASignal) {
  for (const int signal : {SIGINT, SIGTERM}) {
    std::vector<std::string> arguments = infer("loops.pt");
    if (signal == SIGTERM) arguments.emplace_back("--trust");
    const pid_t child = start(arguments);
    wait_for_handler(child);
    const auto sent = std::chrono::steady_clock::now();
    kill(child, signal);
    EXPECT_EQ(wait_for(child), 130);
    EXPECT_LT(std::chrono::steady_clock::now() - sent, std::chrono::seconds(2));
    EXPECT_THAT(err(), HasSubstr("interrupted: model " + torchscript("loops.pt") + " did not return\n"));
    EXPECT_EQ(out(), "");
  }
}

// The command is killed while the model, which never returns, is loaded.
TEST_F(Program, EndsWithTheCommand) {
  const auto soon = [](const auto& is_so) {
    for (int i = 0; i < 1000 && !is_so(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  };
  const pid_t child = start(infer("loops.pt"));
  const std::string of_child = "/proc/" + std::to_string(child),
                    thread = of_child + "/task" + of_child.substr(5);
  std::string model;
  soon([&] { return !!(std::ifstream(thread + "/children") >> model); });
  const auto status = [&] { return text_of("/proc/" + model + "/status"); };
  soon([&] { return status().find("Seccomp:\t2") != std::string::npos; });
  ASSERT_FALSE(status().empty());
  const auto sent = std::chrono::steady_clock::now();
  kill(child, SIGKILL);
  EXPECT_EQ(wait_for(child), -SIGKILL);
  soon([&] { return status().empty() || status().find("State:\tZ") != std::string::npos; });
  EXPECT_LT(std::chrono::steady_clock::now() - sent, std::chrono::seconds(2));
}

// What it prints would stand among the result.
TEST_F(Program, ThatPrintsInATaskLeavesTheRecordAlone) {
  std::vector<std::string> arguments = infer("fork_prints.pt");
  arguments.emplace_back("--json");
  EXPECT_EQ(run(arguments), 0) << err();
  EXPECT_EQ(Json::parse(out()).at("results").size(), 1U);
}

TEST_F(Program, IsSaidToBeOneByInspect) {
  const auto confinement = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "inspect");
    arguments.insert(arguments.end(), {"--no-timing", "--json"});
    EXPECT_EQ(run(arguments), 0) << err();
    return Json::parse(out()).at("results").at(0).at("confinement");
  };
  EXPECT_EQ(confinement({torchscript("pair.pt")}), "seccomp");
  EXPECT_EQ(confinement({torchscript("pair.pt"), "--trust"}), "none");
  EXPECT_EQ(confinement({std::string(LEEWAY_REFERENCE) + "/onnx/cnn_softmax.onnx"}), "seccomp");
  EXPECT_EQ(confinement({trained()}), nullptr);
}

class TeamTier2 : public Command {};

// Kernels that wait for as many threads as OpenMP was asked for would wait for ever.
TEST_F(TeamTier2, TrainingEndsWhateverThreadsOpenMPGives) {
  const std::string data = images(120);
  const auto train = [&](const std::string& threads, const std::string& out) {
    return run({"train", "--data", data, "--epochs", "1", "--threads", threads, "--out", path(out)});
  };
  ASSERT_EQ(train("1", "one"), 0) << err();
  setenv("OMP_THREAD_LIMIT", "1", 1);
  EXPECT_EQ(train("2", "limited"), 0) << err();
  EXPECT_THAT(err(), HasSubstr("OpenMP provides 1 of 2 requested threads\n"));
  unsetenv("OMP_THREAD_LIMIT");
  EXPECT_EQ(text_of(path("limited")), text_of(path("one"))) << "and the record says so";
  ASSERT_EQ(train("2", "two"), 0) << err();
  setenv("OMP_DYNAMIC", "true", 1);
  EXPECT_EQ(train("2", "dynamic"), 0) << err();
  unsetenv("OMP_DYNAMIC");
  EXPECT_EQ(text_of(path("dynamic")), text_of(path("two")));
}

}  // namespace leeway::torchscript_command_test

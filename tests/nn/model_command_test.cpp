// Commands with models, from outside: programs of model files, signals and kills, models that mislead, noise.
#include <gmock/gmock.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "leeway/core/result.h"
#include "leeway/io/npy.h"
#include "leeway/io/outputs.h"
#include "tests/holds.h"
#include "tests/nn/command_fixture.h"

namespace leeway::model_command_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string torchscript(const std::string& name) {
  return std::string(LEEWAY_REFERENCE) + "/torchscript/" + name;
}

class Program : public Command {
 protected:
  void SetUp() override {
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
      const std::string text = read_bytes(status);
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

TEST_F(Program, EndsWithTheCommand) {
  const auto soon = [](const auto& is_so) {
    for (int i = 0; i < 1000 && !is_so(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  };
  const pid_t child = start(infer("loops.pt"));
  const std::string of_child = "/proc/" + std::to_string(child),
                    thread = of_child + "/task" + of_child.substr(5);
  std::string model;
  soon([&] { return !!(std::ifstream(thread + "/children") >> model); });
  const auto status = [&] { return read_bytes("/proc/" + model + "/status"); };
  soon([&] { return status().find("Seccomp:\t2") != std::string::npos; });
  ASSERT_FALSE(status().empty());
  const auto sent = std::chrono::steady_clock::now();
  kill(child, SIGKILL);
  EXPECT_EQ(wait_for(child), -SIGKILL);
  soon([&] { return status().empty() || status().find("State:\tZ") != std::string::npos; });
  EXPECT_LT(std::chrono::steady_clock::now() - sent, std::chrono::seconds(2));
}

TEST_F(Program, ThatPrintsInATaskLeavesTheRecordAlone) {
  std::vector<std::string> arguments = infer("fork_prints.pt");
  arguments.emplace_back("--json");
  EXPECT_EQ(run(arguments), 0) << err();
  EXPECT_EQ(Json::parse(out()).at("results").size(), 1U);
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
  EXPECT_EQ(read_bytes(path("limited")), read_bytes(path("one"))) << "and the record says so";
  ASSERT_EQ(train("2", "two"), 0) << err();
  setenv("OMP_DYNAMIC", "true", 1);
  EXPECT_EQ(train("2", "dynamic"), 0) << err();
  unsetenv("OMP_DYNAMIC");
  EXPECT_EQ(read_bytes(path("dynamic")), read_bytes(path("two")));
}

class ChangingInputs : public Command {
 protected:
  // The file's time changes as long as the command runs: what was read may be of either file, so that there is no output.
  void refused(std::vector<std::string> arguments, const std::string& changes) const {
    arguments.insert(arguments.end(), {"--data", path("data.npz"), "--out", path("o.npz"), "--quiet"});
    const pid_t child = start(arguments);
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
      std::filesystem::last_write_time(changes, std::filesystem::file_time_type::clock::now());
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 3) << err();
    EXPECT_THAT(err(), HasSubstr("a changed file"));
    EXPECT_FALSE(std::filesystem::exists(path("o.npz"))) << arguments.front();
  }
};

TEST_F(ChangingInputs, LeaveNoOutput) {
  const std::string model = trained();
  refused({"infer", "--model", model}, path("data.npz"));
  refused({"train", "--epochs", "1", "--start", model}, model);
}

class ChangingInputsTier2 : public ChangingInputs {};

TEST_F(ChangingInputsTier2, OfOtherCommandsLeaveNoOutput) {
  const std::string model = trained();
  refused({"attack", "--model", model}, path("data.npz"));
  refused({"train", "--epochs", "1"}, path("data.npz"));
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

TEST_F(Command, CorruptAssessesAModel) {
  const std::string model = trained();
  good("shift corrupt --model " + model + " --data " + images(90) +
       " --corruptions fog,contrast,gaussian-noise --severities 1,5 --out r.json --report page.html --sheet "
       "sheet.png");
  EXPECT_THAT(out(), AllOf(HasSubstr("Accuracy by severity"),
                           HasSubstr("Mean corruption error (unnormalized)"), HasSubstr("gaussian-noise")));
  EXPECT_FALSE(std::filesystem::exists(path("r.json.state")));
  EXPECT_THAT(read_bytes(path("page.html")), HasSubstr("leeway: common corruptions"));
  const Json record = Json::parse(read_bytes(path("r.json")));
  EXPECT_EQ(record["schema"], "leeway.corruptions/3");
  EXPECT_EQ(record["results"].size(), 6u);
  EXPECT_EQ(record["inputs"].size(), 2u);
  good("report r.json --out again.html");
  EXPECT_EQ(read_bytes(path("again.html")), read_bytes(path("page.html")));
}

class MisleadingModels : public Command {
 protected:
  // Images (n,1,8,8) without labels: attacks then aim at what the model says.
  [[nodiscard]] std::string unlabelled(std::size_t n) const {
    Images all = read_images(images(n));
    all.labels.reset();
    write_images(path("plain.npz"), all);
    return path("plain.npz");
  }
  // Of a run that ends with that status and says one line.
  std::string line(int status, const std::vector<std::string>& arguments) const {
    EXPECT_EQ(run(arguments), status) << err();
    std::string said = err();
    EXPECT_EQ(std::ranges::count(said, '\n'), 1) << said;
    return said;
  }
};

TEST_F(MisleadingModels, DropoutLeftOnIsRefusedUnlessStochastic) {
  const std::string model = torchscript("dropout_on.pt"), data = images(30), out_file = path("o.npz");
  std::vector<std::string> arguments = {"infer", "--model", model, "--data", data, "--out", out_file};
  EXPECT_THAT(line(3, arguments), HasSubstr("--stochastic accepts the model as it is"));
  EXPECT_FALSE(std::filesystem::exists(out_file));
  arguments.insert(arguments.end(), {"--stochastic", "--json"});
  ASSERT_EQ(run(arguments), 0) << err();
  EXPECT_EQ(Json::parse(out()).at("results").at(0).at("stochastic").at("n"), 16);
}

TEST_F(MisleadingModels, ZeroGradientsAreTheFirstLine) {
  good("attack --model " + torchscript("signs.pt") + " --data " + unlabelled(60) +
       " --eps 0.3 --steps 5 --out a.npz --set random-start=0");
  EXPECT_THAT(err(), StartsWith("leeway: the gradient of 100.0% of 60 rows is exactly 0"));
}

class MisleadingModelsTier2 : public MisleadingModels {};

TEST_F(MisleadingModelsTier2, AreReportedByOtherCommands) {
  const std::string model = torchscript("dropout_on.pt"), data = images(30);
  line(3, {"attack", "--model", model, "--data", data, "--steps", "2", "--out", path("o.npz")});
  line(3, {"average-case", "--model", model, "--data", data, "--sigma", "0.1", "--methods", "taylor"});
  good("average-case --model " + torchscript("signs.pt") + " --data " + unlabelled(60) +
       " --sigma 0.3 --methods taylor,mc,softmax --draws 200 --report r.html");
  EXPECT_THAT(err(), StartsWith("leeway: the gradient of 100.0% of 60 samples is exactly 0"));
  EXPECT_THAT(read_bytes(path("r.html")), HasSubstr("<p>Warning: the gradient of 100.0% of 60 samples"));
}

class AssessNoise : public Command {
 protected:
  void SetUp() override {
    static std::string model, outputs;
    if (!model.empty()) {
      images(60);
      std::ofstream(path("m.safetensors"), std::ios::binary) << model;
      std::ofstream(path("o.npz"), std::ios::binary) << outputs;
      return;
    }
    good("train --data " + images(60) +
         " --arch linear --epochs 20 --lr 0.01 --threads 1 --out m.safetensors --quiet");
    good("infer --model m.safetensors --data data.npz --out o.npz --quiet");
    model = read_bytes(path("m.safetensors")), outputs = read_bytes(path("o.npz"));
  }

  void assess(const std::string& more) const {
    good(
        "assess --source cnn=o.npz --target same=o.npz --images data.npz --no-bounds --model m.safetensors " +
        more);
  }
};

TEST_F(AssessNoise, OfAModelIsInTheRecordTheTableAndThePage) {
  assess("--sigma 0.1,1 --survival-rows 40 --out r.json --report r.html");
  EXPECT_THAT(out(), HasSubstr("Every method at every σ"));
  const Json noise = read_record(path("r.json")).at("average_case").at(0);
  EXPECT_THAT(noise, Holds(R"({"/model": "cnn", "/n": 40, "/disagreement": 0})"));
  ASSERT_EQ(noise.at("results").size(), 6U);  // taylor, mmse, softmax at two sigmas
  EXPECT_THAT(read_bytes(path("r.html")), HasSubstr("<section id=\"noise-1\""));
}

TEST_F(AssessNoise, WarnsOfAModelThatSaysOtherThingsThanTheOutputs) {
  assess("--sigma 0.1 --json --mean 5 --std 0.01");
  EXPECT_THAT(err(), HasSubstr("predicts a different class than "));
  const Json noise = Json::parse(out()).at("average_case").at(0);
  EXPECT_GT(noise.at("disagreement"), .01);
}

TEST_F(AssessNoise, RefusesAModelOfOtherClasses) {
  write_npz(path("two.npz"), {{"logits", make_array<float>({60, 2}, std::vector<float>(120, 1))}});
  EXPECT_EQ(call("assess --source two.npz --target same=two.npz --images data.npz --model m.safetensors "
                 "--sigma 1 --no-bounds"),
            3);
  EXPECT_THAT(err(), AllOf(HasSubstr("two.npz"), HasSubstr("found 3")));
}

}  // namespace leeway::model_command_test

// A sweep on a private one-node Slurm cluster (slurm_cluster.sh). Runs where such a cluster can be started: as root, with Debian's slurm-wlm and munge.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <regex>
#include <thread>

#include "tests/apps/run_command.h"

namespace leeway {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* study = R"toml(
[noisy]
command = "shift"
name = ["gaussian-noise", "contrast"]
data = "fashion-mnist:test"
strength = "grid 5 from 0.1 to 0.4"
seed = [1, 2, 3, 4, 5, 6]
out = "noisy.npz"
)toml";

std::string said_by(const std::string& command) {
  std::string text;
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  for (int c = 0; pipe != nullptr && (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  if (pipe != nullptr) ::pclose(pipe);
  return text;
}

class SweepOnSlurmTier2 : public CommandTest {
 protected:
  void SetUp() override {
    if (std::system("command -v sbatch munged >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "no sbatch or munged here";
    // Ports of its own: tests may run beside each other.
    is_up_ = cluster("up", fmt::format("4 {}", 20000 + 2 * (::getpid() % 5000))) == "up\n";
    if (!is_up_) GTEST_SKIP() << "no private cluster can be started here";
    ::setenv("SLURM_CONF", (cluster_ / "slurm.conf").c_str(), 1);
  }
  void TearDown() override {
    if (is_up_) (void)cluster("down");
  }
  // What the script says.
  [[nodiscard]] std::string cluster(const std::string& verb, const std::string& more = "") const {
    return said_by(fmt::format("bash '{}/../apps/slurm_cluster.sh' {} '{}' {}", LEEWAY_REFERENCE, verb,
                               cluster_.string(), more));
  }
  const fs::path cluster_ = folder_ / "cluster";
  bool is_up_ = false;
};

TEST_F(SweepOnSlurmTier2, CommandsOfTheDocument) {
  const std::string document = read_text(LEEWAY_REFERENCE "/../../docs/sweeps.md");
  const std::size_t command = document.find("\nleeway sweep run own --slurm ");
  ASSERT_NE(command, document.npos);
  const std::size_t begin = document.rfind("```sh\n", command) + 6, end = document.find("```", command);
  std::ofstream(folder_ / "study.toml") << study;
  ASSERT_EQ(run("sweep plan study.toml --out own").code, 0);
  const std::string path = fs::path(LEEWAY_COMMAND).parent_path().string();
  const std::string said = said_by("cd '" + folder_.string() + "' && PATH='" + path + "':$PATH && set -e\n" +
                                   document.substr(begin, end - begin));
  EXPECT_TRUE(std::regex_search(said, std::regex("Slurm job \\d+, an array of 100 tasks; then job \\d+, for "
                                                 "what they leave. own/runs.csv comes at the end.\n")))
      << said;
  for (int i = 0; i < 900 && !said_by("squeue -h").empty(); ++i) std::this_thread::sleep_for(100ms);
  EXPECT_EQ(run("sweep collect own --out again.csv").out, "again.csv: 60 rows of 60 units.\n");
  EXPECT_EQ(read_text(folder_ / "own" / "runs.csv"), read_text(folder_ / "again.csv"));
}

}  // namespace
}  // namespace leeway

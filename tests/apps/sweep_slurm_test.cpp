// A sweep on a private one-node Slurm cluster (slurm_cluster.sh), whose tasks, runners and daemons are killed at random
// moments. Runs where such a cluster can be started: as root, with Debian's slurm-wlm and munge.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <random>
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

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_slow = true;
#elif defined(__has_feature)
constexpr bool is_slow = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool is_slow = false;
#endif

// Of the kills; LEEWAY_SLURM_SEED gives others.
unsigned seed() {
  const char* const text = std::getenv("LEEWAY_SLURM_SEED");
  return text != nullptr ? static_cast<unsigned>(std::atoi(text)) : 3;
}

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
    if (is_slow) GTEST_SKIP() << "a sweep of 60 units, twenty times, is too slow under a sanitizer";
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
  // kill -9 of the daemon that a file of the cluster names, and its start.
  void restart(const std::string& daemon) const {
    said_by("kill -9 $(cat '" + (cluster_ / "run" / (daemon + ".pid")).string() + "')");
    std::this_thread::sleep_for(200ms);
    said_by(daemon + " -f '" + (cluster_ / "slurm.conf").string() + "'");
  }
  // kill -9 of one of the processes of this sweep whose command line holds a word.
  bool kill_one(const std::string& word, std::mt19937& random) const {
    std::vector<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename().string();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::error_code ignored;
      std::ifstream file(entry.path() / "cmdline");
      std::string line;
      std::getline(file, line);
      const std::string where = line + fs::read_symlink(entry.path() / "cwd", ignored).string();
      if (line.find(word) != std::string::npos && where.find(folder_.string()) != std::string::npos)
        found.push_back(std::stoi(name));
    }
    return !found.empty() && ::kill(found[random() % found.size()], SIGKILL) == 0;
  }
  std::map<std::string, std::string> results_in(const std::string& name) const {
    static const std::regex seconds("\"seconds\": [-+.0-9e]+");
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / name / "units"))
      if (entry.is_regular_file()) {
        const bool record = entry.path().extension() == ".json";
        files[fs::relative(entry.path(), folder_ / name).string()] =
            record ? std::regex_replace(read_text(entry.path()), seconds, "")
                   : said_by("sha256sum <'" + entry.path().string() + "'");
      }
    return files;
  }

  const fs::path cluster_ = folder_ / "cluster";
  bool is_up_ = false;
};

// Rows of a table without the time that its units took.
std::string without_seconds(const std::string& table) {
  static const std::regex seconds("^((?:[^,]*,){4})[^,]*", std::regex::multiline);
  return std::regex_replace(table, seconds, "$1");
}

TEST_F(SweepOnSlurmTier2, TwentyKillsChangeNoBit) {
  std::ofstream(folder_ / "study.toml") << study;
  for (const char* const name : {"serial", "cluster_run"})
    ASSERT_EQ(run(std::string("sweep plan study.toml --out ") + name).code, 0);
  ASSERT_EQ(run("sweep run serial --collect serial.csv").code, 0);
  const std::string table = without_seconds(read_text(folder_ / "serial.csv"));
  const fs::path collected = folder_ / "cluster_run" / "runs.csv";
  const auto is_whole = [&] { return without_seconds(read_text(collected)) == table; };
  std::mt19937 random(seed());
  int kills = 0, wholes = 0, submissions = 0;
  const auto began = std::chrono::steady_clock::now();
  // As its user would: submitted, and again where all jobs are gone and work is left, since a controller that is killed
  // forgets the jobs of its last seconds.
  while (kills < 20 || !is_whole()) {
    ASSERT_LT(std::chrono::steady_clock::now() - began, 12min) << said_by("squeue; sinfo");
    if (said_by("squeue -h").empty()) {
      if (is_whole()) {  // once more, from the start
        ++wholes;
        fs::remove_all(folder_ / "cluster_run" / "units");
      }
      const Outcome said = run("sweep run cluster_run --slurm --retry --tasks 4 --time 0:10:00");
      ASSERT_EQ(said.code, 0) << said.err;
      ++submissions;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 300));
    if (kills >= 20) continue;
    if (kills % 10 == 4) {
      restart("slurmctld"), ++kills;
    } else if (kills % 10 == 9) {
      restart("slurmd"), ++kills;
    } else {
      kills += kill_one(kills % 2 == 0 ? "--json" : kills % 4 == 1 ? "slurm_script" : "--collect", random);
    }
  }
  for (int i = 0; i < 900 && !said_by("squeue -h").empty(); ++i) std::this_thread::sleep_for(100ms);
  RecordProperty("submissions", submissions), RecordProperty("sweeps", wholes + 1);
  EXPECT_TRUE(results_in("serial") == results_in("cluster_run")) << run("sweep status cluster_run").out;
  EXPECT_TRUE(is_whole());
}

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

// leeway sweep: whole sweeps of its own commands, stopped, killed at random moments, by several runners, and called wrongly; and
// on a private one-node Slurm cluster (slurm_cluster.sh) where one can be started: as root, with Debian's slurm-wlm and munge.
#include <fmt/format.h>
#include <signal.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <thread>

#include "tests/apps/run_command.h"

namespace leeway::sweep_command_test {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Images, shifted ones by shift, strength and seed, and what a rotation makes of them: 1 + 4 s + 4 s units of s seeds.
std::string study_of(const std::string& seeds) {
  return R"toml([render]
command = "data render"
name = "dsprites"
sample = 20
size = 32
out = "images.npz"

[noisy]
command = "shift"
name = ["gaussian-noise", "contrast"]
data = "{render}"
strength = "grid 2 from 0.1 to 0.4"
seed = )toml" +
         seeds + R"toml(
out = "noisy.npz"

[again]
command = "shift"
name = "rotation"
data = "{noisy}"
out = "turned.npz"
)toml";
}

std::size_t files_below(const fs::path& folder) {
  std::size_t n = 0;
  if (fs::exists(folder))
    for (const auto& entry : fs::recursive_directory_iterator(folder)) n += !entry.is_directory();
  return n;
}

class SweepCommand : public CommandTest {
 protected:
  SweepCommand() { write("study.toml", study_of("[1, 2]")); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  void plan(const std::string& folder) const {
    const Outcome said = run("sweep plan study.toml --out " + folder);
    ASSERT_EQ(said.code, 0) << said.err;
  }
  // A runner of its own, in the background.
  pid_t start(const std::string& folder, const std::string& more) const {
    return start_command(folder_, "sweep run " + folder + " --quiet " + more);
  }
};

// The first line of a file of /proc; empty where the process has ended meanwhile.
std::string line_of(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Processes that one has started and that live.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string stat = line_of(entry.path() / "stat");
    const std::size_t end = stat.rfind(") ");
    if (end == std::string::npos) continue;
    std::istringstream words(stat.substr(end + 2));
    std::string state;
    pid_t of = 0;
    words >> state >> of;
    if (of == parent && state != "Z") children.push_back(std::stoi(name));
  }
  return children;
}

TEST_F(SweepCommand, PlansRunsCollectsAndReports) {
  EXPECT_THAT(run("sweep plan study.toml --out sweep").out, HasSubstr("17 units in 3 stages."));
  EXPECT_EQ(run("sweep run sweep --collect runs.csv").out,
            "17 of 17 units done.\nruns.csv: 8 rows of 8 units.\n");
  const std::string table = read_bytes(folder_ / "runs.csv");
  write("runs.csv", "of somebody who came in time");
  EXPECT_EQ(run("sweep run sweep --collect runs.csv").out,
            "17 of 17 units done, 17 of them before this run.\n");
  EXPECT_EQ(read_bytes(folder_ / "runs.csv"), "of somebody who came in time");
  const Outcome again = run("sweep collect sweep --out again.csv");
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(again.out, "again.csv: 8 rows of 8 units.\n");
  EXPECT_EQ(read_bytes(folder_ / "again.csv"), table);
  EXPECT_EQ(run("sweep collect sweep --stage noisy --out noisy.csv --columns strength,mean_change").out,
            "noisy.csv: 8 rows of 8 units.\n");
  EXPECT_EQ(record("sweep collect sweep --out again.csv")["inputs"][0]["path"], "sweep/plan.jsonl");
  EXPECT_EQ(record("sweep status sweep")["counts"]["done"], 17);
  EXPECT_THAT(run("sweep status sweep").out, ContainsRegex("noisy +8 +8 +0"));
  const Json page = record("sweep report sweep --stage noisy --measure mean_change --out page.html");
  EXPECT_EQ(page["roles"]["case"], (std::vector{"noisy.name", "noisy.strength"}));
  EXPECT_THAT(read_bytes(folder_ / "page.html"), HasSubstr("</html>"));
}

// What is left of a changed study is kept; a script of array tasks runs the rest.
TEST_F(SweepCommand, AChangedStudyKeepsWhatStillHolds) {
  plan("sweep");
  ASSERT_EQ(run("sweep run sweep").code, 0);
  write("study.toml", study_of("[2, 6]"));
  EXPECT_THAT(run("sweep plan study.toml --out sweep").out,
              AllOf(HasSubstr("17 units in 3 stages, 9 of them already done."),
                    HasSubstr("8 units in the folder do not belong to this plan.")));
  const Outcome said = run("sweep script sweep --tasks 3 --jobs 2");
  EXPECT_EQ(said.code, 0) << said.err;
  write("job.sh", said.out);
  EXPECT_EQ(std::system(("sh '" + (folder_ / "job.sh").string() + "' >/dev/null").c_str()), 0);
  EXPECT_THAT(run("sweep run sweep").out, StartsWith("17 of 17 units done, 17 of them before this run."));
}

TEST_F(SweepCommand, WithoutARecordThereIsNoTable) {
  for (const char* name : {"none.npz", "a.npz", "b.npz"}) write(name, "no archive");
  write("study.toml", "[pa]\nclean = \"none.npz\"\nshifted = [\"a.npz\", \"b.npz\"]\n");
  plan("sweep");
  const Outcome said = run("sweep run sweep --collect runs.csv");
  EXPECT_EQ(said.code, 5);
  EXPECT_EQ(said.err, "leeway: sweep: expected a record of [pa], found none yet\n");
  EXPECT_FALSE(fs::exists(folder_ / "runs.csv"));
  EXPECT_THAT(run("sweep status sweep").out, HasSubstr("none.npz: expected "));
}

TEST_F(SweepCommand, CtrlCSavesAndTheSameCommandGoesOn) {
  plan("sweep");
  const pid_t runner = start("sweep", "--jobs 1");
  while (files_below(folder_ / "sweep" / "units") < 6) std::this_thread::sleep_for(5ms);
  ::kill(runner, SIGINT);
  EXPECT_EQ(outcome_of(runner, folder_).code, 130);
  EXPECT_EQ(files_below(folder_ / "sweep" / "work") + files_below(folder_ / "sweep" / "claims"), 0u);
  EXPECT_THAT(run("sweep run sweep").out, StartsWith("17 of 17 units done, "));
}

TEST_F(SweepCommand, AUnitEndsWithItsRunner) {
  plan("sweep");
  const pid_t runner = start("sweep", "--jobs 2");
  std::vector<pid_t> units;
  while (units.empty()) units = children_of(runner);
  ::kill(runner, SIGKILL);
  (void)outcome_of(runner, folder_);
  for (int i = 0; i < 200 && ::kill(units.front(), 0) == 0; ++i) std::this_thread::sleep_for(5ms);
  const std::string state = line_of("/proc/" + std::to_string(units.front()) + "/stat");
  EXPECT_TRUE(state.empty() || state.find(") Z") != std::string::npos) << state;
}

// What units name is looked up when the study is planned, not one by one as they run.
TEST_F(SweepCommand, StudiesAreCheckedAgainstTheCommands) {
  for (const auto& [text, place, found] : std::vector<std::array<std::string, 3>>{
           {"[shift]\nname = \"contrast\"\nstrenght = [0.1, 0.2]\n",
            "line 3, column 1: expected an option of leeway shift", "'strenght'; did you mean strength?"},
           {"[bound]\nsource = \"study.toml\"\ntarget = [\"study.toml\", \"new=gone/b.weights\"]\n",
            "line 3, column 1: expected a readable file", "no such file 'gone/b.weights'"},
           {"[sweep]\ncommand = \"sweep run\"\n", "a command of leeway", "'sweep run'"}}) {
    write("s.toml", text);
    refused({"sweep plan s.toml --out a", 3, {"s.toml: ", place, found}});
  }
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  write("s.toml", "[shift]\nname = [\"fog\", \"contrast\"]\nseverity = 3\n");
  EXPECT_EQ(run("sweep plan s.toml --out a").code, 0);
  write("s.toml", "[shift]\nname = \"contrast\"\nstrength = \"grid 3\"\n");
  EXPECT_EQ(run("sweep plan s.toml --out b").code, 0);
  EXPECT_THAT(read_bytes(folder_ / "b" / "plan.jsonl"), HasSubstr("\"shift.strength\":\"0.04\""))
      << "a tenth of the member's default";
}

TEST_F(SweepCommand, OneClearLineForEachMistake) {
  fs::create_directory(folder_ / "full");
  write("full/mine.txt", "");
  fs::create_directory(folder_ / "other");
  write("other/plan.jsonl", "of another program");
  plan("sweep");
  fs::create_symlink("sweep/study.toml", folder_ / "link.csv");
  all_refused(
      "",
      {{"sweep run nowhere", 3, {"nowhere/plan.jsonl: expected a readable file"}},
       {"sweep plan study.toml", 2, {"--out is required"}},
       {"sweep plan study.toml --out full", 3, {"full: expected a new folder", "a folder with other files"}},
       {"sweep plan study.toml --out other",
        3,
        {"other: expected a new folder", "a folder with other files"}},
       {"sweep status sweep --out sweep/plan.jsonl",
        2,
        {"--out sweep/plan.jsonl: ", "the files of the sweep"}},
       {"sweep run sweep --collect link.csv", 2, {"--collect link.csv: ", "the files of the sweep"}},
       {"sweep collect sweep", 2, {"--out is required"}},
       {"sweep collect sweep --out a.txt", 3, {"a.txt", "'.txt'"}},
       {"sweep run sweep --collect a.npz", 3, {"a.npz", "'.npz'"}},
       {"sweep report " + std::string(5000, 'n'), 3, {"expected a readable file", "File name too long"}},
       {"sweep report study.toml --stage x", 2, {"--stage: expected the folder of a sweep"}},
       {"sweep run sweep --slurm --time 0:01:00", 2, {"--time: expected hours:minutes:seconds", "'0:01:00'"}},
       {"sweep run sweep --slurm --collect a.csv", 2, {"--collect"}}});
  write("sweep/runs.csv", "of before");
  const Outcome said = run_command(folder_, "sweep run sweep --slurm", "export PATH=/nowhere; ");
  EXPECT_EQ(said.code, 1);
  EXPECT_EQ(said.err, "leeway: sbatch: cannot be started: No such file or directory\n");
  EXPECT_EQ(read_bytes(folder_ / "sweep" / "runs.csv"), "of before");
}

constexpr const char* slurm_study = R"toml(
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
  const std::string document = read_bytes(LEEWAY_REFERENCE "/../../docs/guides/sweeps.md");
  const std::size_t command = document.find("\nleeway sweep run own --slurm ");
  ASSERT_NE(command, document.npos);
  const std::size_t begin = document.rfind("```sh\n", command) + 6, end = document.find("```", command);
  std::ofstream(folder_ / "study.toml") << slurm_study;
  ASSERT_EQ(run("sweep plan study.toml --out own").code, 0);
  const std::string path = fs::path(LEEWAY_COMMAND).parent_path().string();
  const std::string said = said_by("cd '" + folder_.string() + "' && PATH='" + path + "':$PATH && set -e\n" +
                                   document.substr(begin, end - begin));
  EXPECT_TRUE(std::regex_search(said, std::regex("Slurm job \\d+: array of 100 tasks; then job \\d+, which "
                                                 "runs the remaining units and writes own/runs.csv.\n")))
      << said;
  for (int i = 0; i < 900 && !said_by("squeue -h").empty(); ++i) std::this_thread::sleep_for(100ms);
  EXPECT_EQ(run("sweep collect own --out again.csv").out, "again.csv: 60 rows of 60 units.\n");
  EXPECT_EQ(read_bytes(folder_ / "own" / "runs.csv"), read_bytes(folder_ / "again.csv"));
}

}  // namespace leeway::sweep_command_test

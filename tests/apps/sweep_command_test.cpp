// leeway sweep: whole sweeps of its own commands, killed at random moments, by several runners, and called wrongly.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include "tests/apps/run_command.h"

namespace leeway {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// Images, shifted ones by shift, strength and seed, and what a table of values makes of a seed: 1 + 40 + 40 units.
constexpr const char* study = R"toml(
[render]
command = "data render"
name = "dsprites"
sample = 20
size = 32
out = "images.npz"

[noisy]
command = "shift"
name = ["gaussian-noise", "contrast"]
data = "{render}"
strength = "grid 4 from 0.1 to 0.4"
seed = [1, 2, 3, 4, 5]
out = "noisy.npz"

[again]
command = "shift"
name = "rotation"
data = "{noisy}"
out = "turned.npz"
)toml";

// A record without what time and machine decide.
std::string timeless(const std::string& record) {
  static const std::regex seconds("\"seconds\": [-+.0-9e]+");
  return std::regex_replace(record, seconds, "\"seconds\": 0");
}

// Every file of every unit that is done.
std::map<std::string, std::string> results_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder / "units"))
    if (entry.is_regular_file()) {
      const std::string text = read_text(entry.path());
      files[fs::relative(entry.path(), folder).string()] =
          entry.path().extension() == ".json" ? timeless(text) : text;
    }
  return files;
}

std::size_t files_below(const fs::path& folder) {
  std::size_t n = 0;
  if (fs::exists(folder))
    for (const auto& entry : fs::recursive_directory_iterator(folder)) n += !entry.is_directory();
  return n;
}

class SweepCommand : public CommandTest {
 protected:
  SweepCommand() { write("study.toml", study); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  void plan(const std::string& folder) const {
    const Outcome said = run("sweep plan study.toml --out " + folder);
    ASSERT_EQ(said.code, 0) << said.err;
  }
  // A runner of its own, in the background.
  pid_t start(const std::string& folder, const std::string& more = "") const {
    const pid_t child = ::fork();
    if (child != 0) return child;
    const std::string line = "cd '" + folder_.string() + "' && exec '" LEEWAY_COMMAND "' sweep run " +
                             folder + " --quiet " + more + " >/dev/null 2>&1 </dev/null";
    ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    ::_exit(127);
  }
  // Exit 3 and this line alone.
  void bad_input(const std::string& arguments, const std::string& line) const {
    const Outcome said = run(arguments);
    EXPECT_EQ(said.code, 3) << arguments;
    EXPECT_EQ(said.out, "") << arguments;
    EXPECT_EQ(said.err, "leeway: " + line + "\n") << arguments;
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

TEST_F(SweepCommand, FiftyKillsChangeNoBit) {
  plan("serial");
  ASSERT_EQ(run("sweep run serial --jobs 1").code, 0);
  plan("killed");
  std::mt19937 random(7);
  std::size_t kills = 0, of_units = 0;
  pid_t runner = 0;
  for (int i = 0; i < 2000 && kills < 50; ++i) {
    if (runner == 0) runner = start("killed", "--jobs 2");
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 60));
    if (::waitpid(runner, nullptr, WNOHANG) == runner) {  // all was done: again from the start
      fs::remove_all(folder_ / "killed" / "units");
      runner = 0;
      continue;
    }
    const auto units = children_of(runner);
    if (kills % 2 == 0) {
      ::kill(std::exchange(runner, 0), SIGKILL);
      ::wait(nullptr);
    } else if (units.empty()) {
      continue;
    } else {
      of_units += ::kill(units[random() % units.size()], SIGKILL) == 0;
    }
    ++kills;
  }
  if (runner != 0) ::kill(runner, SIGKILL), ::waitpid(runner, nullptr, 0);
  EXPECT_EQ(kills, 50u);
  EXPECT_GT(of_units, 15u);
  const Outcome last = run("sweep run killed --retry");
  EXPECT_EQ(last.code, 0) << last.err;
  const auto expected = results_in(folder_ / "serial"), found = results_in(folder_ / "killed");
  EXPECT_EQ(expected.size(), found.size());
  EXPECT_TRUE(expected == found) << "bits differ";
  for (const char* const left : {"work", "failed"})
    EXPECT_EQ(files_below(folder_ / "killed" / left), 0u) << left;
}

TEST_F(SweepCommand, FourRunnersDoNoUnitTwice) {
  plan("serial");
  ASSERT_EQ(run("sweep run serial").code, 0);
  plan("shared");
  std::vector<pid_t> runners;
  for (int i = 0; i < 4; ++i)
    runners.push_back(start("shared", "--jobs 2 --out run" + std::to_string(i) + ".json"));
  std::size_t done = 0;
  for (int i = 0; i < 4; ++i) {
    int status = 0;
    ::waitpid(runners[i], &status, 0);
    EXPECT_EQ(status, 0);
    const std::string record = read_text(folder_ / ("run" + std::to_string(i) + ".json"));
    std::smatch number;
    ASSERT_TRUE(std::regex_search(record, number, std::regex("\"done\": (\\d+)"))) << record;
    done += std::stoul(number[1]);
  }
  EXPECT_EQ(done, 81u);
  EXPECT_TRUE(results_in(folder_ / "serial") == results_in(folder_ / "shared"));
  EXPECT_EQ(files_below(folder_ / "shared" / "work") + files_below(folder_ / "shared" / "runners"), 0u);
}

TEST_F(SweepCommand, WhoeverEndsTheLastUnitCollects) {
  plan("sweep");
  std::vector<pid_t> runners;
  for (int i = 0; i < 3; ++i) runners.push_back(start("sweep", "--jobs 1 --no-wait --collect runs.csv"));
  for (const pid_t runner : runners) ::waitpid(runner, nullptr, 0);
  ASSERT_EQ(run("sweep collect sweep --out again.csv").code, 0);
  const std::string table = read_text(folder_ / "again.csv");
  EXPECT_EQ(read_text(folder_ / "runs.csv"), table);
  write("runs.csv", "of somebody who came in time");
  EXPECT_EQ(run("sweep run sweep --collect runs.csv").out, "81 of 81 units done, 81 of them before.\n");
  EXPECT_EQ(read_text(folder_ / "runs.csv"), "of somebody who came in time");
  fs::remove(folder_ / "runs.csv");
  EXPECT_EQ(run("sweep run sweep --collect runs.csv").out,
            "81 of 81 units done, 81 of them before.\nruns.csv: 40 rows of 40 units.\n");
  EXPECT_EQ(read_text(folder_ / "runs.csv"), table);
}

TEST_F(SweepCommand, WithoutARecordThereIsNoTable) {
  write("study.toml", "[pa]\nclean = \"none.npz\"\nshifted = [\"a.npz\", \"b.npz\"]\n");
  plan("sweep");
  const Outcome said = run("sweep run sweep --collect runs.csv");
  EXPECT_EQ(said.code, 5);
  EXPECT_EQ(said.err, "leeway: sweep: expected a record of [pa], found none yet\n");
  EXPECT_FALSE(fs::exists(folder_ / "runs.csv"));
}

TEST_F(SweepCommand, AFullDiskIsOneLine) {
  fs::create_directory(folder_ / "small");
  if (::mount("none", (folder_ / "small").c_str(), "tmpfs", 0, "size=400k") != 0)
    GTEST_SKIP() << "a small tmpfs cannot be mounted here";
  const Outcome planned = run("sweep plan study.toml --out small/sweep");
  const Outcome said = run("sweep run small/sweep --jobs 1");
  ::umount2((folder_ / "small").c_str(), MNT_DETACH);
  EXPECT_EQ(planned.code, 0) << planned.err;
  EXPECT_EQ(said.code, 1);
  EXPECT_NE(said.err.find("No space left on device"), std::string::npos) << said.err;
  EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
}

TEST_F(SweepCommand, CtrlCSavesAndTheSameCommandGoesOn) {
  plan("sweep");
  const pid_t runner = start("sweep", "--jobs 1");
  while (files_below(folder_ / "sweep" / "units") < 6) std::this_thread::sleep_for(5ms);
  ::kill(runner, SIGINT);
  int status = 0;
  ::waitpid(runner, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_EQ(files_below(folder_ / "sweep" / "work") + files_below(folder_ / "sweep" / "claims"), 0u);
  const Outcome rest = run("sweep run sweep");
  EXPECT_EQ(rest.code, 0);
  EXPECT_NE(rest.out.find("81 of 81 units done, "), std::string::npos) << rest.out;
}

TEST_F(SweepCommand, AUnitEndsWithItsRunner) {
  plan("sweep");
  const pid_t runner = start("sweep", "--jobs 2");
  std::vector<pid_t> units;
  while (units.empty()) units = children_of(runner);
  ::kill(runner, SIGKILL);
  ::waitpid(runner, nullptr, 0);
  for (int i = 0; i < 200 && ::kill(units.front(), 0) == 0; ++i) std::this_thread::sleep_for(5ms);
  const std::string state = line_of("/proc/" + std::to_string(units.front()) + "/stat");
  EXPECT_TRUE(state.empty() || state.find(") Z") != std::string::npos) << state;
}

TEST_F(SweepCommand, AChangedStudyKeepsWhatStillHolds) {
  plan("sweep");
  ASSERT_EQ(run("sweep run sweep").code, 0);
  std::string more = study;
  more.replace(more.find("[1, 2, 3, 4, 5]"), 15, "[2, 3, 6]");
  write("study.toml", more);
  const Outcome said = run("sweep plan study.toml --out sweep");
  EXPECT_NE(
      said.out.find(
          "49 units in 3 stages, 33 of them done already.\n48 units in the folder are not of this plan."),
      std::string::npos)
      << said.out;
  EXPECT_NE(run("sweep run sweep").out.find("49 of 49 units done, 33 of them before."), std::string::npos);
}

TEST_F(SweepCommand, ThePilotEstimates) {
  const Outcome said = run("sweep plan study.toml --out sweep --pilot");
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_NE(said.out.find("81 units in 3 stages, 4 of them done already. About "), std::string::npos)
      << said.out;
}

TEST_F(SweepCommand, OneClearLineForEachMistake) {
  const auto study_with = [&](const std::string& text) { write("s.toml", text); };
  study_with("[shift]\nname = \"contrast\"\nstrenght = [0.1, 0.2]\n");
  bad_input("sweep plan s.toml --out a",
            "s.toml: line 3, column 1: expected an option of leeway shift, found 'strenght'; did you mean "
            "strength?");
  study_with("[bound]\nsource = \"a.npz\"\ntarget = \"b.npz\"\ndelta = [0.1, 2]\n");
  const Outcome impossible = run("sweep plan s.toml --out a");
  EXPECT_EQ(impossible.code, 3);
  EXPECT_TRUE(
      impossible.err.starts_with("leeway: s.toml: line 4, column 1: expected options in [bound] that leeway "
                                 "bound takes, found a mistake (--delta:"))
      << impossible.err;
  EXPECT_EQ(std::count(impossible.err.begin(), impossible.err.end(), '\n'), 1);
  study_with("[study]\nonly = [\"shift.seed>9\"]\n[shift]\nname = \"contrast\"\nseed = [1, 2]\n");
  bad_input(
      "sweep plan s.toml --out a",
      "s.toml: expected a study of one unit or more, found none: the rules leave out all 2 combinations");
  study_with("[sweep]\ncommand = \"sweep run\"\n");
  EXPECT_EQ(run("sweep plan s.toml --out a").code, 3);
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  bad_input("sweep run nowhere", "nowhere/plan.jsonl: expected a readable file, found no such file");
  refused("sweep plan study.toml", "--out is required: the folder of the sweep");
  fs::create_directory(folder_ / "full");
  write("full/mine.txt", "");
  bad_input("sweep plan study.toml --out full",
            "full: expected a new folder, or that of a sweep, found one with other files");
  plan("old");
  std::string text = read_text(folder_ / "old" / "plan.jsonl");
  text.replace(text.find("\"version\":\"") + 11, 0, "9.");
  write("old/plan.jsonl", text);
  const Outcome old = run("sweep run old");
  EXPECT_EQ(old.code, 3);
  EXPECT_NE(old.err.find("(plan the study again into another folder), found one of 9."), std::string::npos)
      << old.err;
}

// What units name is looked up when the study is planned, not one by one as they run.
TEST_F(SweepCommand, NamesAndParametersAreThoseThereAre) {
  const auto plan_of = [&](const std::string& text) {
    write("s.toml", text);
    return "sweep plan s.toml --out a";
  };
  bad_input(plan_of("[shift]\nname = [\"contrast\", \"contrst\"]\n"),
            "s.toml: line 2, column 1: expected a shift that leeway list has, found 'contrst'; did you mean "
            "contrast?");
  bad_input(
      plan_of("[shift]\nname = \"contrast\"\nstrength = [0.5, 5000]\n"),
      "s.toml: line 3, column 1: expected for strength of contrast a number from 0 to 10, found '5000'");
  EXPECT_EQ(run(plan_of("[shift]\nname = \"contrast\"\nstrength = \"grid 3\"\n")).code, 0);
  EXPECT_NE(read_text(folder_ / "a" / "plan.jsonl").find("\"shift.strength\":\"0.04\""), std::string::npos)
      << "a tenth of the member's default";
  EXPECT_EQ(run(plan_of("[shift]\nname = [\"fog\", \"contrast\"]\nseverity = 3\n")).code, 0);
}

TEST_F(SweepCommand, WithoutSlurmNothingIsLost) {
  plan("sweep");
  write("sweep/runs.csv", "of before");
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  const Outcome said = run("sweep run sweep --slurm");
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(said.code, 1);
  EXPECT_EQ(said.err, "leeway: sbatch: cannot be started: No such file or directory\n");
  EXPECT_EQ(read_text(folder_ / "sweep" / "runs.csv"), "of before");
  refused(
      "sweep run sweep --slurm --time 0:01:00",
      "--time: expected hours:minutes:seconds from 0:05:00, found '0:01:00' (see leeway sweep run --help)");
  EXPECT_EQ(run("sweep run sweep --slurm --collect a.csv").code, 2);
}

TEST_F(SweepCommand, ScriptsRunWhatIsLeft) {
  plan("sweep");
  const Outcome said = run("sweep script sweep --tasks 3 --jobs 2");
  EXPECT_EQ(said.code, 0) << said.err;
  write("job.sh", said.out);
  EXPECT_EQ(std::system(("sh '" + (folder_ / "job.sh").string() + "' >/dev/null").c_str()), 0);
  EXPECT_NE(run("sweep run sweep").out.find("81 of 81 units done, 81 of them before."), std::string::npos);
  EXPECT_EQ(run("sweep collect sweep --stage noisy --out runs.csv --columns strength,mean_change").out,
            "runs.csv: 40 rows of 40 units.\n");
}

}  // namespace
}  // namespace leeway

#include "leeway/sweep/claim.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <memory>
#include <thread>

#include "leeway/sweep/run.h"
#include "leeway/sweep/store.h"
#include "tests/core/files.h"
#include "tests/message_of.h"
#include "tests/sweep/small_catalog.h"

namespace leeway::sweep::testing::claim_test {

using namespace std::chrono_literals;

const std::string stranger = "0123456789abcdef", never_was = "00000000000000ff";  // runners

constexpr auto lease = 60s;
const std::string unit = "ab000000000000000000000000000000";

// The file of a runner on another machine.
void add_stranger(const Store& store) {
  std::filesystem::create_directories(store.runner(stranger).parent_path());
  write_bytes(store.runner(stranger), "another-boot pid:[1]\n17 1234\nelsewhere\n");
}
void add_claim(const Store& store, const std::string& runner, const std::string& of = unit) {
  std::filesystem::create_directories(store.claim(of, 1).parent_path());
  std::filesystem::create_symlink(runner, store.claim(of, 1));
}

class Claims : public ::testing::Test {
 protected:
  // Of eight runners that claim the unit at once, how many have it.
  [[nodiscard]] int holders_of(const std::string& name) const {
    std::vector<std::unique_ptr<Runner>> runners;
    for (int i = 0; i < 8; ++i) runners.push_back(std::make_unique<Runner>(store_, lease));
    std::atomic<int> holders = 0;
    std::vector<std::thread> threads;
    for (const auto& runner : runners) threads.emplace_back([&] { holders += runner->claim(name) > 0; });
    for (std::thread& thread : threads) thread.join();
    return holders;
  }
  void set_changed(const std::string& runner, std::int64_t seconds) const {
    const timespec times[2] = {{seconds, 0}, {seconds, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, store_.runner(runner).c_str(), times, 0), 0);
  }

  const TemporaryFolder folder_;
  const Store store_{folder_.path()};
};

TEST_F(Claims, OneOfManyAtOnce) {
  for (int round = 0; round < 6; ++round) EXPECT_EQ(holders_of("ab" + std::to_string(round)), 1);
}

TEST_F(Claims, OneTakesOverFromAProcessThatIsGone) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Runner runner(store_, lease);
    const char claimed = runner.claim(unit) == 1 ? 'y' : 'n';
    (void)!::write(ready[1], &claimed, 1);
    ::pause();
  }
  char claimed = 0;
  ASSERT_EQ(::read(ready[0], &claimed, 1), 1);
  ASSERT_EQ(claimed, 'y');
  Runner early(store_, lease);
  EXPECT_EQ(early.claim(unit), 0u);
  ::kill(child, SIGKILL);
  for (int i = 0; i < 100 && early.holder_sign(unit) != Sign::gone; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(holders_of(unit), 1);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]), ::close(ready[1]);
}

TEST_F(Claims, ARunnerElsewhereHasItsLeaseWhateverTheClocksSay) {
  add_stranger(store_);
  add_claim(store_, stranger);
  Runner runner(store_, 300ms);
  for (const std::int64_t time :
       {std::int64_t{0}, std::int64_t{4000000000}, std::int64_t{1000000000}, std::int64_t{3}}) {
    set_changed(stranger, time);  // its clock jumps, and it lives
    EXPECT_EQ(runner.claim(unit), 0u) << time;
    std::this_thread::sleep_for(150ms);
    EXPECT_EQ(runner.claim(unit), 0u) << time;
  }
  std::this_thread::sleep_for(350ms);
  EXPECT_EQ(runner.holder_sign(unit), Sign::gone);
  EXPECT_EQ(runner.claim(unit), 2u);
}

TEST_F(Claims, ARunnerElsewhereIsSilentUntilItsFileChanges) {
  add_stranger(store_);
  add_claim(store_, stranger);
  Runner runner(store_, lease);
  EXPECT_EQ(runner.holder_sign(unit), Sign::silent);
  EXPECT_EQ(runner.holder_sign(unit), Sign::silent);
  set_changed(stranger, 5);
  EXPECT_EQ(runner.holder_sign(unit), Sign::alive);
  EXPECT_EQ(runner.holder_sign("cd"), Sign::gone) << "nobody has claimed it";
}

TEST_F(Claims, ARunnerWithoutAFileIsGone) {
  add_claim(store_, never_was);
  Runner runner(store_, lease), other(store_, lease);
  EXPECT_EQ(runner.claim(unit), 2u);
  EXPECT_EQ(other.claim(unit), 0u);
}

TEST_F(Claims, WorkOfOneThatIsGoneIsRemoved) {
  add_claim(store_, never_was);
  store_.make_work(unit, never_was);
  write_bytes(store_.work(unit, never_was) / "large.npz", "half");
  Runner runner(store_, lease);
  EXPECT_EQ(runner.claim(unit), 2u);
  EXPECT_FALSE(std::filesystem::exists(store_.work(unit, never_was)));
}

TEST_F(Claims, AReleasedUnitIsFree) {
  add_claim(store_, never_was);
  Runner runner(store_, lease), other(store_, lease);
  const std::size_t number = runner.claim(unit);
  runner.release(unit, number, false);
  EXPECT_TRUE(std::filesystem::is_symlink(store_.claim(unit, 1))) << "what was passed stays";
  EXPECT_EQ(other.claim(unit), 2u);
  other.release(unit, 2, true);
  EXPECT_FALSE(std::filesystem::is_symlink(store_.claim(unit, 1)));
}

TEST_F(Claims, ARunnerThatEndsLeavesNoFile) {
  std::string name;
  {
    Runner runner(store_, lease);
    name = runner.name();
    EXPECT_TRUE(std::filesystem::exists(store_.runner(name)));
    std::filesystem::remove(store_.runner(name));
    runner.renew();
    EXPECT_TRUE(std::filesystem::exists(store_.runner(name))) << "removed by somebody, and it lives";
  }
  EXPECT_FALSE(std::filesystem::exists(store_.runner(name)));
}

// Others may write to the folder: what a claim names is removed, so it must be a runner.
TEST_F(Claims, ThatNameNoRunnerAreRefused) {
  std::filesystem::create_directories(folder_ / "victim");
  const auto path = store_.claim(unit, 1);
  const auto refused = [&](const std::string& found) {
    Runner runner(store_, lease);
    EXPECT_REFUSED(runner.claim(unit),
                   path.string() +
                       ": expected a claim: a link to 16 hexadecimal digits, the name of a runner, found " +
                       found);
    std::filesystem::remove(path);
  };
  store_.make_work(unit, "x");
  add_claim(store_, "x/../../../../victim");
  refused("'x/../../../../victim'");
  write_bytes(path, "x");
  refused("no link");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "victim"));
}

// look --source WORD --seed N: "good", "bad" (exit 3), "killed", "full", "silent" (no record), "gate" (exit 4),
// "once" (bad where the file `again` is not beside the sweep), "names" (says what --target reads), "rewrites" (table.npz beside the sweep), "slow".
constexpr const char* script = R"sh(#!/bin/sh
echo "$@" >>"$(dirname "$0")/calls"
case "$3" in
  bad) echo "leeway: seed $5: expected better, found worse" >&2; exit 3;;
  killed) kill -9 $$;;
  full) echo "leeway: out.npz: cannot write: No space left on device" >&2; exit 1;;
  silent) exit 0;;
  names) echo "leeway: $5: expected better" >&2; exit 3;;
  rewrites) echo "else" >"$(dirname "$0")/table.npz";;
  once) [ -e "$(dirname "$0")/again" ] || exit 1;;
  slow) sleep 30;;
esac
echo "{\"schema\": \"leeway.report/2\", \"seconds\": 0.5, \"results\": [{\"page\": \"a\", \"bytes\": $5, \"records\": 1}]}"
[ "$3" = gate ] && exit 4
exit 0
)sh";

class Runs : public ::testing::Test {
 protected:
  Runs() {
    write_bytes(folder_ / "program", script);
    std::filesystem::permissions(folder_ / "program", std::filesystem::perms::owner_all);
  }
  Plan plan(const std::string& study) const {
    std::filesystem::create_directories(store_.folder());
    write_plan(store_.folder() / "plan.jsonl", plan_of(study));
    return read_plan(store_.folder() / "plan.jsonl");
  }
  tasks::SweepRunResult run(const Plan& plan, RunOptions options = {}, Progress* progress = nullptr) const {
    options.program = (folder_ / "program").string();
    if (options.asked.jobs == 0) options.asked.jobs = 2;
    return run_units(plan, store_, options, progress);
  }
  std::size_t calls() const {
    const std::string text = read_bytes(folder_ / "calls");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  std::size_t left_over() const {
    std::size_t n = 0;
    for (const char* const name : {"work", "claims"})
      if (std::filesystem::exists(store_.folder() / name))
        for (const auto& shard : std::filesystem::directory_iterator(store_.folder() / name))
          n += static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(shard), {}));
    return n;
  }

  const TemporaryFolder folder_;
  const Store store_{folder_ / "sweep"};
};

class StopAfter : public Progress {
 public:
  explicit StopAfter(int calls) : calls_(calls) {}
  void update(std::string_view, std::size_t, std::size_t, std::string_view) override { --calls_; }
  [[nodiscard]] bool stop_requested() const override { return calls_ < 0; }

 private:
  int calls_;
};

TEST_F(Runs, EveryUnitOnce) {
  const Plan units = plan("[look]\nsource = \"good\"\nseed = [1, 2, 3, 4, 5, 6, 7]\n");
  const tasks::SweepRunResult first = run(units), second = run(units);
  EXPECT_EQ(first.done, 7u);
  EXPECT_EQ(second.done_before, 7u);
  EXPECT_EQ(second.done, 0u);
  EXPECT_EQ(calls(), 7u);
  EXPECT_EQ(left_over(), 0u);
  EXPECT_FALSE(std::filesystem::exists(store_.done(units.units[0].name) / "log.txt")) << "it said nothing";
}

TEST_F(Runs, AFailureKeepsItsLogAndBlocksOnlyWhatNeedsIt) {
  const Plan units = plan(
      "[a]\ncommand = \"look\"\nsource = [\"good\", \"bad\", \"silent\", \"gate\"]\nseed = 1\n"
      "[b]\ncommand = \"look\"\nsource = \"good\"\ntarget = \"{a}\"\nseed = 2\n");
  const tasks::SweepRunResult summary = run(units);
  EXPECT_EQ(summary.done, 4u) << "a gate that failed has a record";
  EXPECT_EQ(summary.failed, 2u);
  EXPECT_EQ(summary.blocked, 2u);
  const tasks::SweepStatus status = status_of(units, store_);
  EXPECT_EQ(status.results[0].counts.done, 2u);
  EXPECT_EQ(status.results[1].counts.blocked, 2u);
  ASSERT_EQ(status.failures.size(), 2u);
  EXPECT_EQ(status.failures[0].message, "ended without a record");
  EXPECT_EQ(status.failures[1].message, "seed 1: expected better, found worse");
  EXPECT_EQ(read_bytes(status.failures[1].log), "leeway: seed 1: expected better, found worse\n");
  EXPECT_EQ(left_over(), 0u);
}

TEST_F(Runs, FailuresAreGroupedByMessageNumbersAndUnitsAside) {
  const auto failures = [this](const std::string& study) {
    const Plan units = plan(study);
    (void)run(units);
    return failures_of(units, store_);
  };
  const auto numbers = failures("[look]\nsource = \"bad\"\nseed = [10, 2, 3]\n");
  ASSERT_EQ(numbers.size(), 1u);
  EXPECT_EQ(numbers[0].units, 3u);
  const auto named = failures(
      "[a]\ncommand = \"look\"\nsource = \"good\"\nseed = [1, 2, 3]\n"
      "[b]\ncommand = \"look\"\nsource = [\"names\", \"good\"]\ntarget = \"{a}\"\nseed = 2\n");
  ASSERT_EQ(named.size(), 1u);
  EXPECT_EQ(named[0].units, 3u);
  EXPECT_EQ(named[0].axes, (std::vector<std::string>{"b.source=names"}));
}

TEST_F(Runs, AFileThatHasChangedSinceThePlanIsNotRead) {
  std::filesystem::create_directory(folder_ / "in");
  const auto table = write_bytes(folder_ / "in" / "table.npz", "as planned");
  const std::string path = table.string(), folder = (folder_ / "in").string();
  int n = 0;
  for (const std::string& name :
       {"target = \"" + path, "target = \"new=" + path, "target.new = \"" + path,
        "target.new = \"" + path + ",/bin/sh", "target = \"/bin/sh,new=" + path,
        "target = \"" + path + "," + path, "target = \"" + folder + "/*.npz", "target = \"" + folder}) {
    const Plan units =
        plan("[look]\nsource = \"good\"\n" + name + "\"\nseed = [1, " + std::to_string(++n + 1) + "]\n");
    write_bytes(table, "as it is now");
    EXPECT_REFUSED(run(units),
                   ": expected the contents at the time of planning, found other contents, or none...")
        << name;
    EXPECT_EQ(status_of(units, store_).counts.ready, 2u) << name;
    EXPECT_EQ(left_over(), 0u);
    write_bytes(table, "as planned");
    EXPECT_EQ(run(units).done, 2u) << name << ": another time of change, the same contents";
  }
}

TEST_F(Runs, AFileThatChangesMeanwhileGivesNoResult) {
  const auto table = write_bytes(folder_ / "table.npz", "as planned");
  for (const std::string& name :
       {table.string(), (folder_ / "*.npz").string(), "new=" + table.string() + ",/bin/sh"}) {
    write_bytes(table, "as planned");
    const Plan units = plan("[look]\nsource = \"rewrites\"\ntarget = \"" + name + "\"\nseed = 1\n");
    EXPECT_THROW((void)run(units), Error);
    EXPECT_EQ(status_of(units, store_).counts.ready, 1u);
  }
}

TEST_F(Runs, ADamagedOutputIsNotRead) {
  const Plan units = plan(
      "[a]\ncommand = \"look\"\nsource = \"good\"\nseed = 1\n"
      "[b]\ncommand = \"look\"\nsource = \"once\"\ntarget = \"{a}\"\nseed = 2\n");
  EXPECT_EQ(run(units).failed, 1u);
  write_bytes(folder_ / "again", "");
  forget_failures(units, store_);
  const std::filesystem::path output = store_.done(units.units[0].name) / "record.json";
  const std::string whole = read_bytes(output);
  write_bytes(output, whole + " ");
  EXPECT_THAT(
      message_of([&] { (void)run(units); }),
      ::testing::StartsWith(output.string() + ": expected the contents that the unit wrote (remove "));
  write_bytes(output, whole);
  EXPECT_EQ(run(units).done, 1u);
}

TEST_F(Runs, AUnitThatTakesAsLongAsATaskMayFails) {
  const Plan units = plan("[look]\nsource = [\"slow\", \"good\"]\nseed = 1\n");
  StopAfter stop(20);  // a second
  EXPECT_THROW((void)run(units, {.limit = 125.5}, &stop), Interrupted);
  const auto failures = failures_of(units, store_);
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_TRUE(failures[0].message.starts_with("not done within ")) << failures[0].message;
  EXPECT_EQ(failures[0].axes, (std::vector<std::string>{"look.source=slow"}));
  StopAfter again(20);
  forget_failures(units, store_);
  EXPECT_THROW((void)run(units, {.limit = 3600}, &again), Interrupted);
  EXPECT_TRUE(failures_of(units, store_).empty()) << "told long before";
}

TEST_F(Runs, AnErrorElsewhereIsNoReasonToGiveAUnitUp) {
  const Plan units = plan("[look]\nsource = [\"slow\", \"full\"]\nseed = 1\n");
  EXPECT_THROW((void)run(units, {.limit = 60}), DiskFull);
  EXPECT_EQ(status_of(units, store_).counts.ready, 2u);
}

TEST_F(Runs, StatusCountsClaimsAsRunning) {
  const Plan units = plan("[look]\nsource = \"good\"\nseed = [1, 2, 3]\n");
  add_stranger(store_);
  const Runner here(store_, default_lease);
  add_claim(store_, stranger, units.units[0].name);
  add_claim(store_, never_was, units.units[1].name);
  EXPECT_EQ(status_of(units, store_).counts.running, 1u);
  std::filesystem::create_symlink(here.name(), store_.claim(units.units[1].name, 2));
  EXPECT_EQ(status_of(units, store_).counts.running, 2u);
  EXPECT_EQ(status_of(units, store_).counts.ready, 1u);
}

TEST_F(Runs, NoMoreProcessesThanFitIntoMemory) {
  EXPECT_EQ(jobs_that_fit(1, 0, 7), 7u);
  EXPECT_EQ(jobs_that_fit(1, available_memory() / 2, 7), 2u);
  EXPECT_EQ(jobs_that_fit(1, std::uint64_t{1} << 61, 7), 1u);
}

TEST_F(Runs, RetryRunsThoseThatFailedAgain) {
  const Plan units = plan("[look]\nsource = \"once\"\nseed = [1, 2]\n");
  EXPECT_EQ(run(units).failed, 2u);
  write_bytes(folder_ / "again", "");
  EXPECT_EQ(run(units).failed, 2u) << "not asked to";
  forget_failures(units, store_);
  EXPECT_EQ(run(units).done, 2u);
  EXPECT_EQ(calls(), 4u);
  EXPECT_EQ(left_over(), 0u);
}

TEST_F(Runs, LinksAndPipesInTheFolderAreRefused) {
  const std::filesystem::path sweep = folder_ / "sweep";
  const auto expect_refusal = [&](const std::string& name, const std::string& found) {
    EXPECT_THAT(message_of([&] { (void)Store(sweep); }), ::testing::HasSubstr(name + ": expected a regular"));
    EXPECT_THAT(message_of([&] { (void)Store(sweep); }), ::testing::HasSubstr("found " + found));
    std::filesystem::remove_all(sweep);
  };
  for (const char* const name : {"units", "failed/Do", "study.toml"}) {
    std::filesystem::create_directories((sweep / name).parent_path());
    std::filesystem::create_symlink(folder_.path(), sweep / name);
    expect_refusal(name, "a symbolic link");
  }
  std::filesystem::create_directories(sweep / "runners");
  ASSERT_EQ(::mkfifo((sweep / "runners" / stranger).c_str(), 0600), 0);
  expect_refusal(stranger, "a pipe or device");
}

TEST_F(Runs, RetryRemovesUnitsOfThePlanAlone) {
  const Plan units = plan("[look]\nsource = \"good\"\nseed = 1\n");
  std::filesystem::create_directories(store_.failed("Documents"));
  forget_failures(units, store_);
  EXPECT_TRUE(std::filesystem::exists(store_.failed("Documents")));
}

TEST_F(Runs, AProcessThatIsKilledIsTriedThreeTimes) {
  const Plan units = plan("[look]\nsource = \"killed\"\nseed = 1\n");
  EXPECT_EQ(run(units).failed, 1u);
  EXPECT_EQ(calls(), 3u);
  EXPECT_EQ(failures_of(units, store_).at(0).message, "ended by signal KILL");
}

TEST_F(Runs, AFullDiskEndsTheRunAndNoUnit) {
  const Plan units = plan("[look]\nsource = \"full\"\nseed = [1, 2, 3, 4, 5, 6, 7, 8, 9]\n");
  RunOptions options;
  options.asked.jobs = 1;
  EXPECT_THAT([&] { (void)run(units, options); },
              ::testing::ThrowsMessage<DiskFull>((folder_ / "sweep").string() +
                                                 ": out.npz: cannot write: No space left on device"));
  EXPECT_EQ(calls(), 1u);
  EXPECT_EQ(status_of(units, store_).counts.ready, 9u);
  EXPECT_EQ(left_over(), 0u);
}

TEST_F(Runs, AStopEndsProcessesAndLeavesUnitsAsIfNeverBegun) {
  const Plan units = plan("[look]\nsource = \"slow\"\nseed = [1, 2, 3]\n");
  StopAfter stop(4);
  const auto started = std::chrono::steady_clock::now();
  EXPECT_THROW((void)run(units, {}, &stop), Interrupted);
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(8));
  EXPECT_EQ(status_of(units, store_).counts.ready, 3u);
  EXPECT_EQ(left_over(), 0u);
}

TEST_F(Runs, SeveralRunnersShareTheUnits) {
  std::string seeds = "0";
  for (int i = 1; i < 40; ++i) seeds += ", " + std::to_string(i);
  const Plan units =
      plan("[a]\ncommand = \"look\"\nsource = \"good\"\nseed = [" + seeds +
           "]\n[b]\ncommand = \"look\"\nsource = \"good\"\ntarget = \"{a}\"\nseed = \"{a.seed}\"\n");
  std::vector<tasks::SweepRunResult> summaries(4);
  std::vector<std::thread> runners;
  for (tasks::SweepRunResult& summary : summaries) runners.emplace_back([&] { summary = run(units); });
  for (std::thread& runner : runners) runner.join();
  std::size_t done = 0;
  for (const tasks::SweepRunResult& summary : summaries) {
    done += summary.done;
    EXPECT_EQ(summary.done_before + summary.done + summary.done_elsewhere, 80u);
  }
  EXPECT_EQ(done, 80u);
  EXPECT_EQ(calls(), 80u);
  EXPECT_EQ(left_over(), 0u);
}

TEST_F(Runs, WithoutWaitingARunnerLeavesUnitsToOthers) {
  const Plan units = plan("[look]\nsource = \"good\"\nseed = [1, 2]\n");
  Runner other(store_, default_lease);
  ASSERT_EQ(other.claim(units.units[0].name), 1u);
  RunOptions options;
  options.asked.no_wait = true;
  const tasks::SweepRunResult summary = run(units, options);
  EXPECT_EQ(summary.done, 1u);
  EXPECT_EQ(summary.left, 1u);
}

TEST_F(Runs, ARunnerOfSomeStagesLeavesTheOthers) {
  const Plan units = plan(
      "[a]\ncommand = \"look\"\nsource = \"good\"\n"
      "[b]\ncommand = \"look\"\nsource = \"good\"\ntarget = \"{a}\"\n"
      "[c]\ncommand = \"look\"\nsource = \"good\"\ntarget = \"{b}\"\n");
  RunOptions options;
  for (const auto& [stages, done] : std::vector<std::pair<std::vector<std::string>, std::size_t>>{
           {{"b", "c"}, 0}, {{"a", "c"}, 1}, {{"b"}, 1}, {{}, 1}}) {
    options.asked.stages = stages;
    EXPECT_EQ(run(units, options).done, done);
  }
  options.asked.stages = {"d"};
  EXPECT_REFUSED(run(units, options), "--stages: expected stages of the plan, found 'd'");
}

}  // namespace leeway::sweep::testing::claim_test

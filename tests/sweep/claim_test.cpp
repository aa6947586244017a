// Claims: one holder at a time, taken over from those that are gone by exactly one.
#include "leeway/sweep/claim.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <thread>

#include "tests/core/files.h"
#include "tests/message_of.h"

namespace leeway::sweep::testing {
namespace {

const std::string stranger = "0123456789abcdef", never_was = "00000000000000ff";  // runners

using namespace std::chrono_literals;
using leeway::testing::TemporaryFolder;
using leeway::testing::write_bytes;

constexpr auto lease = 60s;
const std::string unit = "ab000000000000000000000000000000";

class Claims : public ::testing::Test {
 protected:
  // The file of a runner on another machine.
  void add_stranger(const std::string& name) const {
    std::filesystem::create_directories(folder_ / "runners");
    write_bytes(store_.runner(name), "another-boot pid:[1]\n17 1234\nelsewhere\n");
  }
  void add_claim(const std::string& runner, std::size_t number = 1) const {
    std::filesystem::create_directories(store_.claim(unit, number).parent_path());
    std::filesystem::create_symlink(runner, store_.claim(unit, number));
  }
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
  // Dead, though nobody has waited for it yet.
  for (int i = 0; i < 100 && early.holder_sign(unit) != Sign::gone; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(holders_of(unit), 1);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]), ::close(ready[1]);
}

TEST_F(Claims, ARunnerElsewhereHasItsLeaseWhateverTheClocksSay) {
  add_stranger(stranger);
  add_claim(stranger);
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
  add_stranger(stranger);
  add_claim(stranger);
  Runner runner(store_, lease);
  EXPECT_EQ(runner.holder_sign(unit), Sign::silent);
  EXPECT_EQ(runner.holder_sign(unit), Sign::silent);
  set_changed(stranger, 5);
  EXPECT_EQ(runner.holder_sign(unit), Sign::alive);
  EXPECT_EQ(runner.holder_sign("cd"), Sign::gone) << "nobody has claimed it";
}

TEST_F(Claims, ARunnerWithoutAFileIsGone) {
  add_claim(never_was);
  Runner runner(store_, lease), other(store_, lease);
  EXPECT_EQ(runner.claim(unit), 2u);
  EXPECT_EQ(other.claim(unit), 0u);
}

TEST_F(Claims, WorkOfOneThatIsGoneIsRemoved) {
  add_claim(never_was);
  store_.make_work(unit, never_was);
  write_bytes(store_.work(unit, never_was) / "large.npz", "half");
  Runner runner(store_, lease);
  EXPECT_EQ(runner.claim(unit), 2u);
  EXPECT_FALSE(std::filesystem::exists(store_.work(unit, never_was)));
}

TEST_F(Claims, AReleasedUnitIsFree) {
  add_claim(never_was);
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
    EXPECT_EQ(message_of([&] { (void)runner.claim(unit); }),
              path.string() +
                  ": expected a claim: a link to 16 hexadecimal digits, the name of a runner, found " +
                  found);
    std::filesystem::remove(path);
  };
  store_.make_work(unit, "x");
  add_claim("x/../../../../victim");
  refused("'x/../../../../victim'");
  write_bytes(path, "x");
  refused("no link");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "victim"));
}

}  // namespace
}  // namespace leeway::sweep::testing

// What every option refuses, what reaches a terminal, and how much of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "leeway/core/file.h"
#include "leeway/core/npy.h"
#include "leeway/core/npz.h"
#include "leeway/core/result.h"
#include "tests/apps/run_command.h"

namespace leeway::app {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class Values : public CommandTest {
 protected:
  Values() {
    write_npy(folder_ / "a.npy", logits());
    write_npz(folder_ / "a.npz",
              {{"logits", logits()}, {"labels", make_array<std::int64_t>({4}, {0, 1, 0, 1})}});
    write_text(folder_ / "t.csv", "y,a\nu,1\nu,2\nv,1\nv,2\n");
    write_text(folder_ / "shifts.csv", "data_set,target_error,ac\nm,0.1,0.2\nn,0.2,0.1\n");
  }
  static Array logits() { return make_array<double>({4, 2}, {2, 0, 0, 2, 1, 0, 0, 1}); }
};

TEST_F(Values, AnEmptyTextIsNotAValueThatWasNotGiven) {
  refused("pa a.npy a.npz --labels ''", "--labels: expected a value, found ''");
  refused("pa a.npy a.npz --out ''", "--out: expected a value, found ''");
  refused("data render dsprites --table '' --out o.npz", "--table: expected a value, found ''");
  refused("assess --source a.npz --target t=a.npy --report ''", "--report: expected a value, found ''");
  refused("train --data a.npz --keep-epochs '' --out o", "--keep-epochs: expected a value, found ''");
  write_text(folder_ / "c.toml", "labels = ''\n");
  refused("pa a.npy a.npz --config c.toml", "--labels: expected a value, found ''");
}

TEST_F(Values, NumbersThatTheTypeCannotHoldAreRefused) {
  const std::string natural = "expected a whole number from 0 to 18446744073709551615, found ";
  refused("pa a.npy a.npz --seed -1", "--seed: " + natural + "'-1'");
  refused("pa a.npy a.npz --seed 18446744073709551616", "--seed: " + natural + "'18446744073709551616'");
  refused("pa a.npy a.npz --seed=-9999999999999999999999",
          "--seed: " + natural + "'-9999999999999999999999'");
  refused("attack --model m --data a.npz --steps -1 --out o", "--steps: " + natural + "'-1'");
  refused("attack --model a.npz --data a.npz --restarts -2 --out o", "--restarts: " + natural + "'-2'");
  refused("average-case --logits a.npy --sigma 1 --rows -1", "--rows: " + natural + "'-1'");
  refused("inspect a.npz --input 3,-1,3", "--input: " + natural + "'-1'");
  refused("shift label-subset --data a.npz --out o --classes 0,99999999999999999999",
          "--classes: " + natural + "'99999999999999999999'");
  refused("train --data a.npz --lr 1e400 --out o",
          "--lr: expected a number that float64 holds, found '1e400'");
  refused("infer --model m --data a.npz --scale nan --out o",
          "--scale: expected a number that float64 holds, found 'nan'");
  write_text(folder_ / "c.toml", "seed = -1\n");
  refused("pa a.npy a.npz --config c.toml", "--seed: " + natural + "'-1'");
  EXPECT_EQ(run("pa a.npy a.npz --seed 18446744073709551615").code, 0);
}

TEST_F(Values, CountsHaveALimit) {
  for (const std::string option : {"--curve", "--bootstrap"})
    for (const std::string value : {"-1", "1000001", "99999999999"}) {
      const Outcome said = run("pa a.npy a.npz " + option + " " + value);
      EXPECT_EQ(said.code, 2) << option << " " << value;
      EXPECT_THAT(said.err, HasSubstr(option));
    }
}

TEST_F(Values, ConfigurationsReachCommandsOfTwoWords) {
  write_text(folder_ / "c.toml", "json = true\n[bound.evaluate]\ndelta = 0.25\n[conds.draw]\nseed = 7\n");
  const Outcome bound = run("bound evaluate shifts.csv --config c.toml");
  ASSERT_EQ(bound.code, 0) << bound.err;
  EXPECT_EQ(Json::parse(bound.out)["options"]["delta"], .25);
  const Outcome conds = run("conds draw --attributes t.csv --label y --sc a --plan --config=c.toml");
  ASSERT_EQ(conds.code, 0) << conds.err;
  EXPECT_EQ(Json::parse(conds.out)["seed"], 7);
  write_text(folder_ / "c.toml", "[bound.evaluate]\nattributes = 't.csv'\n");
  const Outcome wrong = run("bound evaluate shifts.csv --config c.toml");
  EXPECT_EQ(wrong.code, 3);
  EXPECT_EQ(wrong.err,
            "leeway: c.toml: line 2, column 1: expected the long name of an option of bound.evaluate, found "
            "'attributes'\n");
  write_text(folder_ / "c.toml", "[bound.evaluation]\ndelta = 0.25\n");
  EXPECT_THAT(run("bound evaluate shifts.csv --config c.toml").err,
              HasSubstr("a command of leeway as the table, found 'bound.evaluation'"));
}

// A name with a colour, a title, an 8-bit control sequence, a deletion and a line of its own.
TEST_F(Values, NamesReachTheTerminalEscaped) {
  const std::string name =
                        "x\x1b[31m\x1b]0;t\x07\xc2\x9b"
                        "1m\x7f\nleeway: y",
                    quoted = "$'x\\e[31m\\e]0;t\\a\\xc2\\x9b1m\\x7f\\nleeway: y";
  const std::string shown = "x\\x1b[31m\\x1b]0;t\\x07\\xc2\\x9b1m\\x7f\\x0aleeway: y";
  std::filesystem::copy(folder_ / "a.npz", folder_ / (name + ".npz"));
  write_npz(folder_ / "named.npz", {{"logits", logits()},
                                    {"labels", make_array<std::int64_t>({4}, {0, 1, 1, 1})},
                                    {"class_names", make_text_array({2}, {name, "b"})},
                                    {"groups", make_text_array({4, 1}, {name, "b", name, "b"})}});
  write_text(folder_ / "f.sh", "");
  const auto shell = [&](const std::string& arguments) {
    write_text(folder_ / "f.sh", "cd '" + folder_.string() + "'\n'" LEEWAY_COMMAND "' " + arguments +
                                     " >.out 2>.err </dev/null\n");
    const int status = std::system(("bash '" + (folder_ / "f.sh").string() + "'").c_str());
    return Outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(folder_ / ".out"),
                   read_text(folder_ / ".err")};
  };
  for (const std::string& arguments : std::vector<std::string>{
           "pa a.npz " + quoted + ".npz' --ratios 0:1:.5",
           "pa a.npz a.npz --compare " + quoted + "=a.npz,a.npz'",
           "select --clean a.npz a.npz --shifted a.npz a.npz --names " + quoted + "' b",
           "distances a.npz " + quoted + ".npz'", "assess --source " + quoted + "=a.npz' --target t=a.npz",
           "assess --source a.npz --target " + quoted + "=a.npz'",
           "assess --source named.npz --target t=a.npz", "pa a.npz " + quoted + "'"}) {
    const Outcome said = shell(arguments);
    const std::string all = said.out + said.err;
    EXPECT_THAT(all, AnyOf(HasSubstr("\\x1b"), HasSubstr("\\x0aleeway: y")))
        << arguments;  // an end may be cut off
    for (const char* raw : {"\x1b", "\x07", "\x7f", "\xc2\x9b"})
      EXPECT_THAT(all, Not(HasSubstr(raw))) << arguments;
    EXPECT_THAT("\n" + all, Not(HasSubstr("\nleeway: y"))) << arguments << "\n" << all;
  }
  const Outcome record = shell("pa a.npz " + quoted + ".npz' --json");
  EXPECT_THAT(record.out, HasSubstr("\\u001b[31m\\u001b]0;t\\u0007\\u009b1m\\u007f\\nleeway: y.npz"));
  EXPECT_EQ(Json::parse(record.out)["results"][0]["shifted"], name + ".npz");
}

TEST_F(Values, BadInputIsOneLineAlsoAfterAWarning) {
  write_npz(folder_ / "zeros.npz", {{"probs", make_array<double>({2, 2}, {1, 0, .5, .5})}});
  const std::string nan = "nan.npy";
  write_npy(folder_ / nan, make_array<double>({2, 2}, {std::numeric_limits<double>::quiet_NaN(), 0, 0, 0}));
  for (const std::string arguments :
       {"pa zeros.npz nan.npy", "pa zeros.npz none.npy", "distances zeros.npz nan.npy",
        "bound --source a.npz --target zeros.npz --labels none",
        "select --clean zeros.npz --shifted nan.npy"}) {
    const Outcome said = run(arguments);
    EXPECT_EQ(said.code, 3) << arguments;
    EXPECT_EQ(std::ranges::count(said.err, '\n'), 1) << said.err;
  }
  const Outcome told = run("pa zeros.npz zeros.npz");
  EXPECT_EQ(told.code, 0);
  EXPECT_THAT(told.err, HasSubstr("probabilities are exactly 0"));
}

#ifndef LEEWAY_SANITIZED
TEST_F(Values, MemoryThatTheSystemRefusesIsOneLine) {
  const std::size_t n = 1 << 22;
  write_npy(folder_ / "half.npy", make_array<std::int8_t>({n, 4}, std::vector<std::int8_t>(4 * n, 1)));
  const Outcome said =
      run_command(folder_, "pa half.npy half.npy --threads 1 --no-digest", "ulimit -v 150000; ");
  EXPECT_EQ(said.code, 1);
  EXPECT_EQ(said.err, "leeway: half.npy: the system refuses 134217728 bytes of memory\n");
}
#endif

// Rows whose scales differ by 10^10: the best beta is so large that the bound on what another gives does not close.
TEST_F(Values, ExitCode5SaysWhy) {
  write_npy(folder_ / "c.npy", make_array<double>({3, 2}, {-2e-185, 1e-185, 0, -2e-180, 2e-175, 0}));
  write_npy(folder_ / "s.npy",
            make_array<double>({3, 2}, {-1e-185, 1e-185, -1e-185, 1e-185, -1e-185, 1e-185}));
  const Outcome said = run("pa c.npy s.npy");
  EXPECT_EQ(said.code, 5);
  EXPECT_THAT(said.err, HasSubstr("leeway: s.npy: its maximum is proved to "));
  EXPECT_THAT(said.err, HasSubstr("not to 1e-09, after "));
  EXPECT_THAT(said.err, HasSubstr("hence exit code 5\n"));
}

}  // namespace
}  // namespace leeway::app

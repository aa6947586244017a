// Command lines that are wrong, help, and what a shell completes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "leeway/core/file.h"
#include "leeway/core/result.h"
#include "tests/apps/run_command.h"

namespace leeway::app {
namespace {

using testing::HasSubstr;
using testing::Not;

class Usage : public CommandTest {};

TEST_F(Usage, ACommandThatIsNear) {
  refused("asess", "no command asess; did you mean assess? (see leeway --help)");
  refused("Pa a.npy b.npy", "no command Pa; did you mean pa? (see leeway --help)");
  refused("frobnicate", "no command frobnicate (see leeway --help)");
  refused("conds drw --seed 3", "conds: no command drw; did you mean draw? (see leeway conds --help)");
  refused("", "expected a command (see leeway --help)");
  refused("data", "data: expected a command (see leeway data --help)");
}

TEST_F(Usage, AnOptionThatIsNearComesBeforeWhatIsMissing) {
  refused("pa --labls y.npy", "pa: no option --labls; did you mean --labels? (see leeway pa --help)");
  refused("pa a b --shared_beta",
          "pa: no option --shared_beta; did you mean --shared-beta? (see leeway pa --help)");
  refused("bound evaluate t.csv --detla=.1",
          "bound evaluate: no option --detla; did you mean --delta? (see leeway bound evaluate --help)");
  refused("pa a b --frobnicate 3", "pa: no option --frobnicate (see leeway pa --help)");
  refused("mvn-cdf x", "mvn-cdf: expected no further word, found 'x' (see leeway mvn-cdf --help)");
  refused("pa a", "shifted is required (see leeway pa --help)");
}

TEST_F(Usage, AChoiceThatIsNear) {
  const Outcome said = run("attack --norm linff");
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err,
              HasSubstr("--norm: expected one of linf, l2, l1, l0, found 'linff'; did you mean linf?"));
}

TEST_F(Usage, PercentIsANumber) {
  write_text(folder_ / "t.csv", "data_set,target_error,m\na,0.1,0.2\nb,0.2,0.1\nc,0.3,0.4\n");
  const Outcome percent = run("bound evaluate t.csv --delta 10% --coverage 50%,90% --json"),
                number = run("bound evaluate t.csv --delta 0.1 --coverage 0.5,0.9 --json");
  EXPECT_EQ(percent.code, 0) << percent.err;
  EXPECT_EQ(Json::parse(percent.out)["options"], Json::parse(number.out)["options"]);
  refused("bound evaluate t.csv --delta 90%",
          "--delta: expected a number from 1e-12 to 0.5, found 0.9 (see leeway bound evaluate --help)");
}

TEST_F(Usage, HelpIsACommand) {
  EXPECT_EQ(run("help pa").out, run("pa --help").out);
  EXPECT_EQ(run("help conds draw").out, run("conds draw --help").out);
  EXPECT_EQ(run("help").out, run("--help").out);
  EXPECT_EQ(run("help").code, 0);
  EXPECT_THAT(run("bound evaluate --help").out, Not(HasSubstr("--source validation.npz")));
  EXPECT_THAT(run("bound evaluate --help").out, HasSubstr("leeway bound evaluate shifts.csv"));
  EXPECT_THAT(run("list --help").out, Not(HasSubstr("--seed")));
  EXPECT_EQ(run("list estimators --seed 3").code, 0);
}

TEST_F(Usage, BashCompletes) {
  const std::string command = LEEWAY_COMMAND;
  write_text(
      folder_ / "words.sh",
      ". ./leeway.bash\n"
      "say() { COMP_WORDS=(\"$@\"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _leeway; echo "
      "\"${COMPREPLY[*]}\"; }\n"
      "say leeway ass; say leeway bound ev; say leeway bound evaluate --del; say leeway attack --norm li\n"
      "say leeway conds ''; say leeway list att; say leeway pa --labels ''; say leeway completion ''\n");
  const std::string line = "cd '" + folder_.string() + "' && '" + command +
                           "' completion bash > leeway.bash && bash words.sh > said && '" + command +
                           "' completion zsh > z && '" + command + "' completion fish > f";
  ASSERT_EQ(std::system(line.c_str()), 0);
  EXPECT_EQ(read_text(folder_ / "said"),
            "assess\nevaluate\n--delta\nlinf\ndraw describe\nattacks\n\nbash zsh fish\n");
  EXPECT_THAT(read_text(folder_ / "z"), HasSubstr("compadd -- linf l2 l1 l0"));
  EXPECT_THAT(read_text(folder_ / "f"),
              HasSubstr("complete -c leeway -n \"__leeway_at leeway bound\" -a evaluate"));
}

}  // namespace
}  // namespace leeway::app

// Calls that are wrong, in every command: exit code and the one line; values that no option takes; help; what a shell
// completes; what reaches a terminal.
#include <cstdlib>
#include <string>
#include <vector>

#include "leeway/core/file.h"
#include "leeway/io/npy.h"
#include "tests/apps/run_command.h"

namespace leeway::app::usage_test {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Usage : public CommandTest {
 protected:
  Usage() {
    write_npy(folder_ / "a.npy", logits());
    write_npz(folder_ / "a.npz",
              {{"logits", logits()}, {"labels", make_array<std::int64_t>({4}, {0, 1, 0, 1})}});
    write_npz(folder_ / "f.npz", {{"logits", logits()},
                                  {"features", make_array<double>({4, 3}, std::vector<double>(12, 1))},
                                  {"labels", make_array<std::int64_t>({4}, {0, 1, 0, 1})}});
    write_npy(folder_ / "few.npy", make_array<double>({2, 2}, {2, 0, 0, 2}));
    write_text(folder_ / "t.csv", "y,a\nu,1\nu,2\nv,1\nv,2\n");
    write_text(folder_ / "shifts.csv", "data_set,target_error,ac\nm,0.1,0.2\nn,0.2,0.1\n");
    write_text(folder_ / "bad.csv", "truth,ac\n.5,2\n");
    write_npy(folder_ / "j.npy", make_array<double>({4, 2, 1}, std::vector<double>(8, 1)));
    write_npy(folder_ / "g.npy", make_array<double>({4, 2, 2}, std::vector<double>(16, 1)));
    write_npy(folder_ / "r.npy", make_array<double>({2, 2}, {1, 2, 2, 1}));
    write_npy(folder_ / "skew.npy", make_array<double>({2, 2}, {1, .5, .4, 1}));
    write_npz(folder_ / "x.npz",
              {{"x", make_array<std::uint8_t>({4, 1, 2, 2}, std::vector<std::uint8_t>(16, 9))}});
  }
  static Array logits() { return make_array<double>({4, 2}, {2, 0, 0, 2, 1, 0, 0, 1}); }
};

TEST_F(Usage, NamesThatAreNear) {
  refused("asess", "unknown command asess; did you mean assess? (see leeway --help)");
  refused("Pa a.npy b.npy", "unknown command Pa; did you mean pa? (see leeway --help)");
  refused("frobnicate", "unknown command frobnicate (see leeway --help)");
  refused("bound --source a.npz --target b.npz c.npz",
          "bound: unexpected argument 'c.npz' (see leeway bound --help)");
  refused("conds drw --seed 3", "conds: unknown command drw; did you mean draw? (see leeway conds --help)");
  refused("", "expected a command (see leeway --help)");
  refused("data", "data: expected a command (see leeway data --help)");
  refused("pa --labls y.npy", "pa: unknown option --labls; did you mean --labels? (see leeway pa --help)");
  refused("bound evaluate t.csv --detla=.1",
          "bound evaluate: unknown option --detla; did you mean --delta? (see leeway bound evaluate --help)");
  refused("pa a b --frobnicate 3", "pa: unknown option --frobnicate (see leeway pa --help)");
  refused("mvn-cdf x", "mvn-cdf: unexpected argument 'x' (see leeway mvn-cdf --help)");
  refused("pa a", "shifted is required (see leeway pa --help)");
  refused({"attack --norm linff", 2, {"--norm: expected one of linf", "'linff'; did you mean linf?"}});
}

TEST_F(Usage, ValuesThatNoOptionTakes) {
  write_text(folder_ / "empty.toml", "labels = ''\n");
  write_text(folder_ / "minus.toml", "seed = -1\n");
  const std::string natural = "expected an integer from 0 to 18446744073709551615, found ";
  all_refused("",
              {{"pa a.npy a.npz --labels ''", 2, {"--labels: expected a value, found ''"}},
               {"pa a.npy a.npz --config empty.toml", 2, {"--labels: expected a value, found ''"}},
               {"assess --source a.npz --target t=a.npy --report ''", 2, {"--report: expected a value"}},
               {"pa a.npy a.npz --seed -1", 2, {"--seed: " + natural + "'-1'"}},
               {"pa a.npy a.npz --seed 18446744073709551616", 2, {"--seed: " + natural}},
               {"pa a.npy a.npz --seed=-9999999999999999999999", 2, {"--seed: " + natural}},
               {"pa a.npy a.npz --config minus.toml", 2, {"--seed: " + natural + "'-1'"}},
               {"inspect a.npz --input 3,-1,3", 2, {"--input: " + natural + "'-1'"}},
               {"train --data a.npz --lr 1e400 --out o", 2, {"--lr: ", "fits in float64, found '1e400'"}},
               {"infer --model m --data a.npz --scale nan --out o", 2, {"--scale: ", "found 'nan'"}},
               {"bound evaluate shifts.csv --delta 90%", 2, {"--delta: ", "from 1e-12 to 0.5, found 0.9"}}});
  for (const std::string option : {"--curve", "--bootstrap"})
    for (const std::string value : {"-1", "1000001", "many"})
      refused({"pa a.npy a.npz " + option + " " + value, 2, {option}});
  EXPECT_EQ(run("pa a.npy a.npz --seed 18446744073709551615").code, 0);
  const Json percent = record("bound evaluate shifts.csv --delta 10% --coverage 50%,90%"),
             number = record("bound evaluate shifts.csv --delta 0.1 --coverage 0.5,0.9");
  EXPECT_EQ(percent["options"], number["options"]);
}

TEST_F(Usage, OfPaDistancesAndSelect) {
  for (const std::string bad : {"0:1:x", "0:2:1", "1:0:.1", "0:1", "0:1:0", "-1", "x", ","})
    refused({"pa a.npy a.npz --ratios=" + bad, 2, {"--ratios"}});
  for (const std::string bad : {"b=a.npy,a.npy,a.npy", "b=a.npy", "b", "=a.npy,a.npy", "b=a.npy,,a.npy",
                                "model=a.npy,a.npy", "b=a.npy,a.npy --compare b=a.npy,a.npy"})
    refused({"pa a.npy a.npz --compare " + bad, 2, {"--compare"}});
  all_refused("pa a.npy a.npz ", {{"--level 2", 2, {"--level"}},
                                  {"--compare b=a.npy,none.npy", 3, {"none.npy"}},
                                  {"--compare b=a.npy,a.npy --save-pairs p.csv", 2, {"--save-pairs"}},
                                  {"a.npy --save-pairs p.csv", 2, {"--save-pairs"}},
                                  {"--pairing no-such", 2, {"--pairing"}},
                                  {"--pairing nearest --pairs p.csv", 2, {"--pair"}},
                                  {"--pairing nearest", 3, {"features"}}});
  all_refused("distances a.npz ", {{"", 2, {"shifted"}},
                                   {"a.npz --only kl,no-such", 2, {"--only", "'no-such'"}},
                                   {"a.npz --only", 2, {"--only"}}});
  all_refused("select --clean a.npz ",
              {{"", 2, {"--shifted is required"}},
               {"a.npz --shifted a.npz", 2, {"found 2 and 1"}},
               {"--shifted a.npz --names a b", 2, {"--names: expected 1", "found 2"}},
               {"a.npz --shifted a.npz a.npz --names a a", 2, {"--names"}},
               {"--shifted few.npy", 3, {"few.npy: expected 4 rows", "found 2"}}});
}

TEST_F(Usage, OfBoundAndMvnCdf) {
  const std::string both = "--source f.npz --target f.npz ";
  all_refused("bound ",
              {{"--source a.npz", 2, {"expected --source and --target"}},
               {"--target a.npz", 2, {"expected --source and --target"}},
               {both + "--methods ac,nonsense", 2, {"nonsense"}},
               {both + "--methods dis2 --representation PCA:3", 2, {"--representation: ", "found PCA:3"}},
               {both + "--representation pca:4", 3, {"f.npz: expected 1 to 3", "found 4"}},
               {"--source a.npz --target a.npy --representation features", 3, {"a.npz: expected features"}},
               {"--source a.npy --target a.npy", 3, {"a.npy: expected labels", "found none"}},
               {"evaluate", 2, {"table"}},
               {"evaluate bad.csv", 3, {"bad.csv: expected column 'ac'", "found 2 at row 0"}},
               {"evaluate shifts.csv --delta nan", 2, {"--delta", "found 'nan'"}},
               {"evaluate shifts.csv --coverage .9,nan", 2, {"--coverage"}}});
  for (const char* wrong :
       {"--loss nope", "--delta 0", "--delta 1", "--holdout 1", "--holdout -1", "--restarts 0", "--level nan",
        "--least-validity 2", "--training-rows 0", "--search best"})
    refused({"bound " + both + wrong, 2, {std::string(wrong).substr(0, std::string(wrong).find(' '))}});
  all_refused("mvn-cdf --upper few.npy ", {{"", 2, {"--covariance"}},
                                           {"--covariance r.npy --tolerance 0", 2, {"--tolerance"}},
                                           {"--covariance skew.npy", 3, {"symmetric", "0.4 at (1, 0)"}}});
}

TEST_F(Usage, OfAverageCase) {
  const std::string of = "--logits a.npy --jacobian j.npy ";
  all_refused("average-case ",
              {{"--sigma 1", 2, {"--model and --data, or --logits"}},
               {of, 2, {"--sigma"}},
               {of + "--sigma nan", 2, {"sigma"}},
               {of + "--sigma 1 --methods taylor,magic", 2, {"magic"}},
               {of + "--sigma 1 --gram g.npy", 2, {"excludes"}},
               {of + "--sigma 1 --groups t.csv --labels few.npy", 3, {"few.npy"}},
               {"--logits a.npy --gram g.npy --sigma 1 --noise-covariance r.npy", 2, {"--jacobian"}},
               {"--logits none.npy --jacobian j.npy --sigma 1", 3, {"none.npy"}}});
}

TEST_F(Usage, OfAssess) {
  const std::string one = "--source a.npz --target t=a.npz ";
  const std::string two = "--source a=a.npz b=a.npz --target a/t=a.npz b/t=a.npz ";
  all_refused(
      "assess --no-bounds ",
      {{"--source a.npz", 2, {"--target"}},
       {"--source a.npz --target t=", 2, {"--target t=: expected [[MODEL/]SHIFT=]FILE"}},
       {"--source a=a.npz b=a.npz --target t=a.npz",
        2,
        {"expected MODEL/SHIFT=FILE, because there are 2 models"}},
       {"--source a=a.npz b=a.npz --target a/t=a.npz", 2, {"no --target for the model \"b\""}},
       {"--source a=a.npz --target b/t=a.npz", 2, {"no --source names the model \"b\""}},
       {"--source a=a.npz a=a.npz --target a/t=a.npz", 2, {"model \"a\" already has a source"}},
       {one + "--target t=a.npz", 2, {"model \"model\" already has a target \"t\""}},
       {one + "--rows-csv rows.csv --fail-if 'acuracy<1'", 2, {"found acuracy", "did you mean accuracy?"}},
       {one + "--chunk soon", 2, {"found 'soon'"}},
       {one + "--time-column time", 2, {"--time-column requires --chunk"}},
       {"--source a.npz --target 'month*.npz'", 2, {"--target month*.npz: no file matches"}},
       {one + "--images a.npz", 2, {"--images requires --report or --model"}},
       {one + "--report r.html --images blur=x.npz", 2, {"blur"}},
       {"--source few.npy --target t=few.npy --report r.html --images x.npz",
        3,
        {"x.npz: expected 2 images", "found 4"}},
       {one + "--jacobian j.npy", 2, {"--jacobian j.npy: expected --sigma"}},
       {one + "--model m.pt --images x.npz", 2, {"--model m.pt: expected --sigma"}},
       {one + "--sigma 1", 2, {"--sigma requires --model or --jacobian"}},
       {one + "--model m.pt --sigma 1 --images t=x.npz", 2, {"--model m.pt: expected --images FILE"}},
       {two + "--jacobian j.npy --sigma 1", 2, {"expected MODEL=FILE, because there are 2 models"}},
       {two + "--jacobian c=j.npy --sigma 1", 2, {"no --source names the model \"c\""}},
       {two + "--jacobian a=j.npy a=j.npy --sigma 1", 2, {"model \"a\" already has a --jacobian"}},
       {one + "--jacobian model= --sigma 1", 2, {"expected [MODEL=]FILE"}},
       {one + "--jacobian few.npy --sigma 1", 3, {"few.npy: expected a Jacobian of shape (4, 2, d)"}},
       {one + "--jacobian none.npy --sigma 1", 3, {"none.npy"}}});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "rows.csv"));
}

TEST_F(Usage, HelpIsACommand) {
  for (const std::string command : {"", "pa", "conds draw"})
    EXPECT_EQ(run("help " + command).out, run(command + " --help").out);
  EXPECT_EQ(run("help").code, 0);
  refused({"help asses", 2, {"unknown command asses; did you mean assess?"}});
  refused({"asses --help", 2, {"unknown command asses; did you mean assess?"}});
  refused({"help nonsense", 2, {"unknown command nonsense"}});
  refused({"data lod --help", 2, {"data: unknown command lod; did you mean load?"}});
  EXPECT_EQ(run("pa -h").out, run("pa --help").out);
  const std::string evaluate = run("bound evaluate --help").out;
  EXPECT_THAT(evaluate, Not(HasSubstr("--source validation.npz")));
  EXPECT_THAT(evaluate, HasSubstr("leeway bound evaluate shifts.csv"));
  EXPECT_THAT(run("list --help").out, Not(HasSubstr("--seed")));  // hidden, and taken
  EXPECT_EQ(run("list estimators --seed 3").code, 0);
}

TEST_F(Usage, ShellsComplete) {
  write_text(
      folder_ / "words.sh",
      "PATH=$(dirname '" LEEWAY_COMMAND
      "'):$PATH\n. ./leeway.bash\n"
      "say() { COMP_WORDS=(\"$@\"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _leeway; echo "
      "\"${COMPREPLY[*]}\"; }\n"
      "say leeway ass; say leeway bound ev; say leeway bound evaluate --del; say leeway attack --norm li\n"
      "say leeway conds ''; say leeway list att; say leeway pa --labels ''; say leeway completion ''\n");
  write_text(folder_ / "leeway.bash", run("completion bash").out);
  ASSERT_EQ(std::system(("cd '" + folder_.string() + "' && bash words.sh > said").c_str()), 0);
  EXPECT_EQ(read_bytes(folder_ / "said"),
            "assess\nevaluate\n--delta\nlinf\ndraw describe\nattacks\n\nbash zsh fish words\n");
  EXPECT_THAT(run("completion zsh").out,
              HasSubstr("bashcompinit\n" +
                        run("completion bash").out.substr(run("completion bash").out.find("_leeway()"))));
  EXPECT_THAT(run("completion words -- bound ev").out, HasSubstr("evaluate Evaluate bounds"));
}

// A name with a colour, a title, an 8-bit control sequence, a deletion and a line of its own.
TEST_F(Usage, NamesReachTheTerminalEscaped) {
  const std::string name = "x\x1b[31m\x1b]0;t\x07\xc2\x9b\x31m\x7f\nleeway: y", quoted = "\"$NAME\"";
  std::filesystem::copy(folder_ / "a.npz", folder_ / (name + ".npz"));
  write_npz(folder_ / "named.npz", {{"logits", logits()},
                                    {"labels", make_array<std::int64_t>({4}, {0, 1, 1, 1})},
                                    {"class_names", make_text_array({2}, {name, "b"})},
                                    {"groups", make_text_array({4, 1}, {name, "b", name, "b"})}});
  ::setenv("NAME", name.c_str(), 1);
  for (const std::string& arguments : std::vector<std::string>{
           "pa a.npz " + quoted + ".npz --ratios 0:1:.5",
           "pa a.npz a.npz --compare " + quoted + "=a.npz,a.npz",
           "select --clean a.npz a.npz --shifted a.npz a.npz --names " + quoted + " b",
           "distances a.npz " + quoted + ".npz", "assess --source " + quoted + "=a.npz --target t=a.npz",
           "assess --source a.npz --target " + quoted + "=a.npz",
           "assess --source named.npz --target t=a.npz", "pa a.npz " + quoted}) {
    const Outcome said = run(arguments);
    const std::string all = said.out + said.err;
    EXPECT_THAT(all, AnyOf(HasSubstr("\\x1b"), HasSubstr("\\x0aleeway: y"))) << arguments;  // or cut off
    for (const char* raw : {"\x1b", "\x07", "\x7f", "\xc2\x9b"})
      EXPECT_THAT(all, Not(HasSubstr(raw))) << arguments;
    EXPECT_THAT("\n" + all, Not(HasSubstr("\nleeway: y"))) << arguments << "\n" << all;
  }
  const Outcome json = run("pa a.npz " + quoted + ".npz --json");
  EXPECT_THAT(json.out, HasSubstr("\\u001b[31m\\u001b]0;t\\u0007\\u009b1m\\u007f\\nleeway: y.npz"));
  EXPECT_EQ(Json::parse(json.out)["results"][0]["shifted"], name + ".npz");
}

#ifndef LEEWAY_SANITIZED
TEST_F(Usage, MemoryThatTheSystemRefusesIsOneLine) {
  const std::size_t n = 1 << 22;
  write_npy(folder_ / "half.npy", make_array<std::int8_t>({n, 4}, std::vector<std::int8_t>(4 * n, 1)));
  const Outcome said =
      run_command(folder_, "pa half.npy half.npy --threads 1 --no-digest", "ulimit -v 150000; ");
  EXPECT_EQ(said.code, 1);
  EXPECT_EQ(said.err, "leeway: half.npy: the system cannot provide 134217728 bytes of memory\n");
}
#endif

// Rows whose scales differ by 10^10: the best beta is so large that the bound on what another gives does not close.
TEST_F(Usage, ExitCode5SaysWhy) {
  write_npy(folder_ / "c.npy", make_array<double>({3, 2}, {-2e-185, 1e-185, 0, -2e-180, 2e-175, 0}));
  write_npy(folder_ / "s.npy",
            make_array<double>({3, 2}, {-1e-185, 1e-185, -1e-185, 1e-185, -1e-185, 1e-185}));
  for (const std::string arguments : {"pa c.npy s.npy", "select --clean c.npy --shifted s.npy"}) {
    const Outcome said = run(arguments);
    EXPECT_EQ(said.code, 5) << arguments;
    EXPECT_THAT(said.err, HasSubstr("not to 1e-09, after "));
    EXPECT_THAT(said.err, HasSubstr("; exit code 5\n"));
  }
}

}  // namespace leeway::app::usage_test

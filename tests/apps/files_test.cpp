// Which files a command reads and writes: none is both, what cannot be written is found before the work, and a result
// that is not whole is no success.
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "leeway/core/file.h"
#include "leeway/io/npy.h"
#include "tests/apps/run_command.h"

namespace leeway::app::files_test {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class FilesOfCommands : public CommandTest {
 protected:
  FilesOfCommands() {
    write_npy(folder_ / "a.npy", logits());
    write_npz(folder_ / "a.npz",
              {{"logits", logits()}, {"labels", make_array<std::int64_t>({4}, {0, 1, 0, 1})}});
    write_text(folder_ / "t.csv", "y,a\nu,1\nu,2\nv,1\nv,2\n");
    write_text(folder_ / "shifts.csv", "data_set,target_error,ac\nm,0.1,0.2\nn,0.2,0.1\n");
    write_npy(folder_ / "z.npy", make_array<double>({1, 2}, {0, 1}));
    write_npy(folder_ / "r.npy", make_array<double>({2, 2}, {1, 0, 0, 1}));
    write_npy(folder_ / "j.npy", make_array<double>({4, 2, 1}, std::vector<double>(8, 1)));
    write_npz(folder_ / "x.npz", {{"x", make_array<float>({2, 1, 2, 2}, std::vector<float>(8, .5F))},
                                  {"y", make_array<std::int64_t>({2}, {0, 1})}});
  }
  static Array logits() { return make_array<double>({4, 2}, {2, 0, 0, 2, 1, 0, 0, 1}); }

  // And no file of the folder changed.
  void refused(const std::string& arguments, int code, const std::string& words) const {
    const auto before = contents();
    CommandTest::refused({arguments, code, {words}});
    EXPECT_EQ(contents(), before) << arguments;
  }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> contents() const {
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      if (entry.is_regular_file() && !entry.path().filename().string().starts_with("."))
        all.emplace_back(entry.path().string(), read_bytes(entry.path()));
    std::ranges::sort(all);
    return all;
  }
};

TEST_F(FilesOfCommands, AnInputIsNoOutputInAnyCommand) {
  for (const std::string arguments : {"pa a.npy a.npz --out a.npy",
                                      "pa a.npy a.npz --out ./a.npz",
                                      "pa a.npy a.npz --save-pairs a.npy",
                                      "pa a.npy a.npz --compare m=a.npy,z.npy --out z.npy",
                                      "pa a.npy a.npz --labels z.npy --out z.npy",
                                      "bound --source a.npz --target a.npy --out a.npy",
                                      "bound evaluate shifts.csv --out shifts.csv",
                                      "distances a.npy a.npz --out a.npz",
                                      "select --clean a.npy --shifted a.npz --out a.npz",
                                      "assess --source a.npz --target t=a.npy --out a.npy",
                                      "assess --source a.npz --target t=a.npy --rows-csv a.npz",
                                      "assess --source a.npz --target t=a.np? --rows-csv a.npz",
                                      "average-case --logits a.npy --jacobian j.npy --sigma 1 --out j.npy",
                                      "mvn-cdf --upper z.npy --covariance r.npy --out r.npy",
                                      "report t.csv --out t.csv",
                                      "shift contrast --data x.npz --out x.npz",
                                      "conds draw --attributes t.csv --label y --sc a --out t.csv",
                                      "conds describe --source t.csv --label y --columns a --out t.csv",
                                      "data render dsprites --table t.csv --attributes t.csv",
                                      "data load celeba t.csv --attributes t.csv",
                                      "train --data x.npz --out x.npz",
                                      "infer --model a.npz --data x.npz --out a.npz",
                                      "adapt --model a.npz --data x.npz --out a.npz",
                                      "attack --model a.npz --data x.npz --out x.npz",
                                      "inspect a.npz --out a.npz"})
    refused(arguments, 2, "leeway: ");
  refused("pa a.npy a.npz --out a.npy", 2, "leeway: --out a.npy: expected a file other than the input\n");
}

TEST_F(FilesOfCommands, AMissingFolderIsFoundBeforeTheWork) {
  for (const std::string arguments :
       {"train --data x.npz --out gone/o.npz", "adapt --model a.npz --data x.npz --out gone/o.npz",
        "infer --model a.npz --data x.npz --out gone/o.npz",
        "attack --model a.npz --data x.npz --out gone/o.npz",
        "attack --model a.npz --data x.npz --attack fgsm,pgd --out gone/{attack}.npz"})
    refused(arguments, 1, "cannot write: the folder gone does not exist (create it with mkdir -p gone)");
}

TEST_F(FilesOfCommands, LinksToAnInputAreTheInput) {
  fs::create_symlink("a.npz", folder_ / "soft");
  fs::create_hard_link(folder_ / "a.npz", folder_ / "hard");
  fs::create_directory_symlink(".", folder_ / "here");
  for (const std::string name : {"soft", "hard", "here/a.npz"})
    refused("pa a.npy a.npz --out " + name, 2, name + ": expected a file other than the input a.npz");
  refused("pa a.npy hard --out a.npz", 2, "--out a.npz: expected a file other than the input hard");
}

TEST_F(FilesOfCommands, FilesReadBesideAnInputAreInputs) {
  write_text(folder_ / "t-images-idx3-ubyte", "");
  write_text(folder_ / "t-labels-idx1-ubyte", "");
  refused("shift contrast --data t-images-idx3-ubyte --out t-labels-idx1-ubyte", 2, "than the input");
  write_text(folder_ / "a.npz.toml", "");
  refused("infer --model a.npz --data x.npz --out a.npz.toml", 2, "than the input");
  write_text(folder_ / "c.toml", "seed = 1\n");
  refused("pa a.npy a.npz --config c.toml --save-pairs c.toml", 2, "than the input");
  fs::create_directories(folder_ / "set/cat");
  write_text(folder_ / "set/cat/1.png", "\x89PNG");
  refused("data load folder set --out set/cat/1.png", 2, "than an image of the input");
}

TEST_F(FilesOfCommands, CasesInAFolderSpareTheTable) {
  fs::create_directory(folder_ / "cases");
  fs::copy(folder_ / "t.csv", folder_ / "cases/sc-0.csv");
  refused("conds draw --attributes cases/sc-0.csv --label y --columns a --all --out cases", 2,
          "sc-0.csv: expected a file other than the input");
}

TEST_F(FilesOfCommands, EveryOutputIsAnotherFile) {
  const std::string assess = "assess --source a.npz --target t=a.npy ";
  refused(assess + "--out o --report ./o", 2, "--out o: expected a file other than --report writes");
  refused(assess + "--out o --rows-csv o", 2, "--out o: expected a file other than --rows-csv writes");
  fs::create_symlink("o", folder_ / "link");
  refused(assess + "--out link --report o", 2, "--out link: expected a file other than --report writes");
  refused("data render dsprites --sample 2 --size 8 --out o.npz --attributes o.manifest.json", 2,
          "expected a file other than");
  EXPECT_EQ(run(assess + "--quiet --out /dev/null --rows-csv /dev/null").code, 0);
}

TEST_F(FilesOfCommands, NamesOfAnotherFormatAreRefused) {
  const std::string assess = "assess --source a.npz --target t=a.npy ";
  refused(assess + "--report o.pdf", 2,
          "leeway: --report o.pdf: expected a name that ends in .html, for an HTML report, found '.pdf'\n");
  refused(assess + "--report o.JSON", 2, "for an HTML report");
  refused(assess + "--out o.html", 2,
          "leeway: --out o.html: expected a name that ends in .json, for a JSON record, found '.html'\n");
  refused("pa a.npy a.npz --out o.csv", 2, "for a JSON record");
  refused("report t.csv --out o.json", 2, "for an HTML report");
  EXPECT_EQ(run("pa a.npy a.npz --out record.txt").code, 0);
}

// Before the inputs are even looked at: they are missing here.
TEST_F(FilesOfCommands, OutputsThatCannotBeWrittenAreFoundBeforeTheWork) {
  fs::create_directory(folder_ / "folder");
  for (const std::string arguments :
       {"pa no.npy no.npy --out no/o.json", "pa no.npy no.npy --out folder",
        "pa no.npy no.npy --save-pairs no/o.csv", "assess --source no --target t=no --rows-csv no/o",
        "assess --source no --target t=no --report no/o.html",
        "bound --source no --target no --report no/o.html", "shift contrast --data no --out no/o.npz",
        "data load folder no --sheet no/o.png", "train --data no --out no/o",
        "train --data no --out o --keep-epochs t.csv/x", "infer --model no --data no --out no/o",
        "adapt --model no --data no --out no/o", "report no --out no/o"})
    refused(arguments, 1, "cannot write");
}

// The temporary name is shorter, a link to nothing is no folder, and beside a device stands no state.
TEST_F(FilesOfCommands, NamesThatOnlyTheEndWouldRefuseAreFoundBeforeTheWork) {
  const std::string longest(255, 'n'), longer = longest + "n";
  fs::create_symlink("nowhere/x", folder_ / "dangling");
  for (const std::string& arguments :
       std::vector<std::string>{"pa no.npy no.npy --out " + longer, "pa no.npy no.npy --save-pairs dangling",
                                "pa no.npy no.npy --report dangling", "train --data no --out " + longest,
                                "assess --source no --target t=no --figures " + longer,
                                "train --data no --out o --keep-epochs dangling",
                                "average-case --logits no --jacobian no --sigma 1 --out " + longest})
    refused(arguments, 1, "cannot write");
  for (const std::string& arguments : std::vector<std::string>{
           "train --data no --out /dev/null", "data load idx no --out /dev/null",
           "infer --model no --data no --out /dev/null", "shift contrast --data no --out /dev/null",
           "data render dsprites --out /dev/null",
           "average-case --logits no --jacobian no --sigma 1 --out /dev/null"})
    refused(arguments, 2, "--out /dev/null: expected a regular file");
  EXPECT_EQ(run("pa a.npy a.npz --quiet --out " + longest).code, 0);
}

TEST_F(FilesOfCommands, ListsOfNumbersHaveALimit) {
  refused("average-case --logits a.npy --jacobian j.npy --sigma 0:1e9:0.0001", 2, "at most 100000 numbers");
}

TEST_F(FilesOfCommands, AResultThatIsNotWholeIsNoSuccess) {
  for (const std::string arguments :
       {"pa a.npy a.npz --json", "pa a.npy a.npz", "assess --source a.npz --target t=a.npy --json --quiet",
        "list shifts --json", "average-case --logits a.npy --jacobian j.npy --sigma 1 --json", "--help",
        "--version", "pa --help"}) {
    const std::string line = "cd '" + folder_.string() + "' && exec '" LEEWAY_COMMAND "' " + arguments +
                             " >/dev/full 2>.err </dev/null";
    const int status = std::system(line.c_str());
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 1) << arguments;
    EXPECT_THAT(read_bytes(folder_ / ".err"), HasSubstr("leeway: stdout: cannot write")) << arguments;
  }
  for (const std::string arguments :
       {"pa a.npy a.npz --out /dev/full", "pa a.npy a.npz --save-pairs /dev/full",
        "assess --source a.npz --target t=a.npy --quiet --rows-csv /dev/full",
        "assess --source a.npz --target t=a.npy --quiet --report /dev/full"}) {
    const Outcome said = run(arguments);
    EXPECT_EQ(said.code, 1) << arguments;
    EXPECT_EQ(said.err, "leeway: /dev/full: cannot write: No space left on device\n") << arguments;
  }
}

// The size limit of files has a signal of its own, which would end the command.
TEST_F(FilesOfCommands, AFullDiskIsOneLine) {
  const std::string assess = "assess --source a.npz --target t=a.npy --quiet ";
  const auto said = [&](const std::string& before, const std::string& arguments) {
    const Outcome ended = run_command(folder_, assess + arguments, before);
    EXPECT_EQ(ended.code, 1) << arguments;
    return ended.err;
  };
  EXPECT_EQ(said("ulimit -f 8; ", "--report o.html"), "leeway: o.html: cannot write: File too large\n");
  fs::create_directory(folder_ / "disk");
  const std::string disk = "'" + (folder_ / "disk").string() + "'";
  if (std::system(("mount -t tmpfs -o size=16k none " + disk + " 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "no right to mount a small disk";
  EXPECT_THAT(said("", "--report disk/o.html"),
              ::testing::StartsWith("leeway: disk/o.html: cannot write: No space left on device"));
  const std::string figures = said("", "--figures disk/figures");
  EXPECT_THAT(figures, ::testing::AllOf(::testing::StartsWith("leeway: disk/figures"),
                                        ::testing::EndsWith(": No space left on device\n")));
  EXPECT_EQ(std::ranges::count(figures, '\n'), 1);
  EXPECT_EQ(std::system(("umount " + disk).c_str()), 0);
}

// A run of assess waits for a reader of its pipe --rows-csv: its inputs are open then, and of the target nothing was read
// but the header.
TEST_F(FilesOfCommands, AnInputThatIsCutShortMeanwhileIsOneLine) {
  write_npz(folder_ / "s.npz", {{"logits", make_array<double>({2, 2}, {2, 0, 0, 2})}});
  write_npy(folder_ / "t.npy", make_array<double>({1 << 20, 2}, std::vector<double>(2 << 20, 1)));
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const pid_t child = start_command(folder_,
                                    "assess --source s.npz --target t=t.npy --no-bounds --no-digest --quiet "
                                    "--rows-csv pipe --json --threads 1");
  // With its target mapped, it sleeps: for the pipe, since nothing else is left to wait for.
  const std::string process = "/proc/" + std::to_string(child);
  for (int asleep = 0; asleep < 20; std::this_thread::sleep_for(std::chrono::milliseconds(2))) {
    const std::string stat = read_bytes(process + "/stat");
    const bool open = read_bytes(process + "/maps").find("/t.npy") != std::string::npos;
    asleep = open && stat.find(") S ") != std::string::npos ? asleep + 1 : 0;
    if (stat.empty() || stat.find(") Z ") != std::string::npos) break;
  }
  fs::resize_file(folder_ / "t.npy", 200);
  read_bytes(pipe);
  const Outcome said = outcome_of(child, folder_);
  EXPECT_EQ(said.code, 3);
  EXPECT_EQ(said.err, "leeway: t.npy: expected the whole file, but it was truncated during reading\n");
  EXPECT_EQ(said.out, "");
}

}  // namespace leeway::app::files_test

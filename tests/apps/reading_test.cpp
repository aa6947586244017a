// What commands read: bad inputs end in exit code 3 and one line that names the file, expected and found; options say how
// outputs are read. What readers refuse in detail: tests/core.
#include <sys/stat.h>

#include <cmath>
#include <map>

#include "leeway/core/npy.h"
#include "leeway/core/npz.h"
#include "leeway/core/outputs.h"
#include "leeway/core/safetensors.h"
#include "tests/apps/run_command.h"
#include "tests/core/files.h"
#include "tests/core/zip_maker.h"

namespace leeway {
namespace {

using leeway::testing::deflated_entry;
using leeway::testing::gzip;
using leeway::testing::make_zip;
using leeway::testing::npy_with;
using leeway::testing::read_bytes;
using leeway::testing::stored_entry;
using leeway::testing::TemporaryFolder;
using leeway::testing::write_bytes;
using leeway::testing::ZipEntry;
using ::testing::HasSubstr;
using std::string_literals::operator""s;

// Address space of a run, where no sanitizer needs more: what a file claims must not be allocated.
#ifdef LEEWAY_SANITIZED
const std::string limits;
#else
const std::string limits = "ulimit -v 1000000; ";
#endif

struct BadFile {
  std::string name, bytes, found;
  std::string arguments = "pa good.npy FILE";
};

class BadInputs : public CommandTest {
 protected:
  BadInputs() { write_npy(folder_ / "good.npy", good_); }

  const Array good_ = make_array<float>({4, 3}, {2, 0, 0, 0, 2, 0, 0, 0, 2, 2, 0, 0});
};

template <class T>
std::string npy(std::vector<std::size_t> shape, std::vector<T> values) {
  return npy_bytes(make_array(std::move(shape), std::move(values)));
}

TEST_F(BadInputs, OneLineAndExitCodeThree) {
  const std::string good = npy_bytes(good_), labels = "pa good.npy good.npy --labels FILE";
  const auto entry = [&](const std::string& name, const std::string& bytes) {
    return stored_entry(name + ".npy", bytes);
  };
  ZipEntry changed = deflated_entry("logits.npy", good),
           bomb = deflated_entry("logits.npy", std::string(100'000, '\0'));
  changed.crc ^= 1, bomb.size = 0xfffffff0;
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000, 1000), }\n";
  const std::vector<BadFile> files = {
      {"short.npy", good.substr(0, 175), "found 47"},
      {"lying_shape.npy", npy_with(header, good.substr(128)), "found 48"},
      {"words.npy", npy_bytes(make_text_array({4, 3}, std::vector<std::string>(12, "x"))), "found text"},
      {"no_rows.npy", npy<float>({0, 3}, {}), "found shape (0, 3)"},
      {"vector.npy", npy<float>({4}, {1, 2, 3, 4}), "--binary logit or --binary prob"},
      {"vector_prob.npy", npy<float>({4}, {1, 2, 3, 4}), "expected probabilities in [0,1]",
       "pa FILE FILE --binary prob"},
      {"wrong_k.npy", npy<float>({4, 2}, std::vector<float>(8)),
       "expected 3 classes, as in good.npy, found 2"},
      {"wrong_n.npy", npy<float>({5, 3}, std::vector<float>(15)), "(5, 3)"},
      {"nan.npy", npy<float>({4, 3}, {2, 0, 0, 0, 2, 0, 0, NAN, 2, 2, 0, 0}), "found nan at row 2, class 1"},
      {"clean_inf.npy", npy<float>({4, 3}, {2, HUGE_VALF, 0, 0, 2, 0, 0, 0, 2, 2, 0, 0}),
       "found inf at row 0, class 1", "pa FILE good.npy"},
      {"a.pkl", "\x80\x04\x95\x10", "found a Python pickle"},
      {"page.npy", "<!DOCTYPE html>\n", "found an HTML or XML page"},
      {"checksum.npz", make_zip({changed}), "expected checksum"},
      {"bomb.npz", make_zip({bomb}), "found 4294967280"},
      {"no_logits.npz", make_zip({entry("weights", good)}), "expected an array named logits or probs"},
      {"label.npz", make_zip({entry("logits", good), entry("labels", npy<std::int64_t>({4}, {0, 1, 2, 3}))}),
       "found 3 at row 3", "pa FILE good.npy"},
      {"short.safetensors", "\x05\0\0"s, "found a file of 3 bytes"},
      {"word.csv", "logit_0,logit_1\n1,2\n1,two\n", "found 'two' at row 1"},
      {"nan.csv", "logit_0,logit_1\n1,2\n1,nan\n", "found nan at row 1, class 1", "pa FILE FILE"},
      {"range.npy", npy<std::int64_t>({4}, {0, 1, 7, 2}), "found 7 at row 2", labels},
      {"length.npy", npy<std::int64_t>({3}, {0, 1, 2}), "found shape (3)", labels},
      {"cut.gz", gzip("\0\0\x08\x01\0\0\0\x04\0\x01\x02\0"s).substr(0, 15), "found a stream cut off", labels},
  };
  for (const BadFile& bad : files) {
    write_bytes(folder_ / bad.name, bad.bytes);
    std::string arguments = bad.arguments;
    for (std::size_t at; (at = arguments.find("FILE")) != std::string::npos;)
      arguments.replace(at, 4, bad.name);
    const Outcome said = run_command(folder_, arguments + " --threads 1", limits);
    EXPECT_EQ(said.code, 3) << bad.name << said.err;
    EXPECT_EQ(said.out, "") << bad.name;
    EXPECT_EQ(std::ranges::count(said.err, '\n'), 1) << said.err;
    for (const std::string& part : {"leeway: " + bad.name + ": "s, "expected "s, bad.found})
      EXPECT_THAT(said.err, HasSubstr(part));
  }
}

TEST_F(BadInputs, OfEveryCommandThatComparesSets) {
  write_bytes(folder_ / "s.csv", "logit_cat,logit_dog,label\n2,0,cat\n0,3,dog\n2,1,cat\n");
  write_bytes(folder_ / "t.csv", "logit_dog,logit_cat,label\n0,2,cat\n3,0,dog\n1,2,cat\n");
  write_npz(folder_ / "s.npz", {{"logits", make_array<double>({2, 2}, {2, 0, 0, 3})},
                                {"labels", make_array<std::int64_t>({2}, {0, 1})}});
  write_npy(folder_ / "t.npy", make_array<double>({2, 2}, {.75, .25, .5, .5}));
  const auto commands = [](const std::string& source, const std::string& target) {
    return std::vector<std::string>{"assess --quiet --source " + source + " --target t=" + target,
                                    "pa --quiet " + source + " " + target,
                                    "bound --quiet --source " + source + " --target " + target,
                                    "distances --quiet " + source + " " + target,
                                    "select --quiet --clean " + source + " --shifted " + target};
  };
  for (const std::string& command : commands("s.csv", "t.csv"))
    refused({command, 3, {"t.csv: expected class 0 to be 'cat', as in s.csv, found 'dog'"}});
  for (const std::string& command : commands("s.npz", "t.npy")) {
    refused({command, 3, {"t.npy: expected logits, as in s.npz, found probabilities"}});
    EXPECT_EQ(run(command + " --as logits").code, 0) << command;
  }
  for (const std::string& command : commands("s.npz", "good.npy"))
    refused({command, 3, {"good.npy: expected 2", "found "}});
  for (const std::string& command : commands("s.npz", "none.npy"))
    refused({command, 3, {"none.npy: expected"}});
  write_npy(folder_ / "j.npy", make_array<double>({2, 2, 1}, {1, -1, 1, -1}));
  const std::string gradients = "average-case --logits t.npy --jacobian j.npy --sigma .1";
  refused({gradients, 3, {"t.npy: expected logits, whose gradients are in j.npy", "found probabilities"}});
  EXPECT_EQ(run(gradients + " --as logits").code, 0);
}

TEST_F(BadInputs, PathsThatAreNoFiles) {
  std::filesystem::create_directory(folder_ / "folder.npy");
  ASSERT_EQ(::mkfifo((folder_ / "pipe.npy").c_str(), 0600), 0);
  for (const Refused& call : std::vector<Refused>{
           {"pa missing.npy good.npy", 3, {"missing.npy: expected a readable file, found no such file"}},
           {"pa good.npy good.npy --labels missing.npy", 3, {"missing.npy", "found no such file"}},
           {"pa good.npy folder.npy", 3, {"folder.npy", "found a directory"}},
           {"pa good.npy pipe.npy", 3, {"pipe.npy", "found a pipe or device"}},
           {"pa good.npy ''", 3, {"expected a readable file", "no such file"}},
           {"pa good.npy 'two\nlines.npy'", 3, {"two\\x0alines.npy", "no such file"}}})
    refused(call);
}

// A warning of one file and then another file that is bad: one line all the same.
TEST_F(BadInputs, OneLineAlsoAfterAWarning) {
  write_npz(folder_ / "zeros.npz", {{"probs", make_array<double>({2, 2}, {1, 0, .5, .5})}});
  for (const std::string arguments : {"pa zeros.npz none.npy", "distances zeros.npz none.npy"})
    refused({arguments, 3, {"none.npy"}});
  const Outcome told = run("pa zeros.npz zeros.npz");
  EXPECT_EQ(told.code, 0);
  EXPECT_THAT(told.err, HasSubstr("probabilities are exactly 0"));
}

// What remains of a structure differs at each length.
TEST(CutOff, AtEveryBoundaryIsRefused) {
  const TemporaryFolder folder;
  const Array logits = make_array<float>({4, 3}, std::vector<float>(12, .5F));
  const std::string npz =
      make_zip({stored_entry("logits.npy", npy_bytes(logits)),
                deflated_entry("labels.npy", npy_bytes(make_array<std::int64_t>({4}, {0, 1, 2, 0})))});
  write_safetensors(folder / "whole.safetensors", {{{"logits", logits}}, {}});
  for (const auto& [ending, whole] :
       std::map<std::string, std::string>{{"npy", npy_bytes(logits)},
                                          {"npz", npz},
                                          {"safetensors", read_bytes(folder / "whole.safetensors")}}) {
    const auto path = folder / ("cut." + ending);
    write_bytes(path, whole);
    EXPECT_NO_THROW((void)read_arrays(path)) << ending;
    for (std::size_t size = 0; size < whole.size(); size += 3) {
      write_bytes(path, std::string_view(whole).substr(0, size));
      EXPECT_THROW((void)read_arrays(path), Error) << ending << " " << size;
    }
  }
}

class Reading : public CommandTest {
 protected:
  Reading() {
    write_bytes(folder_ / "plain.csv", "p_0,p_1\n.75,.25\n.25,.75\n.75,.25\n.25,.75\n");
    write_bytes(folder_ / "other.csv", "p_0,p_1\n.75,.25\n.75,.25\n.75,.25\n.25,.75\n");
    write_bytes(folder_ / "y.csv", "id,label\n1,0\n2,1\n3,0\n4,0\n");
    write_bytes(folder_ / "words.csv", "animal\ncat\ndog\ncat\ncat\n");
    write_bytes(folder_ / "place.csv", "place\nsea\nsea\nland\nland\n");
    write_bytes(folder_ / "names.txt", "cat\r\ndog\r\n");
    write_bytes(folder_ / "split.csv", "index,split\n0,train\n1,test\n2,test\n3,val\n");
  }
};

TEST_F(Reading, LabelsGroupsAndNamesOfTheirOwnFiles) {
  const Json pa = record("pa plain.csv other.csv --labels y.csv");
  EXPECT_EQ(pa["results"][0]["afr_true"], .5);  // predictions 0 0 0 1, labels 0 1 0 0
  EXPECT_EQ(pa["options"]["labels"], "y.csv");
  EXPECT_EQ(pa["inputs"].size(), 3U);
  const Json bound = record("bound --source plain.csv --target other.csv --labels y.csv --methods ac");
  EXPECT_EQ(bound["source"]["error"], .25);
  EXPECT_EQ(bound["inputs"][1]["path"], "y.csv");
  const Json assess = record(
      "assess --source plain.csv --target t=other.csv --labels words.csv,t=words.csv --groups t=place.csv "
      "--class-names names.txt --no-bounds");
  EXPECT_EQ(assess["results"][0]["accuracy"], .5);
  EXPECT_EQ(assess["results"][0]["worst_class"]["name"], "dog");
  EXPECT_EQ(assess["results"][0]["worst_group"]["group"], "class / place");
  write_bytes(folder_ / "own.csv", "label,p_0,p_1\n0,.75,.25\n1,.25,.75\n1,.75,.25\n0,.25,.75\n");
  EXPECT_THAT(run("pa own.csv other.csv --labels y.csv").err,
              HasSubstr("own.csv: its labels differ from those of y.csv, which are used, at 1 of 4 rows"));
  for (const Refused& call : std::vector<Refused>{
           {"assess --source plain.csv --target other.csv --labels sea=y.csv", 2, {"--labels sea=y.csv"}},
           {"pa plain.csv other.csv --class-names a,b,c", 3, {"plain.csv: expected 3 classes", "found 2"}}})
    refused(call);
}

TEST_F(Reading, RowsOfASplit) {
  const Json pa = record("pa plain.csv other.csv --labels y.csv --index split.csv --split test");
  EXPECT_EQ(pa["results"][0]["n"], 2);
  EXPECT_EQ(pa["results"][0]["afr_true"], .5);
  write_bytes(folder_ / "none.csv", "index,split\n0,train\n");
  for (const Refused& call : std::vector<Refused>{
           {"pa plain.csv other.csv --index split.csv", 2, {"--split"}},
           {"pa plain.csv other.csv --split test", 2, {"--index"}},
           {"pa plain.csv other.csv --index none.csv --split test", 3, {"none.csv", "found none"}}})
    refused(call);
}

TEST_F(Reading, IsToldAndKept) {
  write_bytes(folder_ / "a.csv", "Label;prob_0;prob_1\n0;0,75;0,25\n1;0,25;0,75\n");
  const std::string line = "a.csv: semicolon between columns; ";
  EXPECT_THAT(run("pa a.csv a.csv").err, ::testing::StartsWith("leeway: " + line));
  EXPECT_EQ(run("pa a.csv a.csv --quiet").err, "");
  EXPECT_THAT(record("pa a.csv a.csv")["inputs"][0]["reading"].get<std::string>(),
              ::testing::StartsWith(line));
  EXPECT_TRUE(record("pa plain.csv other.csv")["inputs"][0]["reading"].is_null());
  refused({"pa a.csv a.csv --separator dot", 2, {"--separator", "found 'dot'"}});
  EXPECT_EQ(run("pa a.csv a.csv --separator ';'").code, 0);
}

TEST_F(Reading, StandardInput) {
  const std::string line = "cd '" + folder_.string() +
                           "' && cat plain.csv | '" LEEWAY_COMMAND "' pa - other.csv --json >.out 2>.err";
  EXPECT_EQ(std::system(line.c_str()), 0) << read_text(folder_ / ".err");
  const Json pa = Json::parse(read_text(folder_ / ".out"));
  EXPECT_EQ(pa["results"][0]["afr_pred"], .75);
  EXPECT_EQ(pa["inputs"][0]["path"], "-");
}

}  // namespace
}  // namespace leeway

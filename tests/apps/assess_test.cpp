// leeway assess from files to table, record, page, rows and exit code; over time; under noise. With a model: tests/nn.
#include <numeric>
#include <string>
#include <vector>

#include "leeway/core/file.h"
#include "leeway/core/random.h"
#include "leeway/io/csv.h"
#include "leeway/io/npy.h"
#include "tests/apps/run_command.h"
#include "tests/holds.h"

namespace leeway::assess_test {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class AssessCommand : public CommandTest {
 protected:
  AssessCommand() {
    // 300 rows of three classes in no order; in shifted.npz every fourth prediction changes.
    std::vector<int> shifted(300);
    std::vector<std::int64_t> labels(300);
    std::vector<std::size_t> order(300), seen(3);
    std::iota(order.begin(), order.end(), std::size_t{0});
    shuffle(order, 1, stream("assess command"));
    for (std::size_t i = 0; i < 300; ++i) {
      labels[i] = static_cast<std::int64_t>(order[i] % 3);
      const auto clean = static_cast<int>(labels[i]);
      shifted[i] = seen[static_cast<std::size_t>(clean)]++ % 4 == 0 ? (clean + 1) % 3 : clean;
    }
    const std::vector<int> clean(labels.begin(), labels.end());
    save("clean.npz", clean, 3, labels);
    save("shifted.npz", shifted, 3, labels);
    save("unlabelled.npz", {clean.begin(), clean.begin() + 200}, 3, {});
  }

  // No two rows alike.
  void save(const std::string& name, const std::vector<int>& classes, std::size_t k,
            const std::vector<std::int64_t>& labels) const {
    std::vector<double> logits(classes.size() * k);
    for (std::size_t i = 0; i < logits.size(); ++i)
      logits[i] = (static_cast<std::size_t>(classes[i / k]) == i % k ? 2 : 0) + 1e-6 * static_cast<double>(i);
    ArrayMap arrays{{"logits", make_array<double>({classes.size(), k}, std::move(logits))}};
    if (!labels.empty()) arrays["labels"] = make_array<std::int64_t>({labels.size()}, labels);
    write_npz(folder_ / name, arrays);
  }

  const std::string pair_ = "assess --source clean.npz --target noise=shifted.npz ";
};

TEST_F(AssessCommand, TableRecordRowsAndPage) {
  const Outcome table = run(pair_);
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_EQ(table.err, "");
  EXPECT_THAT(table.out, ContainsRegex("noise .* 300\n"));
  EXPECT_THAT(table.out, HasSubstr("Estimated error, without labels of the target"));
  EXPECT_THAT(run(pair_ + "--no-bounds").out, Not(HasSubstr("Estimated error")));
  const Json found = record(
      "assess --source cnn=clean.npz --target cnn/noise=shifted.npz prod=unlabelled.npz --seed 7 --bootstrap "
      "20 --restarts 1 --rows-csv rows.csv --out record.json --report r.html");
  EXPECT_EQ(found, Json::parse(read_bytes(folder_ / "record.json")));
  EXPECT_EQ(found["inputs"].size(), 3u);
  ASSERT_EQ(found["results"].size(), 2u);
  EXPECT_THAT(found, Holds(R"({"/schema": "leeway.assess/4", "/seed": 7, "/inputs/0/shape": [300, 3],
      "/results/0/accuracy": 0.75, "/results/0/afr_pred": 0.75, "/results/1/target": "prod",
      "/results/1/accuracy": null, "/bounds/restarts": 1, "/average_case": []})"));
  EXPECT_TRUE(found["results"][0]["estimates"]["cot_low"].is_number());
  const CsvTable rows = read_csv(folder_ / "rows.csv");
  ASSERT_EQ(rows.rows(), 500u);
  EXPECT_EQ(std::ranges::count(rows.columns[*rows.find("flipped")], "1"), 75);
  EXPECT_EQ(run("report record.json --out again.html").code, 0);
  EXPECT_EQ(read_bytes(folder_ / "r.html"), read_bytes(folder_ / "again.html"));
  std::filesystem::create_directories(folder_ / "run=3");
  std::filesystem::copy_file(folder_ / "clean.npz", folder_ / "run=3/clean.npz");
  EXPECT_EQ(run("assess --no-bounds --source ./run=3/clean.npz --target noise=run=3/clean.npz").code, 0);
}

struct Gates {
  std::string arguments;
  int code;
  std::string line;  // of stderr and, where it is violated or undecided, of stdout
};

TEST_F(AssessCommand, ExitCodeFourWhereAGateFails) {
  const std::string prod = "assess --restarts 1 --source clean.npz --target prod=unlabelled.npz ",
                    mixed = "assess --no-bounds --source clean.npz --target a=unlabelled.npz b=shifted.npz ";
  for (const Gates& gates : std::vector<Gates>{
           {pair_ + "--fail-if 'accuracy<0.7'", 0, ""},
           {pair_ + "--fail-if 'accuracy<0.8'", 4, "failed: accuracy 0.75 < 0.8 (model under noise)"},
           {pair_ + "--fail-if 'worst_class.accuracy<0.1' --undecided fail", 0, ""},
           {pair_ + "--no-bounds --fail-if 'error_bound>0.2'", 4,
            "gate error_bound>0.2: not decided for model under noise: bounds and estimates were skipped on "
            "request"},
           {mixed + "--fail-if 'accuracy<0.1'", 4, "not decided for model under a: the target has no labels"},
           {mixed + "--fail-if 'accuracy<0.1' --undecided pass", 0, "not decided for model under a"},
           {prod + "--fail-if 'error_bound>0.2'", 4, "failed: error_bound 0."}}) {
    const Outcome said = run(gates.arguments + " --rows-csv rows.csv --out record.json");
    EXPECT_EQ(said.code, gates.code) << gates.arguments << said.err;
    EXPECT_THAT(said.err, HasSubstr(gates.line)) << gates.arguments;
    EXPECT_TRUE(std::filesystem::remove(folder_ / "rows.csv")) << "written before it fails";
    EXPECT_EQ(read_record((folder_ / "record.json").string())["gates"][0]["violated"],
              gates.line.starts_with("failed"));
  }
}

TEST_F(AssessCommand, GatesAreListedAndWrittenAsJUnit) {
  const Outcome listed = run("assess --list-keys");
  EXPECT_EQ(listed.code, 0);
  EXPECT_THAT(listed.out, HasSubstr("\nerror_bound: a number from 0 to 1; upper bound on the error"));
  EXPECT_EQ(run(pair_ + "--no-bounds --fail-if 'accuracy<0.8' --junit gates.xml").code, 4);
  EXPECT_THAT(read_bytes(folder_ / "gates.xml"), HasSubstr("<failure message=\"accuracy 0.75 &lt; 0.8\"/>"));
  EXPECT_EQ(run(pair_ + "--no-bounds --junit gates.xml").code, 2);
  EXPECT_EQ(run(pair_ + "--no-bounds --fail-if 'error_bound>60'").code, 2);
}

TEST_F(AssessCommand, ImagesGoWithRows) {
  write_npz(folder_ / "x.npz",
            {{"x", make_array<std::uint8_t>({300, 1, 4, 4}, std::vector<std::uint8_t>(4800, 9))}});
  const std::string images = "--images x.npz noise=x.npz ";
  const Outcome shown = run(pair_ + "--no-bounds --out r.json --report r.html " + images);
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("% of images"));
  EXPECT_EQ(run("report r.json --out again.html " + images).code, 0);
  EXPECT_EQ(read_bytes(folder_ / "r.html"), read_bytes(folder_ / "again.html"));
  EXPECT_THAT(read_bytes(folder_ / "r.html"), HasSubstr("data:image/png"));
}

class AssessOverTime : public AssessCommand {
 protected:
  AssessOverTime() {
    for (const int week : {1, 2, 10}) {
      std::vector<int> classes(30);
      std::vector<std::int64_t> labels(30);
      for (std::size_t i = 0; i < 30; ++i) {
        labels[i] = static_cast<std::int64_t>(i % 3);
        classes[i] = static_cast<int>(i < (week == 10 ? 25 : 3) ? (i + 1) % 3 : i % 3);
      }
      save("week" + std::to_string(week) + ".npz", classes, 3, labels);
    }
    std::string table = "time,label,logit_0,logit_1,logit_2\n";
    for (int i = 0; i < 40; ++i)
      table += "2026-03-0" + std::to_string(i < 20 ? 1 : 3) + "," + std::to_string(i % 2) + "," +
               std::to_string(1 + .001 * i) + "," + std::to_string((i % 2 == 1) == (i < 30) ? 2 : 0) + ",0\n";
    write_text(folder_ / "days.csv", table);
  }
  [[nodiscard]] std::vector<std::string> chunks_of(const std::string& arguments) const {
    std::vector<std::string> names;
    const Json timelines = record(source_ + arguments)["over_time"];
    if (!timelines.is_null())
      for (const Json& chunk : timelines["timelines"][0]["chunks"]) names.push_back(chunk["chunk"]);
    return names;
  }
  const std::string source_ = "assess --no-bounds --source clean.npz ";
};

TEST_F(AssessOverTime, PatternsAndColumnsOfTimesAreCut) {
  EXPECT_THAT(chunks_of("--target 'week*.npz'"), ElementsAre("week1", "week2", "week10"));
  EXPECT_EQ(record(source_ + "--target 'week*.npz'")["targets"], Json({"week"}));
  for (const char* whole :
       {"--target s='week*.npz'", "--target 'week10*.npz'", "--target week1.npz week10.npz"})
    EXPECT_THAT(chunks_of(whole), ::testing::IsEmpty()) << whole;
  EXPECT_EQ(record(source_ + "--target ./week1.npz week10.npz")["targets"], Json({"week1", "week10"}));
  EXPECT_THAT(chunks_of("--target prod=days.csv --chunk 1d"), ElementsAre("2026-03-01", "2026-03-03"));
  refused(
      {source_ + "--target prod=days.csv --chunk 1d --time-column when", 3, {"expected a column 'when'"}});
}

// 40 rows of f = W x + b, W = (1 0; 0 1; -1 0), b = (0, 1, 0); class 1 is ahead by 1 everywhere but in row 0, where
// class 0 is ahead by .1.
class AssessNoise : public CommandTest {
 protected:
  AssessNoise() {
    std::vector<double> logits, jacobian;
    for (std::size_t i = 0; i < 40; ++i) {
      logits.insert(logits.end(), {i == 0 ? 1.1 : 0, 1., 0.});
      jacobian.insert(jacobian.end(), {1, 0, 0, 1, -1, 0});
    }
    write_npz(folder_ / "s.npz",
              {{"logits", make_array<double>({40, 3}, logits)},
               {"labels", make_array<std::int64_t>({40}, std::vector<std::int64_t>(40, 1))},
               {"class_names", make_text_array({3}, {"ash", "oak", "elm"})}});
    write_npz(folder_ / "probs.npz",
              {{"probs", make_array<double>({40, 3}, std::vector<double>(120, 1. / 3))}});
    write_npy(folder_ / "j.npy", make_array<double>({40, 3, 2}, jacobian));
  }
  const std::string one_ = "assess --no-bounds --source s.npz --target t=s.npz --jacobian j.npy ";
};

TEST_F(AssessNoise, OfJacobiansIsThatOfAverageCase) {
  const Outcome table = run(one_ + "--sigma 0,0.5 --report r.html");
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(table.out, ContainsRegex("taylor +0 "));
  EXPECT_THAT(read_bytes(folder_ / "r.html"), HasSubstr("<section id=\"noise-1\""));
  const Json own = record("average-case --logits s.npz --jacobian j.npy --sigma 0.5"),
             noise = record(one_ + "--sigma 0.5").at("average_case").at(0);
  EXPECT_EQ(own.at("results").at(0).at("mean"), noise.at("results").at(0).at("mean"));
  EXPECT_EQ(own.at("ranking"), noise.at("ranking"));
  // Row 0 is the one that noise moves first: called ash, of class oak.
  EXPECT_THAT(noise, Holds(R"({"/from": "jacobian", "/file": "j.npy",
      "/ranking/0/classes/0/least/0/row": 0, "/class_bias/0/classes/1/name": "oak"})"));
}

TEST_F(AssessNoise, OfSeveralModelsAndTheFirstRows) {
  const Json list = record(
                        "assess --no-bounds --source a=s.npz b=s.npz --target a/t=s.npz b/t=s.npz --jacobian "
                        "b=j.npy a=j.npy --sigma 1 --survival-rows 10")
                        .at("average_case");
  ASSERT_EQ(list.size(), 2u);
  EXPECT_THAT(list, Holds(R"({"/0/model": "b", "/1/n": 10, "/1/source_n": 40})"));
  refused({"assess --no-bounds --source probs.npz --target t=s.npz --jacobian j.npy --sigma 1",
           3,
           {"probs.npz", "expected the logits"}});
  refused(
      {"assess --no-bounds --source s.npz --target t=s.npz --model m.pt --images x.npz --jacobian j.npy "
       "--sigma 1",
       2,
       {"model \"model\" already has a --model"}});
}

}  // namespace leeway::assess_test

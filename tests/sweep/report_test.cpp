#include "leeway/sweep/report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "leeway/core/statistics.h"
#include "leeway/describe/json.h"
#include "tests/message_of.h"
#include "tests/sweep/small_catalog.h"

namespace leeway::sweep::testing::report_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Row {
  std::string algorithm, shift, lr, seed;
  double accuracy = 0, validation = 0;
};

RunTable table_of_rows(const std::vector<Row>& rows) {
  std::string text =
      "unit,train.algorithm,draw.case,train.lr,train.seed,unit_seconds,accuracy,accuracy_low,accuracy_high,"
      "source_accuracy\n";
  for (const Row& row : rows)
    text += "u," + row.algorithm + "," + row.shift + "," + row.lr + "," + row.seed + ",1," +
            std::to_string(row.accuracy) + "," + std::to_string(row.accuracy - .1) + "," +
            std::to_string(row.accuracy + .1) + "," + std::to_string(row.validation) + "\n";
  return table_of_text(text);
}

// With the roles that a plan gives these axes.
tasks::SweepReport reported(RunTable table, const tasks::SweepReportOptions& options = {}) {
  table.roles = {{"train.algorithm", "algorithm"},
                 {"train.seed", "repeats"},
                 {"train.start", "start"},
                 {"train.select", "select"},
                 {"data.name", "over"},
                 {"shift.name", "case"},
                 {"draw.case", "case"},
                 {"draw.sc", "case"},
                 {"draw.ldd", "case"},
                 {"draw.train", "case"}};
  return report_of(table, options, 0);
}
tasks::SweepReport reported(const std::string& text, const tasks::SweepReportOptions& options = {}) {
  return reported(table_of_text(text), options);
}
tasks::SweepReport reported(const std::vector<Row>& rows) { return reported(table_of_rows(rows)); }

const tasks::SweepCell& cell_of(const tasks::SweepReport& record, const std::string& algorithm,
                                const std::string& shift) {
  for (const tasks::SweepCell& cell : record.results)
    if (cell.algorithm == algorithm && cell.shift == shift && cell.setting.empty()) return cell;
  throw std::runtime_error("no cell of " + algorithm + ", " + shift);
}

const tasks::SweepChange& change_of(const tasks::SweepReport& record, const std::string& algorithm,
                                    const std::string& shift) {
  for (const tasks::SweepChange& change : record.changes)
    if (change.algorithm == algorithm && change.shift == shift) return change;
  throw std::runtime_error("no change of " + algorithm + ", " + shift);
}

// erm has .7 .8 .9 under SC and .9 under UNIFORM; mixup is .04, .05 and .06 better under SC, .02 under UNIFORM.
std::vector<Row> two_by_two() {
  std::vector<Row> rows;
  for (int seed = 0; seed < 3; ++seed) {
    const double sc = .7 + .1 * seed;
    for (const bool mixup : {false, true}) {
      rows.push_back({mixup ? "mixup" : "erm", "SC", "1", std::to_string(seed),
                      sc + (mixup ? .04 + .01 * seed : 0), .5});
      rows.push_back(
          {mixup ? "mixup" : "erm", "UNIFORM", "1", std::to_string(seed), .9 + (mixup ? .02 : 0), .5});
    }
  }
  return rows;
}

// Mean .8, s = .1, t of two degrees of freedom 4.30265: .8 ± 4.30265 * .1 / sqrt(3) = .8 ± .248414, cut at 1.
TEST(SweepReport, MeansOverSeedsHaveStudentsInterval) {
  const tasks::SweepReport record = reported(two_by_two());
  EXPECT_EQ(record.runs, 12u);
  ASSERT_EQ(record.cases.size(), 2u);
  EXPECT_EQ(record.cases[0].name, "UNIFORM");  // fewer shifts first
  EXPECT_EQ(record.cases[1].concurrent, 1u);
  EXPECT_THAT(record.seeds, ElementsAre("0", "1", "2"));
  const tasks::SweepMean& mean = cell_of(record, "erm", "SC").value;
  EXPECT_NEAR(*mean.mean.value, .8, 1e-9);
  EXPECT_NEAR(*mean.mean.low, .8 - .248414, 1e-6);
  EXPECT_EQ(*mean.mean.high, 1);
  EXPECT_EQ(mean.basis, "seeds");
  EXPECT_EQ(mean.seeds, 3u);
}

// Seeds move both algorithms alike: the paired difference is .05, s = .01, hence ± .0248414. Equal values have no interval.
TEST(SweepReport, ChangesArePairedBySeed) {
  const tasks::SweepReport record = reported(two_by_two());
  EXPECT_EQ(record.roles.baseline, "erm");
  const Measured& sc = change_of(record, "mixup", "SC").change.mean;
  EXPECT_NEAR(*sc.value, .05, 1e-9);
  EXPECT_NEAR(*sc.low, .05 - .0248414, 1e-7);
  EXPECT_NEAR(*sc.high, .05 + .0248414, 1e-7);
  const tasks::SweepMean& uniform = change_of(record, "mixup", "UNIFORM").change;
  EXPECT_NEAR(*uniform.mean.value, .02, 1e-9);
  EXPECT_FALSE(uniform.mean.low);
  EXPECT_EQ(uniform.basis, "none");
  EXPECT_NEAR(*change_of(record, "mixup", "").change.mean.value, .035, 1e-9);
  EXPECT_THAT(record.envelope.findings,
              Contains("Compared with erm, over all cases: mixup better, none worse."));
}

// Of four cases the mean ranks of "a" are 1, 1, 1.5 and 1: mean 1.125, s = .25, t of three degrees of freedom 3.18245.
TEST(SweepReport, IntervalsOfRanksAreStudentsOverCases) {
  std::string text = "unit,train.algorithm,draw.case,train.seed,unit_seconds,accuracy,k\n";
  for (int c = 0; c < 4; ++c)
    for (int seed = 0; seed < 2; ++seed)
      for (const bool a : {true, false})
        text += fmt::format("u,{},C{},{},1,{},2\n", a ? "a" : "erm", c, seed,
                            a == (c != 2 || seed == 0) ? .6 : .5);
  const tasks::SweepReport record = reported(text);
  const Measured& rank = record.ranks.at(0).rank;
  EXPECT_DOUBLE_EQ(*rank.value, 1.125);
  const auto end = [](double by) { return 1 + 1 / (1 + 7 * std::exp(-by)); };  // odds .125 / .875
  EXPECT_NEAR(*rank.low, end(-3.182446 * .125 / (.125 * .875)), 1e-6);
  EXPECT_NEAR(*rank.high, end(3.182446 * .125 / (.125 * .875)), 1e-6);
  EXPECT_NEAR(*record.ranks.at(1).rank.high, 3 - *rank.low, 1e-12);
  EXPECT_EQ(record.roles.chance, .5);
  EXPECT_THAT(
      record.envelope.findings,
      Contains(
          "At chance level (50.0%): a under C2, erm under C0, erm under C1, erm under C2 and erm under C3."));
}

TEST(SweepReport, SaysWhenNothingDiffersFromTheBaseline) {
  std::vector<Row> rows;
  for (int seed = 0; seed < 3; ++seed) {
    rows.push_back({"erm", "SC", "1", std::to_string(seed), .7 + .1 * seed, .5});
    rows.push_back({"mixup", "SC", "1", std::to_string(seed), .9 - .08 * seed, .5});
  }
  EXPECT_THAT(reported(rows).envelope.headline,
              ::testing::StartsWith("No algorithm differs significantly from erm over all cases. "));
  EXPECT_THAT(reported(two_by_two()).envelope.headline, ::testing::StartsWith("mixup ranks first"));
}

TEST(SweepReport, RanksShareTies) {
  std::vector<Row> rows = two_by_two();
  for (Row& row : rows)
    if (row.shift == "UNIFORM") row.accuracy = .9;  // a tie in 3 of 6 comparisons
  const tasks::SweepReport record = reported(rows);
  ASSERT_EQ(record.ranks.size(), 2u);
  EXPECT_EQ(record.ranks[0].algorithm, "mixup");
  EXPECT_DOUBLE_EQ(*record.ranks[0].rank.value, (3 * 1 + 3 * 1.5) / 6);
  EXPECT_DOUBLE_EQ(*record.ranks[1].rank.value, (3 * 2 + 3 * 1.5) / 6);
  EXPECT_DOUBLE_EQ(record.ranks[0].best, 1);
  EXPECT_DOUBLE_EQ(record.ranks[1].best, .5);
  EXPECT_EQ(record.ranks[0].cases, 2u);
  EXPECT_EQ(record.ranks[0].comparisons, 6u);
  EXPECT_NEAR(*record.ranks[0].rank.low, 1, 1e-6);  // two cases, t of one degree of freedom: the whole range
  EXPECT_NEAR(*record.ranks[0].rank.high, 2, 1e-6);
  EXPECT_THAT(record.envelope.headline, HasSubstr("mixup ranks first of 2 algorithms"));
}

TEST(SweepReport, TheNumberOfShiftsIsThatOfTheNamesParts) {
  std::vector<Row> rows = two_by_two();
  for (const Row& row : two_by_two())
    if (row.shift == "SC") rows.push_back({row.algorithm, "SC+LDD", row.lr, row.seed, row.accuracy - .2, .5});
  const tasks::SweepReport record = reported(rows);
  std::map<std::size_t, double> all;
  for (const tasks::SweepConcurrency& one : record.concurrency)
    if (one.algorithm.empty()) all[one.shifts] = *one.value.mean.value;
  ASSERT_EQ(all.size(), 3u);
  EXPECT_NEAR(all[0], .91, 1e-9);
  EXPECT_NEAR(all[1], .825, 1e-9);
  EXPECT_NEAR(all[2], .625, 1e-9);
}

TEST(SweepReport, TheAttributesOfShiftsAreNoFurtherShifts) {
  tasks::SweepReportOptions options;
  options.measure = "test", options.cases = {"shifts", "attributes"};
  const tasks::SweepReport record =
      report_of(table_of_text("shifts,attributes,algorithm,seed,test\nUNIFORM,,erm,0,.9\nSC,color,erm,0,.7\n"
                              "SC+LDD,color+size,erm,0,.5\nSC+LDD,size+color,erm,0,.4\n"),
                options, 0);
  std::map<std::string, std::size_t> shifts;
  for (const tasks::SweepShift& shift : record.cases) shifts[shift.name] = shift.concurrent.value_or(9);
  EXPECT_EQ(shifts,
            (std::map<std::string, std::size_t>{
                {"UNIFORM", 0}, {"SC, color", 1}, {"SC+LDD, color+size", 2}, {"SC+LDD, size+color", 2}}));
}

// lr .1 is better by the measure, lr .01 by validation. The grid is seed 0; seeds 1 and 2 have what was chosen.
std::vector<Row> tuned() {
  std::vector<Row> rows{{"erm", "SC", "0.1", "0", .9, .6}, {"erm", "SC", "0.01", "0", .7, .8}};
  for (const char* seed : {"1", "2"}) rows.push_back({"erm", "SC", "0.01", seed, .75, .5});
  return rows;
}

TEST(SweepReport, HyperparametersAreChosenByValidationAlone) {
  const tasks::SweepReport record = reported(tuned());
  ASSERT_EQ(record.choices.size(), 1u);
  const tasks::SweepChoice& choice = record.choices.front();
  EXPECT_EQ(choice.chosen, (std::map<std::string, std::string>{{"train.lr", "0.01"}}));
  EXPECT_DOUBLE_EQ(*choice.validation, .8);
  EXPECT_NEAR(*choice.margin, .2, 1e-9);
  EXPECT_EQ(choice.candidates, 2u);
  EXPECT_THAT(choice.seeds, ElementsAre("0"));
  const tasks::SweepMean& mean = record.results.front().value;  // one algorithm, one case
  EXPECT_EQ(mean.seeds, 3u);
  EXPECT_NEAR(*mean.mean.value, (.7 + .75 + .75) / 3, 1e-9);
}

TEST(SweepReport, WaysOfChoosingStandSideBySide) {
  const tasks::SweepReport record = reported(tuned());
  ASSERT_EQ(record.ways.size(), 2u);  // over the run that both have, that of seed 0
  EXPECT_EQ(record.ways[0].way, "source_accuracy");
  EXPECT_NEAR(*record.ways[0].value.mean.value, .7, 1e-9);
  EXPECT_EQ(record.ways[1].way, "oracle");
  EXPECT_NEAR(*record.ways[1].change.mean.value, .2, 1e-9);
  EXPECT_EQ(record.ways[1].value.seeds, 1u);
}

TEST(SweepReport, ACandidateWithoutAValidationValueIsLeftOut) {
  std::vector<Row> rows{{"erm", "SC", "1", "0", .5, .6},
                        {"erm", "SC", "1", "1", .5, .6},
                        {"erm", "SC", "2", "0", .5, .9},
                        {"erm", "SC", "3", "0", .5, .5},
                        {"erm", "SC", "3", "1", .5, .5}};
  const tasks::SweepReport record = reported(rows);
  const tasks::SweepChoice& choice = record.choices.front();
  EXPECT_EQ(choice.chosen.at("train.lr"), "2");  // the grid is seed 0, for which all three were run
  EXPECT_THAT(choice.seeds, ElementsAre("0"));
  rows.push_back({"erm", "SC", "4", "1", .5, .9});  // seeds 0 and 1 have three each: two were run for both
  const tasks::SweepReport both = reported(rows);
  EXPECT_EQ(both.choices.front().chosen.at("train.lr"), "1");
  EXPECT_EQ(both.choices.front().candidates, 2u);
  EXPECT_EQ(both.choices.front().left_out, 2u);
}

TEST(SweepReport, OneChoiceForAnAlgorithmWhereThatIsAsked) {
  const std::vector<Row> rows{{"erm", "SC", "1", "0", .5, .9},
                              {"erm", "SC", "2", "0", .5, .8},
                              {"erm", "UDS", "1", "0", .5, .1},
                              {"erm", "UDS", "2", "0", .5, .8}};
  const auto chosen = [&](const std::string& tune) {
    std::vector<std::string> values;
    tasks::SweepReportOptions options;
    options.tune = tune;
    for (const tasks::SweepChoice& choice : reported(table_of_rows(rows), options).choices)
      values.push_back(choice.chosen.at("train.lr"));
    return values;
  };
  EXPECT_THAT(chosen("case"), ElementsAre("1", "2"));
  EXPECT_THAT(chosen("algorithm"), ElementsAre("2"));
}

// Axes of leeway conds draw: the kind is which attributes are named, the other axes of the stage belong to the assignment.
TEST(SweepReport, CasesMayBeAxesOfTheirShifts) {
  const RunTable table = table_of_text(
      "draw.sc,draw.ldd,draw.train,train.algorithm,unit_seconds,accuracy\n"
      ",,4,erm,1,.9\ncolor,,16,erm,1,.5\nsize,,16,erm,1,.7\ncolor,size,19,erm,1,.4\n,size,5,erm,1,.8\n");
  const tasks::SweepReport record = reported(table);
  std::vector<std::string> names;
  for (const tasks::SweepShift& shift : record.cases) names.push_back(shift.name);
  EXPECT_THAT(names, ElementsAre("UNIFORM", "SC", "LDD", "SC+LDD"));
  EXPECT_THAT(record.settings, ElementsAre(""));
  EXPECT_NEAR(*cell_of(record, "all runs", "SC").value.mean.value, .6, 1e-9);
  EXPECT_EQ(record.results.size(), 4u);
}

TEST(SweepReport, ATableOfOtherMaking) {
  tasks::SweepReportOptions options;
  options.measure = "test", options.algorithm = {"algorithm"}, options.cases = {"shifts"};
  const tasks::SweepReport record = reported(
      "shifts,algorithm,seed,n_train,test\n"
      "SC,erm,0,100,.7\nSC,mixup,0,110,.75\nUNIFORM,erm,0,100,.95\nUNIFORM,mixup,0,110,.9\n",
      options);
  EXPECT_THAT(record.roles.hyperparameters, IsEmpty());
  EXPECT_NEAR(*cell_of(record, "erm", "SC").value.mean.value, .7, 1e-9);
}

// One run has the interval of its record; one seed and several settings that over settings.
TEST(SweepReport, OneSeedSaysWhatItsIntervalIsOver) {
  const RunTable table = table_of_text(
      "train.algorithm,data.name,shift.name,unit_seconds,accuracy,accuracy_low,accuracy_high\n"
      "erm,dsprites,blur,1,.5,.4,.6\nerm,digits,blur,1,.7,.6,.8\nerm,dsprites,noise,1,.3,.2,.4\n");
  const tasks::SweepReport record = reported(table);
  EXPECT_THAT(record.settings, ElementsAre("dsprites", "digits"));
  const tasks::SweepMean& blur = cell_of(record, "all runs", "blur").value;
  EXPECT_EQ(blur.basis, "cases");
  EXPECT_NEAR(*blur.mean.value, .6, 1e-9);
  const tasks::SweepMean& noise = cell_of(record, "all runs", "noise").value;
  EXPECT_EQ(noise.basis, "record");
  EXPECT_DOUBLE_EQ(*noise.mean.low, .2);
  EXPECT_DOUBLE_EQ(*noise.mean.high, .4);
  EXPECT_THAT(record.changes, IsEmpty());
  EXPECT_THAT(record.ranks, IsEmpty());
}

TEST(SweepReport, ScratchAgainstPretrained) {
  std::string text = "train.algorithm,train.start,shift.name,train.seed,unit_seconds,accuracy\n";
  for (const char* seed : {"0", "1"}) {
    const std::string tail = std::string(",blur,") + seed + ",1,";
    text += "erm,resnet.safetensors" + tail + ".8\nerm,none" + tail + ".5\n";
    text += "mixup,resnet.safetensors" + tail + ".9\nmixup,none" + tail + ".7\n";
  }
  const tasks::SweepReport record = reported(text);
  EXPECT_THAT(record.starts, ElementsAre("none", "resnet.safetensors"));
  EXPECT_EQ(record.roles.scratch, "none");
  ASSERT_EQ(record.scratch.size(), 6u);
  EXPECT_NEAR(*record.scratch[1].change.mean.value, .3, 1e-9);
  EXPECT_EQ(record.scratch[5].algorithm, "");
  EXPECT_NEAR(*record.scratch[5].change.mean.value, .25, 1e-9);
}

TEST(SweepReport, CheckpointsByTheValuesOfSelect) {
  std::string text = "train.algorithm,train.select,train.seed,unit_seconds,accuracy\n";
  for (const char* seed : {"0", "1"})
    text += std::string("erm,pa,") + seed + ",1,.6\nerm,accuracy," + seed + ",1,.5\nerm,worst-group," + seed +
            ",1,.4\n";
  const tasks::SweepReport record = reported(text);
  EXPECT_EQ(record.roles.selected, "accuracy");
  EXPECT_NEAR(*cell_of(record, "all runs", "all").value.mean.value, .5, 1e-9);
  std::map<std::string, double> changes;
  for (const tasks::SweepWay& way : record.ways) {
    EXPECT_EQ(way.chooses, "checkpoint");
    changes[way.way] = *way.change.mean.value;
  }
  EXPECT_NEAR(changes.at("accuracy"), 0, 1e-9);
  EXPECT_NEAR(changes.at("pa"), .1, 1e-9);
  EXPECT_NEAR(changes.at("worst-group"), -.1, 1e-9);
  EXPECT_NEAR(changes.at("oracle"), .1, 1e-9);
}

// Validation keeps the second epoch of both seeds, the worst group the first and the third; test accuracy the third and first.
RunTable by_epoch() {
  return table_of_text(
      "train.algorithm,train.seed,unit_seconds,accuracy,epochs.validation_accuracy,"
      "epochs.validation_worst_group_accuracy,epochs.selection_score,epochs.test_accuracy\n"
      "erm,0,1,.5,0.2 0.9 0.9,0.4 0.4 0.4,,0.1 0.3 0.5\n"
      "erm,1,1,.5,0.4 0.7 nan 0.6,0.1 0.2 0.6 0.5,,0.8 0.5 0.7 0.1\n");
}

TEST(SweepReport, CurvesGoAsFarAsAllRunsDo) {
  const tasks::SweepReport record = reported(by_epoch());
  EXPECT_THAT(record.roles.curves,
              ElementsAre("epochs.validation_accuracy", "epochs.validation_worst_group_accuracy",
                          "epochs.test_accuracy"));
  EXPECT_THAT(record.roles.hyperparameters, IsEmpty());
  ASSERT_EQ(record.curves.size(), 3u);
  const tasks::SweepCurve& validation = record.curves.front();
  EXPECT_EQ(tasks::curve_name(validation.column), "validation");
  ASSERT_EQ(validation.points.size(), 3u);
  EXPECT_NEAR(*validation.points[0].value.mean.value, .3, 1e-12);
  EXPECT_NEAR(*validation.points[1].value.mean.value, .8, 1e-12);
  EXPECT_NEAR(*validation.points[2].value.mean.value, .9, 1e-12);  // seed 1 has none there
  EXPECT_EQ(validation.points[2].value.seeds, 1u);
  EXPECT_EQ(record.curves.back().points.back().epoch, 3u);
}

TEST(SweepReport, EpochsByEachCriterion) {
  const tasks::SweepReport record = reported(by_epoch());
  std::map<std::string, double> values;
  for (const tasks::SweepWay& way : record.ways) {
    EXPECT_EQ(way.chooses, "epoch");
    values[way.way] = *way.value.mean.value;
  }
  EXPECT_NEAR(values.at("epochs.validation_accuracy"), .4, 1e-12);
  EXPECT_NEAR(values.at("epochs.validation_worst_group_accuracy"), .4, 1e-12);
  EXPECT_NEAR(values.at("oracle"), .65, 1e-12);
  EXPECT_THAT(record.envelope.findings,
              Contains(HasSubstr("Selecting the epoch by test accuracy instead of validation")));
  EXPECT_EQ(to_json(record_from<tasks::SweepReport>(to_json(record), "r.json")), to_json(record));
}

TEST(SweepReport, LongCurvesAreThinned) {
  std::string series = "0";
  for (int epoch = 1; epoch < 200; ++epoch) series += fmt::format(" {}", epoch);
  const tasks::SweepReport record = report_of(
      table_of_text("train.seed,unit_seconds,accuracy,epochs.selection_score\n0,1,.5," + series + "\n"), {},
      0);
  const auto& points = record.curves.at(0).points;
  ASSERT_EQ(points.size(), 50u);
  EXPECT_EQ(points.front().epoch, 1u);
  EXPECT_EQ(points.back().epoch, 200u);
  for (const auto& point : points) EXPECT_EQ(*point.value.mean.value + 1, static_cast<double>(point.epoch));
}

TEST(SweepReport, RunsWithoutAValueSayWhy) {
  std::vector<Row> rows = two_by_two();
  std::erase_if(rows, [](const Row& row) { return row.algorithm == "mixup" && row.shift == "SC"; });
  RunTable table = table_of_rows(rows);
  for (const char* seed : {"0", "1", "2"})
    table.missing.push_back(
        {{{"train.algorithm", "mixup"}, {"draw.case", "SC"}, {"train.lr", "1"}, {"train.seed", seed}},
         "failed: no memory"});
  const tasks::SweepReport record = reported(table);
  const tasks::SweepMean& mean = cell_of(record, "mixup", "SC").value;
  EXPECT_FALSE(mean.mean.value);
  EXPECT_EQ(mean.missing, "failed: no memory");
  ASSERT_EQ(record.missing.size(), 1u);
  EXPECT_EQ(record.missing[0].runs, 3u);
  EXPECT_EQ(record.missing[0].example, "mixup, SC, seed 0");
  EXPECT_EQ(change_of(record, "mixup", "").change.left_out, 1u);  // over the case that is there
  EXPECT_EQ(record.ranks[0].cases, 1u);
}

// A seed that one case lacks is left out of the mean over both; one that both lack with the others drops the case.
TEST(SweepReport, MeansAreOverTheSameCasesInEverySeed) {
  std::vector<Row> rows = two_by_two();
  std::erase_if(rows, [](const Row& row) { return row.shift == "SC" && row.seed == "2"; });
  const tasks::SweepMean all = change_of(reported(rows), "mixup", "").change;
  EXPECT_EQ(all.seeds, 2u);
  EXPECT_EQ(all.runs, 4u);
}

TEST(SweepReport, OneClearLineForEachMistake) {
  tasks::SweepReportOptions options;
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"train.seed,unit_seconds,accuracy,epochs.selection_score\n1,1,.5,1 x 2\n",
            "in column epochs.selection_score, found 'x' in row 0"},
           {"train.lr,unit_seconds,accuracy\n1,1,.5\n2,1,.6\n",
            "--validation: expected a column to select train.lr by"},
           {"train.lr,unit_seconds,accuracy\n1,1,\n", "runs.csv: expected a value of accuracy, found none"},
           {"train.lr,unit_seconds,accuracy\n1,1,high\n", "in column accuracy, found 'high' in row 0"},
           {"train.algorithm,unit_seconds,accuracy\nerm,1,.5\nmixup,1,.5\nerm,1,.6\n",
            "found two rows of erm"}})
    EXPECT_THAT(message_of([&, &text = text] { (void)reported(text); }), HasSubstr(words));
  options.baseline = "mixip";
  EXPECT_REFUSED(reported(table_of_rows(two_by_two()), options), "found 'mixip'; did you mean mixup?...");
}

}  // namespace leeway::sweep::testing::report_test

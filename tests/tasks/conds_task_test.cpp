// Shifts drawn from a table in memory and found again, without a command; their records are read as they were written.
#include <gmock/gmock.h>

#include <algorithm>

#include "leeway/core/error.h"
#include "leeway/core/result.h"
#include "leeway/describe/json.h"
#include "leeway/tasks/conds_describe/conds_describe.h"
#include "leeway/tasks/conds_draw/conds_draw.h"
#include "tests/conds/attribute_tables.h"
#include "tests/message_of.h"

namespace leeway::tasks::conds_task_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

AttributeTable table() { return conds::full_table(3, {3, 2}, 40); }

// SC on a0: 10 training, 2 validation and 5 test samples a cell.
CondsDrawTask drawing() {
  CondsDrawTask task{.table = table(), .seed = 3};
  task.options.label = "label";
  task.options.shifts.sc = "a0";
  task.options.counts.train = 10;
  task.options.counts.validation = 2;
  task.options.counts.test = 5;
  return task;
}

data::RowSplit drawn() {
  data::RowSplit rows;
  CondsDrawTask task = drawing();
  task.save = [&](const std::string&, const conds::ConDSSplit& split) {
    rows = {split.train, split.validation, split.test, 0};
    return SavedSplit{};
  };
  (void)conds_draw(task);
  return rows;
}

// Outputs that are right but where a0 is 0: there they say 0.
Outputs outputs_of(const AttributeTable& of) {
  std::vector<double> logits(3 * of.n());
  for (std::size_t i = 0; i < of.n(); ++i)
    logits[3 * i + (of.attributes[0].codes[i] == 0 ? 0 : of.label.codes[i])] = 2;
  Outputs outputs;
  outputs.path = "outputs.npz";
  outputs.logits = make_array<double>({of.n(), 3}, logits);
  outputs.labels.emplace(of.label.codes.begin(), of.label.codes.end());
  return outputs;
}

TEST(CondsTasks, APlanDrawsNothingAndADrawSaysWhatItDrew) {
  CondsDrawTask task = drawing();
  const CondsDraw plan = conds_draw(task);
  ASSERT_EQ(plan.results.size(), 1u);
  EXPECT_EQ(plan.results[0].name, "sc-0");
  EXPECT_EQ(plan.results[0].out, std::nullopt);
  EXPECT_EQ(plan.results[0].cells.size(), 18u);
  EXPECT_THAT(plan.envelope.headline, HasSubstr("are planned from 720 rows"));
  std::size_t train = 0;
  task.save = [&](const std::string& name, const conds::ConDSSplit& split) {
    train = split.train.size();
    EXPECT_EQ(split_text(split).substr(0, 12), "index,split\n");
    return SavedSplit{name + ".csv", ""};
  };
  const CondsDraw draw = conds_draw(task);
  EXPECT_EQ(draw.results[0].out, "sc-0.csv");
  EXPECT_EQ(draw.results[0].xxh3_128, std::nullopt);
  EXPECT_EQ(draw.results[0].n_train, train);
  EXPECT_EQ(train, plan.results[0].n_train);
  EXPECT_EQ(draw.envelope.seed, 3u);
  EXPECT_THAT(draw.envelope.findings, IsEmpty());
}

TEST(CondsTasks, ATableIsReadByTheColumnsThatOptionsName) {
  CondsDrawOptions options;
  options.label = "y";
  options.shifts.sc = "place";
  EXPECT_THAT(table_columns(options).attributes, ElementsAre("place"));
  options.shifts.ldd = "place";
  EXPECT_THROW((void)table_columns(options), OptionError);
  options.shifts = {};
  options.data_set = "dsprites";
  options.columns = {"only one"};
  EXPECT_THROW((void)table_columns(options), OptionError);
  options.columns.clear();
  EXPECT_EQ(table_columns(options).label, "y");
  EXPECT_REFUSED(table_columns(CondsDrawOptions()), "--label is required...");
}

TEST(CondsTasks, CellsThatLackRowsAreFindings) {
  CondsDrawTask task = drawing();
  task.options.counts.train = 100;
  task.options.all = task.options.plan = true;
  task.options.shifts.sc.reset();
  const CondsDraw plan = conds_draw(task);
  ASSERT_EQ(plan.results.size(), 13u);
  EXPECT_EQ(plan.envelope.findings.front(), "uniform: 18 of 18 cells have too few rows");
  task.options.plan = false;
  task.save = [](const std::string&, const conds::ConDSSplit&) { return SavedSplit{}; };
  EXPECT_REFUSED(conds_draw(task), "table.csv: uniform: expected 107 rows...");
}

TEST(CondsTasks, WhatWasDrawnIsFound) {
  CondsDescribeTask task{.inputs = {table(), {}, drawn(), "split.csv", {}}};
  task.options.permutations = task.options.bootstrap = 499;
  const CondsDescribe record = conds_describe(task);
  ASSERT_EQ(record.results.size(), 1u);
  const conds::Description& said = record.results[0].description;
  EXPECT_EQ(said.n_target, 90u);
  EXPECT_EQ(said.findings[0].kind, conds::ShiftKind::sc);
  EXPECT_EQ(said.findings[0].column, "a0");
  EXPECT_THAT(record.envelope.headline, StartsWith("Spurious correlation: label and a0 are correlated"));
  EXPECT_EQ(record.envelope.findings.size() + 1, said.findings.size());
  EXPECT_FALSE(record.results[0].accuracy);
}

TEST(CondsTasks, NumbersAreBinsOfTheSource) {
  AttributeTable source{"source.csv", {}, {{"age", {}, {}}}, {}};
  for (std::uint16_t i = 0; i < 40; ++i)
    source.attributes[0].values.push_back(std::to_string(i)), source.attributes[0].codes.push_back(i);
  AttributeTable older = source;
  for (std::uint16_t& code : older.attributes[0].codes) code = 39;
  CondsDescribeTask task{.inputs = {source, older, {}, "", {}}};
  task.options.permutations = task.options.bootstrap = 19;
  const std::vector<DescribedCell> cells = conds_describe(task).results[0].cells;
  ASSERT_EQ(cells.size(), 4u);
  EXPECT_THAT(cells[1].values, ElementsAre("above 9 to 19"));
  EXPECT_EQ(cells[3].n_source, 10u);
  EXPECT_EQ(cells[3].n_target, 40u);
}

TEST(CondsTasks, OutputsOfTheTargetAndOfAllRowsSayTheSame) {
  const data::RowSplit split = drawn();
  const auto accuracy_with = [&](const AttributeTable& rows) {
    CondsDescribeTask task{.inputs = {table(), {}, split, "split.csv", outputs_of(rows)}};
    task.options.permutations = task.options.bootstrap = 19;
    return Json(to_json(conds_describe(task))["results"][0]["accuracy"]);
  };
  const Json of_all = accuracy_with(table()), of_target = accuracy_with(take(table(), split.test));
  EXPECT_EQ(of_all, of_target);
  EXPECT_EQ(of_all["n"], 90);
  EXPECT_EQ(of_all["accuracy"].get<double>(), 70. / 90);  // 20 of 30 rows with a0 = 0 are wrong
  EXPECT_EQ(of_all["cells"][0]["accuracy"], 0);
  AttributeTable turned = table();
  std::rotate(turned.label.codes.begin(), turned.label.codes.begin() + 1, turned.label.codes.end());
  EXPECT_REFUSED(accuracy_with(turned), "one class for each label, found classes...");
  const AttributeTable other = take(table(), std::vector<std::size_t>{0, 1});
  EXPECT_REFUSED(accuracy_with(other),
                 "expected 90 rows (the test set of the split) or 720 (all rows), found 2...");
}

TEST(CondsTasks, WithoutALabelOutputsBesideATableStillHaveAccuracy) {
  CondsDescribeTask task{.inputs = {table(), {}, drawn(), "split.csv", outputs_of(table())}};
  task.inputs.source->label = {};
  task.options.permutations = task.options.bootstrap = 19;
  const CondsDescribe record = conds_describe(task);
  const Json json = to_json(record);
  EXPECT_EQ(to_json(record_from<CondsDescribe>(json, "r.json")), json);
  EXPECT_EQ(json["results"][0]["columns"].size(), 2u);
  EXPECT_EQ(json["results"][0]["columns"][0]["sc"], nullptr);
  EXPECT_EQ(json["results"][0]["cells"][0]["values"].size(), 2u);
  EXPECT_EQ(json["results"][0]["accuracy"]["accuracy"].get<double>(), 70. / 90);
  const auto refused = [](const Json& wrong) {
    return message_of([&] { (void)record_from<CondsDescribe>(wrong, "r.json"); });
  };
  Json short_counts = json, other_value = json;
  short_counts["results"][0]["columns"][0]["target_counts"].erase(0);
  other_value["results"][0]["cells"][0]["values"] = {"0", "none"};
  EXPECT_THAT(refused(short_counts), HasSubstr("a count of each of 3 values of column 'a0', found 3 and 2"));
  EXPECT_THAT(refused(other_value), HasSubstr("a value of column 'a1', found 'none'"));
}

}  // namespace leeway::tasks::conds_task_test

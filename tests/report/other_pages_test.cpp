// Pages of leeway attack, train, distances, align, conds describe, shift corrupt and sweep report.
#include <gmock/gmock.h>

#include "leeway/tasks/records.h"
#include "tests/describe/model_records.h"
#include "tests/message_of.h"
#include "tests/report/pages.h"

namespace leeway::tasks::other_pages_test {

using test::occurrences;
using test::page_of;
using test::reference_record;
using ::testing::HasSubstr;
using ::testing::Not;

Attack attack() {
  Attack record = test::within_a_radius("label");
  record.results[0].model = "a<b>.safetensors";
  return record;
}

TEST(AttackPage, ShowsBeforeAndAfter) {
  const Attack record = attack();
  const std::string page = html_report(record);
  EXPECT_THAT(page, HasSubstr("<b>30%</b>"));
  EXPECT_THAT(page, HasSubstr("a&lt;b&gt;.safetensors"));
  EXPECT_THAT(page, HasSubstr("fixed radius"));
  EXPECT_THAT(page, HasSubstr("pgd in linf within 0.03"));
  EXPECT_TRUE(test::parts_of(view(record)).charts.empty());
}

TEST(AttackPage, OfSeveralRadiiDrawsWhatWithstandsByRadius) {
  Attack record = attack();
  record.results.push_back(record.results.front());
  record.results.back().eps = .06, record.results.back().robust_accuracy = .1;
  record.results.push_back(record.results.front());
  record.results.back().attack = "fgsm", record.results.back().model = "b.pt";
  EXPECT_THAT(headline_of(record), HasSubstr("the fewest predictions survive in a<b>.safetensors"));
  const std::string page = html_report(record);
  const test::Parts parts = test::parts_of(view(record));
  ASSERT_EQ(parts.charts.size(), 1u);  // one radius of fgsm is no line
  EXPECT_EQ(test::data_of(parts.charts[0].second, "points").size(), 2u);
  EXPECT_THAT(page, HasSubstr("pgd and fgsm in linf"));
}

TEST(AttackPage, OfNearestImagesDrawsAccuracyByRadius) {
  const test::Parts parts = test::parts_of(view(test::of_minimum_norm()));
  ASSERT_EQ(parts.charts.size(), 1u);
  EXPECT_EQ(test::data_of(parts.charts[0].second, "points").size(), 2u);
}

TEST(TrainPage, ShowsTheCourse) {
  const Train record = test::two_epochs();
  const std::string page = html_report(record);
  const test::Parts parts = test::parts_of(view(record));
  ASSERT_EQ(parts.charts.size(), 4u);  // accuracies, the loss, the score, the penalty
  EXPECT_EQ(test::data_of(parts.charts[0].second, "points").size(), 6u);
  EXPECT_EQ(test::data_of(parts.charts[0].second, "picks")[0]["x"], 1);
  EXPECT_THAT(page, HasSubstr("Epoch selected by each criterion"));
  EXPECT_THAT(page, HasSubstr("2 epochs, 5,400 training images, 600 validation images"));
}

TEST(DistancesPage, ShowsEveryDistanceAndWhyOneIsMissing) {
  Distances record;
  record.envelope.instruction_set = "baseline";
  for (const double value : {.5, 2.}) {
    DistancesSet& set = record.results.emplace_back();
    set.shifted = value < 1 ? "near.npz" : "far.npz", set.n_clean = set.n_shifted = 10, set.k = 3;
    set.distances = {{"kl", value}, {"mmd", std::nullopt}};
    set.not_computed = {{"mmd", "the files hold no features"}};
  }
  record.envelope.headline = headline_of(record);
  const std::string page = html_report(record);
  EXPECT_THAT(page, HasSubstr("the files hold no features"));
  EXPECT_THAT(page, HasSubstr("--s:0.80"));
  EXPECT_THAT(page, HasSubstr("--s:0.20"));
}

Align aligned(bool labelled) {
  Align record;
  record.envelope.instruction_set = "baseline";
  AlignSet& set = record.results.emplace_back();
  set.shifted = "blue<1>.npz", set.n = 3, set.d = 8;
  set.found.cross_domain_error = .25, set.found.cross_domain_error_interval = {.125, .5};
  set.found.correlation = .5, set.found.angle = 12.5;
  set.found.clean.explained = .75, set.found.shifted.explained = .5;
  set.found.clean.projections = {-1, 0, 1}, set.found.shifted.projections = {-1, .5, 1};
  if (labelled) {
    set.found.clean.class_variance = {.1, {.05, .2}};
    set.found.shifted.class_variance = {.6, {.5, .7}};
    set.projection_labels = {"four", "nine", "nine"};
  }
  record.envelope.headline = headline_of(record);
  return record;
}

TEST(AlignPage, ShowsProjectionsByClass) {
  const std::string page = html_report(aligned(true));
  EXPECT_THAT(page, HasSubstr("data-spec=\"alignment\""));
  EXPECT_THAT(page, HasSubstr("id=\"spec-alignment\""));
  EXPECT_THAT(page, HasSubstr("the first principal directions are 12.5 degrees apart"));
  EXPECT_THAT(page, HasSubstr("blue&lt;1&gt;.npz"));
  EXPECT_THAT(page, Not(HasSubstr("blue<1>")));
  EXPECT_THAT(page, HasSubstr("nine"));
  EXPECT_THAT(page, HasSubstr("0.125–0.5"));
}

TEST(AlignPage, SaysThatThereAreNoLabels) {
  EXPECT_THAT(html_report(aligned(false)), HasSubstr("the files have no labels"));
  Json json = to_json(aligned(false));
  json["results"][0]["angle"] = 200;
  EXPECT_REFUSED(html_report(json), "expected a number from 0 to 180...");
}

Json described() { return reference_record("describe_record.json"); }

TEST(DescribePage, SaysWhatWasFoundAndDrawsTheCells) {
  const std::string page = page_of(described());
  EXPECT_THAT(page, HasSubstr("correlation: shape and color are correlated in the source (Cramer&#39;s"));
  EXPECT_THAT(page, HasSubstr("<li>low data drift: size = "));
  EXPECT_EQ(occurrences(page, "data-spec=\"cells\"><"), 3u);  // three maps in their panels
  EXPECT_THAT(page, HasSubstr("<option value=\"1\">size</option>"));
  EXPECT_THAT(page, HasSubstr("of the target lies in cells that the source lacks"));
  EXPECT_THAT(page, HasSubstr("Weakest: shape="));
  EXPECT_THAT(page, HasSubstr("Accuracy of every cell, worst first"));
}

TEST(DescribePage, WithoutATargetOrOutputsItSaysLess) {
  Json record = described();
  Json& result = record["results"][0];
  result["findings"] = Json::array();
  record["headline"] = "No shift found: none of 9 tests is significant.";
  result["n_target"] = result["accuracy"] = result["unseen_cells"] = nullptr;
  for (Json& column : result["columns"]) {
    column["uds"] = nullptr;
    if (!column["sc"].is_null()) column["sc"]["target"] = nullptr;
  }
  const std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("No shift found"));
  EXPECT_THAT(page, HasSubstr("no target"));
  EXPECT_THAT(page, Not(HasSubstr("Weakest")));
}

Json corrupted() { return reference_record("corruptions_record.json"); }

TEST(CorruptionsPage, SaysWhatWasFoundAndDrawsIt) {
  const std::string page = page_of(corrupted());
  EXPECT_THAT(page, HasSubstr("19 corruptions at 5 severities; corrected variant"));
  EXPECT_THAT(page, HasSubstr("saturate was skipped: not defined on gray images."));
  EXPECT_EQ(occurrences(page, "data-spec=\"cells\"><"), 2u);  // accuracy and agreement
  EXPECT_EQ(occurrences(page, "data-spec=\"overview\"><"), 1u);
  EXPECT_EQ(occurrences(page, "data-spec=\"lines\"><"), 5u);  // groups
  EXPECT_THAT(page, HasSubstr("<option value=\"1\">Posterior agreement</option>"));
  EXPECT_THAT(page, HasSubstr("Mean corruption error (unnormalized)"));
}

TEST(CorruptionsPage, ErrorsRelativeToAReference) {
  Json record = corrupted();
  record["mean"]["reference"] = "AlexNet";
  record["mean"]["mce"] = 71.23;
  for (Json& row : record["errors"]) row["ce"] = 71.2, row["ce_low"] = 70.1, row["ce_high"] = 72.3;
  const std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("mCE 71.2 relative to AlexNet"));
  EXPECT_THAT(page, HasSubstr("70.1–72.3"));
  EXPECT_THAT(page, HasSubstr("Relative CE"));
}

TEST(CorruptionsPage, WithoutLabelsOrAModelItSaysLess) {
  Json record = corrupted();
  for (Json& set : record["results"])
    for (const char* key : {"accuracy", "accuracy_low", "accuracy_high", "error", "error_low", "error_high"})
      set[key] = nullptr;
  record["clean"] = record["mean"] = nullptr;
  record["errors"] = Json::array();
  const std::string page = page_of(record);
  EXPECT_THAT(page, HasSubstr("Agreement by severity"));
  EXPECT_THAT(page, HasSubstr("no labels were given"));
  EXPECT_THAT(page, Not(HasSubstr("data-spec=\"overview\"><")));
}

Json swept() { return reference_record("sweep_report_record.json"); }

const Table& table_called(const test::Parts& parts, std::string_view caption) {
  for (const auto& [section, table] : parts.tables)
    if (table.caption.find(caption) != std::string::npos) return table;
  throw std::runtime_error("no table " + std::string(caption));
}

TEST(SweepReportPage, SaysWhatWasFoundAndDrawsIt) {
  Json record = swept();
  record["algorithms"][0] = "<b>erm";
  record["roles"]["baseline"] = "<i>erm";
  const std::string page = page_of(record);
  EXPECT_THAT(page, ::testing::AllOf(Not(HasSubstr("<b>erm")), Not(HasSubstr("<i>erm"))));
  EXPECT_THAT(page, HasSubstr("ranks first of 6 algorithms"));
  EXPECT_THAT(page, HasSubstr("hyperparameters selected by source_accuracy"));
  for (const char* section :
       {"changes", "ranks", "cases", "starts", "choices", "ways", "curves", "runs", "source"})
    EXPECT_EQ(occurrences(page, std::string("<section id=\"") + section + "\""), 1u) << section;
  EXPECT_THAT(page, HasSubstr(" with 0 shifts and "));
  EXPECT_THAT(page, HasSubstr("Selecting the hyper-parameters by the measure itself instead of "
                              "source_accuracy would change it by "));
}

// A map has a choice of settings and starts; each cell's number is that of the record.
TEST(SweepReportPage, TheMapHoldsTheRecordsNumbers) {
  const Json record = swept();
  const test::Parts parts = test::parts_of(view(record));
  std::size_t maps = 0, cells = 0;
  for (const auto& [section, chart] : parts.charts) {
    if (chart.spec != "cells" || section != "overview") continue;
    ++maps;
    cells += test::data_of(chart, "cells").size();
  }
  EXPECT_EQ(maps, 6u);  // two starts; both settings and their mean
  std::size_t known = 0;
  for (const Json& cell : record["results"]) known += cell["value"].is_null() ? 0 : 1;
  EXPECT_EQ(cells, known);
  const Table& table = table_called(parts, "Algorithms by cases: accuracy, mean of 2 settings, start none");
  ASSERT_EQ(table.rows.size(), record["algorithms"].size());
  EXPECT_NEAR(*table.rows[0][1].value, record["results"][0]["value"].get<double>(), 1e-9);
  EXPECT_EQ(table.columns[1].title, "UNIFORM");
  EXPECT_TRUE(table.columns[1].interval);
}

// One page for every kind of record there is, whatever its results are.
TEST(Report, EveryRecordThatIsDescribedHasAPage) {
  for (const RecordType& kind : records()) {
    const Json json = {{"schema", kind.schema}};
    const std::string complaint = message_of([&] { (void)html_report(json); });
    EXPECT_THAT(complaint, Not(HasSubstr("a record of schema"))) << kind.schema;
  }
}

}  // namespace leeway::tasks::other_pages_test

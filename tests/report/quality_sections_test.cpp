// The sections of drift, of what labels say beside accuracy, and of the weakest sub-groups; the likely error on the first screen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leeway/report/report.h"

namespace leeway::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

record::Assess assessed() {
  record::Assess record;
  record.models = {"cnn"}, record.targets = {"monday"}, record.class_names = {"<cat>", "dog"};
  record::AssessResult& result = record.results.emplace_back();
  result.model = "cnn", result.target = "monday", result.n = 100, result.source_n = 200, result.k = 2;
  return record;
}

TEST(LikelyErrorColumn, StandsOnTheFirstScreenWithTheSource) {
  record::Assess record = assessed();
  record.results[0].source_accuracy = {.845, .79, .89};
  record.results[0].likely_error = record::LikelyError{"cot", "it <moved>", {.33, .29, .37}, .28, .39};
  const std::string page = html_report(record);
  EXPECT_THAT(page, AllOf(HasSubstr("Error, probably"), HasSubstr("On the source"), HasSubstr("28–39")));
  EXPECT_THAT(page, HasSubstr("cot, since it &lt;moved&gt;"));
  EXPECT_THAT(html_report(assessed()), Not(HasSubstr("Error, probably")));
}

TEST(DriftSection, SaysWhatMovedOrThatNothingDid) {
  record::Assess record = assessed();
  record::AssessDrift& drift = record.results[0].drift.emplace();
  drift.classes.name = "predicted class", drift.confidence.name = "confidence";
  drift.left_out = {"<camera>"};
  EXPECT_THAT(html_report(record), AllOf(HasSubstr("Nothing moved that the tests of the target see"),
                                         HasSubstr("only one of source and target has &lt;camera&gt;")));
  drift.groups.push_back(
      {"weather", "chi-square", 40, 1e-9, 3e-9, {.2, .1, .3}, {}, {{"<snow>", "new", 0, 7, {}}}, 1});
  EXPECT_THAT(html_report(record), AllOf(HasSubstr("monday: weather moved (p &lt; 0.0001)"),
                                         HasSubstr("&lt;snow&gt; new with 7%")));
  EXPECT_THAT(html_report(assessed()), Not(HasSubstr("id=\"drift\"")));
}

TEST(QualitySection, HasTablesDiagramAndConfusion) {
  record::Assess record = assessed();
  record::AssessQuality quality;
  quality.n = 100;
  quality.balanced_accuracy = {.8, .7, .9}, quality.macro_f1 = {.79, .7, .88}, quality.ece = {.05, .01, .09};
  quality.log_loss = {.4, .3, .5}, quality.brier = {.3, .2, .4};
  quality.classes = {{0, 60, 50, {.9, .8, .95}, {.8, .7, .9}, {.85, .8, .9}, {}},
                     {1, 40, 50, {}, {}, {.7, .6, .8}, {}}};
  quality.reliability = {{0, .5, 0, {}, {}}, {.5, 1, 100, .85, {.8, .7, .9}}};
  quality.confusion = {{48, 12}, {2, 38}};
  record.results[0].quality = quality;
  record.results[0].labelled = true;
  const std::string page = html_report(record);
  EXPECT_THAT(
      page, AllOf(HasSubstr("Beside accuracy: monday has a macro F1 of"), HasSubstr("an AUROC of no number"),
                  HasSubstr("Labels against predictions"), HasSubstr("surer than right"),
                  HasSubstr("never predicted"), Not(HasSubstr("<cat>"))));
  EXPECT_THAT(html_report(assessed()), Not(HasSubstr("id=\"quality\"")));
}

TEST(SubgroupsSection, NamesTheWeakest) {
  record::Assess record = assessed();
  record::AssessSubgroups& found = record.results[0].subgroups.emplace();
  EXPECT_THAT(html_report(record), Not(HasSubstr("id=\"subgroups\"")));
  found.list.push_back(
      {{"weather", "time"}, {"<fog>", "night"}, 60, 70, {.5, .35, .65}, {-.3, -.45, -.1}, true});
  EXPECT_THAT(html_report(record),
              HasSubstr("Weakest sub-group: weather = &lt;fog&gt;, time = night (monday)"));
  found.list[0].clear = false;
  EXPECT_THAT(html_report(record), HasSubstr("No sub-group is clearly weaker than the rest"));
}

}  // namespace
}  // namespace leeway::report

// Pages of leeway attack, train and distances, and of records that have none of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leeway/record/list.h"
#include "leeway/record/records.h"
#include "leeway/report/detail/page_parts.h"
#include "leeway/report/report.h"
#include "tests/message_of.h"
#include "tests/report/pages.h"

namespace leeway::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

record::Attack attack(bool nearest) {
  record::Attack record;
  record.envelope.instruction_set = "baseline";
  record.options.attack = nearest ? "fmn" : "pgd";
  if (!nearest) record.options.eps = .03;
  record::AttackedSet& set = record.results.emplace_back();
  set.model = "a<b>.safetensors", set.target = "label", set.n = 200;
  set.attack = record.options.attack, set.eps = record.options.eps;
  set.clean_accuracy = .9, set.clean_accuracy_interval = {.85, .94};
  set.robust_accuracy = .25, set.robust_accuracy_interval = {.19, .32};
  set.success = .75, set.success_interval = {.68, .81};
  if (nearest)
    set.norms =
        record::NearestNorms{.02, {.015, .025}, .01, .04, {{0, .9, {.85, .94}}, {.05, .1, {.06, .15}}}};
  record.envelope.headline = headline_of(record);
  return record;
}

TEST(AttackPage, ShowsBeforeAndAfter) {
  const std::string page = html_report(attack(false));
  EXPECT_THAT(page, HasSubstr("<b>25%</b>"));
  EXPECT_THAT(page, HasSubstr("a&lt;b&gt;.safetensors"));
  EXPECT_THAT(page, HasSubstr("the radius was given"));
  EXPECT_THAT(page, HasSubstr("pgd in linf within 0.03"));
  EXPECT_TRUE(parts_of(page).charts.empty());
  EXPECT_EQ(html_report(to_json(attack(false))), page);
}

TEST(AttackPage, OfSeveralRadiiDrawsWhatWithstandsByRadius) {
  record::Attack record = attack(false);
  record.results.push_back(record.results.front());
  record.results.back().eps = .06, record.results.back().robust_accuracy = .1;
  record.results.push_back(record.results.front());
  record.results.back().attack = "fgsm";
  const std::string page = html_report(record);
  const PageParts parts = parts_of(page);
  ASSERT_EQ(parts.charts.size(), 1u);  // one radius of fgsm is no line
  EXPECT_EQ(parts.charts[0].content["data"]["points"].size(), 2u);
  EXPECT_THAT(page, HasSubstr("Radius"));
  EXPECT_THAT(page, HasSubstr("pgd and fgsm in linf"));
}

TEST(AttackPage, OfNearestImagesDrawsAccuracyByRadius) {
  const PageParts parts = parts_of(html_report(attack(true)));
  ASSERT_EQ(parts.charts.size(), 1u);
  EXPECT_EQ(parts.charts[0].content["data"]["points"].size(), 2u);
}

record::Train training(std::size_t epochs) {
  record::Train record;
  record.envelope.instruction_set = "baseline";
  record::TrainedModel& model = record.results.emplace_back();
  model.out = "m.safetensors", model.weights = 1234;
  Training& training = model.training;
  for (std::size_t i = 1; i <= epochs; ++i) {
    Epoch& epoch = training.epochs.emplace_back();
    epoch.number = i, epoch.steps = 10 * i, epoch.loss = 1. / static_cast<double>(i);
    epoch.accuracy = .5 + .01 * static_cast<double>(i), epoch.accuracy_interval = {.4, .7};
    epoch.validation_accuracy = .6, epoch.validation_accuracy_interval = Interval{.5, .7};
    epoch.parts = {{"penalty", .1}};
  }
  training.best_epoch = 2, training.best_by_accuracy = 2, training.best_by_score = 1;
  training.plan.threads = 1;
  training.n_train = 900, training.n_validation = 100;
  record.options = training.options;
  record.envelope.headline = headline_of(record);
  return record;
}

TEST(TrainPage, ShowsTheCourse) {
  const std::string page = html_report(training(5));
  const PageParts parts = parts_of(page);
  ASSERT_EQ(parts.charts.size(), 3u);  // accuracies, the loss, the penalty
  EXPECT_EQ(parts.charts[0].content["data"]["points"].size(), 10u);
  EXPECT_EQ(parts.charts[0].content["data"]["picks"][0]["x"], 2);
  EXPECT_THAT(page, HasSubstr("What each criterion would have kept"));
  EXPECT_THAT(page, HasSubstr("5 epochs, 900 training images, 100 validation images"));
  EXPECT_EQ(html_report(to_json(training(5))), page);
}

TEST(DistancesPage, ShowsEveryDistanceAndWhyOneIsMissing) {
  record::Distances record;
  record.envelope.instruction_set = "baseline";
  for (const double value : {.5, 2.}) {
    record::DistancesSet& set = record.results.emplace_back();
    set.shifted = value < 1 ? "near.npz" : "far.npz", set.n_clean = set.n_shifted = 10, set.k = 3;
    set.distances = {{"kl", value}, {"mmd", std::nullopt}};
    set.not_computed = {{"mmd", "the files hold no features"}};
  }
  record.envelope.headline = headline_of(record);
  const std::string page = html_report(record);
  EXPECT_THAT(page, HasSubstr("the files hold no features"));
  EXPECT_THAT(page, HasSubstr("--s:0.80"));
  EXPECT_THAT(page, HasSubstr("--s:0.20"));
  EXPECT_EQ(html_report(to_json(record)), page);
}

TEST(PlainPage, ShowsTheKeysOfARecord) {
  record::List record;
  record.envelope.instruction_set = "baseline";
  record::ListedFamily& family = record.results.emplace_back();
  family.family = "shifts", family.summary = "of <images>";
  record::ListedMember& member = family.members.emplace_back();
  member.name = "noise", member.summary = "adds noise",
  member.parameters = {{"sigma", .1, 0, 1, false, "its width"}};
  record.envelope.headline = headline_of(record);
  const std::string page = html_report(to_json(record));
  EXPECT_THAT(page, HasSubstr("of &lt;images&gt;"));
  const PageParts parts = parts_of(page);
  ASSERT_GE(parts.tables.size(), 3u);
  EXPECT_EQ(parts.tables[0].caption, "Results");
  EXPECT_EQ(parts.tables[0].rows[0][0].text, "shifts");
  EXPECT_THAT(parts.tables[1].caption, HasSubstr("Members"));
  EXPECT_THAT(page, HasSubstr("its width"));
}

// One page for every kind of record there is, whatever its results are.
TEST(PlainPage, EveryRecordThatIsDescribedHasAPage) {
  for (const record::Record& kind : record::records()) {
    const Json json = {{"schema", kind.schema}};
    const std::string complaint = message_of([&] { (void)html_report(json); });
    EXPECT_THAT(complaint, Not(HasSubstr("a record of schema"))) << kind.schema;
  }
  EXPECT_THAT(message_of([] {
                (void)html_report(Json{{"schema", "leeway.other/1"}});
              }),
              HasSubstr("expected a record of schema"));
}

}  // namespace
}  // namespace leeway::report

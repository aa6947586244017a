// The record of leeway train: read as it was written, beside the weights too, and its words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "leeway/record/json.h"
#include "leeway/record/train.h"
#include "tests/message_of.h"

namespace leeway::record {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Numbers made up: adversarial training on data with groups, chosen by agreement.
Train two_epochs() {
  Train record;
  record.envelope.instruction_set = "baseline";
  record.options.algorithm = "pgd";
  record.options.parameters = {{"eps", .1}, {"steps", 7}};
  record.options.validation = .1;
  record.options.select = "pa";
  record.options.select_shift = "gaussian-noise:0.2";
  record.options.mean = {.5};
  TrainedModel model{"m.safetensors", 1234, 1, false, {}};
  Training& training = model.training;
  training.options = record.options;
  training.plan.seed = 3, training.plan.threads = 2, training.plan.torch = "1.13.1";
  training.plan.data = "ab", training.plan.groups = {{"colour", "cd"}};
  for (const double right : {.5, .8}) {
    Epoch epoch;
    epoch.number = training.epochs.size() + 1;
    epoch.steps = 45 * epoch.number;
    epoch.loss = 1 - right;
    epoch.accuracy = right;
    epoch.accuracy_interval = {right - .01, right + .01};
    epoch.validation_accuracy = right - .1;
    epoch.validation_accuracy_interval = {right - .14, right - .06};
    epoch.validation_robust_accuracy = right - .2;
    epoch.validation_robust_accuracy_interval = {right - .24, right - .16};
    epoch.selection_score = -right;
    epoch.parts = {{"penalty", 2}};
    epoch.seconds = 1.5;
    training.epochs.push_back(epoch);
  }
  training.best_epoch = 1;
  training.best_by_score = 1, training.best_by_accuracy = 2, training.best_by_worst_group = 2;
  training.n_train = 5400, training.n_validation = 600;
  record.results = {model};
  return record;
}

TEST(TrainRecord, IsReadAsItWasWritten) {
  const Json json = to_json(two_epochs());
  const Train again = record_from<Train>(json, "r.json");
  EXPECT_EQ(to_json(again), json);
  EXPECT_EQ(again.options, two_epochs().options);
  EXPECT_EQ(again.results[0].training.options, again.options);
  EXPECT_EQ(json["options"]["parameters"].dump(), R"({"eps":0.1,"steps":7.0})");
  const Json& result = json["results"][0];
  EXPECT_EQ(result["epochs"][1]["validation_accuracy_low"], .8 - .14);
  EXPECT_TRUE(result["epochs"][1]["validation_shifted_accuracy_low"].is_null());
  EXPECT_TRUE(result["plan"]["environment"].is_null());
  EXPECT_TRUE(result["plan"]["start"].is_null());
  EXPECT_FALSE(result.contains("options")) << "they stand at the top";
}

TEST(TrainRecord, RefusesABestEpochThatIsNone) {
  Json json = to_json(two_epochs());
  json["results"][0]["best_epoch"] = 3;
  EXPECT_EQ(message_of([&] { (void)record_from<Train>(json, "r.json"); }),
            "r.json: expected a best epoch from 1 to 2, found 3");
}

TEST(TrainRecord, TheTextBesideTheWeightsIsReadAsItWasWritten) {
  const TrainingText text = training_text();
  Training training = two_epochs().results[0].training;
  for (Epoch& epoch : training.epochs) epoch.seconds = std::nan("");
  const std::string written = text.write(training);
  const Training again = text.read(written, "m.safetensors");
  EXPECT_EQ(text.write(again), written);
  EXPECT_EQ(again.options, training.options);
  EXPECT_TRUE(std::isnan(again.epochs[1].seconds));
  EXPECT_EQ(text.differences(training, again), "");
  EXPECT_EQ(message_of([&] { (void)text.read("no JSON", "m.safetensors"); }).substr(0, 14), "m.safetensors:");
  EXPECT_EQ(message_of([&] { (void)text.read(R"({"plan": {}, "epochs": []})", "m.safetensors"); }),
            "m.safetensors: expected a result record with a \"schema\" string, found none");
}

TEST(TrainRecord, TwoTrainingsDifferInOptionsAndPlan) {
  const Training before = two_epochs().results[0].training;
  Training now = before;
  now.epochs.clear();
  now.n_train = 3;
  const auto differences = training_text().differences;
  EXPECT_EQ(differences(before, now), "");
  now.options.batch = 64, now.options.parameters["eps"] = .2, now.plan.threads = 1;
  EXPECT_EQ(differences(before, now),
            R"(batch 128, now 64; parameters {"eps":0.1,"steps":7.0}, now {"eps":0.2,"steps":7.0}; )"
            "threads 2, now 1");
}

TEST(TrainRecord, SaysWhichEpochIsKeptAndWhatElseWouldBe) {
  Train record = two_epochs();
  EXPECT_EQ(headline_of(record),
            "Epoch 1 of 2 is kept: 40% (36–44) of 600 validation images are predicted as their label, 30% "
            "(26–34) under the attack of training.");
  EXPECT_THAT(findings_of(record), ElementsAre("Agreement chose epoch 1; accuracy would have chosen epoch 2.",
                                               "Accuracy and the worst group choose the same epoch, 2."));
  Training& training = record.results[0].training;
  training.best_by_score = 2, training.best_by_worst_group = 1;
  EXPECT_THAT(findings_of(record), ElementsAre("Agreement and accuracy choose the same epoch, 2.",
                                               "Accuracy chooses epoch 2, the worst group epoch 1."));
  training.best_by_score = training.best_by_worst_group = {};
  EXPECT_THAT(findings_of(record), IsEmpty());
  training.epochs.back().parts = {{"weight_change", .2}};
  EXPECT_THAT(findings_of(record), IsEmpty());
  training.epochs.back().parts = {{"weight_change", .05}};
  EXPECT_THAT(findings_of(record), ElementsAre(::testing::HasSubstr("within 10% of equal weights")));
  training.epochs[0].validation_accuracy.reset();
  EXPECT_EQ(headline_of(record), "Epoch 1 of 2 is kept; no images were held out.");
}

}  // namespace
}  // namespace leeway::record

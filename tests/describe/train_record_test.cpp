// The record of leeway train: read as it was written, beside the weights too, and its words.
#include <gmock/gmock.h>

#include <cmath>

#include "leeway/describe/json.h"
#include "tests/describe/model_records.h"
#include "tests/message_of.h"

namespace leeway::tasks::train_record_test {

using test::of_minimum_norm;
using test::two_epochs;
using test::within_a_radius;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(TrainRecord, IsReadAsItWasWritten) {
  const Json json = to_json(two_epochs());
  EXPECT_EQ(to_json(record_from<Train>(json, "r.json")), json);
  EXPECT_FALSE(json["results"][0].contains("options")) << "they stand at the top";
}

TEST(TrainRecord, RefusesABestEpochThatIsNone) {
  Json json = to_json(two_epochs());
  json["results"][0]["best_epoch"] = 3;
  EXPECT_REFUSED(record_from<Train>(json, "r.json"), "r.json: expected a best epoch from 1 to 2, found 3");
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
  EXPECT_REFUSED(text.read(R"({"plan": {}, "epochs": []})", "m.safetensors"),
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
            "Epoch 1 of 2 was kept: 40% (36–44) of 600 validation images are classified correctly, 30% "
            "(26–34) under the training attack.");
  EXPECT_THAT(findings_of(record),
              ElementsAre("Agreement chose epoch 1; accuracy would have chosen epoch 2.",
                          "Accuracy and worst-group accuracy choose the same epoch, 2."));
  Training& training = record.results[0].training;
  training.best_by_score = 2, training.best_by_worst_group = 1;
  EXPECT_THAT(findings_of(record),
              ElementsAre("Agreement and accuracy choose the same epoch, 2.",
                          "Accuracy chooses epoch 2; worst-group accuracy chooses epoch 1."));
  training.best_by_score = training.best_by_worst_group = {};
  EXPECT_THAT(findings_of(record), IsEmpty());
  training.epochs.back().parts = {{"weight_change", .2}};
  EXPECT_THAT(findings_of(record), IsEmpty());
  training.epochs.back().parts = {{"weight_change", .05}};
  EXPECT_THAT(findings_of(record), ElementsAre(::testing::HasSubstr("within 10% of equal weights")));
  training.epochs[0].validation_accuracy.reset();
  EXPECT_EQ(headline_of(record), "Epoch 1 of 2 was kept; no images were held out for validation.");
}

// --- The record of leeway attack: read as it was written, and its words.

TEST(AttackRecord, IsReadAsItWasWritten) {
  Attack joined = within_a_radius("label");
  joined.worst_cases.push_back({joined.results[0], {"pgd", "square"}});
  for (const Attack& record : {within_a_radius("given"), of_minimum_norm(), joined}) {
    const Json json = to_json(record);
    EXPECT_EQ(to_json(record_from<Attack>(json, "r.json")), json);
  }
}

TEST(AttackRecord, SaysWhatIsLeftOrHowFarImagesMoved) {
  EXPECT_EQ(headline_of(within_a_radius("label")),
            "Under pgd in linf of radius 0.0314, 30% (27–33) of 1,000 images are classified correctly; "
            "90% (88–92) of the clean images are.");
  EXPECT_EQ(headline_of(within_a_radius("prediction")),
            "Under pgd in linf of radius 0.0314, 30% (27–33) of 1,000 predictions are unchanged.");
  EXPECT_EQ(headline_of(within_a_radius("given")),
            "pgd in linf of radius 0.0314 succeeds on 70% (67–73) of 1,000 images.");
  EXPECT_EQ(headline_of(of_minimum_norm()),
            "fmn in l0 succeeds on 70% (67–73) of 1,000 images, with a median norm of 12.0 (11.0 to 14.0).");
  EXPECT_THAT(
      findings_of(of_minimum_norm()),
      ElementsAre(StartsWith("Two passes over the same 16 rows differ by up to 0.5 in a logit."),
                  StartsWith("20.0% of 100 rows withstand fmn without a limit on the radius"),
                  "The attack needs a norm of at most 5 for a quarter of the images, ∞ for three quarters."));
}

TEST(AttackRecord, OfSeveralSetsLeadsWithTheStrongest) {
  Attack record = within_a_radius("label");
  AttackedSet weaker = record.results[0];
  weaker.eps = 4. / 255, weaker.robust_accuracy = .6, weaker.robust_accuracy_interval = {.57, .63};
  record.results.insert(record.results.begin(), weaker);
  EXPECT_EQ(headline_of(record),
            "Of 2 attacked sets, the fewest predictions survive: Under pgd in linf of radius 0.0314, 30% "
            "(27–33) of 1,000 images are classified correctly; 90% (88–92) of the clean images are.");
  record.results.push_back(weaker);
  record.results.back().model = "other.pt", record.results.back().eps.reset();
  EXPECT_THAT(headline_of(record),
              StartsWith("Of 3 attacked sets, the fewest predictions survive in m.safetensors: "));
}

}  // namespace leeway::tasks::train_record_test

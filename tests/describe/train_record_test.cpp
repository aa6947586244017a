// The record of leeway train: read as it was written, beside the weights too, and its words.
#include <gmock/gmock.h>

#include <cmath>

#include "leeway/describe/json.h"
#include "leeway/tasks/attack/attack.h"
#include "leeway/tasks/train/train.h"
#include "tests/message_of.h"

namespace leeway::tasks::train_record_test {

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
            "Epoch 1 of 2 was kept: 40% (36–44) of 600 validation images are predicted as their label, 30% "
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
  EXPECT_EQ(headline_of(record), "Epoch 1 of 2 was kept; no images were held out for validation.");
}

// --- The record of leeway attack: read as it was written, and its words.

// Numbers made up.
Attack within_a_radius(const std::string& target) {
  Attack record;
  record.envelope.command = {"leeway", "attack"};
  record.envelope.instruction_set = "baseline";
  record.options = {"pgd", attack::Norm::linf, 8. / 255, attack::Loss::margin, {{"steps", 20.}}};
  AttackedSet set;
  set.model = "m.safetensors", set.data = "d.npz", set.out = "o.npz", set.target = target;
  set.attack = "pgd", set.eps = 8. / 255, set.parameters = {{"steps", 20.}};
  set.n = 1000;
  set.clean_accuracy = .9, set.clean_accuracy_interval = {.88, .92};
  set.robust_accuracy = .3, set.robust_accuracy_interval = {.27, .33};
  set.success = .7, set.success_interval = {.67, .73};
  set.zero_gradient = .02;
  set.beside_noise = attack::BesideNoise{.4, .5};
  set.stochastic = nn::Variation{16, .5, 2, true};
  record.results = {set};
  return record;
}

Attack of_minimum_norm() {
  Attack record = within_a_radius("label");
  record.options = {"fmn", attack::Norm::l0, {}, attack::Loss::difference, {{"gamma", .05}}};
  record.results[0].attack = "fmn", record.results[0].eps.reset();
  record.results[0].norms =
      NearestNorms{12, {11, 14}, 5, HUGE_VAL, {{0, .9, {.88, .92}}, {40, .3, {.27, .33}}}};
  return record;
}

TEST(AttackRecord, IsReadAsItWasWritten) {
  for (const Attack& record : {within_a_radius("given"), of_minimum_norm()}) {
    const Json json = to_json(record);
    EXPECT_EQ(to_json(record_from<Attack>(json, "r.json")), json);
  }
}

TEST(AttackRecord, SaysWhatIsLeftOrHowFarImagesMoved) {
  EXPECT_EQ(headline_of(within_a_radius("label")),
            "Under pgd in linf of radius 0.0314, 30% (27–33) of 1,000 images are predicted as their label; "
            "90% (88–92) of the clean images are.");
  EXPECT_EQ(headline_of(within_a_radius("prediction")),
            "Under pgd in linf of radius 0.0314, 30% (27–33) of 1,000 predictions are unchanged.");
  EXPECT_EQ(headline_of(within_a_radius("given")),
            "pgd in linf of radius 0.0314 succeeds on 70% (67–73) of 1,000 images.");
  EXPECT_EQ(headline_of(of_minimum_norm()),
            "fmn in l0 succeeds on 70% (67–73) of 1,000 images, with a median norm of 12.0 (11.0 to 14.0).");
  EXPECT_THAT(
      findings_of(of_minimum_norm()),
      ElementsAre("The attack needs a norm of at most 5 for a quarter of the images, ∞ for three quarters."));
  EXPECT_THAT(findings_of(within_a_radius("label")), IsEmpty());
}

TEST(AttackRecord, OfSeveralSetsLeadsWithTheStrongest) {
  Attack record = within_a_radius("label");
  AttackedSet weaker = record.results[0];
  weaker.eps = 4. / 255, weaker.robust_accuracy = .6, weaker.robust_accuracy_interval = {.57, .63};
  record.results.insert(record.results.begin(), weaker);
  EXPECT_EQ(headline_of(record),
            "Of 2 attacked sets, the fewest predictions survive: Under pgd in linf of radius 0.0314, 30% "
            "(27–33) of 1,000 images are predicted as their label; 90% (88–92) of the clean images are.");
  record.results.push_back(weaker);
  record.results.back().model = "other.pt", record.results.back().eps.reset();
  EXPECT_THAT(headline_of(record),
              ::testing::StartsWith("Of 3 attacked sets, the fewest predictions survive in m.safetensors: "));
  EXPECT_THAT(findings_of(record), IsEmpty());
}

}  // namespace leeway::tasks::train_record_test

// One step of every algorithm against an independent program in Python. Steps that need more than a network and a batch are compared in
// their algorithm's own test: ada, bpa, l2d, lisa, occamnets, reweight.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "leeway/nn/augment/chain.h"
#include "leeway/nn/train/training_set.h"
#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn::reference_steps_test {

class EveryReferenceStep : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryReferenceStep, IsThatOfAnotherProgram) { toy::expect_reference_step(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, EveryReferenceStep,
                         ::testing::Values("erm", "augmix_jsd", "gradient_norm", "pgd", "ubnet", "pnd",
                                           "group_dro", "sagnet", "irm", "irm_square", "coral", "deep_coral",
                                           "mmd", "causirl_coral", "causirl_mmd", "mixup",
                                           "mixup_environments", "dann", "cdan", "cdan_entropy",
                                           "cdan_random", "fixmatch", "fixmatch_training",
                                           "fixmatch_together"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(ReferenceSteps, ThereIsOneOfEveryAlgorithm) {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(LEEWAY_REFERENCE "/steps"))
    if (entry.path().extension() == ".json")
      found.insert(toy::ReferenceStep(entry.path().stem().string()).json["algorithm"].get<std::string>());
  for (const AlgorithmMember& member : algorithms()) {
    if (member.name == "resample" || member.name == "ada") continue;  // the steps of erm and me-ada
    EXPECT_TRUE(found.contains(std::string(member.name))) << member.name;
  }
}

TEST(AugmixJsd, AsksForTwoMixtures) {
  const AlgorithmMember& member = algorithm("augmix-jsd");
  const auto views = member.needs(complete_parameters(member, {{"severity", 7}})).views;
  ASSERT_EQ(views.size(), 2U);
  EXPECT_EQ(views[0], views[1]);
  EXPECT_EQ(augment::Chain(views[0]).text(), augment::Chain("augmix:severity=7").text());
  EXPECT_TRUE(member.needs(complete_parameters(member, {{"jsd-weight", 0}})).views.empty());
}

TEST(FixMatch, KeepsTheAverageOfTheWeights) {
  AlgorithmSetting setting = still("fixmatch", torch::eye(2), {{"averaging", .75}, {"weight", 0}});
  setting.optimizer.learning_rate = .1;
  const auto member = algorithm("fixmatch").make(setting);
  (void)member->update({batch_of(torch::tensor({{1.f, 0.f}}), {0})});
  const Tensors state = member->state();
  const torch::Tensor expected = .75 * torch::eye(2) + .25 * state.at("network.weight");
  EXPECT_TRUE(torch::allclose(state.at("average.weight"), expected));
  EXPECT_TRUE(member->network().named_parameters()["weight"].equal(state.at("average.weight")));
  EXPECT_FALSE(torch::allclose(state.at("network.weight"), torch::eye(2)));
}

TEST(Irm, AdamBeginsAnewWhereThePenaltyGetsItsWeight) {
  const auto member =
      made("irm", second_logit, {{"anneal-steps", 2}, {"lambda", 7}, {"single-environment", 1}});
  const Batch batch = batch_of(torch::tensor({{2.f}, {-1.f}, {.5f}}), {1, 0, 0});
  for (std::size_t step = 1; step <= 3; ++step) {
    const Step done = member->update({batch, {batch}, {}, 1, step, 10});
    EXPECT_NEAR(done.loss, done.parts.at("risk") + (step <= 2 ? 1 : 7) * done.parts.at("penalty"), 1e-5);
    EXPECT_EQ(member->state().at("steps").item<std::int64_t>(),
              step <= 2 ? static_cast<std::int64_t>(step) : 1);
  }
}

// --- Weights and batches that make up for unequal groups.

TEST(Reweight, OneStepOfAnotherProgram) {
  for (const char* const name : {"reweight", "reweight_by_class"}) {
    SCOPED_TRACE(name);
    const toy::ReferenceStep step(name);
    data::TrainingData data(toy::images(14, {1, 4, 4}, 3));
    data.images.labels = step.json["set"]["labels"].get<std::vector<std::int64_t>>();
    data.groups = {{"colour", {"blue", "red"}, step.json["set"]["colours"].get<std::vector<std::int32_t>>()}};
    TrainOptions options;
    options.validation = 0;
    TrainingSet set(data, options, {}, "reweight");
    toy::expect_reference_step(name, [&](Algorithm& member) { member.attach(set); });
  }
}

TEST(Resample, ClassesAreEquallyOftenInABatch) {
  data::TrainingData data(toy::squares(200, 4));
  for (std::size_t i = 0; i < 200; ++i) (*data.images.labels)[i] = i % 20 == 0 ? 3 : i % 10 == 0 ? 1 : 0;
  TrainOptions options;
  options.batch = 30, options.validation = 0;
  TrainingSet set(data, options, algorithm("resample").needs({{"by-class", 1}}), "resample");
  set.begin_epoch(1);
  for (std::size_t step = 0; step < 6; ++step) {
    const torch::Tensor counts = torch::bincount(set.minibatches(step).labelled.y, {}, 4);
    EXPECT_TRUE(counts.equal(torch::tensor({10, 10, 0, 10}))) << counts;
  }
}

}  // namespace leeway::nn::reference_steps_test

// What every algorithm asks for: where it is missing, one line says what was expected, before anything is trained or written.
#include <gmock/gmock.h>

#include <filesystem>
#include <set>

#include "leeway/nn/augment/chain.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/training_set.h"
#include "tests/case_name.h"
#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"
#include "tests/nn/training.h"

namespace leeway::nn::requirements_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class AlgorithmNeeds : public ::testing::TestWithParam<const AlgorithmMember*> {
 protected:
  AlgorithmNeeds() : data_(squares_of_two_cameras(60)), options_(quick(std::string(GetParam()->name))) {
    options_.epochs = 1;
    for (const Parameter& parameter : GetParam()->parameters)
      if (parameter.name == "base-epochs") options_.parameters["base-epochs"] = 1;
  }

  [[nodiscard]] Requirements needs() const {
    return GetParam()->needs(complete_parameters(*GetParam(), options_.parameters));
  }
  [[nodiscard]] std::string as_it_needs() const {
    return ", for algorithm " + std::string(GetParam()->name) + ", ";
  }

  [[nodiscard]] std::string message() const {
    const toy::Folder folder;
    const std::filesystem::path out = folder / "m";
    std::string found;
    try {
      (void)session().train(data_, options_, out);
    } catch (const Error& error) {
      found = error.what();
      EXPECT_NE(found, "");
    }
    EXPECT_EQ(found.find('\n'), std::string::npos) << found;
    const auto files = std::distance(std::filesystem::directory_iterator(out.parent_path()),
                                     std::filesystem::directory_iterator());
    EXPECT_EQ(files, found.empty() ? 1 : 0) << found;
    return found;
  }

  data::TrainingData data_;
  TrainOptions options_;
};

TEST_P(AlgorithmNeeds, RefusesDataThatLackIt) {
  const data::TrainingData all = data_;
  if (needs().groups) {
    data_.groups.clear();
    EXPECT_THAT(message(), Says("toy.npz: expected groups (an array named groups, or ... found none"));
    data_ = all;
  }
  if (needs().environments > 0) {
    data_.environment.reset();
    EXPECT_THAT(message(), Says("toy.npz: expected an environment for each image (an array ... found none"));
    data_ = all;
  }
  if (needs().environments > 1) {
    std::ranges::fill(data_.environment->codes, 1);
    EXPECT_THAT(message(), Says("toy.npz: expected at least 2 environments among the ... found 1: 'b'"));
    data_ = all;
  }
  if (needs().unlabelled) {
    data_.unlabelled.reset();
    EXPECT_THAT(message(), Says("algorithm ...: expected unlabeled images of the target ... found none"));
  }
}

TEST_P(AlgorithmNeeds, RefusesANetworkOfOneLayer) {
  options_.architecture = "linear";
  if (needs().stages) {
    EXPECT_THAT(message(),
                AllOf(HasSubstr(": expected a backbone "), HasSubstr("stages"), HasSubstr("none")));
  } else if (needs().features) {
    EXPECT_THAT(message(), AllOf(StartsWith("architecture "), HasSubstr("linear: expected "),
                                 HasSubstr(" with a last hidden layer")));
  }
}

TEST_P(AlgorithmNeeds, RefusesBatchesOfTooFewRows) {
  options_.batch = 1;
  const Requirements needed = needs();
  if (needed.least_batch > 1) {
    EXPECT_EQ(message(), "train: batch: expected at least " + std::to_string(needed.least_batch) + " rows" +
                             as_it_needs() + "found 1");
  } else if (needed.environments > 0 && needed.least_rows * needed.environments > 1) {
    const std::size_t least = 2 * needed.least_rows;
    options_.batch = least - 1;
    EXPECT_EQ(message(), "train: batch: expected at least " + std::to_string(least) + " rows, " +
                             std::to_string(needed.least_rows) + " of each environment" + as_it_needs() +
                             "found " + std::to_string(least - 1));
  }
}

// What it does not need may be missing: one class has a single row and one none, so that every batch lacks a class.
TEST_P(AlgorithmNeeds, TrainsWithoutWhatItDoesNotNeed) {
  if (!needs().groups) data_.groups.clear();
  if (needs().environments == 0) data_.environment.reset();
  if (!needs().unlabelled) data_.unlabelled.reset();
  if (!needs().stages && !needs().features) options_.architecture = "linear";
  for (std::size_t i = 0; i < 60; ++i)
    (*data_.images.labels)[i] = i == 7 ? 3 : static_cast<std::int64_t>(i % 3);
  options_.classes = 5, options_.batch = 16;
  EXPECT_EQ(message(), "");
}

std::vector<const AlgorithmMember*> members() {
  std::vector<const AlgorithmMember*> list;
  for (const AlgorithmMember& member : algorithms()) list.push_back(&member);
  return list;
}

INSTANTIATE_TEST_SUITE_P(All, AlgorithmNeeds, ::testing::ValuesIn(members()), case_name);

TEST(Requirements, BatchNormalizationOfOneRowNeedsMoreThanOneCell) {
  data::TrainingData data(toy::images(20, {3, 4, 4}, 3));
  TrainOptions options = quick("erm");
  options.architecture = "resnet20-cifar", options.epochs = 1, options.batch = 1;
  const toy::Folder folder;
  const auto message = [&] {
    return message_of([&] { (void)session().train(data, options, folder / "m"); });
  };
  const std::string refusal =
      "train: batch: expected at least 2 rows, for batch normalization in architecture resnet20-cifar on "
      "images of shape (3, 4, 4), found 1";
  EXPECT_EQ(message(), refusal);
  EXPECT_FALSE(std::filesystem::exists(folder / "m"));
  options.batch = 5;  // of 16 to train on: the last row joins the batch before
  EXPECT_EQ(message(), "no error");
  std::filesystem::remove(folder / "m");
  options.batch = 1, options.batchnorm = "frozen";
  (void)session().train(data, options, folder / "m");
}

class EveryReferenceStep : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryReferenceStep, IsThatOfAnotherProgram) { toy::expect_reference_step(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, EveryReferenceStep,
                         ::testing::Values("erm", "augmix_jsd", "gradient_norm", "pgd", "ubnet", "pnd",
                                           "group_dro", "sagnet", "irm", "irm_square", "coral", "deep_coral",
                                           "mmd", "causirl_coral", "causirl_mmd", "mixup",
                                           "mixup_environments", "dann", "cdan", "cdan_entropy",
                                           "cdan_random", "fixmatch", "fixmatch_training",
                                           "fixmatch_together"),
                         case_name);

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

TEST(Reweight, OneStepOfAnotherProgram) {
  for (const char* const name : {"reweight", "reweight_by_class"}) {
    SCOPED_TRACE(name);
    const toy::ReferenceStep step(name);
    data::TrainingData data(toy::images(14, {1, 4, 4}, 3));
    data.images.labels = step.json["set"]["labels"].get<std::vector<std::int64_t>>();
    data.groups = {{"colour", {"blue", "red"}, step.json["set"]["colours"].get<std::vector<std::int32_t>>()}};
    const TrainOptions options = in_batches();
    TrainingSet set(data, options, {}, "reweight");
    toy::expect_reference_step(name, [&](Algorithm& member) { member.attach(set); });
  }
}

TEST(Resample, ClassesAreEquallyOftenInABatch) {
  data::TrainingData data(toy::squares(200, 4));
  for (std::size_t i = 0; i < 200; ++i) (*data.images.labels)[i] = i % 20 == 0 ? 3 : i % 10 == 0 ? 1 : 0;
  const TrainOptions options = in_batches(30);
  TrainingSet set(data, options, algorithm("resample").needs({{"by-class", 1}}), "resample");
  set.begin_epoch(1);
  for (std::size_t step = 0; step < 6; ++step) {
    const torch::Tensor counts = torch::bincount(set.minibatches(step).labelled.y, {}, 4);
    EXPECT_TRUE(counts.equal(torch::tensor({10, 10, 0, 10}))) << counts;
  }
}

}  // namespace leeway::nn::requirements_test

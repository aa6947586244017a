// What is each training algorithm's own, by hand: its step is driven with batches made here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "leeway/core/parallel.h"
#include "leeway/nn/train/domain_adversarial.h"
#include "leeway/nn/train/training_set.h"
#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn::algorithms_test {

// prepare() with groups of so many training rows; one of none has a row to validate.
void prepare_groups(Algorithm& member, const std::vector<std::size_t>& sizes) {
  TrainOptions options;
  options.validation = 0;
  GroupColumn group{"group", {}, {}};
  for (std::size_t g = 0; g < sizes.size(); ++g) {
    group.levels.push_back(std::to_string(g));
    if (sizes[g] == 0) options.validation_rows.push_back(group.codes.size());
    group.codes.insert(group.codes.end(), std::max<std::size_t>(1, sizes[g]), static_cast<std::int32_t>(g));
  }
  data::TrainingData data(toy::images(group.codes.size(), {1, 1, 1}, 1));
  data.groups = {group};
  TrainingSet set(data, options, {}, "group-dro");
  EXPECT_EQ(set.group_sizes(), sizes);
  member.prepare(set);
}

TEST(GroupDroByHand, TheAdjustmentIsInTheExponentAlone) {
  // C = 2, n = (100, 25): exponents + .2 and + .4
  const auto member = made("group-dro", second_logit, {{"eta", 1}, {"adjustment", 2}});
  prepare_groups(*member, {100, 25});
  const Step step = member->update({batch_of(with_losses({2, 1}), {0, 0}, {0, 1})});
  const torch::Tensor q = member->state().at("log_q").exp();
  const double first = q[0].item<double>(), second = q[1].item<double>();
  EXPECT_NEAR(std::log(first / second), 2.2 - 1.4, 1e-5);
  EXPECT_NEAR(step.loss, 2 * first + second, 1e-5);
  EXPECT_NEAR(step.parts.at("weight_change"), 2 * first - 1, 1e-9);
}

TEST(GroupDroByHand, AGroupThatTheBatchLacksWaits) {
  const auto member = made("group-dro", second_logit, {{"eta", .5}});
  prepare_groups(*member, {5, 5, 0});
  (void)member->update({batch_of(with_losses({2}), {0}, {0})});
  const torch::Tensor q = member->state().at("log_q").exp();
  EXPECT_NEAR(q[0].item<double>(), std::exp(1.) / (std::exp(1.) + 1), 1e-6);
  EXPECT_EQ(q[2].item<double>(), 0) << "without training rows";
}

TEST(GroupDro, OfOneGroupSaysSo) {
  data::TrainingData data(toy::squares(20, 1));
  data.groups = {{"colour", {"red"}, std::vector<std::int32_t>(20)}};
  const TrainOptions options;
  const TrainingSet set(data, options, algorithm("group-dro").needs({{"balanced", 1}}), "group-dro");
  EXPECT_EQ(set.notes(), std::vector<std::string>{"toy.npz: all training images belong to one group, 'y=0, "
                                                  "colour=red': algorithm group-dro cannot distinguish any"});
}

TEST(GroupDro, TheWorstGroupMayChooseTheEpoch) {
  const toy::Folder folder;
  TrainOptions options = quick("group-dro");
  options.select = "worst-group";
  const TrainResult result = session().train(squares_of_two_cameras(200), options, folder / "m");
  double worst = 0;
  for (const Epoch& epoch : result.epochs) worst = std::max(worst, *epoch.validation_worst_group_accuracy);
  EXPECT_EQ(*result.epochs[result.best_epoch - 1].validation_worst_group_accuracy, worst);
  EXPECT_EQ(result.best_epoch, result.best_by_worst_group);
}

TEST(Dann, TheReversalGrowsWithTheShareDone) {
  EXPECT_EQ(reversal_weight(0), 0);
  EXPECT_NEAR(reversal_weight(.1), .462117, 1e-6);
  EXPECT_NEAR(reversal_weight(.5), .986614, 1e-6);
  EXPECT_NEAR(reversal_weight(1), .999909, 1e-6);
}

TEST(Dann, FeaturesLearnSlowlyFromGivenWeights) {
  TrainOptions options = quick("dann");
  options.learning_rate = .01;
  const auto moved = moved_from_given_weights(squares_of_two_cameras(100), options);
  EXPECT_NEAR(moved.at("7.bias"), .01, 1e-4);  // Adam's first step has the length of the rate
  EXPECT_NEAR(moved.at("5.bias"), .001, 1e-5);
}

TEST(Dann, ImagesOfTheTargetHaveTheShapeOfTheSource) {
  const toy::Folder folder;
  data::TrainingData data = squares_of_two_cameras(100);
  data.unlabelled = toy::images(10, {3, 8, 8}, 2);
  EXPECT_EQ(message_of([&] { (void)session().train(data, quick("dann"), folder / "m"); }),
            "toy.npz: expected images of shape (1, 8, 8), as toy.npz, found (3, 8, 8)");
}

// max(l, 1 - l) of the share l that is drawn.
TEST(Mixup, AnImageWeighsAtLeastAsMuchAsItsPartner) {
  const auto member = made("mixup", torch::eye(4), {});
  for (std::size_t step = 1; step <= 20; ++step) {
    const Step done = member->update({batch_of(torch::eye(4), {0, 1, 2, 3}), {}, {}, 1, step, 100});
    EXPECT_GE(done.parts.at("share"), .5);
  }
}

// Parameters with which an algorithm is plain training: the weights have the same bits.
struct PlainCase {
  const char* algorithm;
  std::map<std::string, double> parameters;
};

class PlainTraining : public ::testing::TestWithParam<PlainCase> {};

TEST_P(PlainTraining, HasTheSameBits) {
  // one class, group and environment: what weighs them has nothing to weigh
  data::TrainingData data = squares_of_two_cameras(100);
  const std::string name = GetParam().algorithm;
  if (name == "reweight" || name == "resample" || name == "group-dro" || name == "irm" ||
      name.starts_with("causirl")) {
    data.images.labels = std::vector<std::int64_t>(100, 1);
    data.groups = {{"colour", {"red"}, std::vector<std::int32_t>(100)}};
    data.environment = GroupColumn{"camera", {"a", "b"}, std::vector<std::int32_t>(100, 1)};
  }
  const toy::Folder folder;
  TrainOptions plain = quick(), options = quick(name);
  options.parameters = GetParam().parameters;
  options.epochs = plain.epochs = 2, options.classes = plain.classes = 4;
  (void)session().train(data, options, folder / "member");
  (void)session().train(data.images, plain, folder / "plain");
  const ArrayMap found = read_safetensors(folder / "member").tensors,
                 wanted = read_safetensors(folder / "plain").tensors;
  ASSERT_EQ(found.size(), wanted.size());
  for (const auto& [key, array] : found) EXPECT_TRUE(toy::same_bits(array, wanted.at(key))) << key;
}

INSTANTIATE_TEST_SUITE_P(
    All, PlainTraining,
    ::testing::Values(PlainCase{"reweight", {{"by-class", 1}}}, PlainCase{"reweight", {}},
                      PlainCase{"resample", {{"by-class", 1}}}, PlainCase{"augmix-jsd", {{"jsd-weight", 0}}},
                      PlainCase{"group-dro", {}}, PlainCase{"ada", {{"rounds", 0}}},
                      PlainCase{"me-ada", {{"every-epochs", 50}}}, PlainCase{"mixup", {{"alpha", 0}}},
                      PlainCase{"irm", {{"lambda", 0}, {"anneal-steps", 0}, {"single-environment", 1}}},
                      PlainCase{"causirl-coral", {{"weight", 0}, {"single-environment", 1}}},
                      PlainCase{"causirl-mmd", {{"weight", 0}, {"single-environment", 1}}},
                      PlainCase{"dann", {{"weight", 0}}}, PlainCase{"cdan", {{"weight", 0}}},
                      PlainCase{"fixmatch", {{"weight", 0}}}),
    [](const ::testing::TestParamInfo<PlainCase>& instance) {
      std::string name = instance.param.algorithm + std::to_string(instance.index);
      std::ranges::replace(name, '-', '_');
      return name;
    });

class EveryAlgorithm : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryAlgorithm, LearnsToTellSquaresApart) {
  const toy::Folder folder;
  const TrainResult result =
      session().train(squares_of_two_cameras(400), quick(GetParam()), folder / "m.safetensors");
  EXPECT_EQ(result.n_train, 320U);
  EXPECT_EQ(result.n_validation, 80U);
  EXPECT_GT(*result.epochs[result.best_epoch - 1].validation_accuracy, .9);
  EXPECT_LT(result.epochs.back().loss, result.epochs.front().loss);
  EXPECT_TRUE(result.notes.empty());
  for (const Epoch& epoch : result.epochs)
    EXPECT_LE(*epoch.validation_worst_group_accuracy, *epoch.validation_accuracy);
  // the file holds the best epoch's weights, which judge new images as well
  const Images others = toy::squares(200, 4, 77);
  EXPECT_GT(toy::accuracy(toy::loaded(folder / "m.safetensors")->outputs(others), *others.labels), .9);
  EXPECT_FALSE(std::filesystem::exists(folder / "m.safetensors.state"));
}

TEST_P(EveryAlgorithm, HasTheSameBitsForTheSameSeedAndThreads) {
  const toy::Folder folder;
  const data::TrainingData images = squares_of_two_cameras(80);
  TrainOptions options = quick(GetParam());
  options.epochs = 2;
  set_threads(2);
  (void)session().train(images, options, folder / "a");
  (void)session().train(images, options, folder / "b");
  set_threads(1);
  EXPECT_EQ(file_text(folder / "a"), file_text(folder / "b"));
}

// 160 rows in batches of 32: 5 batches an epoch. Stopped in the third epoch, it goes on after the second.
TEST_P(EveryAlgorithm, ResumesToTheBitsOfAnUnbrokenRun) {
  const toy::Folder folder;
  const data::TrainingData images = squares_of_two_cameras(200);
  const TrainOptions options = quick(GetParam());
  (void)session().train(images, options, folder / "whole");
  StopAfter stop(12);
  std::string message;
  try {
    (void)session().train(images, options, folder / "broken", &stop);
  } catch (const Interrupted& interrupted) {
    message = interrupted.what();
  }
  EXPECT_EQ(message, "train: stopped in epoch 3; " + (folder / "broken.state").string() +
                         " holds epoch 2, the same command resumes from there");
  EXPECT_FALSE(std::filesystem::exists(folder / "broken"));
  const TrainResult result = session().train(images, options, folder / "broken");
  EXPECT_EQ(result.resumed_after, 2U);
  EXPECT_EQ(result.notes, std::vector{(folder / "broken.state").string() + ": resumed after epoch 2"});
  EXPECT_EQ(result.epochs.size(), 4U);
  EXPECT_EQ(file_text(folder / "whole"), file_text(folder / "broken"));
}

std::vector<std::string> all_algorithms() {
  std::vector<std::string> names;
  for (const AlgorithmMember& member : algorithms()) names.emplace_back(member.name);
  return names;
}

std::string algorithm_test_name(const ::testing::TestParamInfo<std::string>& instance) {
  std::string name = instance.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Quick, EveryAlgorithm, ::testing::Values("group-dro", "bpa"), algorithm_test_name);
INSTANTIATE_TEST_SUITE_P(AllTier2, EveryAlgorithm, ::testing::ValuesIn(all_algorithms()),
                         algorithm_test_name);

// Parameters are documented: a meaning each, a default inside the range, whole where they must be.
TEST(Algorithms, DescribeTheirParameters) {
  std::size_t count = 0;
  for (const AlgorithmMember& member : algorithms()) {
    EXPECT_FALSE(member.summary.empty() || member.source.empty()) << member.name;
    EXPECT_LE(member.parameters.size(), 8U) << member.name;
    count += member.parameters.size();
    for (const Parameter& parameter : member.parameters) {
      EXPECT_FALSE(parameter.meaning.empty()) << member.name;
      EXPECT_TRUE(parameter.value >= parameter.low && parameter.value <= parameter.high) << parameter.name;
      if (!parameter.integer) continue;
      EXPECT_EQ(parameter.value, std::floor(parameter.value));
      EXPECT_NE(message_of([&] {
                  (void)complete_parameters(member, {{std::string(parameter.name), parameter.low + .5}});
                }).find("a whole number from"),
                std::string::npos);
    }
  }
  EXPECT_LE(count, 110U);
  EXPECT_EQ(session().requirements_of("irm").words(), std::vector<std::string>{"2 environments"});
  EXPECT_EQ(session().requirements_of("irm", {{"single-environment", 1}}).environments, 1U);
  EXPECT_TRUE(session().requirements_of("erm").words().empty());
}

}  // namespace leeway::nn::algorithms_test

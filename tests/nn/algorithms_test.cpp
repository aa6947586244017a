// What is each training algorithm's own, by hand: its step is driven with batches made here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "leeway/core/parallel.h"
#include "leeway/nn/train/domain_adversarial.h"
#include "leeway/nn/train/training_set.h"
#include "tests/case_name.h"
#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn::algorithms_test {

// prepare() with groups of so many training rows; one of none has a row to validate.
void prepare_groups(Algorithm& member, const std::vector<std::size_t>& sizes) {
  TrainOptions options = in_batches();
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
  EXPECT_EQ(set.notes(),
            std::vector<std::string>{"toy.npz: all training images belong to the same group, 'y=0, "
                                     "colour=red'; algorithm group-dro is meant for at least two"});
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

TEST(Dann, ImagesOfTheTargetHaveTheShapeOfTheSource) {
  const toy::Folder folder;
  data::TrainingData data = squares_of_two_cameras(100);
  data.unlabelled = toy::images(10, {3, 8, 8}, 2);
  EXPECT_REFUSED(session().train(data, quick("dann"), folder / "m"), "toy.npz: expected ... found (3, 8, 8)");
}

AlgorithmSetting cdan_of_tiny_network(std::map<std::string, double> given, std::uint64_t seed) {
  toy::ReferenceStep step("cdan");
  AlgorithmSetting setting = step.setting();
  initialize(*setting.network, 1);
  setting.seed = seed, setting.parameters = complete_parameters(algorithm("cdan"), given);
  return setting;
}

TEST(Cdan, ARandomMapIsKeptInTheState) {
  const auto make = [](std::uint64_t seed) {
    return algorithm("cdan").make(cdan_of_tiny_network({{"map", 1}, {"random-dim", 8}}, seed));
  };
  const auto first = make(3), again = make(3), other = make(4);
  EXPECT_TRUE(first->state().at("map.features").equal(again->state().at("map.features")));
  EXPECT_FALSE(first->state().at("map.classes").equal(other->state().at("map.classes")));
  other->restore(first->state(), "state");
  EXPECT_TRUE(first->state().at("map.classes").equal(other->state().at("map.classes")));
  const Tensors outer = algorithm("cdan").make(cdan_of_tiny_network({}, 3))->state();
  EXPECT_FALSE(outer.contains("map.classes")) << "15 numbers are few enough";
  EXPECT_EQ(outer.at("discriminator.0.weight").size(1), 15);
}

TEST(Cdan, OnlyTheBackboneLearnsSlowlyFromGivenWeights) {
  TrainOptions options = quick("cdan");
  options.architecture = "bottleneck:small-cnn", options.learning_rate = .01;
  const auto moved = moved_from_given_weights(squares_of_two_cameras(100), options);
  EXPECT_NEAR(moved.at("classifier.bias"), .01, 1e-4);  // Adam's first step has the length of the rate
  EXPECT_NEAR(moved.at("bottleneck.bias"), .01, 1e-4);
  EXPECT_NEAR(moved.at("backbone.5.bias"), .001, 1e-5);
}

std::vector<torch::Tensor> sagnet_gradients(const std::map<std::string, double>& given) {
  AlgorithmSetting setting;
  const InputShape shape{1, 8, 8};
  setting.another = [=] { return make_network(architecture("resnet20-cifar"), shape, 4); };
  setting.network = setting.another();
  initialize(*setting.network, 3);
  setting.parameters = complete_parameters(algorithm("sagnet"), given);
  const auto member = algorithm("sagnet").make(setting);
  member->set_training(true);
  const Images images = toy::squares(16, 4);
  Batch batch;
  batch.x = pixels(images, 0, 16), batch.y = to_tensor(*images.labels, 0, 16);
  (void)member->update({batch});
  const Tensors state = member->state();
  std::vector<torch::Tensor> found;
  for (std::size_t i = 0; i < setting.network->parameters().size(); ++i)
    found.push_back(state.at("first." + std::to_string(i)) / .1);
  return found;
}

TEST(SagNet, TheAdversarysGradientIsClipped) {
  const auto without = sagnet_gradients({{"stage", 2}, {"weight", 0}});
  const auto added = [&](double clip) {  // the norm
    const auto with = sagnet_gradients({{"stage", 2}, {"weight", 1000}, {"clip", clip}});
    double square = 0;
    for (std::size_t i = 0; i < with.size(); ++i)
      square += (with[i] - without[i]).square().sum().item<double>();
    return std::sqrt(square);
  };
  EXPECT_NEAR(added(.1), .1, 1e-4);
  EXPECT_GT(added(0), .2) << "0: not clipped";
}

TEST(SagNet, SaysWhatIsMissing) {
  const toy::Folder folder;
  const auto message = [&](const std::string& architecture, const std::map<std::string, double>& given,
                           const std::string& freeze = "none") {
    TrainOptions options = quick("sagnet");
    options.freeze = freeze, options.architecture = architecture, options.parameters = given;
    return message_of([&] { (void)session().train(toy::squares(50, 4), options, folder / "m"); });
  };
  EXPECT_THAT(message("mlp", {}), Says("algorithm sagnet: expected a backbone with stages ... found none"));
  EXPECT_THAT(message("resnet20-cifar", {{"stage", 4}}), Says("algorithm sagnet: ... found up to 3"));
  EXPECT_THAT(message("small-cnn", {{"stage", 1}}), Says("algorithm sagnet: expected a ... found none"));
  EXPECT_THAT(message("resnet20-cifar", {}, "backbone"), Says("algorithm sagnet: ... found a frozen one"));
}

TEST(UbNet, StandsOnWhatPlainTrainingMade) {
  const toy::Folder folder;
  const Images images = toy::squares(100, 4);
  TrainOptions options = quick("ubnet"), plain = quick();
  options.epochs = plain.epochs = 1;
  options.architecture = plain.architecture = "resnet20-cifar";  // with statistics, which stay too
  options.parameters = {{"base-epochs", 1}};
  const TrainResult result = session().train(images, options, folder / "m");
  (void)session().train(images, plain, folder / "plain");
  EXPECT_EQ(result.model->info().architecture, "ubnet:resnet20-cifar");
  const ArrayMap found = read_safetensors(folder / "m").tensors;
  for (const auto& [name, array] : read_safetensors(folder / "plain").tensors)
    EXPECT_TRUE(toy::same_bits(array, found.at("backbone." + name))) << name;
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
TEST(Algorithms, ArePlainTrainingWithoutTheirTerms) {
  const toy::Folder folder;
  const auto expect_plain = [&](const std::string& name, const std::map<std::string, double>& parameters) {
    data::TrainingData data = squares_of_two_cameras(100);
    if (name == "reweight" || name == "resample" || name == "group-dro" || name == "irm" ||
        name.starts_with("causirl")) {  // one class, group and environment have nothing to weigh
      data.images.labels = std::vector<std::int64_t>(100, 1);
      data.groups = {{"colour", {"red"}, std::vector<std::int32_t>(100)}};
      data.environment = GroupColumn{"camera", {"a", "b"}, std::vector<std::int32_t>(100, 1)};
    }
    TrainOptions plain = quick(), options = quick(name);
    options.parameters = parameters;
    options.epochs = plain.epochs = 2, options.classes = plain.classes = 4;
    (void)session().train(data, options, folder / "member");
    (void)session().train(data.images, plain, folder / "plain");
    const ArrayMap found = read_safetensors(folder / "member").tensors,
                   wanted = read_safetensors(folder / "plain").tensors;
    EXPECT_EQ(found.size(), wanted.size()) << name;
    for (const auto& [key, array] : wanted)
      EXPECT_TRUE(toy::same_bits(array, found.at(key))) << name << " " << key;
  };
  for (const char* const name : {"reweight", "resample"}) expect_plain(name, {{"by-class", 1}});
  for (const char* const name : {"dann", "cdan", "fixmatch"}) expect_plain(name, {{"weight", 0}});
  for (const char* const name : {"causirl-coral", "causirl-mmd"})
    expect_plain(name, {{"weight", 0}, {"single-environment", 1}});
  expect_plain("reweight", {});
  expect_plain("group-dro", {});
  expect_plain("augmix-jsd", {{"jsd-weight", 0}});
  expect_plain("ada", {{"rounds", 0}});
  expect_plain("me-ada", {{"every-epochs", 50}});
  expect_plain("mixup", {{"alpha", 0}});
  expect_plain("irm", {{"lambda", 0}, {"anneal-steps", 0}, {"single-environment", 1}});
}

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
  EXPECT_EQ(read_bytes(folder / "a"), read_bytes(folder / "b"));
}

// 160 rows in batches of 32: 5 batches an epoch. Stopped in the third epoch, it goes on after the second.
TEST_P(EveryAlgorithm, ResumesToTheBitsOfAnUnbrokenRun) {
  const toy::Folder folder;
  const data::TrainingData images = squares_of_two_cameras(200);
  const TrainOptions options = quick(GetParam());
  (void)session().train(images, options, folder / "whole");
  StopAfter stop(12);
  EXPECT_REFUSED(session().train(images, options, folder / "broken", &stop),
                 "train: stopped in epoch 3; " + (folder / "broken.state").string() +
                     " holds epoch 2; the same command resumes from there");
  EXPECT_FALSE(std::filesystem::exists(folder / "broken"));
  const TrainResult result = session().train(images, options, folder / "broken");
  EXPECT_EQ(result.resumed_after, 2U);
  EXPECT_EQ(result.notes, std::vector{(folder / "broken.state").string() + ": resumed after epoch 2"});
  EXPECT_EQ(result.epochs.size(), 4U);
  EXPECT_EQ(read_bytes(folder / "whole"), read_bytes(folder / "broken"));
}

std::vector<std::string> all_algorithms() {
  std::vector<std::string> names;
  for (const AlgorithmMember& member : algorithms()) names.emplace_back(member.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Quick, EveryAlgorithm, ::testing::Values("group-dro", "bpa"), case_name);
INSTANTIATE_TEST_SUITE_P(AllTier2, EveryAlgorithm, ::testing::ValuesIn(all_algorithms()), case_name);

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
      EXPECT_REFUSED(complete_parameters(member, {{std::string(parameter.name), parameter.low + .5}}),
                     "an integer from...");
    }
  }
  EXPECT_LE(count, 110U);
  EXPECT_EQ(session().requirements_of("irm").words(), std::vector<std::string>{"2 environments"});
  EXPECT_EQ(session().requirements_of("irm", {{"single-environment", 1}}).environments, 1U);
  EXPECT_TRUE(session().requirements_of("erm").words().empty());
}

}  // namespace leeway::nn::algorithms_test

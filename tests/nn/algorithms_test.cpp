// What is each training algorithm's own, by hand: its step is driven with batches made here.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "leeway/nn/train/reversal.h"
#include "leeway/nn/train/training_set.h"
#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn {
namespace {

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

class GroupDroByHand : public testing::Test {
 protected:
  // The weights q after `steps` steps on one batch with these group means, one row each.
  std::vector<double> weights(const std::vector<double>& losses, const std::map<std::string, double>& given,
                              int steps = 1, std::vector<std::size_t> sizes = {}) {
    if (sizes.empty()) sizes.assign(losses.size(), 10);
    const auto member = made("group-dro", second_logit, given);
    prepare_groups(*member, sizes);
    std::vector<std::int64_t> groups(losses.size());
    std::iota(groups.begin(), groups.end(), std::int64_t{0});
    const Minibatches batches{
        batch_of(with_losses(losses), std::vector<std::int64_t>(losses.size()), groups)};
    for (int i = 0; i < steps; ++i) last_ = member->update(batches);
    const torch::Tensor q = member->state().at("log_q").exp();
    return {q.data_ptr<double>(), q.data_ptr<double>() + q.numel()};
  }
  Step last_;
};

TEST_F(GroupDroByHand, WeightsMoveByEtaTimesTheLoss) {
  EXPECT_NEAR(weights({2, 1}, {{"eta", .01}})[0], .502500, 1e-6);
  EXPECT_NEAR(last_.loss, 1.502500, 1e-5);
  EXPECT_EQ(last_.right, 0U);
  EXPECT_NEAR(last_.parts.at("worst_group_loss"), 2, 1e-5);
  EXPECT_NEAR(weights({2, 1}, {{"eta", .01}}, 100)[0], .731059, 1e-5);
}

TEST_F(GroupDroByHand, BetweenTheMeanOfTheGroupsAndTheWorst) {
  (void)weights({2, 1}, {{"eta", 0}});
  EXPECT_NEAR(last_.loss, 1.5, 1e-5);
  (void)weights({2, 1}, {{"eta", 100}});
  EXPECT_NEAR(last_.loss, 2, 1e-5);
  EXPECT_NEAR(weights({1.3, 1.3}, {{"eta", 3}}, 5)[0], .5, 1e-6);
  EXPECT_NEAR(weights({5, 4}, {{"eta", .5}})[0], weights({2, 1}, {{"eta", .5}})[0], 1e-5);
}

TEST_F(GroupDroByHand, TheAdjustmentIsInTheExponentAlone) {
  // C = 2, n = (100, 25): exponents + .2 and + .4
  const auto q = weights({2, 1}, {{"eta", 1}, {"adjustment", 2}}, 1, {100, 25});
  EXPECT_NEAR(std::log(q[0] / q[1]), 2.2 - 1.4, 1e-5);
  EXPECT_NEAR(last_.loss, 2 * q[0] + q[1], 1e-5);
}

TEST_F(GroupDroByHand, AGroupThatTheBatchLacksWaits) {
  const auto member = made("group-dro", second_logit, {{"eta", .5}});
  prepare_groups(*member, {5, 5, 0});
  (void)member->update({batch_of(with_losses({2}), {0}, {0})});
  const torch::Tensor q = member->state().at("log_q").exp();
  EXPECT_NEAR(q[0].item<double>(), std::exp(1.) / (std::exp(1.) + 1), 1e-6);
  EXPECT_EQ(q[2].item<double>(), 0) << "without training rows";
}

// C = 2, n = (16, 4): the absent group's exponent has 1, that of the other one the loss and .5.
TEST_F(GroupDroByHand, TheAdjustmentMayBeOfAbsentGroups) {
  const auto member = made("group-dro", second_logit, {{"eta", 1}, {"adjustment", 2}, {"adjust-absent", 1}});
  prepare_groups(*member, {16, 4});
  (void)member->update({batch_of(with_losses({2}), {0}, {0})});
  const torch::Tensor log_q = member->state().at("log_q");
  EXPECT_NEAR((log_q[0] - log_q[1]).item<double>(), 2.5 - 1, 1e-5);
}

// Environments stand in place of groups, and no groups are asked for.
TEST(GroupDro, OfEnvironments) {
  const toy::Folder folder;
  data::TrainingData data = squares_of_two_cameras(100), groups = data;
  data.groups.clear();
  TrainOptions options = quick("group-dro");
  options.epochs = 1, options.validation = 0, options.parameters = {{"by-environment", 1}, {"eta", 1}};
  const TrainResult result = session().train(data, options, folder / "m");
  EXPECT_GT(result.epochs[0].parts.at("largest_weight"), .5);
  EXPECT_LT(result.epochs[0].parts.at("largest_weight"), 1);
  data.environment.reset();
  EXPECT_EQ(
      message_of([&] { (void)session().train(data, options, folder / "none"); }),
      "toy.npz: expected an environment of every image (an array environment, or --environment-column), as "
      "algorithm group-dro needs, found none");
  options.parameters["balanced"] = 0;
  EXPECT_EQ(message_of([&] { (void)session().train(groups, options, folder / "none"); }),
            "algorithm group-dro: expected balanced 1, as groups are environments, found 0");
}

// Shares .5, .3 and .2 of the rows; the largest loss is of the last group.
TEST_F(GroupDroByHand, TheLargestLossesMayWeighAlone) {
  const std::vector<double> losses = {1, 2, 3};
  (void)weights(losses, {{"greedy", .2}}, 1, {50, 30, 20});
  EXPECT_NEAR(last_.loss, 3, 1e-5);
  (void)weights(losses, {{"greedy", .4}}, 1, {50, 30, 20});
  EXPECT_NEAR(last_.loss, (3 + 2) / 2., 1e-5);
  (void)weights(losses, {{"greedy", .8}}, 1, {50, 30, 20});
  EXPECT_NEAR(last_.loss, .2 / .8 * 3 + .3 / .8 * 2 + .3 / .8 * 1, 1e-5);
  (void)weights(losses, {{"greedy", .2}, {"adjustment", 100}}, 1, {5, 300, 200});
  EXPECT_NEAR(last_.loss, 5 / (.2 * 505) * 1 + (1 - 5 / (.2 * 505)) * 3, 1e-5)
      << "the smallest group comes first";
  // the order is that of running means: .9 * 3 + .1 * 0 against 2
  const auto member = made("group-dro", second_logit, {{"greedy", .2}});
  prepare_groups(*member, {50, 30, 20});
  const auto step = [&](const std::vector<double>& of) {
    return member->update({batch_of(with_losses(of), {0, 0, 0}, {0, 1, 2})}).loss;
  };
  EXPECT_NEAR(step({1, 2, 3}), 3, 1e-5);
  EXPECT_NEAR(step({1, 2, .5}), .5, 1e-5) << "2.75";
  Tensors state = member->state();
  EXPECT_NEAR(state.at("averages")[2].item<double>(), .9 * 3 + .1 * .5, 1e-5);
  state["averages"] = torch::tensor({1., 2., 1.9}, torch::kFloat64);
  member->restore(state, "state");
  EXPECT_NEAR(step({1, 2, 9}), 9, 1e-4) << "1.9 becomes 2.61";
  // a group that the batch lacks keeps its mean, and before its first loss has none
  const auto other = made("group-dro", second_logit, {{"greedy", .2}});
  prepare_groups(*other, {50, 30, 20});
  EXPECT_NEAR(other->update({batch_of(with_losses({1, 2}), {0, 0}, {0, 1})}).loss, .2 / .2 * 2, 1e-5);
  EXPECT_TRUE(other->state().at("averages").allclose(torch::tensor({1., 2., -1.}, torch::kFloat64), 1e-5));
  (void)other->update({batch_of(with_losses({1, 3}), {0, 0}, {0, 2})});
  EXPECT_TRUE(other->state().at("averages").allclose(torch::tensor({1., 2., 3.}, torch::kFloat64), 1e-5));
}

TEST(GroupDro, OneStepOfAnotherProgram) { toy::expect_reference_step("group_dro"); }

TEST(GroupDro, OfOneGroupIsPlainTraining) {
  data::TrainingData data(toy::squares(100, 1));
  data.images.labels = std::vector<std::int64_t>(100, 0);
  data.groups = {{"colour", {"red"}, std::vector<std::int32_t>(100)}};
  TrainOptions options = quick("group-dro");
  options.classes = 2;
  const toy::Folder folder;
  const TrainResult result = session().train(data, options, folder / "member");
  EXPECT_EQ(result.notes,
            std::vector<std::string>{"toy.npz: all images to train on are of one group, 'y=0, colour=red': "
                                     "algorithm group-dro cannot tell any apart"});
  options.algorithm = "erm";
  (void)session().train(data, options, folder / "plain");
  expect_same_weights(folder / "member", folder / "plain");
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
  EXPECT_EQ(message_of([&] { (void)session().train(toy::squares(200, 4), options, folder / "m"); }),
            "toy.npz: expected groups (an array groups, or --group-column), as algorithm group-dro needs, "
            "found none");
}

// z = w x, D = sigmoid(a z + b), the mean cross-entropy of x's domain.
TEST(Dann, ReversalByHand) {
  const auto number = [](double value) {
    return torch::tensor(value, torch::TensorOptions(torch::kFloat64).requires_grad(true));
  };
  const torch::Tensor w = number(.7), a = number(1.3), b = number(-.2);
  const torch::Tensor x = torch::tensor({1., 2., -1., .5}, torch::kFloat64);
  const torch::Tensor t = torch::tensor({0., 0., 1., 1.}, torch::kFloat64);
  const torch::Tensor z = w * x, back = reversed(z, .4);
  EXPECT_TRUE(back.equal(z));
  const torch::Tensor loss = torch::binary_cross_entropy(torch::sigmoid(a * back + b), t);
  const auto gradients = torch::autograd::grad({loss}, {w, a});
  EXPECT_NEAR(gradients[0].item<double>(), -.3735971, 1e-7);
  EXPECT_NEAR(gradients[1].item<double>(), .5029192, 1e-7);
}

TEST(Dann, TheReversalGrowsWithTheShareDone) {
  EXPECT_EQ(reversal_weight(0, 10), 0);
  EXPECT_NEAR(reversal_weight(.1, 10), .462117, 1e-6);
  EXPECT_NEAR(reversal_weight(.5, 10), .986614, 1e-6);
  EXPECT_NEAR(reversal_weight(1, 10), .999909, 1e-6);
  EXPECT_NEAR(reversal_weight(.109861, 10), .5, 1e-6);
}

// The gradients of the first step, which are its first moments divided by .1.
Tensors first_step(const std::string& name, std::map<std::string, double> given, std::size_t step) {
  const data::TrainingData data = squares_of_two_cameras(40);
  AlgorithmSetting setting;
  setting.network = make_network(architecture("small-cnn"), {1, 8, 8}, 4);
  initialize(*setting.network, 3);
  setting.features = 100;
  setting.parameters = complete_parameters(algorithm(name), given);
  const auto member = algorithm(name).make(setting);
  member->set_training(true);
  Batch source = batch_of(pixels(data.images, 0, 40).flatten(1), *data.images.labels), target;
  source.x = source.x.view({40, 1, 8, 8});
  target.x = pixels(*data.unlabelled, 0, 40);
  (void)member->update({source, {}, target, 1, step, 100});
  return member->state();
}

TEST(Dann, WithoutReversalTheNetworkLearnsAsIfAlone) {
  const Tensors plain = first_step("erm", {}, 50), still = first_step("dann", {{"reversal", 0}}, 50),
                early = first_step("dann", {}, 1), late = first_step("dann", {}, 50);
  double change = 0;
  for (int i = 0; i < 8; ++i) {
    const std::string name = "first." + std::to_string(i);
    EXPECT_TRUE(torch::allclose(plain.at(name), still.at(name), 1e-4, 1e-7)) << name;
    EXPECT_TRUE(torch::allclose(plain.at(name), early.at(name), 1e-4, 1e-7)) << name;
    change = std::max(change, (plain.at(name) - late.at(name)).abs().max().item<double>());
  }
  EXPECT_GT(change, 1e-6);
  EXPECT_GT(still.at("first.8").abs().max().item<double>(), 0) << "the discriminator learns";
  // the last layer knows nothing of the domains
  EXPECT_TRUE(torch::allclose(plain.at("first.7"), late.at("first.7"), 1e-4, 1e-7));
}

TEST(Dann, OfWeightZeroHasTheBitsOfPlainTraining) {
  expect_the_bits_of_plain_training("dann", {{"weight", 0}}, squares_of_two_cameras(100));
}

TEST(Dann, FeaturesLearnSlowlyFromGivenWeights) {
  TrainOptions options = quick("dann");
  options.learning_rate = .01;
  const auto moved = moved_from_given_weights(squares_of_two_cameras(100), options);
  EXPECT_NEAR(moved.at("7.bias"), .01, 1e-4);  // Adam's first step has the length of the rate
  EXPECT_NEAR(moved.at("5.bias"), .001, 1e-5);
}

TEST(Dann, SaysWhatIsMissing) {
  const toy::Folder folder;
  data::TrainingData data = squares_of_two_cameras(100);
  TrainOptions options = quick("dann");
  const auto message = [&] {
    return message_of([&] { (void)session().train(data, options, folder / "m"); });
  };
  options.architecture = "linear";
  EXPECT_EQ(
      message(),
      "architecture linear: expected one with a last hidden layer, as algorithm dann needs, found none");
  options.architecture = "small-cnn";
  data.unlabelled = toy::images(10, {3, 8, 8}, 2);
  EXPECT_EQ(message(), "toy.npz: expected images of shape (1, 8, 8), as toy.npz, found (3, 8, 8)");
  data.unlabelled.reset();
  EXPECT_EQ(message(), "algorithm dann: expected unlabelled images of the target (--unlabelled), found none");
}

// Parameters are documented: a meaning each, a default inside the range, whole where they must be.
TEST(Erm, OneStepOfAnotherProgram) { toy::expect_reference_step("erm"); }
TEST(GradientNorm, OneStepOfAnotherProgram) { toy::expect_reference_step("gradient_norm"); }
TEST(PgdTraining, OneStepOfAnotherProgram) { toy::expect_reference_step("pgd"); }

TEST(Algorithms, DescribeTheirParameters) {
  for (const AlgorithmMember& member : algorithms()) {
    EXPECT_FALSE(member.summary.empty() || member.source.empty()) << member.name;
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
  EXPECT_EQ(session().requirements_of("irm").words(), std::vector<std::string>{"2 environments"});
  EXPECT_EQ(session().requirements_of("irm", {{"single-environment", 1}}).environments, 1U);
  EXPECT_TRUE(session().requirements_of("erm").words().empty());
}

}  // namespace
}  // namespace leeway::nn

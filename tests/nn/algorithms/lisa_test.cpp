#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "leeway/nn/train/partners.h"
#include "leeway/nn/train/training_set.h"
#include "tests/nn/by_hand.h"
#include "tests/nn/recording.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn {
namespace {

TEST(Partners, OfOneLabelOrOfOneEnvironment) {
  // label 3 in environment 0 alone; environment 2 has label 1 alone; row 9 is held out
  const std::vector<std::int64_t> labels = {1, 1, 1, 2, 3, 1, 2, 2, 1, 1};
  const std::vector<std::int32_t> environments = {0, 0, 0, 0, 0, 1, 1, 1, 2, 1};
  const std::vector<std::int64_t> rows = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  const Partners partners(rows, labels, environments);
  EXPECT_TRUE(partners.any(true) && partners.any(false));
  Random random(1, stream("partners test"));
  std::map<std::int64_t, int> counts;
  for (int draw = 0; draw < 4000; ++draw)
    for (const std::int64_t row : rows)
      for (const bool same_label : {true, false}) {
        const auto at = static_cast<std::size_t>(row);
        const auto found = partners.draw(labels[at], environments[at], same_label, random);
        if (row == 4 && same_label) {
          EXPECT_FALSE(found);
          continue;
        }
        if (row == 8 && !same_label) {
          EXPECT_FALSE(found);
          continue;
        }
        const auto partner = static_cast<std::size_t>(found.value());
        EXPECT_NE(partner, 9U);
        EXPECT_EQ(labels[partner] == labels[at], same_label);
        EXPECT_EQ(environments[partner] == environments[at], !same_label);
        if (row == 8) ++counts[*found];
      }
  // of label 1 there are three rows in environment 0 and one in 1: environments are as frequent
  EXPECT_EQ(counts.size(), 4U);
  EXPECT_NEAR(counts[5], 2000, 150);
  for (const std::int64_t row : {0, 1, 2}) EXPECT_NEAR(counts[row], 2000 / 3., 120);
  EXPECT_FALSE(Partners(std::vector<std::int64_t>{0, 1}, {1, 2}, {0, 0}).any(true));
  EXPECT_FALSE(Partners(std::vector<std::int64_t>{0, 1}, {1, 1}, {0, 1}).any(false));
}

// A set of all rows of a batch, images as they are.
data::TrainingData lisa_data(const torch::Tensor& x, const std::vector<std::int64_t>& labels,
                             const std::vector<std::int32_t>& environment) {
  Images images;
  images.path = "toy.npz";
  images.pixels = to_array(x);
  images.labels = labels;
  data::TrainingData data(images);
  std::vector<std::string> names;
  for (int e = 0; e <= *std::ranges::max_element(environment); ++e) names.push_back(std::to_string(e));
  data.environment = GroupColumn{"camera", names, environment};
  return data;
}

TrainOptions lisa_options() {
  TrainOptions options;
  options.validation = 0;
  return options;
}

void expect_lisa_reference(const std::string& name) {
  toy::ReferenceStep step(name);
  const std::vector<std::int32_t> environment = step.json["labelled"]["environment"];
  const Batch batch = step.batches().labelled;
  const data::TrainingData data =
      lisa_data(batch.x, step.json["labelled"]["y"].get<std::vector<std::int64_t>>(), environment);
  const TrainOptions options = lisa_options();
  TrainingSet set(data, options, {}, "lisa");
  toy::expect_reference_step(name, [&](Algorithm& member) { member.attach(set); });
}

TEST(Lisa, OneStepOfAnotherProgram) {
  expect_lisa_reference("lisa");
  expect_lisa_reference("lisa_cutmix");
}

class LisaByHand : public testing::TestWithParam<int> {};

// Images are unit vectors, so that a mixed one says of whom it is.
TEST_P(LisaByHand, PairsKeepTheirRuleInBothDirections) {
  const std::vector<std::int64_t> labels = {0, 0, 1, 1, 2, 0, 1, 1, 0, 0};
  const std::vector<std::int32_t> environment = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
  const data::TrainingData data = lisa_data(as_images(torch::eye(10)), labels, environment);
  const TrainOptions options = lisa_options();
  TrainingSet set(data, options, {}, "lisa");
  const auto [network, member] = recorded("lisa", torch::arange(30, torch::kFloat32).view({3, 10}).sin(),
                                          {{"same-label-probability", .5}, {"cutmix", GetParam()}});
  member->attach(set);
  std::vector<std::int64_t> rows(10);
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  double same = 0;
  for (std::size_t step = 1; step <= 200; ++step) {
    const Step done = member->update({set.batch(rows), {}, {}, 1, step, 1000});
    const bool same_label = done.parts.at("same_label") == 1;
    same += same_label ? 1. / 200 : 0;
    EXPECT_NEAR(done.parts.at("mixed"), same_label ? .9 : 1., 1e-9) << "label 2 is in one environment alone";
    const torch::Tensor seen = network->seen.flatten(1), sum = seen.slice(0, 0, 10) + seen.slice(0, 10);
    ASSERT_EQ(seen.size(0), 20);
    for (std::int64_t i = 0; i < 10; ++i) {
      const torch::Tensor both = sum[i].nonzero().flatten();
      const auto at = static_cast<std::size_t>(i);
      if (same_label && i == 4) {
        EXPECT_NEAR(sum[i][i].item<double>(), 2, 1e-6);
        continue;
      }
      ASSERT_EQ(both.numel(), 2);
      EXPECT_NEAR(sum[i][both[0].item<std::int64_t>()].item<double>(), 1, 1e-6);
      const auto first = both[0].item<std::int64_t>(), second = both[1].item<std::int64_t>();
      const auto partner = static_cast<std::size_t>(first == i ? second : first);
      EXPECT_EQ(labels[partner] == labels[at], same_label);
      EXPECT_EQ(environment[partner] == environment[at], !same_label);
      if (GetParam() == 0) {
        EXPECT_GE(seen[i][i].item<double>(), .5);
      }
    }
  }
  EXPECT_NEAR(same, .5, .12);
}

INSTANTIATE_TEST_SUITE_P(Mixing, LisaByHand, testing::Values(0, 1));

// Partners are augmented as rows of the batch are: of all that is mirrored, mixed images are.
TEST(Lisa, PartnersAreAugmented) {
  const data::TrainingData data = lisa_data(as_images(torch::eye(4)), {0, 1, 0, 1}, {0, 0, 1, 1});
  TrainOptions options = lisa_options();
  options.augment = "flip:probability=1";
  Requirements needs;
  needs.environments = 2;
  TrainingSet set(data, options, needs, "lisa");
  const auto [network, member] = recorded("lisa", torch::eye(4), {{"same-label-probability", 1}});
  member->attach(set);
  set.begin_epoch(1);
  const Minibatches batches = set.minibatches(0);
  (void)member->update(batches);
  const torch::Tensor seen = network->seen.flatten(1);
  for (std::size_t i = 0; i < 4; ++i) {
    // rows 0 and 2 pair, and 1 and 3; mirrored, 3 and 1, and 2 and 0
    const torch::Tensor pair = (seen[static_cast<std::int64_t>(i)] + seen[static_cast<std::int64_t>(i) + 4]);
    const bool even = batches.labelled.rows[i] % 2 == 0;
    EXPECT_LT((pair - torch::tensor(even ? std::vector<float>{0, 1, 0, 1} : std::vector<float>{1, 0, 1, 0}))
                  .abs()
                  .max()
                  .item<double>(),
              1e-6);
  }
}

// Label 2 is in one environment alone: its row passes twice as the batch has it, whatever partners get.
TEST(Lisa, RowsWithoutAPartnerStay) {
  const data::TrainingData data = lisa_data(as_images(torch::eye(5)), {0, 1, 0, 1, 2}, {0, 0, 1, 1, 0});
  TrainOptions options = lisa_options();
  options.augment = "flip";
  Requirements needs;
  needs.environments = 2;
  TrainingSet set(data, options, needs, "lisa");
  for (const double cutmix : {0., 1.}) {
    const auto [network, member] =
        recorded("lisa", torch::eye(5), {{"same-label-probability", 1}, {"cutmix", cutmix}});
    member->attach(set);
    for (std::size_t epoch = 1; epoch <= 10; ++epoch) {
      set.begin_epoch(epoch);
      const Minibatches batches = set.minibatches(0);
      (void)member->update(batches);
      const torch::Tensor x = batches.labelled.x;
      const std::int64_t n = x.size(0);
      for (std::int64_t i = 0; i < n; ++i) {
        if (batches.labelled.rows[static_cast<std::size_t>(i)] != 4) continue;
        EXPECT_TRUE(network->seen[i].equal(x[i]));
        EXPECT_TRUE(network->seen[n + i].equal(x[i]));
      }
    }
  }
}

TEST(Lisa, SaysWhatIsMissing) {
  const toy::Folder folder;
  data::TrainingData data = squares_of_two_cameras(100);
  TrainOptions options = quick("lisa");
  const auto message = [&] {
    return message_of([&] { (void)session().train(data, options, folder / "m"); });
  };
  for (std::size_t i = 0; i < 100; ++i)
    data.environment->codes[i] = static_cast<std::int32_t>((*data.images.labels)[i] % 2);
  EXPECT_EQ(
      message(),
      "algorithm lisa: expected a label that occurs in two environments of the images to train on, found "
      "none");
  options.parameters = {{"same-label-probability", 0}};
  EXPECT_EQ(message(), "no error");
  data.environment->codes.assign(100, 1);
  EXPECT_EQ(message(), "no error") << "of one environment";
  data = squares_of_two_cameras(100);
  options.parameters = {};
  data.environment->levels = {"a", "b", "c", "d", "e"};
  for (std::size_t i = 0; i < 100; ++i) {
    const std::int64_t label = (*data.images.labels)[i];
    data.environment->codes[i] = static_cast<std::int32_t>(label == 0 ? i % 2 : label + 1);
  }
  EXPECT_EQ(
      message(),
      "algorithm lisa: expected an environment with two labels among the images to train on, found none");
}

}  // namespace
}  // namespace leeway::nn

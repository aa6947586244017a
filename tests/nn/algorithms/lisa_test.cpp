#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "leeway/nn/train/parts.h"
#include "leeway/nn/train/training_set.h"
#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn::lisa_test {

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

// A linear network that remembers the images of its last pass.
class RecordingNetwork : public Network {
 public:
  explicit RecordingNetwork(const torch::Tensor& weight)
      : linear_(register_module("linear", torch::nn::Linear(weight.size(1), weight.size(0)))) {
    const torch::NoGradGuard no_grad;
    linear_->weight.copy_(weight);
    linear_->bias.zero_();
  }
  Forward forward(const torch::Tensor& x) override {
    seen = x.detach();
    return {linear_(x.flatten(1)), {}};
  }
  torch::Tensor seen;

 private:
  torch::nn::Linear linear_{nullptr};
};

// LISA over such a network, with a learning rate of 0.
struct Recorded {
  std::shared_ptr<RecordingNetwork> network;
  std::unique_ptr<Algorithm> member;
};
Recorded recorded(const torch::Tensor& weight, const std::map<std::string, double>& given) {
  AlgorithmSetting setting;
  auto network = std::make_shared<RecordingNetwork>(weight);
  setting.network = network;
  setting.parameters = complete_parameters(algorithm("lisa"), given);
  setting.optimizer.learning_rate = 0;
  return {network, algorithm("lisa").make(setting)};
}

// Partners are augmented as rows of the batch are: of all that is mirrored, mixed images are.
TEST(Lisa, PartnersAreAugmented) {
  const data::TrainingData data = lisa_data(as_images(torch::eye(4)), {0, 1, 0, 1}, {0, 0, 1, 1});
  TrainOptions options = lisa_options();
  options.augment = "flip:probability=1";
  Requirements needs;
  needs.environments = 2;
  TrainingSet set(data, options, needs, "lisa");
  const auto [network, member] = recorded(torch::eye(4), {{"same-label-probability", 1}});
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
        recorded(torch::eye(5), {{"same-label-probability", 1}, {"cutmix", cutmix}});
    member->attach(set);
    for (std::size_t epoch = 1; epoch <= 10; ++epoch) {
      set.begin_epoch(epoch);
      const Minibatches batches = set.minibatches(0);
      const std::vector<std::int64_t> rows(batches.labelled.rows.begin(), batches.labelled.rows.end());
      const auto with_partner = static_cast<double>(rows.size() - std::ranges::count(rows, 4));
      EXPECT_NEAR(member->update(batches).parts.at("mixed"), with_partner / static_cast<double>(rows.size()),
                  1e-9);
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
      "algorithm lisa: expected a label that occurs in two environments of the training images, found none");
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
  EXPECT_EQ(message(),
            "algorithm lisa: expected an environment with two labels among the training images, found none");
}

}  // namespace leeway::nn::lisa_test

#include "leeway/nn/train/matching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "leeway/core/random.h"
#include "leeway/nn/train/parts.h"
#include "leeway/nn/train/training_set.h"
#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn::matching_test {

torch::Tensor drawn_rows(std::int64_t n, std::int64_t d, std::uint64_t sample) {
  Random random(7, stream("matching test"), sample);
  torch::Tensor rows = torch::empty({n, d}, torch::kFloat64);
  for (std::int64_t i = 0; i < n * d; ++i) rows.data_ptr<double>()[i] = random.normal();
  return rows;
}

TEST(Mmd, ByHand) {
  const torch::Tensor a = drawn_rows(6, 3, 1), near = torch::tensor({{0.}, {.1}}, torch::kFloat64);
  EXPECT_EQ(mmd_distance(a, a.clone()).item<double>(), 0);
  // far from 0, where |x|^2 + |y|^2 - 2 x y would be 0 in float32
  const auto apart = [](const torch::Tensor& two) {
    return mmd_distance(two.slice(0, 0, 1), two.slice(0, 1));
  };
  EXPECT_NEAR(apart(near + 1e6).item<double>(), apart(near).item<double>(), 1e-6);
}

TEST(Mmd, KernelsAreSummedAndDifferentiated) {
  for (const KernelSum& kernels : {KernelSum{1e-3, 10, 7}, KernelSum{.02, 2, 5}}) {
    std::vector<torch::Tensor> sets = {drawn_rows(9, 5, 1), drawn_rows(6, 5, 2) + .5};
    for (torch::Tensor& set : sets) set.requires_grad_();
    const auto mean = [&](const torch::Tensor& x, const torch::Tensor& y) {
      const torch::Tensor squares = (x.unsqueeze(1) - y.unsqueeze(0)).square().sum(2);
      torch::Tensor sum = torch::zeros_like(squares);
      double g = kernels.least;
      for (int i = 0; i < kernels.count; ++i, g *= kernels.factor) sum = sum + (-g * squares).exp();
      return sum.mean();
    };
    const torch::Tensor wanted = mean(sets[0], sets[0]) + mean(sets[1], sets[1]) - 2 * mean(sets[0], sets[1]);
    const torch::Tensor found = kernel_mmd(sets[0], sets[1], kernels);
    EXPECT_NEAR(found.item<double>(), wanted.item<double>(), 1e-10);
    const auto slopes = torch::autograd::grad({3 * found}, sets),
               wanted_slopes = torch::autograd::grad({3 * wanted}, sets);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_GT(wanted_slopes[i].abs().max().item<double>(), 1e-3);
      EXPECT_TRUE(slopes[i].allclose(wanted_slopes[i], 1e-8, 1e-9));
    }
  }
}

class PixelsAsFeatures : public Network {
 public:
  PixelsAsFeatures() { weight_ = register_parameter("weight", torch::zeros({2, 1})); }
  Forward forward(const torch::Tensor& x) override {
    return {x.flatten(1).sum(1, true).mm(weight_.t()), x.flatten(1)};
  }

 private:
  torch::Tensor weight_;
};

// One step on environments whose features these are, all of class 0.
Step matching_step(const std::string& name, const std::vector<torch::Tensor>& features) {
  AlgorithmSetting setting;
  setting.network = std::make_shared<PixelsAsFeatures>();
  setting.parameters = complete_parameters(algorithm(name), {});
  setting.optimizer.learning_rate = 0;
  const torch::Tensor all = torch::cat(features);
  Minibatches batches{batch_of(all, std::vector<std::int64_t>(static_cast<std::size_t>(all.size(0))))};
  std::int64_t begin = 0;
  for (const torch::Tensor& part : features) {
    batches.environments.push_back(batches.labelled.slice(begin, begin + part.size(0)));
    begin += part.size(0);
  }
  batches.step = 1;
  return algorithm(name).make(setting)->update(batches);
}

TEST(Matching, OneEnvironmentHasNoDistance) {
  EXPECT_EQ(matching_step("coral", {torch::eye(3)}).parts.at("penalty"), 0);
}

// In a batch of one row there is nothing to compare: the loss is that of plain training.
TEST(CausIrl, TakesAStepOfOneRow) {
  const AlgorithmMember& member = algorithm("causirl-coral");
  const auto needs = [&](double single) {
    return member.needs(complete_parameters(member, {{"single-environment", single}})).least_rows;
  };
  EXPECT_EQ(needs(0), 2U);
  EXPECT_EQ(needs(1), 1U);
  const auto loss = [](const std::string& name, const std::map<std::string, double>& given) {
    AlgorithmSetting setting;
    const auto network = std::make_shared<toy::TinyNetwork>(6, 2, false);
    initialize(*network, 3);
    setting.network = network, setting.parameters = complete_parameters(algorithm(name), given);
    const Batch one{torch::full({1, 1, 2, 3}, .3f), torch::tensor({1})};
    return algorithm(name).make(setting)->update({one, {one}}).loss;
  };
  EXPECT_EQ(loss("causirl-coral", {{"single-environment", 1}}), loss("erm", {}));
}

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

data::TrainingData lisa_data(const torch::Tensor& x, const std::vector<std::int64_t>& labels,
                             const std::vector<std::int32_t>& environment) {
  Images images;
  images.path = "toy.npz", images.pixels = to_array(x), images.labels = labels;
  data::TrainingData data(images);
  std::vector<std::string> names;
  for (int e = 0; e <= *std::ranges::max_element(environment); ++e) names.push_back(std::to_string(e));
  data.environment = GroupColumn{"camera", names, environment};
  return data;
}

void expect_lisa_reference(const std::string& name) {
  toy::ReferenceStep step(name);
  const std::vector<std::int32_t> environment = step.json["labelled"]["environment"];
  const Batch batch = step.batches().labelled;
  const data::TrainingData data =
      lisa_data(batch.x, step.json["labelled"]["y"].get<std::vector<std::int64_t>>(), environment);
  const TrainOptions options = in_batches();
  TrainingSet set(data, options, {}, "lisa");
  toy::expect_reference_step(name, [&](Algorithm& member) { member.attach(set); });
}

TEST(Lisa, OneStepOfAnotherProgram) {
  expect_lisa_reference("lisa");
  expect_lisa_reference("lisa_cutmix");
}

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

struct Recorded {
  std::shared_ptr<RecordingNetwork> network;
  std::unique_ptr<Algorithm> member;
};
Recorded recorded(const torch::Tensor& weight, const std::map<std::string, double>& given) {
  AlgorithmSetting setting;
  auto network = std::make_shared<RecordingNetwork>(weight);
  setting.network = network, setting.parameters = complete_parameters(algorithm("lisa"), given);
  setting.optimizer.learning_rate = 0;
  return {network, algorithm("lisa").make(setting)};
}

// Partners are augmented as rows of the batch are: of all that is mirrored, mixed images are.
TEST(Lisa, PartnersAreAugmented) {
  const data::TrainingData data = lisa_data(as_images(torch::eye(4)), {0, 1, 0, 1}, {0, 0, 1, 1});
  TrainOptions options = in_batches();
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
  TrainOptions options = in_batches();
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
  EXPECT_THAT(message(), Says("algorithm lisa: expected a label that occurs in two ... found none"));
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
  EXPECT_THAT(message(), Says("algorithm lisa: expected an environment with two labels ... found none"));
}

}  // namespace leeway::nn::matching_test

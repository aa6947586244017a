// ADA and ME-ADA.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leeway/nn/train/parts.h"
#include "leeway/nn/train/training_set.h"
#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn::ada_test {

// With a sum over 512 features in place of the mean, the objective of the defaults falls.
TEST(Ada, RisesForAnyNumberOfFeatures) {
  torch::manual_seed(3);
  const torch::Tensor first = torch::randn({512, 20}), second = torch::randn({4, 512}) / 16;
  const ForwardFunction wide = [&](const torch::Tensor& x) {
    const torch::Tensor z = x.flatten(1).mm(first.t());
    return Forward{z.mm(second.t()), z};
  };
  const torch::Tensor x = torch::rand({30, 20}), y = torch::randint(4, {30});
  EXPECT_GT(ascended(wide, x, y, {}).rose.sum().item<int>(), 27);
  EXPECT_EQ(ascended(wide, x, y, {.rate = 100, .gamma = 1000}).rose.sum().item<int>(), 0);
  EXPECT_EQ(ascended(wide, x, y, {.steps = 0}).rose.sum().item<int>(), 0);
}

TEST(Ada, PixelsStayBetweenZeroAndOne) {
  const ForwardFunction identity = [](const torch::Tensor& x) { return Forward{x.flatten(1), x.flatten(1)}; };
  const torch::Tensor made =
      ascended(identity, torch::full({1, 3}, .5f), torch::tensor({1}), {.steps = 3, .rate = 9}).images;
  EXPECT_TRUE(made.ge(0).logical_and(made.le(1)).all().item<bool>()) << made;
}

TEST(Ada, ImagesOfAnotherProgram) {
  toy::ReferenceStep step("ada");
  const AlgorithmSetting setting = step.setting();
  const auto member = algorithm("me-ada").make(setting);
  step.fill(*member);
  member->set_training(false);
  const Minibatches batches = step.batches();
  const torch::Tensor x = batches.labelled.x, y = batches.labelled.y;
  // the other program has half the sum over features
  const double features = static_cast<double>(member->predict()(x).features.size(1));
  const Ascent ascent{4, step.json["rate"], step.json["gamma"].get<double>() * features / 2,
                      step.json["entropy"]};
  const torch::Tensor found = ascended(member->predict(), x, y, ascent).images;
  const torch::Tensor wanted = torch::tensor(step.json["images"].get<std::vector<float>>()).view(x.sizes());
  EXPECT_LT((found - wanted).abs().max().item<double>(), 1e-5);
  // each image by itself
  const torch::Tensor alone =
      torch::cat({ascended(member->predict(), x.slice(0, 0, 2), y.slice(0, 0, 2), ascent).images,
                  ascended(member->predict(), x.slice(0, 2), y.slice(0, 2), ascent).images});
  EXPECT_LT((found - alone).abs().max().item<double>(), 1e-6);
}

class GrowingSet : public ::testing::Test {
 protected:
  GrowingSet() {
    options_.validation = 0;
    options_.batch = 16;
    set_.emplace(data_, options_, Requirements{}, "ada");
  }
  std::unique_ptr<Algorithm> member(const std::map<std::string, double>& given) {
    AlgorithmSetting setting;
    setting.network = make_network(architecture("small-cnn"), {1, 8, 8}, 4);
    initialize(*setting.network, 3);
    setting.parameters = complete_parameters(algorithm("ada"), given);
    auto made = algorithm("ada").make(setting);
    made->attach(*set_);
    return made;
  }
  data::TrainingData data_{toy::squares(40, 4)};
  TrainOptions options_;
  std::optional<TrainingSet> set_;
};

TEST_F(GrowingSet, ByAsManyImagesARound) {
  const auto ada = member({{"every-epochs", 2}, {"steps", 2}});
  std::vector<std::size_t> sizes;
  for (std::size_t epoch = 1; epoch <= 7; ++epoch) {
    ada->begin_epoch(epoch);
    sizes.push_back(set_->training().size());
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{40, 40, 80, 80, 120, 120, 120}));
  const std::vector<std::int64_t> rows{40, 79, 80};
  const Batch made = set_->batch(rows);
  EXPECT_GE(made.x.min().item<double>(), 0);
  EXPECT_LE(made.x.max().item<double>(), 1);
  const torch::Tensor parents = ada->state().at("parents");
  EXPECT_EQ(made.y[0].item<std::int64_t>(),
            data_.images.labels->at(static_cast<std::size_t>(parents[0].item<std::int64_t>())));
  const torch::Tensor first = std::get<0>(parents.slice(0, 0, 40).sort());
  EXPECT_TRUE(first.equal(torch::arange(40))) << "of the first round: every image once";
}

TEST(InnerMaximization, ThatNeverRanOrDidNotRiseIsNoted) {
  const toy::Folder folder;
  const auto notes = [&](const std::string& name, const std::map<std::string, double>& parameters) {
    TrainOptions options;
    options.architecture = "small-cnn", options.algorithm = name;
    options.epochs = 2, options.parameters = parameters;
    return session().train(toy::squares(60, 3), options, folder / name, nullptr).notes;
  };
  EXPECT_THAT(notes("ada", {}), ::testing::ElementsAre(::testing::HasSubstr("(after epoch 10)")));
  EXPECT_THAT(notes("me-ada", {{"every-epochs", 1}, {"rounds", 1}}), ::testing::IsEmpty());
  EXPECT_THAT(notes("ada", {{"every-epochs", 1}, {"rounds", 1}, {"rate", 0}}),
              ::testing::ElementsAre(::testing::HasSubstr("for at most 0.0% of the images")));
  EXPECT_THAT(notes("pgd", {{"steps", 2}}), ::testing::IsEmpty());
}

TEST_F(GrowingSet, ComesBackFromTheState) {
  const auto ada = member({{"every-epochs", 1}, {"steps", 1}});
  ada->begin_epoch(2);
  const Tensors state = ada->state();
  const std::vector<std::int64_t> rows{3, 41, 70};
  const Batch before = set_->batch(rows);
  const auto again = member({{"every-epochs", 1}, {"steps", 1}});
  EXPECT_EQ(set_->training().size(), 40U);
  again->restore(state, "state");
  EXPECT_EQ(set_->training().size(), 80U);
  EXPECT_TRUE(set_->batch(rows).x.equal(before.x));
  EXPECT_TRUE(set_->batch(rows).y.equal(before.y));
}

}  // namespace leeway::nn::ada_test

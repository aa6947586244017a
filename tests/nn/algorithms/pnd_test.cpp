#include "leeway/nn/model/heads/pnd.h"

#include <gtest/gtest.h>

#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn {
namespace {

TEST(Pnd, AStepIsThatOfAnIndependentProgram) { toy::expect_reference_step("pnd"); }
// With bias-weight and euclidean, too.
// Euclidean distances: their root magnifies float32's rounding where outputs are close, 2e-5 with some kernels.
TEST(Pnd, SoIsAStepOfPaddedRows) { toy::expect_reference_step("pnd_padded", {}, 5e-5); }

// Three experts of two classes whose outputs are the same for all rows; nothing learns.
class PndByHand : public testing::Test {
 protected:
  void make(const std::map<std::string, double>& given, const std::string& head = "pnd") {
    setting_.network = make_network(architecture(head + ":resnet20-cifar"), {1, 8, 8}, 2);
    initialize(*setting_.network, 3);
    setting_.parameters = complete_parameters(algorithm("pnd"), given);
    setting_.optimizer.learning_rate = 0;
    member_ = algorithm("pnd").make(setting_);
    member_->set_training(true);
    set(0);
  }
  // The biased and debiased outputs become (logit, 0).
  void set(float logit) {
    const torch::NoGradGuard no_grad;
    for (auto& item : setting_.network->named_parameters())
      if (item.key().find("biased.3.") != std::string::npos)
        item.key().ends_with("bias") ? item.value().copy_(torch::tensor({logit, 0.f})) : item.value().zero_();
  }
  Step step(std::size_t rows) {
    std::vector<std::int64_t> numbers(rows);
    std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
    return step_of(std::move(numbers));
  }
  // Of classes 0, 1, 0, 1, ...
  Step step_of(std::vector<std::int64_t> numbers) {
    const std::size_t rows = numbers.size();
    rows_ = std::move(numbers);
    Batch batch;
    batch.x = torch::rand({static_cast<std::int64_t>(rows), 1, 8, 8});
    batch.y = torch::arange(static_cast<std::int64_t>(rows), torch::kInt64) % 2;
    batch.rows = rows_;
    return member_->update({batch});
  }
  // e_d of the first expert.
  double average(std::int64_t row) const { return member_->state().at("averages")[row][1].item<double>(); }
  AlgorithmSetting setting_;
  std::unique_ptr<Algorithm> member_;
  std::vector<std::int64_t> rows_;
};

// Batch statistics move from the step on that follows the frozen ones.
TEST_F(PndByHand, FirstStepsAreFrozenWhereAskedFor) {
  make({{"counterfactual", 2}, {"frozen-steps", 2}});
  const auto statistics = [&] {
    torch::Tensor sum = torch::zeros({});
    for (const auto& item : setting_.network->named_buffers())
      if (item.key().ends_with("running_mean")) sum += item.value().abs().sum();
    return sum.item<double>();
  };
  EXPECT_EQ(statistics(), 0);
  for (std::size_t number = 1; number <= 3; ++number) {
    member_->set_training(true);  // as an epoch begins
    Batch batch;
    batch.x = torch::rand({16, 1, 8, 8});
    batch.y = torch::arange(16, torch::kInt64) % 2;
    rows_.resize(16);
    std::iota(rows_.begin(), rows_.end(), std::int64_t{0});
    batch.rows = rows_;
    Minibatches batches{batch};
    batches.step = number;
    (void)member_->update(batches);
    EXPECT_EQ(statistics() > 0, number == 3) << number;
  }
}

// Equal losses weigh 1/2; p = 1/2 has a generalized cross-entropy of .54918; equal outputs are as alike as can be, and none of
// 8 + 1 is nearer.
TEST_F(PndByHand, EqualOutputs) {
  make({{"counterfactual", 2}});
  const Step done = step(16);
  EXPECT_NEAR(done.parts.at("debias_loss"), 3 * std::log(2.) / 2, 1e-5);
  EXPECT_NEAR(done.parts.at("bias_loss"), 3 * .54918, 1e-4);
  EXPECT_NEAR(done.parts.at("diversity_loss"), 2, 1e-6);
  EXPECT_NEAR(done.parts.at("counterfactual_loss"), 3 * std::log(9.), 1e-5);
  EXPECT_NEAR(done.parts.at("gate_loss"), std::log(2.), 1e-6);
  EXPECT_NEAR(done.loss, 2 * 3 * std::log(2.) / 2 + 3 * .54918 + 2 + std::log(2.) + 4 * 3 * std::log(9.),
              1e-3);
  make({{"stage", 1}});
  const Step first = step(16);
  EXPECT_EQ(first.parts.count("counterfactual_loss"), 0U);
  EXPECT_NEAR(first.loss, .2 * 3 * std::log(2.) / 2 + 3 * .54918 + 2 + std::log(2.), 1e-4);
}

// The root has no slope at 0.
TEST_F(PndByHand, EqualOutputsHaveNoEuclideanDistance) {
  make({{"counterfactual", 2}, {"euclidean", 1}});
  for (int i = 0; i < 2; ++i)
    EXPECT_NEAR(step(16).parts.at("counterfactual_loss"), 3 * std::log(9.), 1e-5) << i;
}

// exp(-KL) of the second expert's biased outputs from the first's, and of the third's from the second's.
TEST_F(PndByHand, ExpertsDifferByTheirOutputs) {
  make({{"stage", 1}});
  const torch::NoGradGuard no_grad;
  setting_.network->named_parameters()["experts.1.biased.3.bias"].copy_(torch::tensor({2.f, 0.f}));
  const torch::AutoGradMode grad(true);
  const double p = 1 / (1 + std::exp(-2.));
  const double from_even = p * std::log(2 * p) + (1 - p) * std::log(2 * (1 - p)),
               to_even = .5 * std::log(.5 / p) + .5 * std::log(.5 / (1 - p));
  EXPECT_NEAR(step(16).parts.at("diversity_loss"), std::exp(-from_even) + std::exp(-to_even), 1e-5);
}

// The program's diversity: exp of minus each class's term of KL(expert before || expert), and their mean.
TEST_F(PndByHand, DiversityAsAMeanOverTerms) {
  make({{"stage", 1}, {"diversity-terms", 1}});
  const torch::NoGradGuard no_grad;
  setting_.network->named_parameters()["experts.1.biased.3.bias"].copy_(torch::tensor({2.f, 0.f}));
  const torch::AutoGradMode grad(true);
  const double p = 1 / (1 + std::exp(-2.)), even = .5;
  const auto terms = [](double before, double now) {
    return (std::exp(-before * std::log(before / now)) +
            std::exp(-(1 - before) * std::log((1 - before) / (1 - now)))) /
           2;
  };
  EXPECT_NEAR(step(16).parts.at("diversity_loss"), terms(even, p) + terms(p, even), 1e-5);
}

// Two rows whose debiased outputs are a and -a, made of the biased features alone; biased outputs are 0. With the other row's
// features the output is the other one, 4 a^2 away where 0 is a^2 away; with its own it is nearest.
TEST_F(PndByHand, ARowMayBeItsOwnPairWhereAskedFor) {
  const auto losses_of = [&](double own_pairs) {
    make({{"counterfactual", 2}, {"own-pairs", own_pairs}, {"temperature", 1e5}});
    const torch::NoGradGuard no_grad;
    auto weights = setting_.network->named_parameters();
    for (const std::string expert : {"0", "1", "2"}) {
      const std::string name = "experts." + expert + ".debiased.";
      weights[name + "0.weight"].mul_(1e4).slice(1, 0, 512).zero_();  // far above the 1e-5 of normalization
      weights[name + "3.weight"].copy_(torch::arange(32, torch::kFloat32).sin().view({2, 16}));
      weights[name + "3.bias"].copy_(weights[name + "3.weight"].sum(1) / -2);  // hidden units are 0 or 1
    }
    torch::manual_seed(3);
    const torch::Tensor x = torch::rand({2, 1, 8, 8});
    const torch::AutoGradMode grad(true);
    std::vector<double> losses;
    for (std::size_t number = 1; number <= 30; ++number) {
      Batch batch;
      batch.x = x;
      batch.y = torch::tensor({0, 1});
      rows_ = {0, 1};
      batch.rows = rows_;
      losses.push_back(member_->update({batch, {}, {}, 1, number, 30}).parts.at("counterfactual_loss"));
    }
    return losses;
  };
  const std::vector<double> never = losses_of(0), sometimes = losses_of(1);
  const double whole = never.front();
  EXPECT_GT(whole, 10);
  double share = 0;  // of the experts' draws that exchange rows: half of them
  for (std::size_t i = 0; i < never.size(); ++i) {
    EXPECT_NEAR(never[i], whole, 1e-2 * whole);
    share += sometimes[i] / whole / 30;
  }
  EXPECT_GT(share, .25);
  EXPECT_LT(share, .75);
}

TEST_F(PndByHand, ASigmoidLeavesLittleToTell) {
  make({{"stage", 1}, {"sigmoid-logits", 1}}, "pnd-sigmoid");
  set(60);  // outputs 1 and 1/2
  const double p = 1 / (1 + std::exp(-.5)), even = -std::log(p), odd = -std::log(1 - p);
  EXPECT_NEAR(step(16).parts.at("gate_loss"), (even + odd) / 2, 1e-5);
}

TEST_F(PndByHand, LossesAreAveragedOverVisits) {
  make({{"stage", 1}});
  set(1);
  (void)step(4);
  const auto averages = [&] { return member_->state().at("averages"); };
  const double right = std::log1p(std::exp(-1.)), wrong = std::log1p(std::exp(1.));
  EXPECT_NEAR(averages()[0][1].item<double>(), right, 1e-6);
  EXPECT_NEAR(averages()[1][6].item<double>(), wrong, 1e-6);
  set(-1);
  (void)step(2);
  EXPECT_NEAR(averages()[0][1].item<double>(), .7 * right + .3 * wrong, 1e-6);
  EXPECT_NEAR(averages()[1][6].item<double>(), .7 * wrong + .3 * right, 1e-6);
  EXPECT_NEAR(averages()[2][1].item<double>(), right, 1e-6) << "not visited again";
  EXPECT_EQ(averages()[3][0].item<double>(), 1) << "its class";
}

// Rows 0 and 2 stand in the batch twice, with losses a and b; row 0 was seen before.
TEST_F(PndByHand, ARowDrawnTwiceMovesItsAverageOnceWhereAskedFor) {
  const double before = std::log1p(std::exp(-1.)), a = std::log1p(std::exp(-2.)),
               b = std::log1p(std::exp(2.));
  for (const double once : {0., 1.}) {
    make({{"stage", 1}, {"single-visit", once}});
    set(1);
    (void)step(2);
    set(2);
    (void)step_of({0, 0, 2, 2});
    EXPECT_NEAR(average(0), .7 * (once != 0 ? before : .7 * before + .3 * a) + .3 * b, 1e-6);
    EXPECT_NEAR(average(2), once != 0 ? b : .7 * a + .3 * b, 1e-6);
  }
}

TEST_F(PndByHand, AveragesThatTheFirstStageHandsOnGoOn) {
  const double right = std::log1p(std::exp(-1.)), wrong = std::log1p(std::exp(1.));
  make({{"stage", 1}});
  set(1);
  (void)step(4);
  setting_.base_state["averages"] = member_->state().at("averages");
  make({{"counterfactual", 2}});
  set(-1);
  (void)step(2);
  EXPECT_NEAR(average(0), .7 * right + .3 * wrong, 1e-6);
  EXPECT_NEAR(average(2), right, 1e-6);
}

TEST_F(PndByHand, BothNetworksBeginEqualWhereAskedFor) {
  const auto are_equal = [&](double asked) {
    make({{"stage", 1}, {"equal-encoders", asked}});
    const std::vector<Network*> both = dynamic_cast<Pnd&>(*setting_.network).backbones();
    return std::ranges::equal(both[0]->parameters(), both[1]->parameters(),
                              [](const torch::Tensor& x, const torch::Tensor& y) { return x.equal(y); });
  };
  EXPECT_FALSE(are_equal(0));
  EXPECT_TRUE(are_equal(1));
  setting_.pretrained = true;
  EXPECT_FALSE(are_equal(1)) << "given weights stay as they are";
}

// Rows whose debiased loss is small beside the biased one weigh more. The largest of a class is over all rows seen.
TEST_F(PndByHand, WeightsCompareRowsWithTheWorstOfTheirClass) {
  make({{"stage", 1}});
  (void)step(2);
  Tensors state = member_->state();
  const double l = std::log(2.);
  for (std::int64_t i = 0; i < 3; ++i) {
    state["averages"][0][1 + i] = 4 * l;  // class 0, debiased: after this visit 3.1 l, the largest
    state["averages"][0][4 + i] = l;
  }
  member_->restore(state, "averages");
  // row 0: d = 1, b = 1; row 1, of class 1, likewise: each is the only one of its class
  EXPECT_NEAR(step(2).parts.at("debias_loss"), 3 * l / 2, 1e-5);
  // row 2 joins class 0 with a debiased loss of l: d = l / (.7 * 3.1 l + .3 l), b = 1
  const double d = 1 / (.7 * 3.1 + .3), weight = 1 / (1 + d);
  EXPECT_NEAR(step(3).parts.at("debias_loss"), 3 * l * (.5 + .5 + weight) / 3, 1e-4);
}

TEST(Pnd, TrainsInTwoStages) {
  const toy::Folder folder;
  TrainOptions options = quick("pnd");
  options.epochs = 2;
  options.parameters = {{"base-epochs", 1}, {"counterfactual", 4}};
  const TrainResult result = session().train(toy::squares(100, 4), options, folder / "m");
  EXPECT_EQ(result.model->info().architecture, "pnd:small-cnn");
  ASSERT_TRUE(result.base.has_value());
  EXPECT_EQ(result.base->algorithm, "pnd");
  EXPECT_EQ(result.base->epochs, 1U);
  options.parameters["sigmoid-logits"] = 1;
  EXPECT_EQ(session().train(toy::squares(100, 4), options, folder / "s").model->info().architecture,
            "pnd-sigmoid:small-cnn");
}

class PndStages : public testing::Test {
 protected:
  void train_until(const std::string& file) {
    StopAt stop(folder_ / file);
    EXPECT_THROW((void)session().train(images_, options_, folder_ / "m", &stop), Interrupted);
  }
  [[nodiscard]] torch::Tensor averages(const std::string& state) const {
    return to_tensor(read_safetensors(folder_ / state).tensors.at("algorithm.averages"), state);
  }
  toy::Folder folder_;
  Images images_ = toy::squares(100, 4);
  TrainOptions options_ = [] {
    TrainOptions options = quick("pnd");
    options.epochs = 2;
    options.parameters = {{"base-epochs", 2}, {"counterfactual", 4}, {"keep-averages", 1}, {"ema", .999}};
    return options;
  }();
};

// A visit moves them by a thousandth of a loss, which is below 10.
TEST_F(PndStages, AveragesGoOnFromTheLastEpochOfTheFirst) {
  const auto move_little = [&](const torch::Tensor& before) {
    train_until("m.state");
    const torch::Tensor moved = (averages("m.state") - .999 * before).slice(1, 1),
                        seen = before.select(1, 0) >= 0;
    EXPECT_EQ(seen.sum().item<std::int64_t>(), 80);
    std::filesystem::remove(folder_ / "m.state");
    return (moved >= -1e-5).logical_and(moved < .01).all(1).index({seen}).all().item<bool>();
  };
  train_until("m.base");
  const torch::Tensor before = averages("m.base.state");
  EXPECT_TRUE(move_little(before));
  options_.parameters["keep-averages"] = 0;
  EXPECT_FALSE(move_little(before)) << "they begin anew";
}

TEST_F(PndStages, KeptAveragesAreThereWhereverATrainingGoesOn) {
  EXPECT_TRUE(session().train(images_, options_, folder_ / "whole").notes.empty());
  for (const std::string file : {"m.base", "m.state"}) {  // before and after the second stage's first epoch
    train_until(file);
    const TrainResult result = session().train(images_, options_, folder_ / "m");
    EXPECT_EQ(result.resumed_after, file == "m.state" ? 1U : 0U);
    EXPECT_EQ(result.notes.size(), result.resumed_after);
    EXPECT_EQ(file_text(folder_ / "whole"), file_text(folder_ / "m")) << file;
    for (const char* const left : {"m.base", "m.base.state", "m.state"})
      EXPECT_FALSE(std::filesystem::exists(folder_ / left)) << left;
    std::filesystem::remove(folder_ / "m");
  }
  options_.text = {};
  (void)session().train(images_, options_, folder_ / "plain");
  expect_same_weights(folder_ / "whole", folder_ / "plain");
}

// All images are of one class, so that epochs are equally good. The epochs of the first stage alone say which one is kept, and that
// it ends two epochs after the first of the best.
TEST_F(PndStages, TheLastOfEquallyGoodEpochsIsKeptWhereAskedFor) {
  images_.labels = std::vector<std::int64_t>(images_.n(), 0);
  options_.classes = 2;
  TrainOptions alone = options_;
  alone.parameters = {{"stage", 1}};
  alone.epochs = 6, alone.patience = 0, alone.keep_epochs = folder_ / "epochs";
  const TrainResult all = session().train(images_, alone, folder_ / "alone");
  const auto accuracy = [&](std::size_t epoch) { return *all.epochs[epoch - 1].validation_accuracy; };
  for (const bool last : {false, true}) {
    std::size_t first = 1, best = 1, epoch = 1;
    while (epoch < 6 && epoch - first < 2) {
      ++epoch;
      if (accuracy(epoch) > accuracy(first)) first = best = epoch;
      if (last && accuracy(epoch) == accuracy(first)) best = epoch;
    }
    EXPECT_EQ(best > first, last);
    options_.parameters = {{"base-epochs", 6}, {"base-patience", 2}, {"last-best", last ? 1. : 0.}};
    train_until("m.base");
    const Training stage = training_of(folder_ / "m.base");
    EXPECT_EQ(stage.epochs.size(), epoch);
    EXPECT_EQ(stage.best_epoch, best);
    expect_same_weights(folder_ / "m.base",
                        folder_ / "epochs" / ("epoch-00" + std::to_string(best) + ".safetensors"));
    std::filesystem::remove(folder_ / "m.base");
  }
}

TEST(Pnd, NeedsAsManyRowsAsItCompares) {
  const toy::Folder folder;
  TrainOptions options = quick("pnd");
  options.batch = 15;
  const auto message = [&] {
    return message_of([&] { (void)session().train(toy::squares(100, 4), options, folder / "m"); });
  };
  EXPECT_EQ(message(), "train: batch: expected at least 16 rows, as algorithm pnd needs, found 15");
  options.epochs = 1;
  options.parameters = {{"base-epochs", 1}, {"padded-rows", 16}};
  EXPECT_EQ(message(), "no error") << "a batch is filled";
  options.batch = 32;
  options.architecture = "mlp";
  EXPECT_EQ(message(),
            "architecture pnd:mlp: expected a backbone of at least 2 stages, found mlp, which has none");
}

}  // namespace
}  // namespace leeway::nn

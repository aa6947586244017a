// ADA and ME-ADA.
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "leeway/nn/train/ascent.h"
#include "leeway/nn/train/training_set.h"
#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn {
namespace {

// z = W x, F = V z.
const torch::Tensor first_layer = torch::tensor({{.5f, -1.f, .2f}, {.3f, .4f, -.6f}}),
                    second_layer = torch::tensor({{1.f, .5f}, {-.7f, .2f}, {.1f, -1.f}});
Forward two_layers(const torch::Tensor& x) {
  const torch::Tensor z = x.flatten(1).mm(first_layer.t());
  return {z.mm(second_layer.t()), z};
}

torch::Tensor after(Ascent ascent, std::size_t steps, const torch::Tensor& x, const torch::Tensor& y) {
  ascent.steps = steps;
  return ascended(two_layers, x, y, ascent);
}

TEST(Ada, StepsByHand) {
  const torch::Tensor x = torch::tensor({{.5f, .4f, .6f}, {.3f, .5f, .5f}}), y = torch::tensor({2, 0});
  const auto slope = [&](const torch::Tensor& at) {  // of the cross-entropy
    return (two_layers(at).logits.softmax(1) - torch::one_hot(y, 3).to(torch::kFloat32))
        .mm(second_layer)
        .mm(first_layer);
  };
  const auto pull = [&](const torch::Tensor& at) { return (at - x).mm(first_layer.t()).mm(first_layer); };
  for (const double gamma : {0., 1., 5.}) {
    const Ascent sum{.rate = .05, .gamma = gamma};
    const torch::Tensor first = x + .05 * slope(x);  // no distance yet
    EXPECT_TRUE(after(sum, 1, x, y).allclose(first, 1e-5, 1e-6));
    EXPECT_TRUE(after(sum, 2, x, y).allclose(first + .05 * (slope(first) - gamma * pull(first)), 1e-5, 1e-6));
    Ascent mean = sum;
    mean.mean_distance = true;  // 2 gamma / d, d = 2
    EXPECT_TRUE(after(mean, 2, x, y).allclose(after(sum, 2, x, y), 1e-5, 1e-6));
  }
}

// Where the loss and the pull are even, the features are slope / gamma away.
TEST(Ada, AStrongPullKeepsTheFeatures) {
  const torch::Tensor x = torch::tensor({{.5f, .4f, .6f}}), y = torch::tensor({2});
  const auto distance = [&](double gamma) {
    const torch::Tensor made = after(Ascent{.rate = .05 / gamma, .gamma = gamma}, 400, x, y);
    return (two_layers(made).features - two_layers(x).features).norm().item<double>();
  };
  EXPECT_LT(distance(1000), distance(10) / 50);
  EXPECT_LT(distance(1000), 2e-3);
}

// The gradient of the entropy by the logits (1, 2, -.5), which are the image less 1/2.
TEST(Ada, TheEntropyByHand) {
  const ForwardFunction identity = [](const torch::Tensor& x) {
    return Forward{4 * (x.flatten(1) - .5), x.flatten(1)};
  };
  const torch::Tensor x = torch::tensor({{.75f, 1.f, .375f}}), y = torch::tensor({1});
  const Ascent plain{.steps = 1, .rate = .01, .gamma = 0},
      entropy{.steps = 1, .rate = .01, .gamma = 0, .entropy = 1};
  const torch::Tensor more = (ascended(identity, x, y, entropy) - ascended(identity, x, y, plain)) / .04;
  EXPECT_NEAR(more[0][0].item<double>(), .1534, 1e-3);
  EXPECT_NEAR(more[0][1].item<double>(), -.2726, 1e-3);
  EXPECT_NEAR(more[0][2].item<double>(), .1192, 1e-3);
  const torch::Tensor uniform = torch::full({1, 3}, .5f);
  EXPECT_TRUE(
      ascended(identity, uniform, y, entropy).allclose(ascended(identity, uniform, y, plain), 0, 1e-7));
  EXPECT_TRUE(
      ascended(identity, torch::full({1, 3}, .5f), y, {.steps = 3, .rate = 9}).le(1).all().item<bool>())
      << "pixels stay in [0,1]";
  EXPECT_GT(
      ascended(identity, torch::full({1, 3}, .5f), y, {.steps = 3, .rate = 9, .clamp = Ascent::Clamp::never})
          .max()
          .item<double>(),
      1)
      << "unless they are never cut";
}

TEST(Ada, ImagesOfAnotherProgram) {
  toy::ReferenceStep step("ada");
  const AlgorithmSetting setting = step.setting();
  const auto member = algorithm("me-ada").make(setting);
  step.fill(*member);
  member->set_training(false);
  const Minibatches batches = step.batches();
  const torch::Tensor x = batches.labelled.x, y = batches.labelled.y;
  for (const bool mean : {false, true}) {
    const Ascent ascent{4,
                        step.json["rate"],
                        step.json["gamma"],
                        step.json["entropy"],
                        mean,
                        mean ? Ascent::Clamp::every : Ascent::Clamp::last};
    const torch::Tensor found = ascended(member->predict(), x, y, ascent);
    const torch::Tensor wanted =
        torch::tensor(step.json[mean ? "mean" : "images"].get<std::vector<float>>()).view(x.sizes());
    EXPECT_LT((found - wanted).abs().max().item<double>(), 1e-5);
    // each image by itself
    const torch::Tensor alone =
        torch::cat({ascended(member->predict(), x.slice(0, 0, 2), y.slice(0, 0, 2), ascent),
                    ascended(member->predict(), x.slice(0, 2), y.slice(0, 2), ascent)});
    EXPECT_LT((found - alone).abs().max().item<double>(), 1e-6);
  }
}

class GrowingSet : public testing::Test {
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

// Of 40 images in batches of 16 the last 8 have twice the step.
TEST_F(GrowingSet, TheLastBatchHasLongerStepsWhereAskedFor) {
  const auto made = [&](const std::map<std::string, double>& more) {
    std::map<std::string, double> given{{"every-epochs", 1}, {"steps", 1}, {"rounds", 1}, {"rate", .01}};
    given.insert(more.begin(), more.end());
    if (more.contains("rate")) given["rate"] = more.at("rate");
    const auto ada = member(given);
    ada->begin_epoch(2);
    return ada->state().at("appended").clone();
  };
  const torch::Tensor same = made({}), divided = made({{"batch-rows", 16}}), twice = made({{"rate", .02}});
  EXPECT_TRUE(divided.slice(0, 0, 32).allclose(same.slice(0, 0, 32), 1e-5, 1e-6));
  EXPECT_TRUE(divided.slice(0, 32).allclose(twice.slice(0, 32), 1e-5, 1e-6));
  EXPECT_FALSE(divided.slice(0, 32).allclose(same.slice(0, 32), 1e-5, 1e-6));
  EXPECT_TRUE(made({{"batch-rows", 20}}).allclose(same, 1e-5, 1e-6)) << "whole batches alone";
}

TEST_F(GrowingSet, AnEpochEarlierWhereAskedFor) {
  const auto ada = member({{"every-epochs", 2}, {"steps", 1}, {"early", 1}});
  std::vector<std::size_t> sizes;
  for (std::size_t epoch = 1; epoch <= 6; ++epoch) {
    ada->begin_epoch(epoch);
    sizes.push_back(set_->training().size());
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{40, 80, 80, 120, 120, 120}));
}

TEST_F(GrowingSet, AStepIntoTheEpochWhereAskedFor) {
  const std::map<std::string, double> given{{"every-epochs", 2}, {"steps", 1}, {"after-a-step", 1}};
  auto ada = member(given);
  ada->begin_epoch(2);
  EXPECT_FALSE(ada->repeats_pass());
  ada->begin_epoch(3);
  EXPECT_EQ(set_->training().size(), 40U);
  EXPECT_TRUE(ada->repeats_pass()) << "after its first step";
  const Tensors state = ada->state();
  for (const bool restored : {false, true}) {
    if (restored) ada = member(given), ada->restore(state, "state");
    EXPECT_EQ(set_->training().size(), 40U);
    ada->begin_epoch(3);
    EXPECT_EQ(set_->training().size(), 80U);
    EXPECT_FALSE(ada->repeats_pass());
  }
}

// Those of 8-bit levels are what floats are when they are rounded, and a byte a pixel in the state.
TEST_F(GrowingSet, OfBytesWhereAskedFor) {
  std::vector<std::int64_t> rows(40);
  std::iota(rows.begin(), rows.end(), std::int64_t{40});
  const auto floats = member({{"every-epochs", 1}, {"steps", 2}});
  floats->begin_epoch(2);
  const torch::Tensor exact = set_->batch(rows).x.clone();
  const auto ada = member({{"every-epochs", 1}, {"steps", 2}, {"bytes", 1}});
  ada->begin_epoch(2);
  const torch::Tensor made = set_->batch(rows).x.clone();
  EXPECT_FALSE(exact.equal(made));
  EXPECT_TRUE((255 * exact).round().equal((255 * made).round()));
  EXPECT_LT((255 * made - (255 * made).round()).abs().max().item<double>(), 1e-4);
  const Tensors state = ada->state();
  EXPECT_EQ(state.at("appended").scalar_type(), torch::kUInt8);
  const auto again = member({{"every-epochs", 1}, {"steps", 2}, {"bytes", 1}});
  again->restore(state, "state");
  EXPECT_TRUE(set_->batch(rows).x.equal(made));
}

// What is never cut stays as it is in the set and in the state.
TEST_F(GrowingSet, OfAnyRangeWhereAskedFor) {
  const auto ada = member({{"every-epochs", 1}, {"steps", 3}, {"rate", 1000}, {"clamp", 2}});
  ada->begin_epoch(2);
  std::vector<std::int64_t> rows(40);
  std::iota(rows.begin(), rows.end(), std::int64_t{40});
  const torch::Tensor made = set_->batch(rows).x.clone();
  EXPECT_GT(made.max().item<double>(), 1);
  EXPECT_LT(made.min().item<double>(), 0);
  const Tensors state = ada->state();
  const auto again = member({{"every-epochs", 1}, {"steps", 3}, {"clamp", 2}});
  again->restore(state, "state");
  EXPECT_TRUE(set_->batch(rows).x.equal(made));
  const auto other = member({{"every-epochs", 1}});
  EXPECT_NE(message_of([&] { other->restore(state, "state"); }), "no error") << "elsewhere it is no image";
}

TEST_F(GrowingSet, DoublesWhereAskedFor) {
  const auto ada = member({{"every-epochs", 1}, {"steps", 1}, {"grow", 1}});
  for (std::size_t epoch = 1; epoch <= 4; ++epoch) ada->begin_epoch(epoch);
  EXPECT_EQ(set_->training().size(), 160U);
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

// Stopped in the third epoch, after two rounds.
TEST(Ada, ResumesWithTheImagesThatItMade) {
  const toy::Folder folder;
  const data::TrainingData data(toy::squares(100, 4));
  TrainOptions options = quick("ada");
  options.parameters["every-epochs"] = 1;
  (void)session().train(data, options, folder / "whole");
  StopAfter stop(3 + 5 + 2);  // batches of 80, 160 and 240 images
  EXPECT_THROW((void)session().train(data, options, folder / "broken", &stop), Interrupted);
  EXPECT_EQ(session().train(data, options, folder / "broken").resumed_after, 2U);
  EXPECT_EQ(file_text(folder / "whole"), file_text(folder / "broken"));
}

// 100 rows in batches of 20: passes of 5 steps, 1 and 10, 1 and 15. A check after each step: wherever it stops, it goes on.
TEST(Ada, AStepBeforeARoundIsOneOfTheTraining) {
  const toy::Folder folder;
  const data::TrainingData data(toy::squares(100, 4));
  TrainOptions options = quick("ada");
  options.parameters = {{"every-epochs", 1}, {"after-a-step", 1}, {"steps", 1}};
  options.validation = 0, options.epochs = 3, options.batch = 20;
  const auto steps = [](const TrainResult& result) {
    std::vector<std::size_t> all;
    for (const Epoch& epoch : result.epochs) all.push_back(epoch.steps);
    return all;
  };
  EXPECT_EQ(steps(session().train(data, options, folder / "epochs")), (std::vector<std::size_t>{5, 16, 32}));
  options.check_every = 1;
  EXPECT_EQ(session().train(data, options, folder / "whole").epochs.size(), 32U);
  for (const std::size_t stop_after : {5, 6, 7, 16, 17}) {
    StopAfter stop(stop_after);
    EXPECT_THROW((void)session().train(data, options, folder / "broken", &stop), Interrupted);
    EXPECT_GT(session().train(data, options, folder / "broken").resumed_after, 3U);
    EXPECT_EQ(file_text(folder / "whole"), file_text(folder / "broken")) << stop_after;
    std::filesystem::remove(folder / "broken");
  }
}

// 100 rows in batches of 20: 3 steps, 3 of the pass that begins anew, 15 of the one after it. It goes on wherever it stops.
TEST(Ada, RoundsMayComeEverySoManySteps) {
  const toy::Folder folder;
  const data::TrainingData data(toy::squares(100, 4));
  TrainOptions options = quick("ada");
  options.parameters = {{"every-steps", 3}, {"steps", 1}};
  options.validation = 0, options.epochs = 1, options.batch = 20;
  const TrainResult whole = session().train(data, options, folder / "epochs");
  ASSERT_EQ(whole.epochs.size(), 1U);
  EXPECT_EQ(whole.epochs[0].steps, 21U);
  options.check_every = 1;
  EXPECT_EQ(session().train(data, options, folder / "whole").epochs.size(), 21U);
  for (const std::size_t stop_after : {3, 4, 6, 7}) {
    StopAfter stop(stop_after);
    EXPECT_THROW((void)session().train(data, options, folder / "broken", &stop), Interrupted);
    EXPECT_GT(session().train(data, options, folder / "broken").resumed_after, 1U);
    EXPECT_EQ(file_text(folder / "whole"), file_text(folder / "broken")) << stop_after;
    std::filesystem::remove(folder / "broken");
  }
  options.parameters["early"] = 1;
  EXPECT_EQ(
      message_of([&] { (void)session().train(data, options, folder / "m"); }),
      "algorithm ada: expected after-a-step 0 and early 0, as rounds come every so many steps, found 1");
}

// Of 40 images in batches of 16 the second whole one and the rest are left out.
TEST_F(GrowingSet, WithoutTheLastBatchWhereAskedFor) {
  const auto ada = member({{"every-epochs", 1}, {"steps", 1}, {"batch-rows", 16}, {"drop-last", 1}});
  ada->begin_epoch(2);
  EXPECT_EQ(set_->training().size(), 56U);
  EXPECT_EQ(
      message_of([&] {
        member({{"every-epochs", 1}, {"steps", 1}, {"batch-rows", 30}, {"drop-last", 1}})->begin_epoch(2);
      }),
      "algorithm ada: expected rows of two batches of 30, as drop-last is 1, found 40");
  EXPECT_EQ(message_of([&] {
              (void)member({{"drop-last", 1}});
            }),
            "algorithm ada: expected rows of a batch (batch-rows), as drop-last is 1, found none");
}

// Asks to stop while the images of a round are made.
class StopInARound : public Progress {
 public:
  void update(std::string_view task, std::size_t, std::size_t, std::string_view) override {
    in_round_ = task == "adversarial images";
  }
  [[nodiscard]] bool stop_requested() const override { return in_round_; }

 private:
  std::atomic<bool> in_round_ = false;
};

TEST(Ada, HearsARequestToStopWithinARound) {
  const toy::Folder folder;
  const data::TrainingData data(toy::squares(200, 4));
  TrainOptions options = quick("ada");
  (void)session().train(data, options, folder / "whole");
  StopInARound stop;
  EXPECT_THROW((void)session().train(data, options, folder / "broken", &stop), Interrupted);
  EXPECT_EQ(session().train(data, options, folder / "broken").resumed_after, 2U);
  EXPECT_EQ(file_text(folder / "whole"), file_text(folder / "broken"));
}

TEST(Ada, WithoutRoundsHasTheBitsOfPlainTraining) {
  const data::TrainingData data(toy::squares(100, 4));
  expect_the_bits_of_plain_training("ada", {{"rounds", 0}}, data);
  expect_the_bits_of_plain_training("me-ada", {{"every-epochs", 50}}, data);
}

}  // namespace
}  // namespace leeway::nn

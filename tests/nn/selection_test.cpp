// What chooses the epoch of a training.
#include "leeway/nn/train/selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/nn/training.h"

namespace leeway::nn::selection_test {

// The score is a made-up one, highest after the second of four epochs.
class SelectedTraining : public ::testing::Test {
 protected:
  SelectedTraining() {
    options_.select = "pa";
    options_.selection.shift = "gaussian-noise";
    options_.selection.strength = .3;
    options_.selection.score = [this](const Outputs& clean, const Outputs& shifted) {
      seen_.push_back({clean, shifted});
      return seen_.size() == 2 ? 5. : -1.;
    };
    options_.keep_epochs = folder_ / "kept";
  }
  [[nodiscard]] std::string kept(int epoch) const {
    return file_text(folder_ / ("kept/epoch-00" + std::to_string(epoch) + ".safetensors"));
  }
  toy::Folder folder_;
  Images images_ = toy::squares(200, 4);
  TrainOptions options_ = quick();
  std::vector<std::pair<Outputs, Outputs>> seen_;
};

TEST_F(SelectedTraining, KeepsTheEpochOfTheHighestScore) {
  const TrainResult result = session().train(images_, options_, folder_ / "m");
  EXPECT_EQ(result.best_epoch, 2U);
  EXPECT_EQ(result.best_by_score, 2U);
  ASSERT_EQ(result.epochs.size(), 4U);
  EXPECT_EQ(*result.epochs[0].selection_score, -1);
  EXPECT_EQ(*result.epochs[1].selection_score, 5);
  double best = 0;
  for (const Epoch& epoch : result.epochs) best = std::max(best, *epoch.validation_accuracy);
  EXPECT_EQ(*result.epochs[*result.best_by_accuracy - 1].validation_accuracy, best);
  const Training written = training_of(folder_ / "m");
  EXPECT_EQ(written.best_by_score, 2U);
  EXPECT_EQ(written.best_by_accuracy, result.best_by_accuracy);
  EXPECT_EQ(written.epochs[1].selection_score, 5);
  EXPECT_EQ(written.options.select_shift, "gaussian-noise:0.3");
}

// Test images are measured after every epoch by the network of that epoch, and change nothing.
TEST_F(SelectedTraining, TestImagesAreMeasuredAndChooseNothing) {
  const TrainResult without = session().train(images_, options_, folder_ / "m");
  EXPECT_FALSE(without.epochs.front().test_accuracy);
  EXPECT_FALSE(without.best_by_test);
  seen_.clear();
  data::TrainingData data(images_);
  data.test = toy::squares(60, 4, 9);
  const TrainResult with = session().train(data, options_, folder_ / "t");
  EXPECT_EQ(with.n_test, 60U);
  EXPECT_EQ(with.best_epoch, without.best_epoch);
  double best = 0;
  for (std::size_t epoch = 1; epoch <= with.epochs.size(); ++epoch) {
    const auto model = toy::loaded(folder_ / ("kept/epoch-00" + std::to_string(epoch) + ".safetensors"));
    const double share = toy::accuracy(model->outputs(*data.test), *data.test->labels);
    EXPECT_EQ(*with.epochs[epoch - 1].test_accuracy, share);
    best = std::max(best, share);
  }
  EXPECT_EQ(*with.epochs[*with.best_by_test - 1].test_accuracy, best);
  data.test->labels.reset();
  EXPECT_EQ(message_of([&] { (void)session().train(data, options_, folder_ / "u"); }),
            "test images: expected a label for each, found none");
}

// The score sees the network of its epoch, on the validation images and on those images shifted.
TEST_F(SelectedTraining, ScoreSeesCleanAndShiftedOutputsOfTheEpoch) {
  const TrainResult result = session().train(images_, options_, folder_ / "m");
  ASSERT_EQ(seen_.size(), 4U);
  for (std::size_t epoch = 1; epoch <= 4; ++epoch) {
    const auto& [clean, shifted] = seen_[epoch - 1];
    ASSERT_EQ(clean.n(), 40U);
    EXPECT_EQ(clean.k(), 4U);
    EXPECT_EQ(clean.labels, shifted.labels);
    EXPECT_EQ(toy::accuracy(clean, *clean.labels), *result.epochs[epoch - 1].validation_accuracy);
    EXPECT_EQ(toy::accuracy(shifted, *shifted.labels), *result.epochs[epoch - 1].validation_shifted_accuracy);
  }
  EXPECT_FALSE(toy::same_bits(seen_[0].first.logits, seen_[0].second.logits));
  EXPECT_FALSE(toy::same_bits(seen_[0].first.logits, seen_[1].first.logits));
}

TEST_F(SelectedTraining, StartsAnewUnderAnotherSelectionOrWithoutItsEpochs) {
  const auto interrupt = [&] {
    std::filesystem::remove(folder_ / "m.state");
    StopAfter stop(12);
    EXPECT_THROW((void)session().train(images_, options_, folder_ / "m", &stop), Interrupted);
  };
  interrupt();
  std::filesystem::remove(folder_ / "kept/epoch-001.safetensors");
  const TrainResult gone = session().train(images_, options_, folder_ / "m");
  EXPECT_EQ(gone.resumed_after, 0U);
  EXPECT_EQ(gone.notes,
            std::vector{(folder_ / "kept").string() + ": does not have every epoch: starting over"});
  EXPECT_NE(kept(1), "");
  interrupt();
  options_.selection.strength = .2;
  const TrainResult other = session().train(images_, options_, folder_ / "m");
  EXPECT_EQ(other.resumed_after, 0U);
  EXPECT_NE(other.notes.front().find("(select_shift \"gaussian-noise:0.3\", now \"gaussian-noise:0.2\")"),
            std::string::npos);
  interrupt();
  options_.select = "accuracy";
  options_.selection = {};
  EXPECT_EQ(session().train(images_, options_, folder_ / "m").resumed_after, 0U);
}

TEST_F(SelectedTraining, ReusesOnlyWithItsEpochs) {
  (void)session().train(images_, options_, folder_ / "m");
  options_.reuse = true;
  const TrainResult again = session().train(images_, options_, folder_ / "m");
  EXPECT_TRUE(again.reused);
  EXPECT_EQ(again.best_by_score, 2U);
  std::filesystem::remove(folder_ / "kept/epoch-004.safetensors");
  EXPECT_FALSE(session().train(images_, options_, folder_ / "m").reused);
}

TEST_F(SelectedTraining, RefusesWhatCannotSelect) {
  const auto message = [&] {
    return message_of([&] { (void)session().train(images_, options_, folder_ / "m"); });
  };
  const Selection good = options_.selection;
  options_.validation = 0;
  EXPECT_EQ(
      message(),
      "train: selection: expected validation images to select the epoch, found a validation share of 0");
  options_.validation = .2;
  options_.selection.score = {};
  EXPECT_EQ(message(), "train: selection: expected a function that scores an epoch by 'pa', found none");
  options_.selection = good;
  options_.select = "pa";
  options_.selection.shift = "imbalance";
  EXPECT_EQ(message(),
            "train: selection: expected a shift that changes pixels, found imbalance, which selects rows");
  options_.selection.shift = "fog";
  EXPECT_NE(message().find("fog"), std::string::npos);
  options_.selection.shift = good.shift;
  options_.selection.strength = -1;
  EXPECT_NE(message().find("-1"), std::string::npos);
  options_.selection = good;
  options_.selection.score = [](const Outputs&, const Outputs&) { return std::nan(""); };
  EXPECT_THROW((void)session().train(images_, options_, folder_ / "m"), std::runtime_error);
}

}  // namespace leeway::nn::selection_test

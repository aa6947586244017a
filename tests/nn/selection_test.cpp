#include "leeway/nn/train/selection.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "leeway/io/safetensors.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/training_set.h"
#include "tests/nn/training.h"

namespace leeway::nn::selection_test {

// The score is a made-up one, highest after the second of four epochs.
class SelectedTraining : public ::testing::Test {
 protected:
  SelectedTraining() {
    options_.select = "pa", options_.selection.shift = "gaussian-noise";
    options_.selection.strength = .3;
    options_.selection.score = [this](const Outputs& clean, const Outputs& shifted) {
      seen_.push_back({clean, shifted});
      return seen_.size() == 2 ? 5. : -1.;
    };
    options_.keep_epochs = folder_ / "kept";
  }
  [[nodiscard]] std::string kept(int epoch) const {
    return read_bytes(folder_ / ("kept/epoch-00" + std::to_string(epoch) + ".safetensors"));
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
  EXPECT_REFUSED(session().train(data, options_, folder_ / "u"), "test images: expected a ... found none");
}

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

// Row i of the second sample pairs with validation row i and keeps its own label.
TEST_F(SelectedTraining, ASecondSampleTakesThePlaceOfTheShift) {
  data::TrainingData data(images_);
  options_.validation.reset(), options_.validation_rows = {150, 160, 170};
  options_.selection.shift.clear(), options_.keep_epochs.clear(), options_.epochs = 1;
  data.shifted = toy::squares(3, 4, 9);
  (void)session().train(data, options_, folder_ / "m");
  const auto model = toy::loaded(folder_ / "m");
  EXPECT_TRUE(toy::same_bits(seen_.at(0).second.logits, model->outputs(*data.shifted).logits));
  EXPECT_EQ(seen_[0].second.labels, data.shifted->labels);
  EXPECT_EQ(seen_[0].first.labels,
            (std::vector{images_.labels->at(150), images_.labels->at(160), images_.labels->at(170)}));
  EXPECT_EQ(training_of(folder_ / "m").options.select_shift, "");
  const auto digest = training_of(folder_ / "m").plan.shifted;
  EXPECT_TRUE(digest);
  (*data.shifted->labels)[0] ^= 1;
  (void)session().train(data, options_, folder_ / "m");
  EXPECT_NE(training_of(folder_ / "m").plan.shifted, digest);
  data.shifted = toy::squares(4, 4, 9);
  EXPECT_REFUSED(session().train(data, options_, folder_ / "m"), "toy.npz: expected 3 images,... found 4");
  data.shifted = toy::images(3, {1, 8, 9}, 4);
  EXPECT_REFUSED(session().train(data, options_, folder_ / "m"), "8 x 8,... found 1 channels of 8 x 9");
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
            std::vector{(folder_ / "kept").string() + ": some epochs are missing: starting over"});
  EXPECT_NE(kept(1), "");
  interrupt();
  options_.selection.strength = .2;
  const TrainResult other = session().train(images_, options_, folder_ / "m");
  EXPECT_EQ(other.resumed_after, 0U);
  EXPECT_THAT(other.notes.front(),
              ::testing::HasSubstr("(select_shift \"gaussian-noise:0.3\", now \"gaussian-noise:0.2\")"));
  interrupt();
  options_.select = "accuracy", options_.selection = {};
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
  EXPECT_THAT(message(), Says("train: selection: expected validation ... found a validation share of 0"));
  options_.validation = .2, options_.selection.score = {};
  EXPECT_EQ(message(), "train: selection: expected a function that scores an epoch by 'pa', found none");
  options_.selection = good, options_.select = "pa", options_.selection.shift = "imbalance";
  EXPECT_THAT(message(), Says("train: selection: expected a shift ... found imbalance"));
  options_.selection.shift = "fog";
  EXPECT_THAT(message(), ::testing::HasSubstr("fog"));
  options_.selection.shift = good.shift, options_.selection.strength = -1;
  EXPECT_THAT(message(), ::testing::HasSubstr("-1"));
  options_.selection = good;
  options_.selection.score = [](const Outputs&, const Outputs&) { return std::nan(""); };
  EXPECT_THROW((void)session().train(images_, options_, folder_ / "m"), std::runtime_error);
}

std::vector<std::size_t> steps_of(const Training& training) {
  std::vector<std::size_t> steps;
  for (const Epoch& epoch : training.epochs) steps.push_back(epoch.steps);
  return steps;
}

// 160 rows in batches of 32: 5 batches a pass.
TEST(TrainingCourse, ChecksAfterSoManySteps) {
  const toy::Folder folder;
  const Images images = toy::squares(200, 4);
  TrainOptions options = quick();
  EXPECT_EQ(steps_of(session().train(images, options, folder / "m")),
            (std::vector<std::size_t>{5, 10, 15, 20}));
  options.steps = 13;
  EXPECT_EQ(steps_of(session().train(images, options, folder / "m")), (std::vector<std::size_t>{5, 10, 13}));
  options.check_every = 4;
  EXPECT_EQ(steps_of(session().train(images, options, folder / "m")),
            (std::vector<std::size_t>{4, 8, 12, 13}));
  options.steps = 0;
  EXPECT_EQ(steps_of(session().train(images, options, folder / "m")),
            (std::vector<std::size_t>{4, 8, 12, 16, 20}));
  options.epochs = 1, options.check_every = 3;
  EXPECT_EQ(steps_of(session().train(images, options, folder / "m")), (std::vector<std::size_t>{3, 5}));
}

TEST(TrainingCourse, GoesOnWithinAPass) {
  const toy::Folder folder;
  const Images images = toy::squares(200, 4);
  TrainOptions options = quick();
  options.steps = 17, options.check_every = 3;
  options.augment = "flip,mixup";
  options.optimizer = "sgd", options.schedule = "cosine";
  (void)session().train(images, options, folder / "whole");
  StopAfter stop(8);
  EXPECT_THROW((void)session().train(images, options, folder / "broken", &stop), Interrupted);
  EXPECT_EQ(session().train(images, options, folder / "broken").resumed_after, 2U);
  EXPECT_EQ(read_bytes(folder / "whole"), read_bytes(folder / "broken"));
}

TEST(TrainingCourse, ANetworkOfWindows) {
  const toy::Folder folder;
  const Images small = toy::squares(200, 4);
  Images large = small;
  const auto inner = small.pixels.view<float>();
  std::vector<float> framed(200 * 12 * 12, .7F);
  for (std::size_t i = 0; i < 200; ++i)
    for (std::size_t y = 0; y < 8; ++y)
      for (std::size_t x = 0; x < 8; ++x) framed[(i * 12 + y + 2) * 12 + x + 2] = inner[(i * 8 + y) * 8 + x];
  large.pixels = make_array({200, 1, 12, 12}, std::move(framed));
  TrainOptions options = quick();
  options.epochs = 2, options.crop = 8;
  std::vector<std::size_t> shown;
  options.selection.score = [&](const Outputs& clean, const Outputs&) {
    shown.push_back(clean.n());
    return 1.;
  };
  options.selection.shift = "gaussian-noise";
  data::TrainingData data(large);
  data.test = large;
  const TrainResult result = session().train(data, options, folder / "m");
  EXPECT_EQ(shown.size(), 2U);
  EXPECT_EQ(result.model->info().input, (InputShape{1, 8, 8}));
  EXPECT_EQ(*result.epochs.at(result.best_epoch - 1).test_accuracy,
            toy::accuracy(result.model->outputs(small), *small.labels));
  options.selection = {}, options.crop = 13;
  EXPECT_REFUSED(session().train(data, options, folder / "n"), "train: crop: expected at most ... found 13");
}

TEST(TrainingCourse, TheLastEpochMayBeKept) {
  const toy::Folder folder;
  TrainOptions options = quick();
  options.epochs = 6, options.patience = 1, options.select = "last";
  const TrainResult result = session().train(toy::squares(200, 4), options, folder / "m");
  EXPECT_EQ(result.epochs.size(), 6U) << "no epoch is without a better one";
  EXPECT_EQ(result.best_epoch, 6U);
  EXPECT_TRUE(result.epochs.back().validation_accuracy);
}

TEST(FrozenParts, BatchStatisticsStayAsTheyBegin) {
  const toy::Folder folder;
  TrainOptions options = quick();
  options.architecture = "resnet20-cifar", options.epochs = 1;
  for (const bool frozen : {false, true}) {
    options.batchnorm = frozen ? "frozen" : "train";
    (void)session().train(toy::squares(60, 4), options, folder / "m");
    double moved = 0;
    for (const auto& [name, array] : read_safetensors(folder / "m").tensors)
      if (name.ends_with("running_mean"))
        moved = std::max(moved, to_tensor(array, name).abs().max().item<double>());
    EXPECT_EQ(moved > 0, !frozen);
  }
}

TEST(FrozenParts, ALinearProbeLearnsTheLastLayerAlone) {
  const toy::Folder folder;
  TrainOptions options = quick();
  (void)session().train(toy::squares(200, 4), options, folder / "first");
  options.start = folder / "first";
  options.freeze = "backbone", options.seed = 5;
  Images two = toy::squares(200, 4, 7);
  for (std::int64_t& label : *two.labels) label /= 2;
  const TrainResult result = session().train(two, options, folder / "second");
  EXPECT_EQ(result.notes, std::vector<std::string>{
                              (folder / "first").string() +
                              ": its last layer has 4 classes: the layer of 2 starts with random weights"});
  const ArrayMap before = read_safetensors(folder / "first").tensors,
                 after = read_safetensors(folder / "second").tensors;
  EXPECT_TRUE(toy::same_bits(before.at("5.weight"), after.at("5.weight")));
  EXPECT_EQ(after.at("7.bias").shape, std::vector<std::size_t>{2});
  EXPECT_GT(*result.epochs.back().validation_accuracy, .9);
  options.start.clear();
  options.architecture = "linear";
  EXPECT_REFUSED(session().train(two, options, folder / "second"), "architecture linear: ... found none");
}

TEST(FrozenParts, AHeadLearnsOnAFrozenBackbone) {
  const toy::Folder folder;
  TrainOptions options = quick();
  options.epochs = 1;
  (void)session().train(toy::squares(100, 4), options, folder / "first");
  options.start = folder / "first", options.freeze = "backbone", options.validation = 0;
  for (const char* const name : {"ubnet", "l2d"}) {
    options.algorithm = name, options.parameters = quick(name).parameters;
    (void)session().train(toy::squares(100, 4), options, folder / name);
    options.epochs = 2;
    (void)session().train(toy::squares(100, 4), options, folder / "longer");
    options.epochs = 1;
    const ArrayMap once = read_safetensors(folder / name).tensors,
                   twice = read_safetensors(folder / "longer").tensors;
    for (const auto& [key, array] : once) {
      if (key.ends_with("num_batches_tracked")) continue;
      EXPECT_EQ(toy::same_bits(array, twice.at(key)), key.starts_with("backbone.")) << key;
    }
  }
}

TEST(Augmented, ImagesAreNotMixedWhereTheyMustNotBe) {
  const toy::Folder folder;
  for (const std::string reason :
       {"irm distinguishes environments", "augmix-jsd compares views of each image"}) {
    TrainOptions options = quick(reason.substr(0, reason.find(' ')));
    options.augment = "cutmix";
    EXPECT_REFUSED(session().train(squares_of_two_cameras(100), options, folder / "m"),
                   "train: augment: expected augmentations that do not mix images, because algorithm " +
                       reason + ", found 'cutmix:alpha=1:probability=1'");
  }
}

TEST(AppendedRows, TakePartFromTheNextEpochOn) {
  const data::TrainingData data = squares_of_two_cameras(32);
  const TrainOptions options = in_batches(8);
  Requirements needs;
  needs.environments = 2;
  TrainingSet set(data, options, needs, "irm");
  set.begin_epoch(1);
  EXPECT_EQ(set.steps(), 4U);
  const std::vector<std::int64_t> parents{3, 5};
  const torch::Tensor made = torch::full({2, 1, 8, 8}, .25f);
  set.append(made, parents);
  set.append(made * 2, std::vector<std::int64_t>{33});  // made of one that was appended
  const std::vector<std::int64_t> rows{33, 0, 34, 32};
  const Batch batch = set.batch(rows);
  EXPECT_TRUE(batch.x[0].equal(made[0]));
  EXPECT_TRUE(batch.x[2].equal(made[0] * 2));
  EXPECT_TRUE(batch.x[1].equal(pixels(data.images, 0, 1)[0]));
  const auto label = [&](std::size_t row) { return data.images.labels->at(row); };
  EXPECT_TRUE(batch.y.equal(torch::tensor({label(5), label(0), label(5), label(3)})));
  set.begin_epoch(2);
  EXPECT_EQ(set.steps(), 5U);
  std::set<std::int64_t> seen;
  for (std::size_t step = 0; step < set.steps(); ++step)
    for (const std::int64_t row : set.minibatches(step).labelled.rows) seen.insert(row);
  EXPECT_TRUE(seen.contains(32) || seen.contains(33) || seen.contains(34));
}

TEST(Augmented, MixedImagesHaveTwoLabels) {
  const data::TrainingData data = squares_of_two_cameras(32);
  TrainOptions options = in_batches(16);
  TrainingSet plain(data, options, {}, "erm");
  options.augment = "mixup:alpha=1";
  TrainingSet set(data, options, {}, "erm");
  set.begin_epoch(1), plain.begin_epoch(1);
  const Batch mixed = set.minibatches(0).labelled, clean = plain.minibatches(0).labelled;
  const double share = mixed.share[0].item<double>();
  EXPECT_GE(share, .5);
  EXPECT_LT(share, 1);
  EXPECT_NEAR(mixed.x.sum().item<double>(), clean.x.sum().item<double>(), 1e-2) << "a permutation's sum";
  const torch::Tensor probabilities = targets(mixed, 4);
  EXPECT_TRUE(torch::allclose(probabilities.sum(1), torch::ones(16)));
  const torch::Tensor logits = torch::randn({16, 4});
  EXPECT_NEAR(mean_loss(logits, mixed).item<double>(),
              -(probabilities * logits.log_softmax(1)).sum(1).mean().item<double>(), 1e-6);
  EXPECT_TRUE(mean_loss(logits, clean).equal(torch::nn::functional::cross_entropy(logits, clean.y)));
}

TEST(Augmented, EveryEpochAnew) {
  const data::TrainingData data = squares_of_two_cameras(16);
  TrainOptions options = in_batches(16);
  options.augment = "crop:padding=2";
  Requirements needs;
  needs.unlabelled = true;
  TrainingSet set(data, options, needs, "dann");
  const auto sums = [&](std::size_t epoch) {
    set.begin_epoch(epoch);
    const Minibatches batches = set.minibatches(0);
    return std::pair(batches.labelled.x.sum().item<double>(), batches.unlabelled.x.sum().item<double>());
  };
  const auto first = sums(1);
  EXPECT_NE(first, sums(2));
  EXPECT_EQ(first, sums(1));
}

}  // namespace leeway::nn::selection_test

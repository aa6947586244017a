
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "leeway/core/family.h"
#include "leeway/core/parallel.h"
#include "leeway/io/npy.h"
#include "leeway/io/safetensors.h"
#include "leeway/nn/train/algorithm.h"
#include "tests/nn/training.h"

namespace leeway::nn::train_test {

// Tests that do not ask about threads use one: a second costs more than it gives on batches this small.
class OneThread : public ::testing::Environment {
 public:
  void SetUp() override { set_threads(1); }
};
const ::testing::Environment* const one_thread = ::testing::AddGlobalTestEnvironment(new OneThread);

class OldState : public ::testing::Test {
 protected:
  void SetUp() override {
    StopAfter stop(7);
    EXPECT_THROW((void)session().train(images_, quick(), path_, &stop), Interrupted);
    ASSERT_TRUE(std::filesystem::exists(state_));
  }
  [[nodiscard]] std::string note(const TrainOptions& options) {
    const TrainResult result = session().train(images_, options, path_);
    EXPECT_EQ(result.resumed_after, 0U);
    EXPECT_EQ(result.notes.size(), 1U);
    return result.notes.empty() ? "" : result.notes.front();
  }
  toy::Folder folder_;
  std::filesystem::path path_ = folder_ / "m", state_ = folder_ / "m.state";
  Images images_ = toy::squares(200, 4);
};

TEST_F(OldState, OfOtherOptionsIsNotUsed) {
  TrainOptions options = quick();
  options.seed = 5, options.batch = 64;
  EXPECT_THAT(note(options), Says("with other options (batch 32, now 64; seed 0, now 5): starting over"));
}

TEST_F(OldState, OfOtherDataIsNotUsed) {
  images_ = toy::squares(200, 4, 9);
  EXPECT_THAT(note(quick()), ::testing::HasSubstr("other options (data "));
}

TEST_F(OldState, ThatIsBrokenIsNotUsed) {
  std::string bytes = read_bytes(state_);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  std::ofstream(state_, std::ios::binary) << bytes;
  EXPECT_EQ(note(quick()), damaged_state(state_));
}

TEST_F(OldState, ThatLacksSomethingIsNotUsed) {
  const auto note_after = [&](const auto& change) {
    if (!std::filesystem::exists(state_)) SetUp();
    Safetensors content = *read_state(state_);
    change(content);
    write_state(state_, content);
    return note(quick());
  };
  const std::string key = "algorithm.second.3";
  EXPECT_THAT(note_after([&](Safetensors& content) {
                std::vector<float> values(content.tensors.at(key).view<float>().begin(),
                                          content.tensors.at(key).view<float>().end());
                values.back() = NAN;
                content.tensors[key] = make_array(content.tensors.at(key).shape, std::move(values));
              }),
              Says("m.state: expected numbers in the tensor second.3, found NaN: starting over"));
  EXPECT_THAT(note_after([&](Safetensors& content) { content.tensors.erase(key); }),
              Says("m.state: expected a tensor second.3, found none: starting over"));
  EXPECT_THAT(note_after([](Safetensors& content) {
                content.metadata = {{"state", "{}"}};
              }),
              Says("m.state: expected the state of a training run, found none: starting over"));
  EXPECT_THAT(note_after([](Safetensors& content) {
                content.metadata = {{"training", R"({"schema": "leeway.training/1"})"}};
              }),
              Says("m.state: expected a record of schema leeway.training/3, found 'leeway.training/1', "
                   "written by an earlier version: run the command again: starting over"));
}

TEST_F(OldState, AtAPlaceThatThereIsNotIsNotUsed) {
  for (const std::int64_t place : {std::int64_t{-1}, std::int64_t{1} << 40}) {
    if (!std::filesystem::exists(state_)) SetUp();
    Safetensors content = *read_state(state_);
    content.tensors["position"] = make_array({2}, std::vector<std::int64_t>{1, place});
    write_state(state_, content);
    EXPECT_TRUE(note(quick()).ends_with(": starting over"));
    std::filesystem::remove(path_);
  }
}

TEST(Training, MakesADamagedFirstStageAnew) {
  const toy::Folder folder;
  const data::TrainingData images = squares_of_two_cameras(200);
  (void)session().train(images, quick("bpa"), folder / "whole");
  StopAfter stop(12);  // the first stage has 10 steps
  EXPECT_THROW((void)session().train(images, quick("bpa"), folder / "m", &stop), Interrupted);
  std::string bytes = read_bytes(folder / "m.base");
  ASSERT_FALSE(bytes.empty());
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  std::ofstream(folder / "m.base", std::ios::binary) << bytes;
  const TrainResult result = session().train(images, quick("bpa"), folder / "m");
  ASSERT_FALSE(result.notes.empty());
  EXPECT_EQ(result.notes.front(), damaged_state(folder / "m.base"));
  EXPECT_EQ(read_bytes(folder / "m"), read_bytes(folder / "whole"));
}

TEST(Training, KeepsTheBestEpochAndStopsWithoutBetterOnes) {
  const toy::Folder folder;
  TrainOptions options = quick();
  options.epochs = 40, options.patience = 2;
  for (options.seed = 1; options.seed <= 8; ++options.seed) {
    const TrainResult result =
        session().train(toy::images(100, {1, 8, 8}, 4), options, folder / "m");  // noise
    EXPECT_TRUE(result.stopped_early);
    EXPECT_EQ(result.epochs.size(), result.best_epoch + 2) << "seed " << options.seed;
    for (const Epoch& epoch : result.epochs)
      EXPECT_LE(*epoch.validation_accuracy, *result.epochs[result.best_epoch - 1].validation_accuracy);
  }
}

TEST(Training, ValidatesOnTheRowsThatAreNamedAndDoesNotLearnThem) {
  const toy::Folder folder;
  Images images = toy::squares(100, 4);
  TrainOptions options = quick();
  for (std::size_t row = 3; row < 100; row += 4) options.validation_rows.push_back(row);
  const TrainResult result = session().train(images, options, folder / "m");
  EXPECT_EQ(result.n_train, 75U);
  EXPECT_EQ(result.n_validation, 25U);
  const Images held = select_rows(images, options.validation_rows);
  EXPECT_EQ(*result.epochs[result.best_epoch - 1].validation_accuracy,
            toy::accuracy(result.model->outputs(held), *held.labels));

  const auto seen = images.pixels.view<float>();
  std::vector<float> pixels(seen.begin(), seen.end());
  for (const std::size_t row : options.validation_rows)
    std::fill_n(pixels.begin() + static_cast<std::ptrdiff_t>(row * 64), 64, 0.f);
  images.pixels = make_array({100, 1, 8, 8}, std::move(pixels));
  const TrainResult others = session().train(images, options, folder / "others");
  for (std::size_t e = 0; e < 4; ++e) EXPECT_EQ(others.epochs[e].loss, result.epochs[e].loss);

  options.validation_rows = {100};
  EXPECT_REFUSED(session().train(images, options, folder / "m"), "train: validation rows: ... found 100");
}

TEST(Training, WithoutValidationKeepsTheLastEpoch) {
  const toy::Folder folder;
  TrainOptions options = quick();
  options.validation = 0;
  const TrainResult result = session().train(toy::squares(100, 4), options, folder / "m");
  EXPECT_EQ(result.best_epoch, 4U);
  EXPECT_FALSE(result.epochs.back().validation_accuracy.has_value());
  EXPECT_EQ(result.n_validation, 0U);
}

TEST(Training, WithoutATextWritesWeightsAlone) {
  const toy::Folder folder;
  TrainOptions options = quick();
  options.text = {};
  StopAfter stop(12);
  EXPECT_REFUSED(session().train(toy::squares(200, 4), options, folder / "m", &stop),
                 "train: stopped in epoch 3; nothing was saved");
  EXPECT_FALSE(std::filesystem::exists(folder / "m.state"));
  const TrainResult result = session().train(toy::squares(200, 4), options, folder / "m");
  EXPECT_EQ(result.model->info().training, "");
  EXPECT_EQ(read_safetensors(folder / "m").metadata.count("training"), 0U);
}

// Every accuracy has the Clopper-Pearson interval of its rows. The robust accuracy, which chooses the epoch, is at most the clean one.
TEST(Training, SharesHaveTheirIntervals) {
  const toy::Folder folder;
  const TrainResult result = session().train(squares_of_two_cameras(200), quick("pgd"), folder / "m");
  double best = 0;
  for (const Epoch& epoch : result.epochs) {
    EXPECT_LE(*epoch.validation_robust_accuracy, *epoch.validation_accuracy);
    EXPECT_EQ(epoch.zero_gradient, 0);
    best = std::max(best, *epoch.validation_robust_accuracy);
    const auto expect = [](double share, const std::optional<Interval>& found, std::size_t n) {
      const Interval wanted = clopper_pearson(static_cast<std::size_t>(std::lround(share * double(n))), n);
      EXPECT_EQ(found->low, wanted.low);
      EXPECT_EQ(found->high, wanted.high);
    };
    expect(epoch.accuracy, epoch.accuracy_interval, result.n_train);
    expect(*epoch.validation_accuracy, epoch.validation_accuracy_interval, result.n_validation);
    expect(*epoch.validation_robust_accuracy, epoch.validation_robust_accuracy_interval, result.n_validation);
    const Interval all = *epoch.validation_robust_accuracy_interval,
                   worst = *epoch.validation_worst_group_accuracy_interval;
    EXPECT_LT(worst.low, all.low);  // fewer rows, fewer hits
    EXPECT_GE(worst.high, *epoch.validation_worst_group_accuracy);
  }
  EXPECT_EQ(*result.epochs[result.best_epoch - 1].validation_robust_accuracy, best);
}

TEST(Training, StartsFromGivenWeights) {
  const toy::Folder folder;
  const Images images = toy::squares(300, 4);
  TrainOptions options = quick();
  (void)session().train(images, options, folder / "first");
  options.start = folder / "first", options.epochs = 1, options.seed = 3;
  const TrainResult result = session().train(images, options, folder / "second");
  EXPECT_GT(result.epochs.front().accuracy, .9) << "of the first epoch";

  ArrayMap tensors;
  for (const auto& [name, array] : read_safetensors(folder / "first").tensors)
    tensors["module." + name] = array;
  write_npz(folder / "plain.npz", tensors);
  options.start = folder / "plain.npz";
  const TrainResult same = session().train(images, options, folder / "third");
  EXPECT_TRUE(toy::same_bits(same.model->outputs(images).logits, result.model->outputs(images).logits));
  std::ofstream(folder / "words") << "no weights";
  options.start = folder / "words";
  EXPECT_REFUSED(session().train(images, options, folder / "third"), "found something else");
}

TEST(Training, ReusesAResultOfTheSamePlan) {
  const toy::Folder folder;
  const Images images = toy::squares(200, 4);
  TrainOptions options = quick();
  options.epochs = 1;
  (void)session().train(images, options, folder / "m");
  const std::string before = read_bytes(folder / "m");
  options.reuse = true;
  const TrainResult again = session().train(images, options, folder / "m");
  EXPECT_TRUE(again.reused);
  EXPECT_EQ(again.epochs.size(), 1U);
  EXPECT_EQ(read_bytes(folder / "m"), before);
  std::string damaged = before;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  std::ofstream(folder / "m", std::ios::binary) << damaged;
  EXPECT_FALSE(session().train(images, options, folder / "m").reused);
  EXPECT_EQ(read_bytes(folder / "m"), before);
  options.seed = 1;
  EXPECT_FALSE(session().train(images, options, folder / "m").reused);
  EXPECT_NE(read_bytes(folder / "m"), before);
}

TEST(Training, RefusesWhatItCannotTrainOn) {
  const toy::Folder folder;
  const auto refused = [&](const Images& images, const TrainOptions& options, const std::string& about,
                           const std::string& found) {
    const std::string message = message_of([&] { (void)session().train(images, options, folder / "m"); });
    EXPECT_TRUE(message.starts_with(about) && message.ends_with("found " + found)) << message;
  };
  Images images = toy::squares(20, 4);
  const auto changed = [](const auto& change) {
    TrainOptions options = quick();
    change(options);
    return options;
  };
  const auto with = [](const std::string& name, std::map<std::string, double> parameters) {
    TrainOptions options = quick(name);
    options.parameters = std::move(parameters);
    return options;
  };
  refused(images, with("erm", {{"eps", 1.}}), "algorithm erm: ", "'eps'");
  refused(images, with("pgd", {{"radius", 1.}}), "algorithm pgd: ", "'radius'");
  refused(images, with("pgd", {{"steps", 0.}}), "algorithm pgd: steps: ", "0");
  refused(images, with("dro", {}), "algorithm: ", "'dro'");
  refused(images, changed([](TrainOptions& o) { o.validation = 1; }), "train: validation: ", "1");
  refused(images, changed([](TrainOptions& o) { o.validation = .001; }),
          "toy.npz: ", "20 to train on and 0 to validate");
  refused(images, changed([](TrainOptions& o) { o.norm = "l1"; }), "train: norm: ", "'l1'");
  refused(images, changed([](TrainOptions& o) { o.balance = "group"; }), "train: balance: ", "'group'");
  refused(images, changed([](TrainOptions& o) { o.last_batch = "dropped"; }), "train: ", "'dropped'");
  refused(images, changed([](TrainOptions& o) { o.learning_rate = -1; }), "train: learning rate: ", "-1");
  images.labels = std::vector<std::int64_t>(20, 3);
  refused(images, changed([](TrainOptions& o) { o.classes = 2; }), "toy.npz: ", "3 at row 0");
  refused(images, quick(), "toy.npz: expected a label 0", "labels 3 to 3");
  images.labels->at(3) = std::int64_t{1} << 40;
  refused(images, quick(), "toy.npz: ", "1099511627776 at row 3");
  images.labels.reset();
  refused(images, quick(), "toy.npz: expected labels", "none");
}

TEST(Training, SaysWhenTheLossIsNoNumber) {
  const toy::Folder folder;
  TrainOptions options = quick();
  options.learning_rate = 1e30;
  EXPECT_THROW((void)session().train(toy::squares(200, 4), options, folder / "m"), std::runtime_error);
  EXPECT_FALSE(std::filesystem::exists(folder / "m"));
}

}  // namespace leeway::nn::train_test

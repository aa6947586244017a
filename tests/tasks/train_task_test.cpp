// leeway train from C++: a training by its options, and the record of it.
#include <gmock/gmock.h>

#include <algorithm>

#include "leeway/core/random.h"
#include "leeway/core/result.h"
#include "leeway/describe/json.h"
#include "leeway/tasks/train/train.h"
#include "tests/core/files.h"

namespace leeway::tasks::train_task_test {

// Two classes: the left half is brighter, or the right one.
data::TrainingData halves(std::size_t n) {
  std::vector<float> pixels;
  Images images;
  images.labels.emplace();
  for (std::size_t i = 0; i < n; ++i) {
    Random random(1, stream("halves"), i);
    images.labels->push_back(static_cast<std::int64_t>(i % 2));
    for (std::size_t p = 0; p < 16; ++p)
      pixels.push_back(static_cast<float>(.5 * random.uniform() + ((p % 4 < 2) == (i % 2 == 0) ? .3 : 0)));
  }
  images.path = "halves.npz";
  images.pixels = make_array({n, 1, 4, 4}, std::move(pixels));
  return images;
}

class TrainTaskTest : public ::testing::Test {
 protected:
  TrainTaskTest() {
    nn::session().set_threads(1);
    task_.options.architecture = "linear";
    task_.options.epochs = 3;
    task_.options.batch = 16;
    task_.options.validation = .25;
  }
  TemporaryFolder folder_;
  TrainTask task_{
      .session = nn::session(), .rows = {halves(80), {}}, .out = folder_ / "m.safetensors", .seed = 2};
};

TEST_F(TrainTaskTest, RecordSaysWhatWasAskedForAndWhatCameOfIt) {
  const Train record = train(task_);
  EXPECT_EQ(record.options.parameters.size(), 0U);
  EXPECT_EQ(record.options.validation, .25);
  ASSERT_EQ(record.results.size(), 1U);
  const TrainedModel& result = record.results[0];
  EXPECT_EQ(result.out, (folder_ / "m.safetensors").string());
  EXPECT_EQ(result.weights, 34U);
  EXPECT_EQ(result.training.n_train, 60U);
  EXPECT_EQ(result.training.n_validation, 20U);
  EXPECT_EQ(result.training.epochs.size(), 3U);
  EXPECT_EQ(result.training.plan.seed, 2U);
  EXPECT_EQ(record.envelope.seed, 2U);
  EXPECT_EQ(record.envelope.headline, headline_of(record));
  EXPECT_FALSE(record.envelope.instruction_set.empty());
  EXPECT_GT(record.envelope.seconds, 0);
  EXPECT_EQ(to_json(record_from<Train>(to_json(record), "r.json")), to_json(record));
}

// The file of the weights says the same, and no times.
TEST_F(TrainTaskTest, WeightsSayHowTheyWereTrained) {
  task_.options.algorithm = "pgd";
  task_.options.parameters = {{"eps", .05}, {"steps", 2}};
  const Train trained = train(task_);
  nn::ModelSource source;
  source.path = task_.out;
  const Training written =
      training_text().read(nn::session().load(source)->info().training, source.path.string());
  const Training& training = trained.results[0].training;
  EXPECT_EQ(written.options, training.options);
  EXPECT_EQ(written.options.parameters.size(), 3U) << "defaults filled in";
  EXPECT_EQ(training_text().differences(written, training), "");
  EXPECT_EQ(written.epochs[2].validation_robust_accuracy, training.epochs[2].validation_robust_accuracy);
  EXPECT_EQ(written.best_by_accuracy, training.best_by_accuracy);
  task_.reuse = true;
  const Train again = train(task_);
  EXPECT_TRUE(again.results[0].reused);
  EXPECT_EQ(again.envelope.warnings.size(), 1U);
}

TEST_F(TrainTaskTest, AgreementOfTheValidationImagesChoosesTheEpoch) {
  task_.options.select = "pa";
  task_.options.select_shift = "contrast";
  const Train record = train(task_);
  EXPECT_EQ(record.options.select_shift, "contrast:0.4");
  const Training& training = record.results[0].training;
  const auto best = std::ranges::max_element(
      training.epochs, {}, [](const Epoch& epoch) { return epoch.selection_score.value(); });
  EXPECT_EQ(training.best_epoch, best->number);
}

TEST_F(TrainTaskTest, RowsOfASplitAreTrainedOnAndValidated) {
  const data::TrainingData data = halves(10);
  const data::RowSplit split{{4, 2, 9}, {0, 7}, {1}, 6};
  const TrainingRows rows = rows_of_split(data, split, "split.csv");
  EXPECT_EQ(rows.data.images.labels, (std::vector<std::int64_t>{0, 0, 1, 0, 1}));
  EXPECT_EQ(rows.validation, (std::vector<std::size_t>{3, 4}));
  EXPECT_REFUSED(rows_of_split(data, {}, "split.csv"), "split.csv: expected rows of train, found none");
  EXPECT_FALSE(rows.data.test);
  const TrainingRows tested = rows_of_split(data, split, "split.csv", true);
  ASSERT_TRUE(tested.data.test);
  EXPECT_EQ(*tested.data.test->labels, std::vector<std::int64_t>{(*data.images.labels)[1]});
  EXPECT_REFUSED(rows_of_split(data, {{1}, {}, {}, 1}, "split.csv", true),
                 "split.csv: expected rows of test, found none");
  task_.rows = rows;
  task_.options.validation.reset();
  const Train record = train(task_);
  EXPECT_FALSE(record.options.validation.has_value());
  EXPECT_EQ(record.results[0].training.n_validation, 2U);
  EXPECT_EQ(record.results[0].training.plan.validation_rows.size(), 32U);
}

TEST(SelectionOfOptions, IsAShiftOfPixelsAndItsStrength) {
  TrainingOptions options;
  EXPECT_FALSE(selection_of(options).given());
  options.select = "pa";
  const auto selected = [&](const std::string& text) {
    options.select_shift = text;
    return selection_of(options);
  };
  EXPECT_EQ(selected("gaussian-noise").strength, .1);
  EXPECT_EQ(selected("gaussian-noise:51/255").strength, .2);
  EXPECT_EQ(selected("contrast:0.5").shift, "contrast");
  for (const auto& [text, found] : {std::pair("", "none"),
                                    {"imbalance", "'imbalance'"},
                                    {"contrast:70", "'70'"},
                                    {"contrast:nan", "'nan'"},
                                    {"contrast:", "''"}})
    EXPECT_THAT(message_of([&] { (void)selected(text); }),
                ::testing::AllOf(::testing::StartsWith("--select-shift: expected "),
                                 ::testing::EndsWith(std::string(", found ") + found)));
  EXPECT_THAT(message_of([&] { (void)selection_of(options, true); }),
              ::testing::HasSubstr("--select-shift: expected no shift, because --select-shifted"));
  options.select_shift.clear();
  EXPECT_TRUE(selection_of(options, true).given());
  options.select = "accuracy";
  EXPECT_TRUE(selected("contrast").given()) << "told beside what chooses";
}

}  // namespace leeway::tasks::train_task_test

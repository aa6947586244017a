// The assessment under common corruptions: what one pass over whole sets says, in blocks, resumed and by itself.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

#include "leeway/agreement/agreement.h"
#include "leeway/core/error.h"
#include "leeway/core/random.h"
#include "leeway/describe/json.h"
#include "leeway/io/npy.h"
#include "leeway/io/safetensors.h"
#include "leeway/shift/shift.h"
#include "leeway/tasks/corruptions/corruptions.h"
#include "tests/core/files.h"
#include "tests/message_of.h"

namespace leeway::tasks::corruptions_task_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Class by the brighter half: logits 8 times the mean of the left and of the right half.
class Halves : public nn::Predictor {
 public:
  [[nodiscard]] const nn::ModelInfo& info() const override { return info_; }
  [[nodiscard]] Outputs outputs(const Images& images, Progress*) const override {
    ++calls;
    std::vector<float> logits, pixels(images.pixels_per_image());
    for (std::size_t row = 0; row < images.n(); ++row) {
      images.copy_row(row, pixels);
      float halves[2] = {0, 0};
      for (std::size_t i = 0; i < pixels.size(); ++i)
        halves[i % images.width() < images.width() / 2 ? 0 : 1] +=
            16 * pixels[i] / static_cast<float>(pixels.size());
      logits.insert(logits.end(), {halves[0], halves[1]});
    }
    Outputs outputs;
    outputs.logits = make_array<float>({images.n(), 2}, std::move(logits));
    outputs.labels = images.labels;
    return outputs;
  }
  mutable int calls = 0;

 private:
  nn::ModelInfo info_;
};

// Stops after so many looks.
class Patience : public Progress {
 public:
  explicit Patience(int looks) : looks_(looks) {}
  void update(std::string_view, std::size_t done, std::size_t total, std::string_view) override {
    EXPECT_LE(done, total);
    EXPECT_GE(done, before_);
    before_ = done;
  }
  [[nodiscard]] bool stop_requested() const override { return looks_-- <= 0; }

 private:
  mutable int looks_;
  std::size_t before_ = 0;
};

Images made(std::size_t n, std::size_t channels, std::size_t side) {
  std::vector<std::uint8_t> pixels;
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < n; ++i) {
    Random random(5, stream("corruptions test"), i);
    labels.push_back(static_cast<std::int64_t>(i % 2));
    for (std::size_t p = 0; p < channels * side * side; ++p) {
      const bool left = p % side < side / 2;
      pixels.push_back(static_cast<std::uint8_t>(110 + (left == (i % 2 == 0) ? 6 : 0) + random.below(30)));
    }
  }
  return {"made", make_array({n, channels, side, side}, std::move(pixels)), labels};
}

class CorruptionsTaskTest : public ::testing::Test {
 protected:
  [[nodiscard]] CorruptionsTask task(const Images& images) const {
    CorruptionsTask task{.images = images, .model = model_};
    task.data = "made.npz", task.model_file = "halves.pt", task.seed = 3;
    task.options.corruptions = {"gaussian-noise", "contrast"};
    task.options.severities = {5, 1};
    return task;
  }
  [[nodiscard]] static std::string json_of(Corruptions record) {
    record.envelope.seconds = 0;
    return to_json(record).dump();
  }

  const Halves model_{};
  const TemporaryFolder folder_;
};

Images corrupted(const Images& images, const char* name, int severity) {
  shift::Options options;
  options.severity = severity, options.seed = 3;
  return shift::member(name).apply(images, options, nullptr).images;
}

// Two blocks and a rest that is too small for one: as if all were asked about at once.
TEST_F(CorruptionsTaskTest, BlocksSayWhatTheWholeSetSays) {
  const Images images = made(2 * 2048 + 40, 1, 6);
  const Corruptions record = corruptions(task(images));
  ASSERT_EQ(record.results.size(), 4u);  // in the family's order, severities ascending
  EXPECT_THAT(record.options.severities, ElementsAre(1, 5));
  std::size_t at = 0;
  const Outputs clean = model_.outputs(images, nullptr);
  for (const char* name : {"gaussian-noise", "contrast"})
    for (const int severity : {1, 5}) {
      const CorruptedSet& set = record.results[at++];
      EXPECT_EQ(set.corruption, name);
      EXPECT_EQ(set.severity, static_cast<std::size_t>(severity));
      const Images shifted = corrupted(images, name, severity);
      const Outputs outputs = model_.outputs(shifted, nullptr);
      const auto whole = agreement::posterior_agreement(clean.logits, outputs.logits, *images.labels);
      EXPECT_DOUBLE_EQ(*set.pa.value, whole.pa);
      EXPECT_DOUBLE_EQ(*set.pa.low, whole.pa_interval.low);
      EXPECT_DOUBLE_EQ(*set.afr_pred.value, whole.afr_pred);
      EXPECT_DOUBLE_EQ(*set.judged.accuracy.value, *whole.afr_true);
      EXPECT_DOUBLE_EQ(*set.judged.accuracy.high, whole.afr_true_interval->high);
      EXPECT_NEAR(*set.judged.error.value, 1 - *set.judged.accuracy.value, 1e-15);
      double change = 0;
      const auto before = to_f64(images.pixels, "x"), after = to_f64(shifted.pixels, "x");
      for (std::size_t i = 0; i < before.size(); ++i) change += std::abs(after[i] - before[i]) / 255;
      EXPECT_NEAR(*set.mean_change, change / static_cast<double>(before.size()), 1e-6);
    }
  EXPECT_EQ(record.k, 2u);
  EXPECT_EQ(record.use->set, "cifar");
  EXPECT_NE(record.use->lengths, 1);  // 6 pixels
  ASSERT_EQ(record.errors.size(), 2u);
  EXPECT_DOUBLE_EQ(*record.errors[0].error.value,
                   (*record.results[0].judged.error.value + *record.results[1].judged.error.value) / 2);
  EXPECT_DOUBLE_EQ(*record.mean->mean_error.value,
                   (*record.errors[0].error.value + *record.errors[1].error.value) / 2);
  EXPECT_FALSE(record.mean->mce.value.has_value());
  EXPECT_THAT(record.mean->not_comparable, Contains("only 2 of the 15 corruptions count"));
  EXPECT_THAT(record.envelope.headline,
              HasSubstr("the mean error over 2 corruptions (corrected variant) is"));
}

TEST_F(CorruptionsTaskTest, StoppedItGoesOnToTheSameRecord) {
  const Images images = made(300, 1, 6);
  CorruptionsTask whole = task(images);
  const std::string expected = json_of(corruptions(whole));
  whole.state = (folder_ / "r.json.state").string();
  std::size_t done_before = 0;
  whole.resumed = [&](std::size_t done, std::size_t units) {
    done_before = done;
    EXPECT_EQ(units, 4u);
  };
  int stopped = 0;
  for (int looks = 2; looks < 20; looks += 1) {
    Patience patience(looks > 8 ? 1000 : looks % 4 + 1);
    try {
      EXPECT_EQ(json_of(corruptions(whole, &patience)), expected);
      break;
    } catch (const Interrupted& end) {
      ++stopped;
      EXPECT_THAT(end.what(), HasSubstr("of 4 sets, which were saved; the same command resumes from there"));
    }
  }
  EXPECT_GE(stopped, 1);
  EXPECT_GE(done_before, 1u);
  // all done: the model is not asked again
  const int calls = model_.calls;
  EXPECT_EQ(json_of(corruptions(whole)), expected);
  EXPECT_EQ(model_.calls, calls);
  EXPECT_EQ(done_before, 4u);
}

TEST_F(CorruptionsTaskTest, AStateOfAnotherPlanIsNotUsed) {
  const Images images = made(100, 1, 6);
  CorruptionsTask one = task(images);
  one.state = (folder_ / "state").string();
  (void)corruptions(one);
  bool resumed = false;
  const auto again = [&](CorruptionsTask other) {
    resumed = false;
    other.resumed = [&](std::size_t, std::size_t) { resumed = true; };
    (void)corruptions(other);
    (void)corruptions(one);  // the first one's state again
    return resumed;
  };
  EXPECT_TRUE(again(one));
  CorruptionsTask seed = one, severities = one, model = one;
  seed.seed = 4, severities.options.severities = {1}, model.made_of = {"another model"};
  for (const CorruptionsTask& other : {seed, severities, model}) EXPECT_FALSE(again(other));
  write_text(one.state, "of another kind");
  EXPECT_THAT(corruptions(one).envelope.warnings, Contains(damaged_state(one.state)));
}

TEST_F(CorruptionsTaskTest, WhatIsNotDefinedOnGreyIsLeftOut) {
  const Images images = made(40, 1, 8);
  CorruptionsTask one = task(images);
  one.options.corruptions = {"brightness", "saturate"};
  const Corruptions record = corruptions(one);
  EXPECT_EQ(record.results[2].left_out, "not defined on grayscale images");
  EXPECT_FALSE(record.results[2].judged.accuracy.value.has_value());
  EXPECT_EQ(record.errors.size(), 1u);
  EXPECT_THAT(record.envelope.findings, Contains("saturate was skipped: not defined on grayscale images."));
  const Images colour = made(40, 3, 8);
  CorruptionsTask other = task(colour);
  other.sheet = (folder_ / "sheet.png").string();
  other.options.corruptions = {"brightness", "saturate"};
  const Corruptions both = corruptions(other);
  EXPECT_EQ(both.errors.size(), 2u);
  EXPECT_FALSE(both.errors[1].of_benchmark);
  EXPECT_EQ(both.mean->corruptions, 1u);
  EXPECT_DOUBLE_EQ(*both.mean->mean_error.value, *both.errors[0].error.value);
  EXPECT_TRUE(std::filesystem::exists(other.sheet));
}

TEST_F(CorruptionsTaskTest, ErrorsRelativeToAReference) {
  const Images images = made(200, 1, 2);
  CorruptionsTask one = task(images);
  one.options.corruptions = {"gaussian-noise", "shot-noise"};
  const Corruptions baseline = corruptions(one);
  one.reference = baseline, one.options.reference = "baseline.json";
  const Corruptions same = corruptions(one);
  EXPECT_NEAR(*same.mean->mce.value, 100, 1e-9);
  EXPECT_NEAR(*same.mean->relative_mce.value, 100, 1e-6);
  EXPECT_NEAR(*same.errors[0].ce.value, 100, 1e-9);
  EXPECT_LT(*same.mean->mce.low, 100);
  EXPECT_EQ(same.mean->reference, "baseline.json");
  one.reference->use->variant = "published";
  EXPECT_THAT(corruptions(one).mean->not_comparable,
              Contains("the images of the reference were corrupted in another way"));
  one.reference->results.resize(1);
  EXPECT_FALSE(corruptions(one).mean->mce.value.has_value());
  one.reference->results[0].judged.error.value.reset();
  EXPECT_REFUSED(corruptions(one),
                 "baseline.json: expected a record with errors of a model on labeled images, found none...");
}

// Files of ImageNet-C contain JPEG; those of CIFAR-10-C do not.
TEST_F(CorruptionsTaskTest, TheVariantStandsBesideEveryMean) {
  const Images images = made(60, 1, 8);
  CorruptionsTask one = task(images);
  one.options.corruptions = {"fog"}, one.options.severities = {1};
  const auto otherwise = Contains("the published files were compressed as JPEG again");
  EXPECT_THAT(corruptions(one).mean->not_comparable, ::testing::Not(otherwise));
  one.options.how.set = "tiny";
  const Corruptions levels = corruptions(one);
  EXPECT_THAT(levels.mean->not_comparable, otherwise);
  EXPECT_THAT(levels.envelope.headline, HasSubstr("over 1 corruption (corrected variant) is"));
  one.options.how.variant = "published";
  const Corruptions jpeg = corruptions(one);
  EXPECT_THAT(jpeg.mean->not_comparable, ::testing::Not(otherwise));
  EXPECT_EQ(jpeg.use->variant, "published");
  EXPECT_EQ(jpeg.mean->variant, "published");
  EXPECT_NE(*jpeg.results[0].mean_change, *levels.results[0].mean_change);
}

TEST_F(CorruptionsTaskTest, ProceduralFrostIsKeptOutOfThePublishedNumber) {
  const Images images = made(60, 1, 8);
  CorruptionsTask one = task(images);
  one.options.corruptions = {"frost", "fog"}, one.options.severities = {1};
  one.options.reference = "alexnet";
  const Corruptions record = corruptions(one);
  EXPECT_FALSE(record.errors[0].of_benchmark);
  EXPECT_TRUE(record.errors[0].ce.value.has_value());
  EXPECT_EQ(record.mean->corruptions, 1u);
  EXPECT_DOUBLE_EQ(*record.mean->mce.value, *record.errors[1].ce.value);
  EXPECT_THAT(record.mean->not_comparable, Contains("frost is procedural"));
  EXPECT_THAT(record.mean->not_comparable,
              Contains("AlexNet's errors are for 1,000 classes, but the model has 2"));
  EXPECT_THAT(record.envelope.findings, Contains(HasSubstr("Not comparable with published tables: ")));
}

TEST_F(CorruptionsTaskTest, PublishedFilesInPlaceOfMadeOnes) {
  const Images images = made(40, 3, 6);
  // CIFAR-10-C's layout: the made sets of fog and gaussian-noise, severity by severity
  for (const char* name : {"fog", "gaussian-noise"}) {
    std::vector<std::uint8_t> pixels;
    for (int severity = 1; severity <= 5; ++severity) {
      const Images set = corrupted(images, name, severity);
      const auto planes = set.pixels.view<std::uint8_t>();
      for (std::size_t i = 0; i < 40; ++i)
        for (std::size_t p = 0; p < 36; ++p)
          for (std::size_t c = 0; c < 3; ++c) pixels.push_back(planes[(i * 3 + c) * 36 + p]);
    }
    std::string file = name;
    std::ranges::replace(file, '-', '_');
    write_npy(folder_ / (file + ".npy"), make_array<std::uint8_t>({200, 6, 6, 3}, std::move(pixels)));
  }
  std::vector<std::int64_t> labels;
  for (int severity = 1; severity <= 5; ++severity)
    labels.insert(labels.end(), images.labels->begin(), images.labels->end());
  write_npy(folder_ / "labels.npy", make_array<std::int64_t>({200}, labels));
  CorruptionsTask made_here = task(images), published = task(images);
  made_here.options.corruptions = {"gaussian-noise", "fog"};
  published.options.corruptions = {};  // those that there are
  published.published = folder_.path().string();
  const Corruptions expected = corruptions(made_here), found = corruptions(published);
  ASSERT_EQ(found.results.size(), expected.results.size());
  for (std::size_t i = 0; i < found.results.size(); ++i) {
    EXPECT_EQ(found.results[i].corruption, expected.results[i].corruption);
    EXPECT_EQ(*found.results[i].judged.accuracy.value, *expected.results[i].judged.accuracy.value);
    EXPECT_EQ(*found.results[i].pa.value, *expected.results[i].pa.value);
  }
  EXPECT_FALSE(found.use.has_value());
  EXPECT_EQ(found.mean->variant, "files");
  // other labels: no pairs, and no agreement
  std::rotate(labels.begin(), labels.begin() + 1, labels.end());
  write_npy(folder_ / "labels.npy", make_array<std::int64_t>({200}, labels));
  const Corruptions unpaired = corruptions(published);
  EXPECT_FALSE(unpaired.results[0].pa.value.has_value());
  EXPECT_FALSE(unpaired.results[0].mean_change.has_value());
  EXPECT_TRUE(unpaired.results[0].judged.accuracy.value.has_value());
  EXPECT_THAT(unpaired.envelope.warnings, ElementsAre(HasSubstr("not paired with the images of made.npz")));
  // pictures of another size; a corruption that is not there; options that make no sense
  const Images larger = made(40, 3, 8);
  CorruptionsTask other = task(larger);
  other.published = folder_.path().string(), other.options.corruptions = {"fog"};
  EXPECT_REFUSED(corruptions(other), "expected images of 3 x 8 x 8, as in made, found 3 x 6 x 6...");
  other.options.corruptions = {"snow"};
  EXPECT_REFUSED(corruptions(other), "expected snow.npy, or its folder, found neither...");
  other.options.corruptions = {"fog"}, other.options.how.variant = "published";
  EXPECT_THROW((void)corruptions(other), OptionError);
}

TEST_F(CorruptionsTaskTest, WithoutLabelsAgreementIsLeft) {
  Images images = made(40, 1, 6);
  images.labels.reset();
  const Corruptions record = corruptions(task(images));
  EXPECT_TRUE(record.results[0].pa.value.has_value());
  EXPECT_FALSE(record.results[0].judged.accuracy.value.has_value());
  EXPECT_TRUE(record.errors.empty());
  EXPECT_FALSE(record.mean.has_value());
  EXPECT_EQ(record.envelope.headline, "The model was evaluated on 4 sets of corrupted images.");
}

TEST_F(CorruptionsTaskTest, OptionsThatAreWrong) {
  const Images images = made(10, 1, 6);
  struct Row {
    std::vector<std::string> corruptions;
    std::vector<std::size_t> severities;
    const char* said;
  };
  for (const Row& row : {Row{{"mist"}, {1}, "--corruptions: expected one of gaussian-noise, "},
                         {{"fog", "fog"}, {1}, "--corruptions: fog is named twice"},
                         {{"fog"}, {0}, "--severities: expected 1 to 5, found 0"},
                         {{"fog"}, {2, 2}, "--severities: 2 is named twice"},
                         {{"fog"}, {}, "--severities: expected at least one"}}) {
    CorruptionsTask one = task(images);
    one.options.corruptions = row.corruptions, one.options.severities = row.severities;
    EXPECT_THAT(message_of([&] { (void)corruptions(one); }), HasSubstr(row.said));
    EXPECT_THROW((void)corruptions(one), OptionError);
  }
}

}  // namespace leeway::tasks::corruptions_task_test

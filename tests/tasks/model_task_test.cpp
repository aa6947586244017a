// What is said of a model and of its answers, from what the model says.
#include <gmock/gmock.h>

#include <filesystem>

#include "leeway/core/error.h"
#include "leeway/tasks/infer/infer.h"
#include "leeway/tasks/inspect/inspect.h"
#include "leeway/tasks/model.h"
#include "tests/core/files.h"
#include "tests/message_of.h"
#include "tests/tasks/stub_model.h"

namespace leeway::tasks::model_task_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::size_t n = 4, k = 3;

// Predicts 0, 1, 2, 0, whatever the pixels.
class Told : public StubModel {
 public:
  Told() {
    info_.path = "m.onnx", info_.format = "onnx", info_.confinement = "seccomp", info_.parameters = 12,
    info_.classes = k;
    info_.class_names = {"ash", "oak", "fir"};
    info_.normalization = {2, {.5}, {.25}};
    info_.layers = {{"w", "Conv", "(1, 1)", 12}};
  }
  [[nodiscard]] const nn::ModelInfo& info() const override { return info_; }
  [[nodiscard]] Outputs outputs(const Images& images, Progress*) const override {
    Outputs outputs;
    std::vector<float> logits(images.n() * k);
    for (std::size_t i = 0; i < images.n(); ++i) logits[i * k + i % k] = 1;
    outputs.logits = make_array({images.n(), k}, std::move(logits));
    outputs.features = make_array({images.n(), 2}, std::vector<float>(images.n() * 2));
    outputs.labels = images.labels;
    return outputs;
  }
  [[nodiscard]] Array input_gradients(const Images&, const std::vector<std::int64_t>&,
                                      Progress*) const override {
    throw Error("m.onnx: expected gradients, found none");
  }
  [[nodiscard]] std::optional<nn::OtherNormalization> other_normalization(const Images&) const override {
    return other_;
  }
  [[nodiscard]] std::optional<nn::Variation> variation(const Images&) const override { return variation_; }

  nn::ModelInfo info_;
  std::optional<nn::OtherNormalization> other_;
  std::optional<nn::Variation> variation_;
};

Images images(const std::optional<std::vector<std::int64_t>>& labels) {
  return {"d.npz", make_array({n, 1, 1, 2}, std::vector<float>(2 * n, .5f)), labels};
}

TEST(InferTask, SaysHowManyRowsAreRight) {
  const Told model;
  const auto [record, outputs] = infer({.model = model, .images = images({{0, 1, 2, 2}}), .seed = 5});
  const InferredSet& set = record.results.at(0);
  EXPECT_EQ(set.n, n);
  EXPECT_EQ(set.k, k);
  EXPECT_EQ(set.features, 2U);
  EXPECT_EQ(set.accuracy.value, .75);
  EXPECT_NEAR(*set.accuracy.low, .1941, 1e-4);  // Clopper and Pearson, 3 of 4
  EXPECT_EQ(record.envelope.seed, 5U);
  EXPECT_EQ(record.envelope.headline, "Of 4 images in 3 classes, 75% (19–99) are classified correctly.");
  EXPECT_THAT(outputs.class_names, ElementsAre("ash", "oak", "fir"));
}

TEST(InferTask, WithoutLabelsThereIsNoAccuracy) {
  const Told model;
  const Infer record = infer({.model = model, .images = images({})}).record;
  EXPECT_FALSE(record.results.at(0).accuracy.value.has_value());
  EXPECT_EQ(record.envelope.headline, "The outputs hold logits of 4 images for 3 classes.");
}

TEST(InferTask, RowsWithoutALabelDoNotCount) {
  const Told model;
  const auto [record, outputs] = infer({.model = model, .images = images({{0, no_label, 2, 1}})});
  EXPECT_NEAR(*record.results.at(0).accuracy.value, 2. / 3, 1e-12);
  EXPECT_EQ(outputs.labels->at(1), no_label);
}

TEST(InferTask, WhatTheImagesFileSaysOfItsRowsGoesOn) {
  const Told model;
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "o.npz";
  const Outputs outputs = infer({.model = model, .images = images({})}).outputs;
  write_outputs(path, outputs,
                {{"norms", make_array({n}, std::vector<double>{1, 2, 3, 4})},
                 {"else", make_array({n}, std::vector<double>(n))}});
  const ArrayMap arrays = read_arrays(path);
  EXPECT_TRUE(arrays.contains("norms"));
  EXPECT_FALSE(arrays.contains("else"));
  EXPECT_EQ(read_outputs(path).norms, (std::vector<double>{1, 2, 3, 4}));
}

TEST(InspectTask, DescribesTheModelAndSaysWhatSpeaksAgainstIt) {
  Told model;
  model.variation_ = nn::Variation{16, .5, 3, false};
  const Images rows = images({{0, 1, 2, 0}});
  const Inspect record = inspect({.model = model, .images = &rows});
  const InspectedModel& found = record.results.at(0);
  EXPECT_THAT(input_sizes(found), ElementsAre(1, 1, 2));
  EXPECT_EQ(found.info.normalization.scale, 2);
  EXPECT_EQ(found.info.layers.at(0).shape, "(1, 1)");
  EXPECT_EQ(found.accuracy.value, 1);
  EXPECT_EQ(found.n, n);
  EXPECT_EQ(found.cost->images, 16U);
  EXPECT_FALSE(found.cost->gradient_seconds.has_value());
  EXPECT_EQ(found.stochastic->predictions, 3U);
  EXPECT_THAT(record.envelope.warnings,
              ElementsAre("m.onnx: expected gradients, found none",
                          "m.onnx: logits that differ by up to 0.5 between two passes of the same 16 images "
                          "(3 of the predictions differ): its results are not repeatable"));
  EXPECT_EQ(record.envelope.headline,
            "m.onnx (onnx) has 12 parameters, for images of 1 x 1 x 2, and 3 classes.");
}

TEST(InspectTask, AnInputThatIsNotSaidIsEmpty) {
  Told model;
  model.info_.classes = 0;
  const Inspect unknown = inspect({.model = model});
  EXPECT_FALSE(unknown.results.at(0).cost.has_value());
  EXPECT_TRUE(input_sizes(unknown.results[0]).empty());
  EXPECT_FALSE(unknown.results[0].info.classes > 0 || unknown.results[0].accuracy.value);
  InspectOptions options;
  options.input = {1, 2, 2}, options.no_timing = true;
  EXPECT_THAT(input_sizes(inspect({.model = model, .options = options}).results.at(0)), ElementsAre(1, 2, 2));
}

TEST(LoadedModel, OneThatAnswersDifferentlyTwiceIsRefusedUnlessItIsTaken) {
  Told model;
  const Images rows = images({});
  EXPECT_FALSE(check_variation(model, rows, false).has_value());
  model.variation_ = nn::Variation{1, .25, 1, true};
  EXPECT_REFUSED(check_variation(model, rows, false),
                 "found logits that differ by up to 0.25 between two passes of the same 1 image, "
                 "alone and with other rows (1 of the predictions differ)...");
  EXPECT_TRUE(check_variation(model, rows, true)->neighbours);
}

TEST(LoadedModel, AnotherNormalizationIsNamedByItsFlags) {
  Told model;
  EXPECT_TRUE(normalization_warnings(model, images({})).empty());
  model.other_ = nn::OtherNormalization{{"CIFAR", {1, {.5}, {.25}}}, {{"none", {}}}, 100, .9, .2};
  EXPECT_THAT(
      normalization_warnings(model, images({})),
      ElementsAre(
          "m.onnx is right on 20% of 100 images with its declared normalization (--scale 2 --mean "
          "0.5 --std 0.25), but on 90% with the normalization of CIFAR (--mean 0.5 --std 0.25), "
          "which is equivalent here to none (no normalization): the declared normalization may be wrong"));
}

TEST(LoadedModel, LabelsThatSeemToCountFromOneAreNamed) {
  const Told model;  // predicts 0, 1, 2, 0, ...
  const auto warnings = [&](const std::vector<std::int64_t>& three) {
    Images many{"d.npz", make_array({12, 1, 1, 2}, std::vector<float>(24, .5f)), three};
    for (int i = 1; i < 4; ++i) many.labels->insert(many.labels->end(), three.begin(), three.end());
    return normalization_warnings(model, many);
  };
  EXPECT_THAT(warnings({1, 2, 3}), ElementsAre(HasSubstr("100% of rows right if labels count from 1")));
  EXPECT_TRUE(warnings({1, 1, 2}).empty()) << "right on 8 from 0, on 4 from 1";
  EXPECT_TRUE(warnings({0, 2, 3}).empty());
}

TEST(LoadedModel, OptionsSayHowTheFileIsRead) {
  ModelReading reading;
  reading.arch = "vit", reading.mean = {.5}, reading.binary = "prob", reading.trust = true;
  const nn::ModelSource source = source_of("m.npz", reading, {1, 2, 3});
  EXPECT_EQ(source.architecture, "vit");
  EXPECT_EQ(source.mean, std::vector<double>{.5});
  EXPECT_FALSE(source.std.has_value());
  EXPECT_EQ(source.binary, Binary::prob);
  EXPECT_TRUE(source.trust);
  EXPECT_EQ(source.input.width, 3U);
}

}  // namespace leeway::tasks::model_task_test

// Models as people save them (tests/reference/model_files.py) give Python's logits, or are refused with the option that helps.
#include <gmock/gmock.h>

#include <cmath>

#include "leeway/io/npy.h"
#include "leeway/io/safetensors.h"
#include "leeway/nn/train.h"
#include "tests/case_name.h"
#include "tests/nn/toy.h"

namespace leeway::nn::model_files_test {

const std::filesystem::path model_folder = std::string(LEEWAY_REFERENCE) + "/model_files";

Images inputs_for(const std::string& data) {
  ArrayMap others;
  return read_inputs((model_folder / (data + ".npz")).string(), others, Layout::found);
}

ModelSource source_for(const std::string& file, const Images& inputs) {
  ModelSource source = toy::source_of(model_folder / file, "", shape_of(inputs));
  const auto ending = source.path.extension();
  const bool program = file.find("-program") != std::string::npos;
  if (ending != ".onnx" && !program) source.architecture = "linear";
  return source;
}

std::vector<std::string> model_files(bool refused) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(model_folder)) {
    const std::string name = entry.path().filename().string();
    const bool bad = name.starts_with("whole-") || name.starts_with("several-");
    if (entry.path().extension() != ".npz" && bad == refused) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

class ModelFile : public ::testing::TestWithParam<std::string> {
 protected:
  const std::string data_ = GetParam().substr(0, GetParam().find('-'));
  const Images inputs_ = inputs_for(data_);
  const std::unique_ptr<Model> model_ = session().load(source_for(GetParam(), inputs_));
};

TEST_P(ModelFile, HasPythonsLogits) {
  const Array found = model_->outputs(inputs_).logits,
              expected = read_npz(model_folder / (data_ + ".npz")).at("logits");
  EXPECT_LE(toy::largest_gap(found, expected), 1e-5);
  EXPECT_FALSE(model_->variation(inputs_).has_value());
}

TEST_P(ModelFile, IsAttackedAnywhereOrSaysThatItHasNoGradients) {
  attack::AttackOptions options{.eps = .5, .parameters = {{"steps", 5}}};
  if (data_ == "int8") {
    EXPECT_REFUSED(toy::attacked(*model_, inputs_, options), "needed for infer, assess, average-case...");
    options.attack = "noise";
    EXPECT_EQ(toy::attacked(*model_, inputs_, options).success.size(), inputs_.n());
    return;
  }
  const std::vector<float> clean = toy::rows_of(inputs_), moved = toy::attacked(*model_, inputs_, options).x;
  ASSERT_EQ(moved.size(), clean.size());
  EXPECT_LE(attack::distance(moved, clean, attack::Norm::linf), .5);
}

INSTANTIATE_TEST_SUITE_P(All, ModelFile, ::testing::ValuesIn(model_files(false)), case_name);

class RefusedModelFile : public ::testing::TestWithParam<std::string> {};

TEST_P(RefusedModelFile, SaysWhatHelps) {
  const std::string message =
      message_of([&] { (void)session().load(source_for(GetParam(), inputs_for("table"))); });
  EXPECT_EQ(message.find('\n'), std::string::npos);
  if (GetParam().starts_with("several"))
    EXPECT_THAT(message, ::testing::HasSubstr("a single dictionary of tensors, found a list of 2 of them"));
  else
    EXPECT_THAT(message, ::testing::AllOf(::testing::HasSubstr("model = torch.load('" + GetParam() +
                                                               "', weights_only=False)"),
                                          ::testing::HasSubstr("; torch.save(model.state_dict(), 'whole-")));
}

INSTANTIATE_TEST_SUITE_P(All, RefusedModelFile, ::testing::ValuesIn(model_files(true)), case_name);

TEST(ModelFiles, TensorsOfAnUnknownNetworkNameWhatTheyFit) {
  ModelSource source = toy::source_of(model_folder / "table-compiled.pt");
  const auto file = session().weights_of_unknown(source);
  ASSERT_TRUE(file.has_value());
  ASSERT_EQ(file->info.layers.size(), 2U);
  EXPECT_EQ(file->info.layers[1].name, "_orig_mod.weight");
  EXPECT_EQ(file->info.layers[1].shape, "(3, 4)");
  EXPECT_EQ(file->info.parameters, 15U);
  ASSERT_EQ(file->fitting.size(), 1U);
  EXPECT_EQ(file->fitting[0].name, "linear");
  EXPECT_EQ(file->fitting[0].input, (InputShape{4, 1, 1, 2}));
  EXPECT_EQ(file->fitting[0].classes, 3U);
  EXPECT_REFUSED(session().load(source),
                 "found a file without one: its tensors have the names and shapes of linear");
  source.architecture = "linear";
  EXPECT_FALSE(session().weights_of_unknown(source).has_value());
  source.architecture.clear(), source.path = model_folder / "table-any.onnx";
  EXPECT_FALSE(session().weights_of_unknown(source).has_value());
}

TEST(ModelFiles, ArchitecturesFitTheirOwnWeights) {
  const toy::Folder folder;
  for (const std::string name : {"resnet32-cifar", "mlp"}) {
    toy::model(name, {3, 32, 32}, 10)->save(folder / "m.safetensors");
    write_npz(folder / "m.npz", read_safetensors(folder / "m.safetensors").tensors);
    const auto file = session().weights_of_unknown(toy::source_of(folder / "m.npz"));
    ASSERT_TRUE(file.has_value()) << name;
    ASSERT_EQ(file->fitting.size(), 1U) << name;
    EXPECT_EQ(file->fitting[0].name, name);
    EXPECT_EQ(file->fitting[0].classes, 10U);
    EXPECT_EQ(file->fitting[0].input.channels, 3U);
  }
}

TEST(ModelFiles, InputsOfAnotherShapeAreRefused) {
  const Images table = inputs_for("table"), sequence = inputs_for("lstm");
  const auto message = [](const Model& model, const Images& inputs) {
    return message_of([&] { (void)model.outputs(inputs); });
  };
  const auto program = session().load(source_for("table-program.pt", table));
  EXPECT_THAT(message(*program, sequence), ::testing::HasSubstr("expected rows of 1 dimensions"));
  const auto graph = session().load(source_for("table-any.onnx", table));
  EXPECT_THAT(message(*graph, sequence), ::testing::HasSubstr("expected images of shape (4)"));
  ModelSource cnn = source_for("table-plain.pt", table);
  cnn.architecture = "small-cnn";
  EXPECT_NE(message_of([&] { (void)session().load(cnn); }), "no error");
}

std::unique_ptr<Model> load_misleading(const std::string& name, Binary binary = Binary::refuse) {
  ModelSource source = toy::source_of(std::string(LEEWAY_REFERENCE) + "/torchscript/" + name);
  source.binary = binary;
  return session().load(source);
}

// (0, v) is what the pair returns; of a probability p the pair is (log(1-p), log p), which has the same softmax.
TEST(SingleOutput, IsTwoClassesWithTheGradientsOfTwo) {
  const auto pair = load_misleading("one_logit_pair.pt");
  const auto logit = load_misleading("one_logit.pt", Binary::logit),
             probability = load_misleading("one_probability.pt", Binary::prob);
  const Images images = toy::images(40, {1, 8, 8}, 2);
  const Array logits = pair->outputs(images).logits;
  EXPECT_EQ(toy::largest_gap(logit->outputs(images).logits, logits), 0);
  EXPECT_LT(toy::largest_gap(toy::class_gradients(*logit, images), toy::class_gradients(*pair, images)),
            1e-6);
  const Array logs = probability->outputs(images).logits;
  for (std::size_t i = 0; i < images.n(); ++i) {
    const double v = logits.view<float>()[2 * i + 1];
    EXPECT_NEAR(logs.view<float>()[2 * i], -std::log1p(std::exp(v)), 1e-4);
    EXPECT_NEAR(logs.view<float>()[2 * i + 1], -std::log1p(std::exp(-v)), 1e-4);
  }
  const Array gradients = pair->input_gradients(images, *images.labels);
  EXPECT_LT(toy::largest_gap(logit->input_gradients(images, *images.labels), gradients), 1e-6);
  EXPECT_LT(toy::largest_gap(probability->input_gradients(images, *images.labels), gradients), 1e-4);
  EXPECT_TRUE(toy::same_bits(toy::attacked(*logit, images, {.eps = .02}).x,
                             toy::attacked(*pair, images, {.eps = .02}).x));
  const Classifier classifier = logit->classifier({1, 8, 8});
  EXPECT_EQ(classifier.k, 2U);
  EXPECT_EQ(class_gradients(classifier.linearize(std::vector<float>(64, .5f)), 2).size(), 128U);
}

TEST(SingleOutput, OfNamedTensorsIsTwoClasses) {
  const toy::Folder folder;
  std::vector<float> weight;
  for (int j = 0; j < 4; ++j) weight.push_back(static_cast<float>(j) - 1.5f);
  write_npz(folder / "w.npz", {{"weight", make_array<float>({1, 4}, weight)},
                               {"bias", make_array<float>({1}, std::vector<float>{.25f})}});
  ModelSource source = toy::source_of(folder / "w.npz", "linear", {1, 2, 2});
  EXPECT_REFUSED(session().load(source), "--binary logit or --binary prob...");
  source.binary = Binary::logit;
  const auto model = session().load(source);
  EXPECT_EQ(model->info().classes, 2U);
  const Images images = toy::images(3, {1, 2, 2}, 2);
  const Outputs outputs = model->outputs(images);
  for (std::size_t i = 0; i < 3; ++i) {
    float v = .25f;
    for (std::size_t j = 0; j < 4; ++j) v += weight[j] * images.pixels.view<float>()[4 * i + j];
    EXPECT_EQ(outputs.logits.view<float>()[2 * i], 0);
    EXPECT_NEAR(outputs.logits.view<float>()[2 * i + 1], v, 1e-6);
  }
  const Array gradients = toy::class_gradients(*model, images);
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_EQ(gradients.view<float>()[j], 0);
    EXPECT_EQ(gradients.view<float>()[4 + j], weight[j]);
  }
}

TEST(SingleOutput, NeedsAWordAboutWhatItIs) {
  const Images images = toy::images(3, {1, 8, 8}, 2);
  EXPECT_REFUSED(load_misleading("one_logit.pt")->outputs(images),
                 "one_logit.pt: expected at least two classes (for the positive class of two: --binary logit "
                 "or --binary prob), found outputs of shape (3, 1)...");
  EXPECT_REFUSED(load_misleading("one_logit.pt", Binary::prob)->outputs(toy::images(40, {1, 8, 8}, 2)),
                 "one_logit.pt: expected probabilities in [0,1] (--binary prob), found ...");
}

// tests/attack/run_test.cpp covers what noise finds.
TEST(ZeroGradients, OfAModelOfSignsAreCountedAndNoiseRunsBesideTheAttack) {
  const auto model = load_misleading("signs.pt");
  Images images = toy::images(50, {1, 8, 8}, 3);
  images.labels.reset();
  for (const attack::AttackOptions& options :
       std::vector<attack::AttackOptions>{{.eps = .3, .parameters = {{"random-start", 0}}},
                                          {.attack = "fmn", .parameters = {{"steps", 3}}}}) {
    const attack::AttackResult found = toy::attacked(*model, images, options);
    EXPECT_EQ(found.zero_gradient, 1);
    ASSERT_TRUE(found.beside_noise.has_value());
    EXPECT_EQ(found.beside_noise->attack_accuracy, 1);
    EXPECT_LT(found.robust_accuracy, .5);
  }
}

TEST(NoGradients, AreAnErrorOfOneLineAndTheRestGoesOn) {
  const auto model = load_misleading("no_gradient.pt");
  const Images images = toy::images(5, {1, 8, 8}, 3);
  EXPECT_EQ(model->outputs(images).k(), 3U);
  const Classifier classifier = model->classifier({1, 8, 8});
  EXPECT_EQ(classifier.logits(std::vector<float>(64, .5f)).size(), 3U);
  const std::string expected = "no_gradient.pt: expected a model with input gradients";
  const auto refused = [&](const std::function<void()>& work) {
    const std::string message = message_of(work);
    EXPECT_THAT(message, ::testing::HasSubstr(expected));
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  };
  refused([&] { (void)class_gradients(classifier.linearize(std::vector<float>(64, .5f)), 3); });
  refused([&] { (void)model->input_gradients(images, *images.labels); });
  refused([&] { (void)toy::attacked(*model, images, {}); });
  EXPECT_LE(toy::attacked(*model, images, {.attack = "noise"}).robust_accuracy, 1);
}

// The model scales its input in place: gradients exist all the same, and what is attacked stays as it was.
TEST(InPlace, OperationsOfAModelDoNotReachTheImages) {
  const auto model = load_misleading("in_place.pt");
  Images images = toy::images(40, {1, 8, 8}, 3);
  images.labels.reset();
  EXPECT_EQ(toy::class_gradients(*model, images).shape, (std::vector<std::size_t>{40, 3, 64}));
  const attack::AttackResult found = toy::attacked(*model, images, {.eps = 0});
  EXPECT_EQ(found.robust_accuracy, 1);
  EXPECT_TRUE(toy::same_bits(found.x, toy::rows_of(images)));
}

TEST(Variation, IsFoundInModelsWhoseDropoutOrBatchStatisticsAreOn) {
  const Images images = toy::images(40, {1, 8, 8}, 3);
  const auto found = load_misleading("dropout_on.pt")->variation(images);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->n, 16U);
  EXPECT_GT(found->largest, .01);
  EXPECT_FALSE(found->neighbours);
  const auto statistics = load_misleading("statistics_on.pt")->variation(images);
  ASSERT_TRUE(statistics.has_value());
  EXPECT_EQ(statistics->n, 8U);
  EXPECT_TRUE(statistics->neighbours);
  for (const std::string name : {"signs.pt", "in_place.pt", "logits.pt"})
    EXPECT_FALSE(load_misleading(name)->variation(images).has_value()) << name;
  EXPECT_FALSE(toy::model("defended-cnn", {1, 8, 8}, 3)->variation(images).has_value());
}

}  // namespace leeway::nn::model_files_test

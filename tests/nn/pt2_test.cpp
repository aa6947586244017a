// .pt2 archives on LibTorch: those of today's PyTorch against its numbers, and programs made by hand.
#include <gmock/gmock.h>

#include <cstdlib>

#include "leeway/io/npy.h"
#include "tests/case_name.h"
#include "tests/nn/io/pt2_archives.h"
#include "tests/nn/toy.h"

namespace leeway::nn::pt2_test {

using namespace pt2s;
using ::testing::HasSubstr;

// Files NETWORK_WRITER.ENDING beside NETWORK.npz (x, logits, gradient_class0), such as those that
// tests/reference/large_models.py writes.
std::filesystem::path written_models() {
  const char* other = std::getenv("LEEWAY_WRITTEN_MODELS");
  return other != nullptr ? std::filesystem::path(other)
                          : std::filesystem::path(LEEWAY_SHARED_DATA) / "modern";
}

std::vector<std::string> written_files() {
  std::vector<std::string> names;
  if (is_there(written_models()))
    for (const auto& entry : std::filesystem::directory_iterator(written_models()))
      if (entry.path().extension() != ".npz" && entry.path().extension() != ".data")
        names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

std::string network_of(const std::string& file) { return file.substr(0, file.find_first_of("_.")); }

class WrittenByPyTorch : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    for (auto& [name, array] : read_npz(written_models() / (network_of(GetParam()) + ".npz")))
      expected_.emplace(name, std::move(array));
    const torch::Tensor x = shared_tensor(expected_.at("x"));
    std::vector<std::int64_t> sizes = x.sizes().vec();
    images_.path = "x", images_.rank = sizes.size();
    sizes.resize(4, 1);
    images_.pixels = to_array(x.reshape(sizes));
  }

  ArrayMap expected_;
  Images images_;
};

TEST_P(WrittenByPyTorch, HasItsLogitsAndGradientsOrSaysHowToExportIt) {
  const auto ending = std::filesystem::path(GetParam()).extension();
  const std::string network = ending == ".pth" ? network_of(GetParam()) : "";
  std::unique_ptr<Model> model;
  const std::string refusal =
      message_of([&] { model = toy::loaded(written_models() / GetParam(), network, shape_of(images_)); });
  if (model == nullptr && ending == ".pth") GTEST_SKIP() << refusal;
  if (model == nullptr) {
    RecordProperty("refusal", refusal);
    EXPECT_EQ(ending, ".pt") << refusal;
    EXPECT_THAT(refusal, HasSubstr("torch.onnx.export"));
    return;
  }
  const Classifier classifier = model->classifier(shape_of(images_));
  const auto x = images_.pixels.view<float>();
  const double logits =
      toy::largest_gap(make_array({images_.n(), classifier.k}, classifier.logits(x)), expected_.at("logits"));
  const std::vector<std::int32_t> first(images_.n(), 0);
  const Array& of_torch = expected_.at("gradient_class0");
  const double gradients = toy::largest_gap(
      make_array(of_torch.shape, class_gradients(classifier.linearize(x), classifier.k, first)), of_torch);
  RecordProperty("logits", std::to_string(logits * 1e9));
  RecordProperty("gradients", std::to_string(gradients * 1e9));
  EXPECT_LT(logits, 1e-5);
  EXPECT_LT(gradients, 1e-4);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(WrittenByPyTorch);
INSTANTIATE_TEST_SUITE_P(, WrittenByPyTorch, ::testing::ValuesIn(written_files()), case_name);

class Pt2 : public ::testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<Model> load(const Pt2Archive& archive) const {
    return toy::loaded(archive.write(folder_ / "m.pt2"));
  }
  [[nodiscard]] std::vector<float> logits(const Pt2Archive& archive, std::vector<float> x,
                                          std::size_t n) const {
    const auto model = load(archive);
    const Classifier classifier = model->classifier({x.size() / n, 1, 1, 2});
    return classifier.logits(x);
  }
  // Why the archive is refused.
  [[nodiscard]] std::string refusal(const Pt2Archive& archive) const {
    return message_of([&] { (void)load(archive); });
  }

  toy::Folder folder_;
};

TEST_F(Pt2, ALinearModelIsWhatItSays) {
  const auto model = load(linear());
  EXPECT_EQ(model->info().format, "pt2");
  EXPECT_EQ(model->info().classes, 2u);
  EXPECT_EQ(model->info().parameters, 8u);
  EXPECT_EQ(model->info().input, (InputShape{3, 1, 1, 2}));
  ASSERT_EQ(model->info().layers.size(), 2u);
  EXPECT_EQ(model->info().layers[0].type, "linear");
  EXPECT_THAT(logits(linear(), {1, 2, 3, 0, 0, 0}, 2), ::testing::ElementsAre(3.5f, 2.5f, .5f, -.5f));
}

TEST_F(Pt2, ASoftmaxAtTheEndIsRemovedAndItsNoteKept) {
  Pt2Archive archive = linear();
  archive.nodes().push_back(node("torch.ops.aten.softmax.int",
                                 {{"self", tensor("linear")}, {"dim", integer(1)}}, {tensor("softmax")}));
  archive.outputs() = json::array();
  archive.returns("softmax");
  EXPECT_THAT(logits(archive, {1, 2, 3}, 1), ::testing::ElementsAre(3.5f, 2.5f));
  EXPECT_THAT(load(archive)->info().notes.at(0), HasSubstr("Softmax"));
}

TEST_F(Pt2, ADictionaryNamesLogitsAndFeatures) {
  Pt2Archive archive = linear();
  archive.nodes().push_back(node("torch.ops.aten.neg.default", {{"self", tensor("x")}}, {tensor("neg")}));
  archive.outputs() = json::array();
  archive.returns("neg").returns("linear");
  archive.program["graph_module"]["module_call_graph"] = {
      {{"signature",
        {{"out_spec",
          R"([1, {"type": "builtins.dict", "context": "[\"features\", \"logits\"]", "children_spec": []}])"}}}}};
  EXPECT_THAT(logits(archive, {1, 2, 3}, 1), ::testing::ElementsAre(3.5f, 2.5f));
}

// Rows of the batch, through arithmetic on sizes: x (n,3) as (3n), minus one number, as (n,3).
TEST_F(Pt2, SizesAreComputed) {
  const json rows = {{"as_sym_int", {{"as_name", "rows"}}}}, all = {{"as_sym_int", {{"as_name", "all"}}}};
  Pt2Archive archive = linear();
  json& nodes = archive.nodes();
  nodes = json::array();
  nodes.push_back(node("torch.ops.aten.sym_size.int", {{"self", tensor("x")}, {"dim", integer(0)}}, {rows}));
  nodes.push_back(node("_operator.mul", {{"a", rows}, {"b", integer(3)}}, {all}));
  nodes.push_back(node("torch.ops.aten.view.default",
                       {{"self", tensor("x")}, {"size", {{"as_sym_ints", {{{"as_name", "all"}}}}}}},
                       {tensor("flat")}));
  nodes.push_back(
      node("torch.ops.aten.sub.Tensor", {{"self", tensor("flat")}, {"other", integer(1)}}, {tensor("less")}));
  nodes.push_back(
      node("torch.ops.aten.view.default",
           {{"self", tensor("less")}, {"size", {{"as_sym_ints", {{{"as_name", "rows"}}, integer(3)}}}}},
           {tensor("linear")}));
  EXPECT_THAT(logits(archive, {1, 2, 3, 4, 5, 6}, 2), ::testing::ElementsAre(0, 1, 2, 3, 4, 5));
}

// A program for two rows at a time gives the same for any number of rows.
TEST_F(Pt2, AFixedBatchRunsInGroups) {
  Pt2Archive archive = linear();
  archive.program["graph_module"]["graph"]["tensor_values"]["x"]["sizes"] = sizes_of({2, 3});
  archive.nodes().push_back(node("torch.ops.aten.view.default",
                                 {{"self", tensor("linear")}, {"size", {{"as_ints", {2, 2}}}}},
                                 {tensor("view")}));
  archive.outputs() = json::array();
  archive.returns("view");
  EXPECT_THAT(logits(archive, {1, 2, 3, 0, 0, 0, 1, 1, 1}, 3),
              ::testing::ElementsAre(3.5f, 2.5f, .5f, -.5f, 2.5f, .5f));
}

// softmax(q k^T / sqrt(d)) v by loops; the causal form sees no later key, a mask hides keys.
TEST_F(Pt2, AttentionIsThatOfItsDefinition) {
  const std::size_t n = 4, d = 2;
  const std::vector<float> x{.1f, -.3f, .7f, .2f, -.5f, .9f, .4f, .6f};
  for (const bool causal : {false, true}) {
    Pt2Archive archive({-1, static_cast<std::int64_t>(n * d)});
    json& nodes = archive.nodes();
    nodes.push_back(node("torch.ops.aten.view.default",
                         {{"self", tensor("x")}, {"size", {{"as_ints", {-1, 1, 4, 2}}}}}, {tensor("rows")}));
    std::vector<Input> inputs{{"query", tensor("rows")}, {"key", tensor("rows")}, {"value", tensor("rows")}};
    if (causal) inputs.push_back({"is_causal", {{"as_bool", true}}});
    nodes.push_back(node("torch.ops.aten.scaled_dot_product_attention.default", inputs, {tensor("mixed")}));
    nodes.push_back(node("torch.ops.aten.flatten.using_ints",
                         {{"self", tensor("mixed")}, {"start_dim", integer(1)}}, {tensor("out")}));
    archive.returns("out");
    const std::vector<float> found = logits(archive, x, 1);
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0, mixed[d] = {};
      for (std::size_t j = 0; j < (causal ? i + 1 : n); ++j) {
        double score = 0;
        for (std::size_t c = 0; c < d; ++c) score += x[i * d + c] * x[j * d + c] / std::sqrt(double{d});
        sum += std::exp(score);
        for (std::size_t c = 0; c < d; ++c) mixed[c] += std::exp(score) * x[j * d + c];
      }
      for (std::size_t c = 0; c < d; ++c)
        EXPECT_NEAR(found[i * d + c], mixed[c] / sum, 1e-6) << causal << i << c;
    }
  }
}

TEST_F(Pt2, WhatItCannotRunIsRefusedByName) {
  const auto with = [](const std::string& target, const std::vector<Input>& inputs) {
    Pt2Archive archive = linear();
    archive.nodes().push_back(node(target, inputs, {tensor("more")}));
    return archive;
  };
  EXPECT_THAT(refusal(with("torch.ops.aten.frobnicate.default", {})),
              HasSubstr("aten.frobnicate.default: expected an operator that LibTorch"));
  EXPECT_THAT(refusal(with("torch.ops.torchvision.nms.default", {})), HasSubstr("torchvision.nms"));
  EXPECT_THAT(refusal(with("os.system", {})), HasSubstr("os.system"));
  EXPECT_THAT(refusal(with("torch.ops.aten.relu.default", {})), HasSubstr("an argument 'self'"));
  EXPECT_THAT(refusal(with("torch.ops.aten.relu.default", {{"self", tensor("x")}, {"spin", integer(1)}})),
              HasSubstr("self, spin"));
  EXPECT_THAT(refusal(with("torch.ops.aten.flatten.using_ints",
                           {{"self", tensor("x")}, {"start_dim", {{"as_string", "x"}}}})),
              HasSubstr("type int"));
  EXPECT_THAT(
      refusal(with("torch.ops.aten.dropout.default",
                   {{"input", tensor("x")}, {"p", {{"as_float", .5}}}, {"train", {{"as_bool", true}}}})),
      HasSubstr("model.eval()"));
  const json x = tensor("x");
  EXPECT_THAT(refusal(with("torch.ops.aten.scaled_dot_product_attention.default",
                           {{"query", x}, {"key", x}, {"value", x}, {"dropout_p", {{"as_float", .1}}}})),
              HasSubstr("dropout is active"));
  EXPECT_THAT(refusal(with("_operator.floordiv", {{"a", integer(1)}, {"b", integer(0)}})),
              HasSubstr("division by 0"));
}

TEST_F(Pt2, OperatorsInPlaceChangeNeitherImagesNorWeights) {
  Pt2Archive archive = linear();
  archive.nodes().insert(archive.nodes().begin(),
                         node("torch.ops.aten.mul_.Tensor",
                              {{"self", tensor("x")}, {"other", {{"as_float", 2.}}}}, {tensor("mul_")}));
  const std::vector<float> x{1, 2, 3};
  EXPECT_THAT(logits(archive, x, 1), ::testing::ElementsAre(6.5f, 5.5f));
  archive.nodes()[0]["inputs"][0]["arg"] = tensor("p_weight");
  EXPECT_THAT(refusal(archive), HasSubstr("changes its weights"));
}

}  // namespace leeway::nn::pt2_test

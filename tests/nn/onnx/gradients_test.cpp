// Gradients of operators that are more than one function of LibTorch, against finite differences in float64.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "leeway/core/array.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/random.h"
#include "leeway/nn/onnx/program.h"
#include "tests/case_name.h"

namespace leeway::nn::onnx::gradients_test {

using torch::Tensor;

struct GradientCase {
  std::string op;
  Tensors inputs;
  std::map<std::string, Attribute> attributes = {};
  std::int64_t opset = 13;
  std::size_t outputs = 1;
  std::size_t variables = 100;  // that many inputs from the first on, where they are real numbers
};

Tensor drawn(const Integers& sizes, double low, double high) {
  static std::uint64_t number = 0;
  Random random(3, stream("onnx gradients"), number++);
  Tensor x = torch::empty(sizes, torch::kFloat64);
  std::generate_n(x.data_ptr<double>(), x.numel(), [&] { return low + (high - low) * random.uniform(); });
  return x;
}

// Away from 0, where several functions have a corner.
Tensor signed_numbers(const Integers& sizes) {
  const Tensor x = drawn(sizes, -1, 1);
  return x + .05 * x.sign();
}

Tensor whole(const Integers& values) { return torch::tensor(values, torch::kInt64); }
Tensor numbers(const std::vector<float>& values) { return torch::tensor(values, torch::kFloat32); }

std::shared_ptr<const Graph> branch_of(const std::string& op) {
  Graph graph;
  graph.opset = 13, graph.inputs = {{"x1", "", {}}}, graph.outputs = {{"result", "", {}}};
  graph.nodes = {{op, "", "", {"x1"}, {"result"}, {}}};
  return std::make_shared<const Graph>(std::move(graph));
}

std::vector<GradientCase> gradient_cases() {
  const auto x = [] { return signed_numbers({2, 3, 4, 4}); };
  const auto positive = [] { return drawn({2, 3, 4}, .5, 2); };
  const Integers two{2, 2};
  std::vector<GradientCase> cases;
  const auto add = [&](const char* op, Tensors inputs, std::map<std::string, Attribute> attributes = {},
                       std::int64_t opset = 13, std::size_t outputs = 1, std::size_t variables = 100) {
    cases.push_back({op, std::move(inputs), std::move(attributes), opset, outputs, variables});
  };
  add("Add", {x(), drawn({3}, -1, 1)}, {{"broadcast", std::int64_t{1}}, {"axis", std::int64_t{1}}}, 6);
  add("Pow", {positive(), drawn({4}, -1, 2)});
  add("Max", {x(), x(), x()});
  add("Mean", {x(), x()});
  add("Clip", {x(), torch::scalar_tensor(-.6, torch::kFloat64), torch::scalar_tensor(.6, torch::kFloat64)});
  add("Clip", {x()}, {{"min", -.6f}, {"max", .6f}}, 6);
  add("Gemm", {drawn({3, 4}, -1, 1), drawn({2, 4}, -1, 1), drawn({2}, -1, 1)}, {{"transB", std::int64_t{1}}});
  add("Gemm", {drawn({4, 3}, -1, 1), drawn({4, 2}, -1, 1), drawn({1, 2}, -1, 1)},
      {{"transA", std::int64_t{1}}, {"alpha", .5f}, {"beta", 2.f}});
  add("PRelu", {x(), drawn({3, 1, 1}, .1, .4)});
  add("PRelu", {x(), drawn({4}, .1, .4)});
  add("PRelu", {x(), drawn({3}, .1, .4)}, {}, 6);
  add("Selu", {x()});
  add("ThresholdedRelu", {x()}, {{"alpha", .03f}});
  add("Softsign", {x()});
  add("HardSigmoid", {x()});
  add("Shrink", {x()}, {{"lambd", .02f}, {"bias", .1f}});
  add("Softmax", {x()}, {{"axis", std::int64_t{1}}});
  add("Softmax", {x()}, {{"axis", std::int64_t{1}}}, 9);
  add("Conv", {x(), drawn({4, 3, 3, 3}, -1, 1), drawn({4}, -1, 1)},
      {{"pads", Integers{1, 0, 1, 2}}, {"strides", two}});
  add("Conv", {drawn({2, 4, 5}, -1, 1), drawn({4, 2, 3}, -1, 1)},
      {{"group", std::int64_t{2}}, {"auto_pad", std::string("SAME_LOWER")}});
  add("ConvTranspose", {x(), drawn({3, 2, 3, 3}, -1, 1), drawn({2}, -1, 1)},
      {{"strides", two}, {"pads", Integers{1, 0, 1, 1}}, {"output_padding", Integers{1, 1}}});
  add("ConvTranspose", {x(), drawn({3, 2, 3, 3}, -1, 1), drawn({2}, -1, 1)},
      {{"strides", two}, {"pads", Integers{1, 1, 1, 1}}});
  add("MaxPool", {x()}, {{"kernel_shape", two}, {"strides", two}});
  add("MaxPool", {x()}, {{"kernel_shape", two}, {"pads", Integers{0, 0, 1, 1}}}, 13, 2);
  add("AveragePool", {x()}, {{"kernel_shape", two}, {"pads", Integers{0, 0, 1, 1}}});
  add("AveragePool", {x()}, {{"kernel_shape", two}, {"strides", two}});
  add("GlobalMaxPool", {x()});
  add("BatchNormalization", {x(), drawn({3}, .5, 1), drawn({3}, -1, 1), drawn({3}, -1, 1), drawn({3}, .5, 1)},
      {}, 13, 1, 3);
  add("BatchNormalization", {x(), drawn({3}, .5, 1), drawn({3}, -1, 1), drawn({3}, -1, 1), drawn({3}, .5, 1)},
      {{"training_mode", std::int64_t{1}}}, 14, 3);
  add("InstanceNormalization", {x(), drawn({3}, .5, 1), drawn({3}, -1, 1)});
  add("LayerNormalization", {x(), drawn({4, 4}, .5, 1), drawn({4, 4}, -1, 1)}, {{"axis", std::int64_t{2}}},
      17);
  add("LRN", {x()}, {{"size", std::int64_t{2}}, {"alpha", .5f}});
  add("LpNormalization", {x()});
  add("MeanVarianceNormalization", {x()});
  add("Slice", {x(), whole({0, -1}), whole({2, -5}), whole({1, 2}), whole({1, -2})});
  add("Split", {x(), whole({1, 2})}, {{"axis", std::int64_t{1}}}, 13, 2);
  add("Gather", {x(), whole({2, -3, 0})}, {{"axis", std::int64_t{1}}});
  add("GatherElements", {drawn({2, 2}, -1, 1), torch::tensor({{0, 0}, {1, 0}}, torch::kInt64)},
      {{"axis", std::int64_t{1}}});
  add("Pad", {x(), whole({0, 0, 1, 2, 0, 0, -1, 1})}, {{"mode", std::string("reflect")}});
  add("Pad", {x(), whole({0, 0, 1, 2, 0, 0, -1, 1})});
  add("Pad", {x(), whole({0, 1, 1, 2, 0, 0, 0, 1})}, {{"mode", std::string("edge")}});
  add("DepthToSpace", {drawn({1, 4, 2, 2}, -1, 1)}, {{"blocksize", std::int64_t{2}}});
  add("SpaceToDepth", {drawn({1, 2, 4, 4}, -1, 1)}, {{"blocksize", std::int64_t{2}}});
  add("CumSum", {x(), whole({2})}, {{"exclusive", std::int64_t{1}}, {"reverse", std::int64_t{1}}});
  add("TopK", {x(), whole({2})}, {}, 13, 2);
  add("Upsample", {x(), numbers({1, 1, 2, 1.5})}, {{"mode", std::string("linear")}}, 9);
  const auto weights = [](std::int64_t gates,
                          std::int64_t ways) -> Tensors {  // of 3 inputs and 2 hidden numbers
    return {drawn({ways, gates * 2, 3}, -1, 1), drawn({ways, gates * 2, 2}, -1, 1),
            drawn({ways, gates * 4}, -1, 1)};
  };
  const auto recurrent = [&](const char* op, std::int64_t gates, std::map<std::string, Attribute> attributes,
                             std::int64_t ways = 1) {
    Tensors inputs{drawn({4, 2, 3}, -1, 1)};
    for (const Tensor& weight : weights(gates, ways)) inputs.push_back(weight);
    add(op, std::move(inputs), std::move(attributes), 14);
  };
  recurrent("RNN", 1, {});
  recurrent("GRU", 3, {{"linear_before_reset", std::int64_t{1}}});
  recurrent("GRU", 3, {{"direction", std::string("reverse")}});
  recurrent("LSTM", 4, {{"direction", std::string("bidirectional")}}, 2);
  const Tensor places = torch::tensor({{0, 1}, {1, 0}}, torch::kInt64);
  add("Compress", {x(), torch::tensor({true, false, true})}, {{"axis", std::int64_t{1}}});
  add("GatherND", {drawn({2, 3, 2}, -1, 1), places});
  add("GridSample", {x(), drawn({2, 3, 3, 2}, -.9, .9)}, {}, 16);
  add("GroupNormalization", {drawn({2, 4, 3}, -1, 1), drawn({4}, .5, 1), drawn({4}, -1, 1)},
      {{"num_groups", std::int64_t{2}}}, 21);
  add("ReverseSequence", {drawn({3, 2, 2}, -1, 1), whole({3, 2})});
  add("Scatter", {drawn({2, 2}, -1, 1), places, drawn({2, 2}, -1, 1)}, {}, 9);
  add("ScatterElements", {drawn({2, 2}, -1, 1), places, drawn({2, 2}, -1, 1)});
  add("ScatterND", {drawn({2, 3, 2}, -1, 1), places, drawn({2, 2}, -1, 1)},
      {{"reduction", std::string("add")}}, 16);
  for (const char* mode : {"nearest", "linear", "cubic"})
    add("Resize", {x(), numbers({}), numbers({1, 1, 2, .6f})}, {{"mode", std::string(mode)}});
  for (const char* op :
       {"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceProd", "ReduceSumSquare"})
    add(op, {positive()}, {{"axes", Integers{1, 2}}});
  add("ReduceSum", {x(), whole({1, 3})});
  add("ReduceMean", {x(), whole({1, 3})}, {}, 18);
  add("Split", {x()}, {{"axis", std::int64_t{2}}, {"num_outputs", std::int64_t{3}}}, 18, 3);
  add("Pad", {x(), whole({1, 2}), torch::scalar_tensor(0.5), whole({-1})}, {}, 18);
  for (const bool then : {true, false})
    add("If", {torch::scalar_tensor(then, torch::kBool), x()},
        {{"then_branch", branch_of("Tanh")}, {"else_branch", branch_of("Exp")}});
  return cases;
}

Program program_of(const GradientCase& given) {
  Graph graph;
  graph.opset = given.opset;
  Node node{given.op, "", "", {}, {}, given.attributes};
  for (std::size_t i = 0; i < given.inputs.size(); ++i) {
    const std::string name = fmt::format("x{}", i);
    node.inputs.push_back(given.inputs[i].numel() == 0 ? "" : name);
    graph.inputs.push_back({name, "", {}});
  }
  for (std::size_t i = 0; i < given.outputs; ++i) node.outputs.push_back(fmt::format("y{}", i));
  graph.nodes.push_back(node);
  return {graph, node.outputs, "case"};
}

Tensors run_case(const GradientCase& given) { return program_of(given).run(given.inputs, {}); }

class OneNode {
 public:
  explicit OneNode(const GradientCase& given) : program_(program_of(given)) {}

  [[nodiscard]] Tensor operator()(const Tensors& inputs) {
    Tensor sum = torch::zeros({}, torch::kFloat64);
    const Tensors outputs = program_.run(inputs, {});
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i].is_floating_point()) continue;
      if (weights_.size() <= i) weights_.resize(i + 1);
      if (!weights_[i].defined()) weights_[i] = drawn(outputs[i].sizes().vec(), .5, 1.5);
      sum = sum + (outputs[i] * weights_[i]).sum();
    }
    return sum;
  }

 private:
  Program program_;
  Tensors weights_;
};

// The largest difference from central ones, over all entries of all real inputs.
double gradient_error(const GradientCase& given) {
  OneNode node(given);
  Tensors inputs, wanted;
  for (const Tensor& input : given.inputs) {
    const bool varies = input.scalar_type() == torch::kFloat64 && inputs.size() < given.variables;
    inputs.push_back(varies ? input.clone().requires_grad_() : input);
    if (inputs.back().requires_grad()) wanted.push_back(inputs.back());
  }
  const Tensors gradients = torch::autograd::grad({node(inputs)}, wanted, {}, {}, false, true);
  const torch::NoGradGuard no_grad;
  double largest = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Tensor gradient = gradients[i].defined() ? gradients[i].contiguous() : torch::zeros_like(wanted[i]);
    double* const values = wanted[i].data_ptr<double>();
    for (std::int64_t j = 0; j < wanted[i].numel(); ++j) {
      constexpr double step = 1e-5;
      const double kept = values[j];
      values[j] = kept + step;
      const double above = node(inputs).item<double>();
      values[j] = kept - step;
      const double below = node(inputs).item<double>();
      values[j] = kept;
      largest = std::max(largest, std::abs(gradient.data_ptr<double>()[j] - (above - below) / (2 * step)));
    }
  }
  return largest;
}

TEST(OnnxGradients, AreThoseOfFiniteDifferences) {
  for (const GradientCase& given : gradient_cases()) {
    SCOPED_TRACE(fmt::format("{}, opset {}", given.op, given.opset));
    try {
      EXPECT_LT(gradient_error(given), 1e-6);
    } catch (const std::exception& failure) {
      ADD_FAILURE() << failure.what();
    }
  }
}

// What opsets after 17 changed, by hand.
TEST(OnnxOperators, OfNewerOpsets) {
  const Tensor x = torch::arange(5, torch::kFloat32);
  const Tensors parts = run_case({"Split", {x}, {{"num_outputs", std::int64_t{2}}}, 18, 2});
  EXPECT_TRUE(parts[0].equal(x.slice(0, 0, 3)) && parts[1].equal(x.slice(0, 3)));
  EXPECT_TRUE(run_case({"ReduceMax", {x, whole({0})}, {}, 18})[0].equal(torch::tensor({4.f})));
  const Tensor padded_rows =
      run_case({"Pad", {x.reshape({1, 5}), whole({1, 0}), torch::scalar_tensor(7.f), whole({0})}, {}, 18})[0];
  EXPECT_TRUE(padded_rows.equal(torch::cat({torch::full({1, 5}, 7.f), x.reshape({1, 5})})));
  EXPECT_NEAR(run_case({"Gelu", {torch::tensor({1.f})}, {}, 20})[0].item<float>(), .8413447f, 1e-6);
}

// Scales of blocks: the first two numbers in units of 1, the last in one of 10.
TEST(OnnxOperators, QuantizeByBlocks) {
  const Tensor x = torch::tensor({{1.4f, -2.5f, 34.f}}), scales = torch::tensor({{1.f, 10.f}});
  const std::map<std::string, Attribute> blocks{{"block_size", std::int64_t{2}}};
  auto with_type = blocks;
  with_type["output_dtype"] = std::int64_t{3};
  const Tensor q = run_case({"QuantizeLinear", {x, scales}, with_type, 21})[0];
  EXPECT_TRUE(q.equal(torch::tensor({{1, -2, 3}}, torch::kInt8))) << "ties to even";
  EXPECT_TRUE(
      run_case({"DequantizeLinear", {q, scales}, blocks, 21})[0].equal(torch::tensor({{1.f, -2.f, 30.f}})));
  const Tensor wide =
      run_case({"QuantizeLinear", {x, torch::tensor(1e-4f)}, {{"output_dtype", std::int64_t{4}}}, 21})[0];
  EXPECT_TRUE(wide.equal(torch::tensor({{14000, 0, 65535}}, torch::kInt32))) << "uint16, held in int32";
}

// One number a group before opset 21, one a channel from then on.
TEST(OnnxOperators, NormalizeByGroups) {
  const Tensor x = torch::tensor({{{-1.f}, {1.f}, {-2.f}, {2.f}}});
  const auto normed = [&](const Tensor& scale, std::int64_t opset) {
    return run_case({"GroupNormalization",
                     {x, scale, torch::zeros_like(scale)},
                     {{"num_groups", std::int64_t{2}}, {"epsilon", 0.f}},
                     opset})[0]
        .reshape({-1});
  };
  EXPECT_TRUE(normed(torch::tensor({1.f, 3.f}), 18).allclose(torch::tensor({-1.f, 1.f, -3.f, 3.f})));
  EXPECT_TRUE(
      normed(torch::tensor({1.f, 2.f, 3.f, 4.f}), 21).allclose(torch::tensor({-1.f, 2.f, -3.f, 4.f})));
}

// The root of a sum of squares has no derivative at 0, and an attack starts there where images are black.
TEST(OnnxGradients, AreFiniteWhereANormIsZero) {
  OneNode node({"ReduceL2", {torch::zeros({2, 3}, torch::kFloat64)}, {{"axes", Integers{1}}}});
  const Tensor x = torch::zeros({2, 3}, torch::kFloat64).requires_grad_();
  EXPECT_TRUE(torch::autograd::grad({node({x})}, {x})[0].isfinite().all().item<bool>());
}

// Casts to float16 round, and pass gradients on as they are: 1e-9 is less than the least float16.
TEST(OnnxGradients, PassARoundingCast) {
  Graph graph;
  graph.opset = 13;
  graph.inputs.push_back({"x", "", {}});
  graph.nodes.push_back({"Cast", "", "", {"x"}, {"y"}, {{"to", std::int64_t{10}}}});
  const Program program(graph, {"y"}, "case");
  const Tensor x = torch::tensor({1.0001f, 3.f, 1e6f}).requires_grad_();
  const Tensor y = program.run({x}, {})[0];
  EXPECT_EQ(y[0].item<float>(), 1.f);
  EXPECT_TRUE(y[2].isinf().item<bool>());
  const Tensor gradient = torch::autograd::grad({(y.slice(0, 0, 2) * 1e-9).sum()}, {x})[0];
  EXPECT_FLOAT_EQ(gradient[0].item<float>(), 1e-9f);
}

const std::filesystem::path test_data = "/usr/share/libonnx-testdata/data";

struct Exception {
  std::string_view name, reason;
};
// Tests whose operators leeway has, and which it does not pass: whole names, or parts of
// names, which do not begin with test_.
constexpr std::string_view of_text = "tensors of text: no part of a network for images";
constexpr std::string_view of_chance = "a random mask for training: that of NumPy's generator";
constexpr std::string_view of_sequences = "sequences of tensors";
constexpr std::string_view of_bits = "the test cuts off the bits of bfloat16 that LibTorch rounds";
constexpr std::string_view of_castlike =
    "CastLike does not round to bfloat16: its target type arrives as float32";
constexpr std::string_view of_small_types = "numbers of 4 or 8 bits that LibTorch lacks";
constexpr std::string_view of_resize = "a form of Resize that is refused by name";
constexpr std::string_view of_wrapping = "the test wraps around where the standard saturates";
constexpr Exception exceptions[] = {
    {"FLOAT8", of_small_types},
    {"_e4m3fn", of_small_types},
    {"_e5m2", of_small_types},
    {"INT4", of_small_types},
    {"int4", of_small_types},
    {"equal_string", of_text},
    {"label_encoder", of_text},
    {"_antialias", of_resize},
    {"_half_pixel_symmetric", of_resize},
    {"_not_larger", of_resize},
    {"_not_smaller", of_resize},
    {"resize_tf_crop_and_resize_axes", of_resize},
    {"_nearest_axes", of_resize},
    {"averagepool_2d_dilations", "averages of dilation 2 are refused by name"},
    {"averagepool_3d_dilations", "averages of dilation 2 are refused by name"},
    {"test_wrap_pad", "padding of that mode is refused by name"},
    {"test_reduce_max_empty_set", "the largest of no numbers"},
    {"test_reduce_min_empty_set", "the least of no numbers"},
    {"qlinearmatmul_2D_int8", of_wrapping},
    {"qlinearmatmul_3D_int8", of_wrapping},
    {"test_cast_FLOAT_to_STRING", of_text},
    {"test_cast_STRING_to_FLOAT", of_text},
    {"test_castlike_FLOAT_to_STRING", of_text},
    {"test_castlike_STRING_to_FLOAT", of_text},
    {"test_castlike_FLOAT_to_STRING_expanded", of_text},
    {"test_castlike_STRING_to_FLOAT_expanded", of_text},
    {"test_cast_FLOAT_to_BFLOAT16", of_bits},
    {"test_castlike_FLOAT_to_BFLOAT16_expanded", of_bits},
    {"test_castlike_FLOAT_to_BFLOAT16", of_castlike},
    {"test_training_dropout", of_chance},
    {"test_training_dropout_default", of_chance},
    {"test_training_dropout_default_mask", of_chance},
    {"test_training_dropout_mask", of_chance},
    {"test_identity_sequence", of_sequences},
    {"test_identity_opt", of_sequences},
};

struct Count {
  std::size_t tests = 0, applicable = 0, passed = 0;
  std::vector<std::string> excepted;
};

const Exception* exception_of(const std::string& name) {
  const auto* const found = std::ranges::find_if(exceptions, [&](const Exception& one) {
    return one.name.starts_with("test_") ? name == one.name : name.find(one.name) != std::string::npos;
  });
  return found != std::end(exceptions) ? found : nullptr;
}

bool has_operators(const Graph& graph) {
  return std::ranges::all_of(graph.nodes, [](const Node& node) {
    return node.domain.empty() &&
           std::ranges::find(operators(), std::string_view(node.op), &Operator::name) != operators().end() &&
           std::ranges::all_of(node.attributes, [](const auto& attribute) {
             const auto* const branch = std::get_if<std::shared_ptr<const Graph>>(&attribute.second);
             return branch == nullptr || has_operators(**branch);
           });
  });
}

// The tests keep bfloat16 as numbers of type uint16.
torch::Tensor from_bits(const Array& array) {
  std::vector<float> values;
  for (const std::uint16_t bits : array.view<std::uint16_t>()) values.push_back(float_from_bfloat16(bits));
  return torch::tensor(values).reshape(Integers(array.shape.begin(), array.shape.end()));
}

// input_0.pb, input_1.pb, ..., the values of the graph's inputs (or outputs).
Tensors read_tensors(const std::filesystem::path& folder, const std::string& kind,
                     const std::vector<Value>& values) {
  Tensors tensors;
  for (std::size_t i = 0;; ++i) {
    const auto path = folder / fmt::format("{}_{}.pb", kind, i);
    if (!std::filesystem::exists(path)) return tensors;
    const Array array = parse_onnx_tensor(map_file(path).bytes, path.string());
    const bool bits = values.at(i).type == "bfloat16" && array.type == ElementType::u16;
    tensors.push_back(bits ? from_bits(array) : tensor_of(array, path.string()));
  }
}

// ONNX's own tolerance: 1e-3 relative, 1e-7 absolute. "" where they agree.
std::string difference(const torch::Tensor& found, const torch::Tensor& expected) {
  if (found.sizes() != expected.sizes())
    return fmt::format("shape ({}), not ({})", fmt::join(found.sizes(), ", "),
                       fmt::join(expected.sizes(), ", "));
  if (found.scalar_type() != expected.scalar_type())
    return fmt::format("type {}, not {}", toString(found.scalar_type()), toString(expected.scalar_type()));
  if (at::allclose(found.to(torch::kFloat64), expected.to(torch::kFloat64), 1e-3, 1e-7, true)) return "";
  return fmt::format("{} at most",
                     (found.to(torch::kFloat64) - expected.to(torch::kFloat64)).abs().max().item<double>());
}

std::string run_test(const std::filesystem::path& folder, const Graph& graph) {
  std::vector<std::string> outputs;
  for (const Value& output : graph.outputs) outputs.push_back(output.name);
  try {
    const Program program(graph, outputs, "model.onnx");
    for (const auto& set : std::filesystem::directory_iterator(folder)) {
      if (!set.is_directory()) continue;
      const Tensors expected = read_tensors(set.path(), "output", graph.outputs);
      const Tensors found = program.run(read_tensors(set.path(), "input", graph.inputs), {});
      if (expected.empty() || found.size() != expected.size()) return "another number of outputs";
      for (std::size_t i = 0; i < found.size(); ++i)
        if (const std::string differs = difference(found[i], expected[i]); !differs.empty())
          return fmt::format("output {} differs: {}", i, differs);
    }
  } catch (const std::exception& failure) {
    return failure.what();
  }
  return "";
}

Count run_suite(const std::string& suite) {
  Count count;
  std::vector<std::filesystem::path> folders;
  for (const auto& folder : std::filesystem::directory_iterator(test_data / suite))
    if (std::filesystem::exists(folder.path() / "model.onnx")) folders.push_back(folder.path());
  std::ranges::sort(folders);
  for (const auto& folder : folders) {
    ++count.tests;
    const std::string name = folder.filename().string();
    const Exception* const exception = exception_of(name);
    Graph graph;
    try {
      graph = read_onnx(folder / "model.onnx");
    } catch (const Error& error) {
      EXPECT_NE(exception, nullptr) << name << ": " << error.what();
      continue;
    }
    if (!has_operators(graph)) continue;
    ++count.applicable;
    const std::string failure = run_test(folder, graph);
    if (exception != nullptr) {
      EXPECT_NE(failure, "") << name << " passes: no exception any more";
      count.excepted.push_back(fmt::format("{} ({})", name, exception->reason));
      continue;
    }
    EXPECT_EQ(failure, "") << name;
    count.passed += failure.empty();
  }
  return count;
}

class Conformance : public ::testing::TestWithParam<std::pair<std::string, std::size_t>> {};

TEST_P(Conformance, EveryTestWhoseOperatorsThereArePasses) {
  const auto& [suite, least] = GetParam();
  if (!std::filesystem::exists(test_data / suite))
    GTEST_SKIP() << "no ONNX tests (Debian package libonnx-testdata)";
  const Count count = run_suite(suite);
  std::cout << fmt::format("{}: {} passed of {} applicable, of {} tests\n", suite, count.passed,
                           count.applicable, count.tests);
  for (const std::string& name : count.excepted) std::cout << "  except " << name << "\n";
  EXPECT_EQ(count.passed + count.excepted.size(), count.applicable);
  EXPECT_GE(count.passed, least);
}

INSTANTIATE_TEST_SUITE_P(Suites, Conformance,
                         ::testing::Values(std::pair("node", 739), std::pair("pytorch-converted", 82),
                                           std::pair("pytorch-operator", 35), std::pair("simple", 7)),
                         case_name);

}  // namespace leeway::nn::onnx::gradients_test

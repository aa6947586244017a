// ONNX's own tests of its operators, as Debian packages them (libonnx-testdata): each a model, inputs and outputs.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "leeway/core/array.h"
#include "leeway/core/file.h"
#include "leeway/nn/onnx/program.h"
#include "tests/message_of.h"

namespace leeway::nn::onnx::conformance_test {

const std::filesystem::path test_data = "/usr/share/libonnx-testdata/data";

struct Exception {
  std::string_view name, reason;
};
// Tests whose operators leeway has, and which it does not pass.
constexpr std::string_view of_text = "tensors of text: no part of a network for images";
constexpr std::string_view of_chance = "a random mask for training: that of NumPy's generator";
constexpr std::string_view of_sequences = "sequences of tensors";
constexpr std::string_view of_bits = "the test cuts off the bits of bfloat16 that LibTorch rounds";
constexpr std::string_view of_castlike =
    "CastLike does not round as bfloat16: it is told the type it is held in, float32";
constexpr Exception exceptions[] = {
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
    Graph graph;
    try {
      graph = read_onnx(folder / "model.onnx");
    } catch (const Error& error) {
      ADD_FAILURE() << name << ": " << error.what();
      continue;
    }
    if (!has_operators(graph)) continue;
    ++count.applicable;
    const auto* const exception = std::ranges::find(exceptions, std::string_view(name), &Exception::name);
    const std::string failure = run_test(folder, graph);
    if (exception != std::end(exceptions)) {
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
                         [](const auto& instance) {
                           std::string name = instance.param.first;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace leeway::nn::onnx::conformance_test

// Archives made by hand that tell the truth, and that lie.
#include "leeway/nn/io/pt2_file.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/case_name.h"
#include "tests/files.h"
#include "tests/message_of.h"
#include "tests/nn/io/pt2_archives.h"

namespace leeway::nn::pt2_file_test {

using namespace pt2s;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Pt2File, IsALinearModel) {
  const TemporaryFolder folder;
  const pt2::Graph graph = pt2::read_pt2(linear().write(folder / "m.pt2"));
  EXPECT_EQ(graph.writer, "2.15.0");
  EXPECT_EQ(graph.input, "x");
  EXPECT_EQ(graph.input_type, "float32");
  EXPECT_THAT(graph.shape, ElementsAre(-1, 3));
  EXPECT_THAT(graph.outputs, ElementsAre("linear"));
  ASSERT_EQ(graph.weights.size(), 2u);
  EXPECT_EQ(graph.weights[0].parameter, "weight");
  EXPECT_EQ(graph.weights[0].array.shape_text(), "(2, 3)");
  EXPECT_THAT(graph.weights[1].array.view<float>(), ElementsAre(.5f, -.5f));
  ASSERT_EQ(graph.nodes.size(), 1u);
  EXPECT_EQ(graph.nodes[0].target, "torch.ops.aten.linear.default");
  EXPECT_THAT(graph.nodes[0].names, ElementsAre("input", "weight", "bias"));
  EXPECT_EQ(graph.nodes[0].arguments[2].text, "p_bias");
}

TEST(Pt2File, HasArgumentsOfEveryKind) {
  const TemporaryFolder folder;
  Pt2Archive archive = linear();
  archive.nodes().push_back(node("torch.ops.aten.any.default",
                                 {{"a", {{"as_float", "-Infinity"}}},
                                  {"b", {{"as_scalar_type", 5}}},
                                  {"c", {{"as_memory_format", 1}}},
                                  {"d", {{"as_device", {{"type", "cuda"}, {"index", 3}}}}},
                                  {"e", {{"as_optional_tensors", {tensor("x"), {{"as_none", true}}}}}},
                                  {"f", {{"as_sym_ints", {integer(7), {{"as_name", "x"}}}}}}},
                                 {{{"as_tensors", {{{"name", "one"}}, {{"name", "two"}}}}}}));
  const pt2::Graph graph = pt2::read_pt2(archive.write(folder / "m.pt2"));
  const pt2::Node& any = graph.nodes[1];
  EXPECT_EQ(any.arguments[0].number, -INFINITY);
  EXPECT_EQ(any.arguments[1].integer, 4);
  EXPECT_EQ(any.arguments[2].integer, 0);
  EXPECT_EQ(any.arguments[3].kind, pt2::Kind::device);
  EXPECT_EQ(any.arguments[4].list[1].kind, pt2::Kind::nothing);
  EXPECT_EQ(any.arguments[5].list[0].integer, 7);
  EXPECT_EQ(any.arguments[5].list[1].text, "x");
  EXPECT_TRUE(any.returns_list);
  EXPECT_THAT(any.outputs, ElementsAre("one", "two"));
}

struct Lie {
  std::string name;
  json Pt2Archive::*file;
  std::string place;  // JSON pointer
  json said;          // null: nothing any more
  std::string expected, found;
};

class Pt2Lies : public ::testing::TestWithParam<Lie> {};

TEST_P(Pt2Lies, AreRefusedInOneLine) {
  const Lie& lie = GetParam();
  const TemporaryFolder folder;
  Pt2Archive archive = linear();
  json& file = archive.*lie.file;
  const json::json_pointer place(lie.place);
  if (lie.said.is_null())
    file.at(place.parent_pointer()).erase(place.back());
  else
    file[place] = lie.said;
  const std::string message = message_of([&] { (void)pt2::read_pt2(archive.write(folder / "m.pt2")); });
  for (const std::string& part : {std::string("m.pt2"), lie.expected, lie.found})
    EXPECT_THAT(message, HasSubstr(part));
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

constexpr auto program = &Pt2Archive::program, weights = &Pt2Archive::weights;
const std::string nodes = "/graph_module/graph/nodes/", first = nodes + "0/inputs/0/arg",
                  inputs = "/graph_module/signature/input_specs/",
                  outputs = "/graph_module/signature/output_specs/", bias = "/config/bias/",
                  sizes = bias + "tensor_meta/sizes";

INSTANTIATE_TEST_SUITE_P(
    , Pt2Lies,
    ::testing::Values(
        Lie{"Schema", program, "/schema_version/major", 9, "schema 8", "schema 9, written by PyTorch 2.15.0"},
        Lie{"NoProgram", program, "/graph_module", {}, "a program of torch.export", "graph_module"},
        Lie{"SeveralInputs", program, inputs + "-", linear().inputs()[0], "one tensor", "several inputs"},
        Lie{"UnknownValue", program, first, tensor("later"), "an earlier operator", "'later'"},
        Lie{"ValueTwice", program, nodes + "-", linear().nodes()[0], "different names", "'linear' twice"},
        Lie{"ControlFlow", program, first, {{"as_graph", 1}}, "linear", "control flow"},
        Lie{"EmptyArgument", program, first, json::object(), "a program of torch.export", "one entry"},
        Lie{"ChangesBuffers",
            program,
            outputs + "-",
            {{"buffer_mutation", 1}},
            "model.eval()",
            "buffer_mutation"},
        Lie{"ReturnsANumber", program, outputs + "0/user_output/arg", integer(1), "returns tensors",
            "as_int"},
        Lie{"Pickled", weights, bias + "use_pickle", true, "bias: expected a tensor as plain bytes",
            "pickled"},
        Lie{"NoWeight", weights, "/config/bias", {}, "bias: expected a tensor of the archive", "none"},
        Lie{"NoBytes", weights, bias + "path_name", "../bias", "a member", "none"},
        Lie{"TooFewBytes", weights, sizes, json::array({integer(3)}), "inside its 2 stored elements",
            "sizes (3)"},
        Lie{"Complex", weights, bias + "tensor_meta/dtype", 10, "real numbers", "type 10"},
        Lie{"Negative", weights, sizes, json::array({integer(-2)}), "at least 0", "-2"},
        Lie{"Fraction", weights, sizes, json::array({{{"as_int", 1.5}}}), "integers", "number"},
        Lie{"Enormous", weights, sizes, json::array({{{"as_int", ~std::uint64_t{0}}}}), "integers",
            "number"}),
    [](const auto& instance) { return instance.param.name; });

TEST(Pt2File, OfPyTorch28IsRefusedByItsWriter) {
  const TemporaryFolder folder;
  Pt2Archive archive = linear();
  archive.members.emplace_back("serialized_exported_program.json", "{}");
  EXPECT_THAT(message_of([&] { (void)pt2::read_pt2(archive.write(folder / "m.pt2")); }),
              HasSubstr("PyTorch 2.9 or later"));
}

}  // namespace leeway::nn::pt2_file_test

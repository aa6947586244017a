// Models made by hand that are right, or lie; files that torch exported (tests/reference/make_onnx.py), also cut short.
#include "leeway/nn/io/onnx_file.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "leeway/nn/io/onnx_head.h"
#include "tests/case_name.h"
#include "tests/core/files.h"
#include "tests/nn/io/onnx_files.h"

namespace leeway::nn::onnx::onnx_file_test {

using ::onnx::TensorProto;
using onnx_files::File;
using onnx_files::Sizes;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::span<const std::byte> as_bytes(const std::string& content) { return std::as_bytes(std::span(content)); }

Graph parsed(const std::string& content) { return parse_onnx(as_bytes(content), "f"); }
std::string refusal(const std::string& content) {
  return message_of([&] { (void)parsed(content); });
}

// x (n,4) -> y = relu(x w)
File small_file() {
  File file;
  file.input("x", {-1, 4});
  file.output("y", {-1, 2});
  file.floats("w", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  file.node("MatMul", {"x", "w"}, {"h"});
  file.node("Relu", {"h"}, {"y"}).set_name("last");
  return file;
}

std::string refusal_of(const std::function<void(File&)>& change) {
  File file = small_file();
  change(file);
  return refusal(file.bytes());
}

TEST(OnnxFile, BecomesAPlainGraph) {
  const Graph graph = parsed(small_file().bytes());
  EXPECT_EQ(graph.opset, 13);
  ASSERT_EQ(graph.inputs.size(), 1U);
  EXPECT_EQ(graph.inputs[0].name, "x");
  EXPECT_EQ(graph.inputs[0].type, "float32");
  EXPECT_THAT(graph.inputs[0].shape.value(), ElementsAre(any_size, 4));
  EXPECT_EQ(graph.outputs[0].name, "y");
  ASSERT_EQ(graph.nodes.size(), 2U);
  EXPECT_EQ(graph.nodes[1].op, "Relu");
  EXPECT_EQ(graph.nodes[1].name, "last");
  EXPECT_THAT(graph.nodes[0].inputs, ElementsAre("x", "w"));
  EXPECT_EQ(graph.initializers.at("w").shape, (std::vector<std::size_t>{4, 2}));
  EXPECT_THAT(leeway::testing::values_of<float>(graph.initializers.at("w")),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(OnnxFile, InitializersAreNoInputs) {
  File file = small_file();
  file.input("w", {4, 2});  // as IR 3 lists them
  const Graph graph = parsed(file.bytes());
  ASSERT_EQ(graph.inputs.size(), 1U);
  EXPECT_EQ(graph.inputs[0].name, "x");
}

TEST(OnnxFile, AttributesHaveTheirTypes) {
  File file = small_file();
  auto& node = *file.graph().mutable_node(1);
  File::attribute(node, "whole", 3);
  File::attribute(node, "several", Sizes{1, -2});
  const auto add = [&](const char* name,
                       ::onnx::AttributeProto::AttributeType type) -> ::onnx::AttributeProto& {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(type);
    return attribute;
  };
  add("real", ::onnx::AttributeProto::FLOAT).set_f(.5f);
  add("reals", ::onnx::AttributeProto::FLOATS).add_floats(.25f);
  add("text", ::onnx::AttributeProto::STRING).set_s("abc");
  add("texts", ::onnx::AttributeProto::STRINGS).add_strings("d");
  add("graph", ::onnx::AttributeProto::GRAPH).mutable_g();
  auto& tensor = *add("tensor", ::onnx::AttributeProto::TENSOR).mutable_t();
  tensor.set_data_type(TensorProto::INT64);
  tensor.add_int64_data(7);
  const auto attributes = parsed(file.bytes()).nodes[1].attributes;
  EXPECT_EQ(std::get<std::int64_t>(attributes.at("whole")), 3);
  EXPECT_THAT(std::get<std::vector<std::int64_t>>(attributes.at("several")), ElementsAre(1, -2));
  EXPECT_EQ(std::get<float>(attributes.at("real")), .5f);
  EXPECT_THAT(std::get<std::vector<float>>(attributes.at("reals")), ElementsAre(.25f));
  EXPECT_EQ(std::get<std::string>(attributes.at("text")), "abc");
  EXPECT_THAT(std::get<std::vector<std::string>>(attributes.at("texts")), ElementsAre("d"));
  EXPECT_TRUE(std::holds_alternative<Unread>(attributes.at("graph")));
  EXPECT_THAT(to_i64(std::get<Array>(attributes.at("tensor")), ""), ElementsAre(7));
}

std::string tensor_bytes(const std::function<void(TensorProto&)>& fill) {
  TensorProto tensor;
  fill(tensor);
  return tensor.SerializeAsString();
}
Array tensor(const std::function<void(TensorProto&)>& fill) {
  const std::string content = tensor_bytes(fill);
  return parse_onnx_tensor(as_bytes(content), "t");
}
std::string tensor_refusal(const std::function<void(TensorProto&)>& fill) {
  return message_of([&] { (void)tensor(fill); });
}

struct TypeCase {
  TensorProto::DataType type;
  std::string raw;  // two elements
  ElementType becomes;
  std::vector<double> values;
};

TEST(OnnxTensor, HasAllTypesRawAndTyped) {
  using leeway::testing::raw;
  const TypeCase cases[] = {
      {TensorProto::FLOAT, raw(std::vector<float>{1.5f, -2}), ElementType::f32, {1.5, -2}},
      {TensorProto::DOUBLE, raw(std::vector<double>{1.5, -2}), ElementType::f64, {1.5, -2}},
      {TensorProto::FLOAT16, raw(std::vector<std::uint16_t>{0x3e00, 0xc000}), ElementType::f32, {1.5, -2}},
      {TensorProto::BFLOAT16, raw(std::vector<std::uint16_t>{0x3fc0, 0xc000}), ElementType::f32, {1.5, -2}},
      {TensorProto::INT64, raw(std::vector<std::int64_t>{1, -2}), ElementType::i64, {1, -2}},
      {TensorProto::INT32, raw(std::vector<std::int32_t>{1, -2}), ElementType::i32, {1, -2}},
      {TensorProto::INT16, raw(std::vector<std::int16_t>{1, -2}), ElementType::i16, {1, -2}},
      {TensorProto::INT8, raw(std::vector<std::int8_t>{1, -2}), ElementType::i8, {1, -2}},
      {TensorProto::UINT64, raw(std::vector<std::uint64_t>{1, 2}), ElementType::u64, {1, 2}},
      {TensorProto::UINT32, raw(std::vector<std::uint32_t>{1, 2}), ElementType::u32, {1, 2}},
      {TensorProto::UINT16, raw(std::vector<std::uint16_t>{1, 65535}), ElementType::u16, {1, 65535}},
      {TensorProto::UINT8, raw(std::vector<std::uint8_t>{1, 255}), ElementType::u8, {1, 255}},
      {TensorProto::BOOL, raw(std::vector<std::uint8_t>{2, 0}), ElementType::boolean, {1, 0}},
  };
  for (const TypeCase& given : cases) {
    SCOPED_TRACE(TensorProto::DataType_Name(given.type));
    const auto by_raw = tensor([&](TensorProto& t) {
      t.set_data_type(given.type);
      t.add_dims(2);
      t.set_raw_data(given.raw);
    });
    const auto by_fields = tensor([&](TensorProto& t) {
      t.set_data_type(given.type);
      t.add_dims(2);
      for (std::size_t i = 0; i < 2; ++i) {
        std::uint16_t half = 0;
        if (given.raw.size() == 4) std::memcpy(&half, given.raw.data() + 2 * i, 2);
        const bool is_half = given.type == TensorProto::FLOAT16 || given.type == TensorProto::BFLOAT16;
        t.add_float_data(static_cast<float>(given.values[i]));
        t.add_double_data(given.values[i]);
        t.add_int32_data(is_half ? half : static_cast<std::int32_t>(given.values[i]));
        t.add_int64_data(static_cast<std::int64_t>(given.values[i]));
        t.add_uint64_data(static_cast<std::uint64_t>(std::abs(given.values[i])));
      }
    });
    for (const Array& array : {by_raw, by_fields}) {
      EXPECT_EQ(array.type, given.becomes);
      EXPECT_EQ(to_f64(array, ""), given.values);
    }
  }
}

TEST(OnnxTensor, IsRefusedWhereItLies) {
  const auto claim = [](std::int32_t type, const Sizes& sizes, const std::string& raw) {
    return tensor_refusal([&](TensorProto& t) {
      t.set_data_type(type);
      for (const std::int64_t size : sizes) t.add_dims(size);
      t.set_raw_data(raw);
    });
  };
  EXPECT_THAT(claim(TensorProto::FLOAT, {2}, "1234567"), Says("t: expected 8 bytes for shape ... found 7"));
  EXPECT_THAT(claim(TensorProto::FLOAT, {2}, "123456789"), Says("t: expected 8 bytes for shape ... found 9"));
  // ten gigabytes in a few bytes, before anything is allocated
  EXPECT_THAT(claim(TensorProto::FLOAT, {50000, 50000}, "1234"), Says("t: expected 10000000000 ... found 4"));
  EXPECT_EQ(claim(TensorProto::FLOAT, {-1}, "1234"), "t: expected sizes of at least 0, found -1");
  for (const Sizes& sizes : {Sizes{1LL << 40, 1LL << 40}, Sizes{0, 1LL << 40, 1LL << 40}})
    EXPECT_THAT(claim(TensorProto::FLOAT, sizes, ""),
                StartsWith("t: expected fewer than 2^63 bytes, found shape ("));
  for (const auto& [type, found] : {std::pair<std::int32_t, std::string>{TensorProto::STRING, "STRING"},
                                    {TensorProto::COMPLEX64, "COMPLEX64"},
                                    {99, "number 99"},
                                    {0, "none"}})
    EXPECT_EQ(claim(type, {1}, ""), "t: expected a tensor of real numbers, found type " + found);
  EXPECT_EQ(tensor_refusal([](TensorProto& t) {
              t.set_data_type(TensorProto::FLOAT);
              t.add_dims(3);
              t.add_float_data(1);
            }),
            "t: expected 3 numbers for shape (3) of float32, found 1");
  EXPECT_EQ(tensor_refusal([](TensorProto& t) {
              t.set_data_type(TensorProto::INT8);
              t.add_int32_data(128);
            }),
            "t: expected int8 from -128 to 127, found 128");
  EXPECT_EQ(tensor_refusal([](TensorProto& t) {
              t.set_data_type(TensorProto::UINT32);
              t.add_uint64_data(1ULL << 32);
            }),
            "t: expected uint32 from 0 to 4294967295, found 4294967296");
  EXPECT_EQ(tensor_refusal([](TensorProto& t) {
              t.set_data_type(TensorProto::FLOAT);
              t.add_float_data(1);
              t.mutable_segment()->set_begin(0);
            }),
            "t: expected a contiguous tensor, found a segment");
  EXPECT_REFUSED(parse_onnx_tensor({}, "t"), "t: expected an ONNX tensor, found an empty file");
}

// A model whose tensor w lies elsewhere.
File with_external_data(const std::string& location, const std::string& offset, const std::string& length) {
  File file = small_file();
  auto& w = *file.graph().mutable_initializer(0);
  w.clear_float_data();
  w.set_data_location(TensorProto::EXTERNAL);
  for (const auto& [key, value] : {std::pair("location", location), {"offset", offset}, {"length", length}}) {
    auto& entry = *w.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
  return file;
}

TEST(OnnxTensor, MayLieInAFileBesideTheModel) {
  const TemporaryFolder folder;
  write_bytes(folder / "weights.bin",
              "pad." + leeway::testing::raw(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
  const auto with = [&](const std::string& location, const std::string& offset, const std::string& length) {
    const std::string content = with_external_data(location, offset, length).bytes();
    write_bytes(folder / "m.onnx", content);
    return std::pair(content, message_of([&] { (void)parse_onnx(as_bytes(content), "f", {folder.path()}); }));
  };
  EXPECT_EQ(with("weights.bin", "4", "32").second, "no error");
  EXPECT_THAT(leeway::testing::values_of<float>(read_onnx(folder / "m.onnx").initializers.at("w")),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(refusal(with("weights.bin", "4", "32").first), Says("found external data 'weights.bin'"));
  EXPECT_THAT(with("weights.bin", "4", "31").second, Says("f: tensor 'w': expected 32 bytes ... found 31"));
  EXPECT_THAT(with("weights.bin", "8", "32").second, ::testing::EndsWith("weights.bin, found a file of 36"));
  EXPECT_THAT(with("weights.bin", "18446744073709551615", "32").second, Says("found a file of 36"));
  EXPECT_THAT(with("weights.bin", "-4", "32").second,
              Says("f: tensor 'w': expected an integer ... found '-4'"));
  for (const char* place : {"", "/etc/passwd", "../weights.bin", "a/../../b"})
    EXPECT_THAT(
        with(place, "0", "32").second,
        StartsWith("f: tensor 'w': expected external data in a file inside the model's folder, found '"));
  EXPECT_THAT(with("none.bin", "0", "32").second, HasSubstr("none.bin"));
}

TEST(OnnxTensor, DoesNotLeaveTheModelsFolderThroughSymbolicLinks) {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  const std::vector<float> values{1, 2, 3, 4, 5, 6, 7, 8};
  for (const char* const name : {"model/deep", "elsewhere", "cache/blobs", "cache/snapshot"})
    fs::create_directories(folder / name);
  const auto write_model = [&](const fs::path& path, const std::string& location) {
    write_bytes(path, with_external_data(location, "0", "32").bytes());
  };
  const auto found = [](const fs::path& path) {
    return leeway::testing::values_of<float>(read_onnx(path).initializers.at("w"));
  };
  const auto escape = [&](const fs::path& path) { return message_of([&] { (void)read_onnx(path); }); };
  write_bytes(folder / "elsewhere/secret.bin", leeway::testing::raw(values));
  write_bytes(folder / "model/deep/w.bin", leeway::testing::raw(values));
  // a file by a link, a folder by a link
  fs::create_symlink(folder / "elsewhere/secret.bin", folder / "model/w.bin");
  fs::create_symlink("../elsewhere", folder / "model/side");
  write_model(folder / "model/file.onnx", "w.bin");
  write_model(folder / "model/folder.onnx", "side/secret.bin");
  EXPECT_THAT(escape(folder / "model/file.onnx"),
              EndsWith("tensor 'w': expected external data in a file inside the model's folder, found "
                       "'w.bin', a link out of the folder"));
  EXPECT_THAT(escape(folder / "model/folder.onnx"), EndsWith("'side/secret.bin', a link out of the folder"));
  // links that stay within do no harm, and a model may be named by a link itself
  fs::create_symlink("deep/w.bin", folder / "model/near.bin");
  write_model(folder / "model/near.onnx", "near.bin");
  EXPECT_EQ(found(folder / "model/near.onnx"), values);
  // model and tensors as links to files that lie beside each other
  write_model(folder / "cache/blobs/1", "w.bin");
  write_bytes(folder / "cache/blobs/2", leeway::testing::raw(values));
  fs::create_symlink("../blobs/1", folder / "cache/snapshot/m.onnx");
  fs::create_symlink("../blobs/2", folder / "cache/snapshot/w.bin");
  EXPECT_EQ(found(folder / "cache/snapshot/m.onnx"), values);
}

TEST(OnnxFile, IsRefusedWhereItsGraphIsNone) {
  EXPECT_EQ(refusal(""), "f: expected an ONNX model, found an empty file");
  EXPECT_EQ(refusal("no model"), "f: expected an ONNX model, found a damaged or different file");
  EXPECT_EQ(refusal(File(13).bytes()), "f: expected a model with a graph, found none");
  EXPECT_EQ(refusal_of([](File& file) { file.model.clear_opset_import(); }),
            "f: expected the opset of ONNX's own operators, found none");
  EXPECT_EQ(refusal_of([](File& file) { file.graph().clear_output(); }),
            "f: expected a graph with outputs, found none");
  EXPECT_THAT(refusal_of([](File& file) { file.output("z"); }), Says("f: expected outputs ... found 'z'"));
  EXPECT_THAT(refusal_of([](File& file) { file.node("Relu", {"ghost"}, {"z"}); }), Says("found 'ghost'"));
  EXPECT_EQ(refusal_of([](File& file) { file.graph().mutable_node()->SwapElements(0, 1); }),
            "f: node 'last' (Relu): expected inputs that earlier nodes produce, found 'h'");
  EXPECT_THAT(refusal_of([](File& file) { file.node("Relu", {"z"}, {"z"}); }), Says("found 'z'"));
  EXPECT_THAT(refusal_of([](File& file) { file.node("Relu", {"x"}, {"h"}); }), Says("found 'h' twice"));
  EXPECT_THAT(refusal_of([](File& file) { file.floats("w", {1}, {1}); }), Says("found 'w' twice"));
  EXPECT_THAT(refusal_of([](File& file) { file.input("", {1}); }), Says("f: expected ... found one without"));
  EXPECT_THAT(refusal_of([](File& file) { file.node("", {"x"}, {"z"}); }), Says("f: node 2 ... found none"));
  EXPECT_EQ(refusal_of([](File& file) {
              File::attribute(*file.graph().mutable_node(0), "a", 1);
              File::attribute(*file.graph().mutable_node(0), "a", 2);
            }),
            "f: node 0 (MatMul): expected attributes with different names, found 'a' twice");
  EXPECT_EQ(refusal_of([](File& file) { file.graph().add_sparse_initializer(); }),
            "f: expected dense initializers, found 1 sparse ones");
  EXPECT_EQ(refusal_of([](File& file) { file.graph().mutable_initializer(0)->set_dims(0, 50000); }),
            "f: tensor 'w': expected 100000 numbers for shape (50000, 2) of float32, found 8");
  EXPECT_THAT(refusal_of([](File& file) { file.input("z", {1LL << 40}); }), Says("found 1099511627776"));
}

// Graphs in graphs, deeper than any parser should follow.
TEST(OnnxFile, DepthIsBounded) {
  File file = small_file();
  ::onnx::GraphProto* graph = &file.graph();
  for (int level = 0; level < 200; ++level) {
    auto& attribute = *graph->add_node()->add_attribute();
    attribute.set_type(::onnx::AttributeProto::GRAPH);
    graph = attribute.mutable_g();
  }
  EXPECT_EQ(refusal(file.bytes()), "f: expected an ONNX model, found a damaged or different file");
}

class ExportedByTorch : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static std::string content() {
    return read_bytes(std::filesystem::path(LEEWAY_REFERENCE) / "onnx" / GetParam());
  }
};

TEST_P(ExportedByTorch, IsKnownByItsFirstBytes) { EXPECT_TRUE(looks_like_onnx(as_bytes(content()))); }

TEST_P(ExportedByTorch, EveryPrefixIsRefused) {
  const std::string whole = content();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string message = refusal(whole.substr(0, size));
    ASSERT_THAT(message, StartsWith("f: expected ")) << size << " of " << whole.size() << " bytes";
    ASSERT_EQ(message.find('\n'), std::string::npos) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, ExportedByTorch, ::testing::Values("cnn_9_one.onnx", "timewise_13_one.onnx"),
                         case_name);

TEST(OnnxFile, OtherFilesDoNotLookLikeOne) {
  const std::string header = std::string("\x08\x03\x12\x00\x00\x00\x00\x00{", 9);  // safetensors
  EXPECT_FALSE(looks_like_onnx(as_bytes("PK\x03\x04")));
  EXPECT_FALSE(looks_like_onnx(as_bytes(std::string("\x08\x00\x00\x00\x00\x00\x00\x00{}", 10))));
  EXPECT_TRUE(looks_like_onnx(as_bytes(header))) << "whoever asks must ask for safetensors first";
}

// x -> Flatten -> MatMul w1 -> Relu -> Gemm w2 -> tail
Graph classifier(const std::vector<std::string>& tail, std::int64_t opset = 13) {
  File file(opset);
  file.input("x", {-1, 4});
  file.floats("w1", {4, 4}, std::vector<float>(16, 1));
  file.floats("w2", {4, 2}, std::vector<float>(8, 1));
  file.node("Flatten", {"x"}, {"flat"});
  file.node("MatMul", {"flat", "w1"}, {"h"});
  file.node("Relu", {"h"}, {"hidden"});
  file.node("Gemm", {"hidden", "w2"}, {"scores"});
  std::string last = "scores";
  for (std::size_t i = 0; i < tail.size(); ++i) {
    const std::string next = "t" + std::to_string(i);
    file.node(tail[i], {last}, {next});
    last = next;
  }
  file.output(last);
  return parsed(file.bytes());
}

TEST(OnnxHead, FindsLogitsAndFeatures) {
  const Head plain = find_head(classifier({}), "f");
  EXPECT_EQ(plain.logits, "scores");
  EXPECT_EQ(plain.features, "hidden");
  EXPECT_TRUE(plain.notes.empty());
  for (const auto& tail :
       {std::vector<std::string>{"Softmax"}, {"Softmax", "Identity"}, {"Softmax", "Cast", "Dropout"}}) {
    const Head head = find_head(classifier(tail), "f");
    EXPECT_EQ(head.logits, "scores");
    EXPECT_EQ(head.features, "hidden");
    EXPECT_THAT(head.notes, ElementsAre("f ends in a Softmax: its inputs are used as logits"));
  }
  EXPECT_EQ(find_head(classifier({"Softmax"}, 9), "f").logits, "scores");
  const Head normalized = find_head(classifier({"LogSoftmax"}), "f");  // logits as good as any
  EXPECT_EQ(normalized.logits, "t0");
  EXPECT_EQ(normalized.features, "");
}

TEST(OnnxHead, ASoftmaxOverRowsStays) {
  Graph graph = classifier({"Softmax"});
  graph.nodes.back().attributes["axis"] = std::int64_t{0};
  EXPECT_EQ(find_head(graph, "f").logits, "t0");
}

TEST(OnnxHead, ALinearModelHasNoFeatures) {
  File file;
  file.input("x", {-1, 4});
  file.output("y");
  file.floats("w", {4, 2}, std::vector<float>(8, 1));
  file.floats("b", {2}, {1, 1});
  file.node("Flatten", {"x"}, {"flat"});
  file.node("MatMul", {"flat", "w"}, {"product"});
  file.node("Add", {"b", "product"}, {"y"});
  EXPECT_EQ(find_head(parsed(file.bytes()), "f").features, "");
}

TEST(OnnxHead, OutputsMaySayWhatTheyAre) {
  Graph graph = classifier({});
  graph.outputs = {{"hidden", "float32", {{any_size, 8}}}, {"scores", "float32", {{any_size, 2}}}};
  EXPECT_EQ(find_head(graph, "f").logits, "hidden");
  EXPECT_THAT(find_head(graph, "f").notes,
              ElementsAre(::testing::AllOf(HasSubstr("the first (8 columns) is read as logits"),
                                           HasSubstr("write classes = 2 to f.toml"))));
  EXPECT_EQ(find_head(graph, "f", Binary::refuse, 2).logits, "scores");
  graph.outputs[0].name = "features";
  EXPECT_EQ(find_head(graph, "f").logits, "scores");
  graph = classifier({});
  graph.outputs.push_back({"hidden", "float32", {}});
  EXPECT_EQ(find_head(graph, "f").features, "hidden");
  graph.outputs.push_back({"h", "float32", {}});
  EXPECT_REFUSED(find_head(graph, "f"), "f: expected one output ... found 3 outputs: scores, hidden, h");
  graph.outputs[2].name = "logits";
  EXPECT_EQ(find_head(graph, "f").logits, "logits");
}

}  // namespace leeway::nn::onnx::onnx_file_test

#include "leeway/core/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/files.h"

namespace leeway {
namespace {

using namespace leeway::testing;
using ::testing::ElementsAre;

std::string with_header(const std::string& header, const std::string& data = "") {
  return raw(std::uint64_t{header.size()}) + header + data;
}

std::string tensor(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return "{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}

// A file of eight zeros that are the tensor x, as the text says.
std::string one(const std::string& tensor) {
  return with_header("{\"x\":" + tensor + "}", std::string(8, '\0'));
}

TEST(Safetensors, RefusesWithItsReason) {
  const std::string pair = tensor("F32", "[2]", "[0,8]");
  const std::pair<std::string, std::string> bad[] = {
      {"abc", "found a file of 3 bytes"},
      {raw(std::uint64_t{99}) + "{}", "found 2 bytes left"},
      {raw(~std::uint64_t{0}) + "{}", "found 18446744073709551615"},
      {with_header("<html>"), "a JSON object as header, found '<html>'"},
      {with_header("{\"x\":"), "found other text at byte 14"},
      {with_header("{}{}"), "found other text at byte 11"},
      {with_header("{\"x\":7}"), "shape and data_offsets, found 7"},
      {with_header("{\"x\":" + std::string(1'000'000, '[')), "shape and data_offsets, found a list"},
      {with_header("{\"x\":{\"shape\":" + std::string(1'000'000, '[')), "found a list at 'shape'"},
      {one("{\"stride\":3}"), "found 3 at 'stride'"},
      {one("{\"dtype\":\"F32\",\"dtype\":\"F64\"}"), "found 'F64' at 'dtype'"},
      {one("{\"dtype\":\"F32\",\"shape\":[2]}"), "shape and two data_offsets, found fewer"},
      {one(tensor("F32", "[2]", "[0]")), "shape and two data_offsets, found fewer"},
      {one(tensor("F32", "[2]", "[0,8,9]")), "found 9 at 'data_offsets'"},
      {one(tensor("F32", "[-2]", "[0,8]")), "found -2 at 'shape'"},
      {one(tensor("F32", "[2.5]", "[0,8]")), "found 2.5 at 'shape'"},
      {one(pair + ",\"x\":" + pair), "expected unique names, found 'x' twice"},
      {one(tensor("F8_E4M3", "[8]", "[0,8]")), "type such as F32, F16, I64, found 'F8_E4M3'"},
      {one(tensor("F32", "[3]", "[0,8]")), "bytes for shape (3) of F32, found 8"},
      {one(tensor("F32", "[4294967296,4294967296]", "[0,8]")), "(4294967296, 4294967296) of F32, found 8"},
      {one(tensor("F32", "[4]", "[0,16]")), "within 8 bytes of data, found 0 to 16"},
      {one(tensor("F32", "[2]", "[8,0]")), "within 8 bytes of data, found 8 to 0"},
      {one(pair + ",\"y\":" + tensor("F32", "[1]", "[4,8]")), "found from byte 4"},
      {one(tensor("F32", "[1]", "[4,8]")), "found from byte 4"},
      {one(pair) + "x", "tensors after the header, found 9"},
      {with_header("{\"__metadata__\":{\"a\":1}}"), "expected an object of texts, found 1"},
      {with_header("{\"__metadata__\":{},\"__metadata__\":{}}"), "found '__metadata__' twice"}};
  const auto said = [](const std::string& bytes) {
    return message_of([&] { (void)parse_safetensors(in_memory(bytes), "a"); });
  };
  for (const auto& [bytes, part] : bad)
    EXPECT_THAT(said(bytes), ::testing::AllOf(::testing::StartsWith("a: "), ::testing::HasSubstr(part)));
}

TEST(Safetensors, EmptyIsLegal) {
  EXPECT_TRUE(parse_safetensors(in_memory(with_header("{}")), "a").tensors.empty());
  EXPECT_TRUE(parse_safetensors(in_memory(with_header("{\"__metadata__\":{}}  ")), "a").metadata.empty());
}

TEST(Safetensors, RoundTrip) {
  const TemporaryFolder folder;
  Safetensors content;
  content.tensors["b.weight"] = make_array<float>({2, 1}, {1, -2});
  content.tensors["a.steps"] = make_array<std::int64_t>({}, {7});
  content.tensors["flag"] = {ElementType::boolean, {1}, make_array<std::uint8_t>({1}, {1}).storage, {}};
  content.tensors["none"] = make_array<double>({0}, {});
  content.metadata = {{"arch", "small-cnn"}, {"quote", "\"\n"}};
  write_safetensors(folder / "a", content);
  const auto file = map_file(folder / "a");
  const Safetensors back = parse_safetensors(file, "a");
  EXPECT_EQ(back.metadata, content.metadata);
  ASSERT_EQ(back.tensors.size(), 4u);
  EXPECT_THAT(back.tensors.at("b.weight").view<float>(), ElementsAre(1, -2));
  EXPECT_THAT(back.tensors.at("a.steps").view<std::int64_t>(), ElementsAre(7));
  EXPECT_EQ(back.tensors.at("flag").type, ElementType::boolean);
  for (const auto& [name, array] : back.tensors) {  // mapped, not copied
    const auto* data = static_cast<const std::byte*>(array.storage.get());
    EXPECT_TRUE(data >= file.bytes.data() && data <= file.bytes.data() + file.bytes.size()) << name;
  }
  write_safetensors(folder / "b", back);
  EXPECT_EQ(read_bytes(folder / "a"), read_bytes(folder / "b"));
}

// Eight bytes of length, the header padded to a multiple of 8, the larger elements first.
TEST(Safetensors, ExactBytes) {
  const TemporaryFolder folder;
  write_safetensors(folder / "a",
                    {{{"b", make_array<std::uint8_t>({1}, {7})}, {"c", make_array<float>({1}, {1})}}, {}});
  const std::string header =
      R"({"c":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[1],"data_offsets":[4,5]}})";
  const std::string padding((8 - header.size() % 8) % 8, ' ');
  EXPECT_EQ(read_bytes(folder / "a"), with_header(header + padding, raw(1.0f) + "\x07"));
}

TEST(Safetensors, WhatCannotBeWritten) {
  const TemporaryFolder folder;
  const auto path = folder / "a";
  EXPECT_EQ(message_of([&] {
              write_safetensors(path, {{{"x", make_text_array({1}, {"t"})}}, {}});
            }),
            path.string() + ": x: expected numbers, found text");
  EXPECT_EQ(message_of([&] {
              write_safetensors(path, {{{"\xff", make_array<float>({1}, {1})}}, {}});
            }),
            path.string() + ": expected UTF-8 names, found '\\xff'");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace leeway

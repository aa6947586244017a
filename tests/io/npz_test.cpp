
#include <gmock/gmock.h>

#include <cstdlib>
#include <cstring>

#include "leeway/io/inflate.h"
#include "leeway/io/npy.h"
#include "leeway/io/npy_header.h"
#include "leeway/io/safetensors.h"
#include "leeway/io/zip.h"
#include "tests/at_threads.h"
#include "tests/core/files.h"
#include "tests/io/zip_maker.h"

namespace leeway::npz_test {

using namespace leeway::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string matrix = npy_bytes(make_array<float>({2, 2}, {1, 2, 3, 4}));  // 144 bytes

const ZipEntry stored = stored_entry("a.npy", matrix), deflated = deflated_entry("a.npy", matrix);

std::string zip_error(const std::string& bytes) {
  return message_of([&] { (void)parse_npz(in_memory(bytes), "a.npz"); });
}

TEST(Npz, StoredAndDeflatedMembers) {
  const auto arrays = parse_npz(in_memory(make_zip({stored, deflated_entry("b.npy", matrix)})), "x");
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_THAT(arrays.at("a").view<float>(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(arrays.at("b").view<float>(), ElementsAre(1, 2, 3, 4));
}

TEST(Npz, ChecksumsOfLargeMembers) {
  std::string large =
      npy_bytes(make_array<std::uint8_t>({3'000'000}, std::vector<std::uint8_t>(3'000'000, 7)));
  for (std::size_t i = 0; i < 1000; ++i) large[128 + 2999 * i] = static_cast<char>(i);
  const std::string bytes = make_zip({stored_entry("a.npy", large)});
  for (const int count : {1, 2, 5})
    EXPECT_EQ(at_threads(count, [&] { return parse_npz(in_memory(bytes), "x").size(); }), 1u);
}

TEST(Npz, OnlyWantedMembersAreInflated) {
  ZipEntry damaged = deflated_entry("b.npy", matrix);
  damaged.crc ^= 1;
  const std::string bytes = make_zip({stored, damaged});
  const auto arrays = parse_npz(in_memory(bytes), "x", [](std::string_view name) { return name == "a"; });
  EXPECT_EQ(arrays.size(), 1u);
  EXPECT_NE(zip_error(bytes), "no error");
}

template <class Change>
std::string changed(ZipEntry entry, const Change& change) {
  change(entry);
  return make_zip({entry});
}

std::string bomb() {
  ZipEntry entry = deflated_entry("a.npy", std::string(100'000, '\0'));
  entry.size = 0xfffffff0;
  return make_zip({entry});
}

std::string zip64(std::uint64_t size, std::uint64_t packed) {
  ZipEntry entry = stored;
  entry.extra = raw(std::uint16_t{1}) + raw(std::uint16_t{16}) + raw(size) + raw(packed);
  entry.size = 0xffffffff;
  entry.packed_size = 0xffffffff;
  return make_zip({entry});
}

// One member, and end records of zip64 although nothing needs them, as PyTorch writes.
std::string with_zip64_end(std::uint64_t entries) {
  std::string whole = make_zip({stored});
  const std::string end = whole.substr(whole.size() - 22);
  whole.resize(whole.size() - 22);
  std::uint32_t size = 0, offset = 0;
  std::memcpy(&size, end.data() + 12, 4);
  std::memcpy(&offset, end.data() + 16, 4);
  const std::string record = "PK\6\6" + raw(std::uint64_t{44}) + raw(std::uint32_t{45 << 16 | 45}) +
                             raw(std::uint64_t{0}) + raw(entries) + raw(entries) + raw(std::uint64_t{size}) +
                             raw(std::uint64_t{offset});
  const std::string locator =
      "PK\6\7" + raw(std::uint32_t{0}) + raw(std::uint64_t{whole.size()}) + raw(std::uint32_t{1});
  return whole + record + locator + end;
}

TEST(Npz, Zip64EndRecordsThatNothingNeeds) {
  EXPECT_EQ(parse_npz(in_memory(with_zip64_end(1)), "x").size(), 1u);
}

std::string overlapping() {
  ZipEntry second = stored;
  second.offset = 0;
  return make_zip({stored, second});
}

// Two records for one local header, under two names that the header's own name cannot both equal.
std::string shared() {
  ZipEntry second = stored_entry("b.npy", matrix);
  second.offset = 0;
  return make_zip({stored, second});
}

// The second member begins inside the first one's data.
std::string nested() {
  const std::string inner = make_zip({stored_entry("b.npy", matrix)}).substr(0, 30 + 5 + matrix.size());
  const ZipEntry outer = stored_entry("a.npy", inner);
  ZipEntry second = stored_entry("b.npy", matrix);
  second.offset = 30 + 5;
  return make_zip({outer, second});
}

TEST(Npz, RefusesWithItsReason) {
  const auto b = stored_entry("b.npy", matrix);
  const std::pair<std::string, std::string> bad[] = {
      {"", "zip archive's end record, found none"},
      {make_zip({}), "found an empty archive"},
      {make_zip({stored_entry("archive/data.pkl", "x")}), "found the member 'archive/data.pkl'"},
      {changed(stored, [](ZipEntry& e) { e.flags = 1; }), "found an encrypted one"},
      {changed(stored, [](ZipEntry& e) { e.method = 12; }), "found compression method 12"},
      {make_zip({stored, stored}), "found 'a.npy' twice"},
      {overlapping(), "found 'a.npy' twice"},
      {shared(), "found another name or method"},
      {nested(), "found 'a.npy' and 'b.npy'"},
      {bomb(), "found 4294967280"},
      {changed(stored, [](ZipEntry& e) { e.size = 1 << 30; }), "found 1073741824"},
      {changed(stored, [](ZipEntry& e) { e.local_size = 7; }), "144 in the local header, found 144 and 7"},
      {changed(deflated, [](ZipEntry& e) { e.size += 100; }),
       "244 bytes in the compressed stream, found 144"},
      {changed(deflated, [](ZipEntry& e) { e.size -= 1; }),
       "143 bytes in the compressed stream, found more data"},
      {changed(deflated, [](ZipEntry& e) { e.crc = 7; }), "expected checksum 00000007, found"},
      {changed(stored, [](ZipEntry& e) { e.packed.back() ^= 1; }), "expected checksum"},
      {changed(deflated, [](ZipEntry& e) { e.packed.resize(e.packed.size() - 3); }),
       "found damage or a truncated stream"},
      {changed(deflated, [](ZipEntry& e) { e.packed += "xyz"; }), "found more bytes"},
      {changed(deflated, [](ZipEntry& e) { e.packed[0] = '\x07'; }), "valid compressed stream, found damage"},
      {changed(stored, [](ZipEntry& e) { e.packed_size = e.size = 1 << 20; }), "ends outside the file"},
      {changed(stored, [](ZipEntry& e) { e.offset = 5; }), "found other bytes"},
      {changed(stored, [](ZipEntry& e) { e.local_name = "b.npy"; }), "found another name or method"},
      {zip64(144, std::uint64_t{1} << 62), "found a record that ends outside the file"},
      {zip64(std::uint64_t{1} << 62, 144), "found 4611686018427387904"},
      {make_zip({stored}, {.count = 60000}), "members in the zip directory, found 60000"},
      {make_zip({stored, b}, {.count = 1}), "found more bytes"},
      {make_zip({stored}, {.offset = 3}), "found 51 bytes from byte 3"},
      {make_zip({stored}, {.size = 1 << 30}), "found 1073741824 bytes from byte 179"},
      {"x" + make_zip({stored}), "found 51 bytes from byte 179"},
      {make_zip({stored}) + "x", "zip archive's end record, found none"},
      {with_zip64_end(2), "found another directory"},
      {make_zip({stored_entry("a.npy", "text")}), "a: expected an npy file, found"}};
  for (const auto& [bytes, part] : bad)
    EXPECT_THAT(zip_error(bytes), ::testing::AllOf(::testing::StartsWith("a.npz: "), HasSubstr(part)));
}

// The honest bomb: 5 GB of zeros in 5 MB. Refused by the sum of sizes, before anything is inflated.
TEST(Npz, RefusesToInflateTooMuch) {
  ZipEntry entry = deflated_entry("a0.npy", std::string(1'000'000, '\0'));
  entry.packed.resize(110'000);  // 1032 times this is .11 GB
  entry.size = 110'000'000;
  std::vector<ZipEntry> entries(4, entry);
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i].name = "a" + std::to_string(i) + ".npy";
  EXPECT_THAT(zip_error(make_zip(entries)), HasSubstr("found 440000000"));
  // 32 bytes of memory for each text.
  const std::string texts = make_npy_header("|S1", std::vector<std::size_t>{13'000'000});
  EXPECT_THAT(zip_error(make_zip({deflated_entry("a.npy", texts + std::string(13'000'000, 'a'))})),
              HasSubstr("a: expected at most 402653184 bytes ("));
}

TEST(Npz, RoundTrip) {
  const TemporaryFolder folder;
  ArrayMap arrays;
  arrays["logits"] = make_array<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  arrays["labels"] = make_array<std::int64_t>({2}, {0, 2});
  arrays["class_names"] = make_text_array({3}, {"cat", "dög", ""});
  arrays["empty"] = make_array<double>({0, 4}, {});
  write_npz(folder / "a.npz", arrays);
  const ArrayMap back = read_npz(folder / "a.npz");
  ASSERT_EQ(back.size(), 4u);
  EXPECT_EQ(values_of<float>(back.at("logits")), values_of<float>(arrays.at("logits")));
  EXPECT_EQ(values_of<std::int64_t>(back.at("labels")), values_of<std::int64_t>(arrays.at("labels")));
  EXPECT_EQ(*back.at("class_names").texts, *arrays.at("class_names").texts);
  EXPECT_EQ(back.at("empty").shape, arrays.at("empty").shape);
  write_npz(folder / "b.npz", back);
  EXPECT_EQ(read_bytes(folder / "a.npz"), read_bytes(folder / "b.npz"));
}

TEST(Npz, WrittenMembersAreMappedInPlace) {
  const TemporaryFolder folder;
  write_npz(folder / "a.npz",
            {{"x", make_array<double>({2}, {1, 2})}, {"y", make_array<std::int8_t>({1}, {3})}});
  const auto file = map_file(folder / "a.npz");
  for (const auto& [name, array] : parse_npz(file, "a.npz")) {
    const auto* data = static_cast<const std::byte*>(array.storage.get());
    EXPECT_TRUE(data > file.bytes.data() && data < file.bytes.data() + file.bytes.size()) << name;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0u) << name;
  }
}

TEST(Npz, ManyMembersNeedZip64) {
  const TemporaryFolder folder;
  ArrayMap arrays;
  const Array one = make_array<std::int8_t>({1}, {3});
  for (int i = 0; i < 66'000; ++i) arrays.emplace(std::to_string(i), one);
  write_npz(folder / "a.npz", arrays);
  EXPECT_EQ(read_npz(folder / "a.npz").size(), 66'000u);
}

// Arrays whole and in pieces, in the order in which they come. Other readers check the checksum that follows a streamed member.
TEST(NpzWriter, WholeArraysAndPiecesComeBack) {
  const TemporaryFolder folder;
  const std::vector<float> values = {1, -2, 3.5, 0, 1e30f, 6};
  const auto bytes = std::as_bytes(std::span(values));
  {
    NpzWriter writer(folder / "a.npz");
    writer.begin("x", ElementType::f32, {2, 3});
    for (const auto& [begin, count] : {std::pair(0, 4), {4, 0}, {4, 7}, {11, 13}})
      writer.append(bytes.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count)));
    writer.end();
    writer.add("names", make_text_array({2}, {"cat", "dög"}));
    writer.begin("none", ElementType::i64, {0, 5});
    writer.end();
    writer.begin("scalar", ElementType::u8, {});
    writer.append(bytes.first(1));
    writer.end();
    writer.add("whole", make_array<float>({2, 3}, values));
    EXPECT_FALSE(std::filesystem::exists(folder / "a.npz"));
    writer.commit();
  }
  const ArrayMap arrays = read_npz(folder / "a.npz");
  ASSERT_EQ(arrays.size(), 5u);
  EXPECT_EQ(arrays.at("x").shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(values_of<float>(arrays.at("x")), values);
  EXPECT_THAT(*arrays.at("names").texts, ElementsAre("cat", "dög"));
  EXPECT_EQ(arrays.at("none").shape, (std::vector<std::size_t>{0, 5}));
  EXPECT_EQ(arrays.at("none").type, ElementType::i64);
  EXPECT_TRUE(arrays.at("scalar").shape.empty());
  const auto members = list_zip(map_file(folder / "a.npz").bytes, "a.npz");
  EXPECT_EQ(members[0].name, "x.npy");
  EXPECT_EQ(members[2].name, "none.npy");
  EXPECT_EQ(members[0].crc, members[4].crc);
}

TEST(NpzWriter, LengthsOtherThanAnnouncedAreMistakes) {
  const TemporaryFolder folder;
  const std::vector<std::byte> bytes(9);
  {
    NpzWriter writer(folder / "a.npz");
    writer.begin("x", ElementType::f32, {2});
    EXPECT_THROW(writer.append(bytes), std::logic_error);
    writer.append(std::span(bytes).first(7));
    EXPECT_THROW(writer.append(std::span(bytes).first(2)), std::logic_error);
    EXPECT_THROW(writer.end(), std::logic_error);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  NpzWriter writer(folder / "a.npz");
  EXPECT_NE(message_of([&] { writer.begin("x", ElementType::text, {2}); }), "no error");
  EXPECT_NE(message_of([&] {
              writer.begin("x", ElementType::f64, {std::size_t{1} << 40, std::size_t{1} << 40});
            }),
            "no error");
}

TEST(Npz, NumpyReadsWhatIsWritten) {
  if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0)
    GTEST_SKIP() << "python3-numpy is not installed";
  const TemporaryFolder folder;
  write_npz(folder / "a.npz",
            {{"x", make_array<double>({2, 1}, {1.5, -2})},
             {"flag", {ElementType::boolean, {2}, make_array<std::uint8_t>({2}, {0, 1}).storage, {}}},
             {"names", make_text_array({2}, {"cat", "dög"})}});
  const std::string script =
      "import numpy, sys, zipfile; a = numpy.load(sys.argv[1]); assert a['x'].tolist() == [[1.5], [-2]]; "
      "assert a['flag'].tolist() == [False, True]; assert a['names'].tolist() == ['cat', 'dög']; "
      "assert zipfile.ZipFile(sys.argv[1]).testzip() is None";
  EXPECT_EQ(std::system(("/usr/bin/python3 -c \"" + script + "\" " + (folder / "a.npz").string()).c_str()),
            0);
}

TEST(Npz, NamesThatZipCannotHold) {
  const TemporaryFolder folder;
  const Array one = make_array<std::int8_t>({1}, {3});
  EXPECT_NE(message_of([&] { write_npz(folder / "a.npz", {{"", one}}); }), "no error");
  EXPECT_NE(message_of([&] { write_npz(folder / "a.npz", {{std::string(70'000, 'x'), one}}); }), "no error");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

MappedFile as_file(const std::string& bytes) { return {nullptr, std::as_bytes(std::span(bytes))}; }

std::string unpacked(const std::string& packed) {
  const MappedFile file = unpack_gzip(as_file(packed), "a.gz");
  return std::string(file.text());
}

std::string said(const std::string& packed) {
  return message_of([&] { (void)unpacked(packed); });
}

TEST(UnpackGzip, FilesCompressedOrNot) {
  const std::string text = "some text, some text, some text";
  EXPECT_EQ(unpacked(gzip(text)), text);
  EXPECT_EQ(unpacked(gzip("")), "");
  EXPECT_EQ(unpacked(gzip(text) + gzip("") + gzip(", the end")), text + ", the end");
  for (const std::string& plain : {text, std::string(), std::string("\x1f"), std::string("\x1f\x8c--")})
    EXPECT_EQ(unpacked(plain), plain);
}

TEST(UnpackGzip, LiesAndDamageAreRefused) {
  const std::string whole = gzip("some text, some text, some text");
  for (std::size_t size = 2; size < whole.size(); ++size)
    EXPECT_THAT(said(whole.substr(0, size)), HasSubstr("a.gz: expected")) << size;
  EXPECT_THAT(said(whole.substr(0, 17)), HasSubstr("a truncated stream"));
  const std::string rest = whole.substr(0, whole.size() - 4);
  EXPECT_THAT(said(rest + raw(std::uint32_t{30})), HasSubstr("a valid compressed stream"));
  EXPECT_THAT(said(rest + raw(std::uint32_t{32})), HasSubstr("a.gz: expected"));
  EXPECT_THAT(said(rest + raw(std::uint32_t{1} << 31)), HasSubstr("gunzip), found 2147483648"));
  const std::string bomb = gzip(std::string(std::size_t{390} << 20, '0'));
  EXPECT_THAT(said(bomb), HasSubstr("gunzip), found 408944640"));
  EXPECT_THAT(said(bomb + whole), HasSubstr("gunzip), found "));
  EXPECT_THAT(said(whole + "x" + whole), HasSubstr("no data after the compressed stream"));
  EXPECT_THAT(said(whole + whole.substr(0, 20)), HasSubstr("a.gz: expected"));
}

std::string with_header(const std::string& header, const std::string& data = "") {
  return raw(std::uint64_t{header.size()}) + header + data;
}

std::string tensor(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return "{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}

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
      {with_header("{\"x\":7}"), "shape and two data_offsets, found 7"},
      {with_header("{\"x\":" + std::string(1'000'000, '[')),
       "shape and data_offsets in the header, found other nesting"},
      {with_header("{\"x\":{\"shape\":" + std::string(1'000'000, '[')), "found other nesting"},
      {one("{\"stride\":3}"), "found {\"stride\":3}"},
      {one("{\"dtype\":\"F32\",\"dtype\":\"F64\"}"), "found 'dtype' twice"},
      {one("{\"dtype\":\"F32\",\"shape\":[2]}"), "shape and two data_offsets, found {"},
      {one(tensor("F32", "[2]", "[0]")), "shape and two data_offsets, found {"},
      {one(tensor("F32", "[2]", "[0,8,9]")), "found {\"data_offsets\":[0,8,9]"},
      {one(tensor("F32", "[-2]", "[0,8]")), "\"shape\":[-2]"},
      {one(tensor("F32", "[2.5]", "[0,8]")), "\"shape\":[2.5]"},
      {one(pair + ",\"x\":" + pair), "expected unique names, found 'x' twice"},
      {one(tensor("F8_E4M3", "[8]", "[0,8]")), "type such as F32, F16, I64, found 'F8_E4M3'"},
      {one(tensor("F32", "[3]", "[0,8]")), "12 bytes of data for shape (3) of '<f4', found 8"},
      {one(tensor("F32", "[4294967296,4294967296]", "[0,8]")),
       "found shape (4294967296, 4294967296) of '<f4'"},
      {one(tensor("F32", "[4]", "[0,16]")), "within 8 bytes of data, found 0 to 16"},
      {one(tensor("F32", "[2]", "[8,0]")), "within 8 bytes of data, found 8 to 0"},
      {one(pair + ",\"y\":" + tensor("F32", "[1]", "[4,8]")), "found from byte 4"},
      {one(tensor("F32", "[1]", "[4,8]")), "found from byte 4"},
      {one(pair) + "x", "tensors after the header, found 9"},
      {with_header("{\"__metadata__\":{\"a\":1}}"), "expected an object of texts, found {\"a\":1}"},
      {with_header("{\"__metadata__\":{},\"__metadata__\":{}}"), "found '__metadata__' twice"}};
  const auto said = [](const std::string& bytes) {
    return message_of([&] { (void)parse_safetensors(in_memory(bytes), "a"); });
  };
  for (const auto& [bytes, part] : bad)
    EXPECT_THAT(said(bytes), ::testing::AllOf(::testing::StartsWith("a: "), HasSubstr(part)));
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
  EXPECT_REFUSED(write_safetensors(path, {{{"x", make_text_array({1}, {"t"})}}, {}}),
                 ": x: expected numbers, found text");
  EXPECT_REFUSED(write_safetensors(path, {{{"\xff", make_array<float>({1}, {1})}}, {}}), "found '\\xff'");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace leeway::npz_test

// Files made by NumPy and by hand (tests/reference/make_core_files.py) against what that script says they
// hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "leeway/core/idx.h"
#include "leeway/core/npy.h"
#include "leeway/core/outputs.h"
#include "leeway/core/safetensors.h"
#include "tests/core/files.h"

namespace leeway {
namespace {

using nlohmann::json;
using testing::reference;

const json& expected() {
  static const json all = json::parse(testing::read_bytes(reference("expected.json")));
  return all;
}

double number(const json& value) {
  if (value.is_string()) return std::stod(value.get<std::string>());
  return value.is_boolean() ? static_cast<double>(value.get<bool>()) : value.get<double>();
}

bool same(double a, double b) {
  return a == b ? std::signbit(a) == std::signbit(b) : std::isnan(a) && std::isnan(b);
}

void expect_array(const Array& array, const json& wanted, const std::string& where) {
  SCOPED_TRACE(where);
  EXPECT_EQ(name_of(array.type), wanted["type"].get<std::string>());
  ASSERT_EQ(array.shape, wanted["shape"].get<std::vector<std::size_t>>());
  const json& values = wanted["values"];
  if (array.type == ElementType::text) {
    EXPECT_EQ(*array.texts, values.get<std::vector<std::string>>());
    return;
  }
  if (array.type == ElementType::u64) {  // float64 cannot tell the largest ones apart
    EXPECT_EQ(testing::values_of<std::uint64_t>(array), values.get<std::vector<std::uint64_t>>());
    return;
  }
  if (array.type == ElementType::i64) {
    EXPECT_EQ(testing::values_of<std::int64_t>(array), values.get<std::vector<std::int64_t>>());
    return;
  }
  const auto found = to_f64(array, where);
  ASSERT_EQ(found.size(), values.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_PRED2(same, found[i], number(values[i])) << "element " << i;
}

ArrayMap read(const std::string& file) {
  const auto path = reference(file);
  if (path.extension() == ".idx" || path.extension() == ".gz") return {{"", read_idx(path)}};
  if (path.extension() == ".npy") return {{"", read_npy(path)}};
  if (path.extension() == ".npz") return read_npz(path);
  return read_safetensors(path).tensors;
}

class ReferenceFile : public ::testing::TestWithParam<std::string> {};

TEST_P(ReferenceFile, HoldsWhatItsMakerPutIn) {
  const json& wanted = expected().at(GetParam());
  const ArrayMap arrays = read(GetParam());
  EXPECT_EQ(arrays.size(), wanted.size());
  for (const auto& [name, description] : wanted.items()) {
    ASSERT_TRUE(arrays.contains(name)) << name;
    expect_array(arrays.at(name), description, GetParam() + ": " + name);
  }
}

// Every proper prefix of a file is refused with one line that names the file.
TEST_P(ReferenceFile, EveryPrefixIsRefused) {
  const std::string whole = testing::read_bytes(reference(GetParam()));
  const auto extension = reference(GetParam()).extension();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const MappedFile file{nullptr, std::as_bytes(std::span(whole.data(), size))};
    const std::string message = message_of([&] {
      if (extension == ".npy") (void)parse_npy(file.bytes, nullptr, "cut");
      if (extension == ".npz") (void)parse_npz(file, "cut");
      if (extension == ".safetensors") (void)parse_safetensors(file, "cut");
      if (extension == ".idx" || extension == ".gz") (void)parse_idx(file, "cut");
    });
    ASSERT_THAT(message, ::testing::StartsWith("cut: ")) << size << " of " << whole.size() << " bytes";
    ASSERT_THAT(message, ::testing::HasSubstr("expected ")) << size;
    ASSERT_EQ(message.find('\n'), std::string::npos) << size;
  }
}

std::vector<std::string> files() {
  std::vector<std::string> names;
  for (const auto& item : expected().items()) names.push_back(item.key());
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, ReferenceFile, ::testing::ValuesIn(files()), [](const auto& file) {
  std::string name = file.param;
  for (char& c : name)
    if (c == '.') c = '_';
  return name;
});

// The bytes we write are NumPy's own for the same array (1.24; later versions pad the header more).
TEST(ReferenceFiles, WrittenAsNumpyWrites) {
  for (const char* file :
       {"version1.npy", "float64.npy", "scalar.npy", "empty.npy", "vector.npy", "text.npy"})
    EXPECT_EQ(npy_bytes(read_npy(reference(file))), testing::read_bytes(reference(file))) << file;
}

TEST(ReferenceFiles, SafetensorsMetadata) {
  const std::map<std::string, std::string> wanted{{"format", "pt"}, {"made by", "hand"}};
  EXPECT_EQ(read_safetensors(reference("types.safetensors")).metadata, wanted);
}

// A file is known by its content: the name says nothing.
TEST(ReferenceFiles, ReadArraysGoesByContent) {
  const testing::TemporaryFolder folder;
  for (const char* file : {"version1.npy", "types_stored.npz", "types.safetensors"}) {
    const auto path = testing::write_bytes(folder / "anything.bin", testing::read_bytes(reference(file)));
    EXPECT_EQ(read_arrays(path).size(), expected().at(file).size()) << file;
  }
}

}  // namespace
}  // namespace leeway

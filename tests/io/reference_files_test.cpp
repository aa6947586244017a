// Files made by NumPy and by hand against what tests/reference/make_core_files.py says they hold.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "leeway/io/csv.h"
#include "leeway/io/groups.h"
#include "leeway/io/idx.h"
#include "leeway/io/images.h"
#include "leeway/io/npy.h"
#include "leeway/io/outputs.h"
#include "leeway/io/safetensors.h"
#include "tests/case_name.h"
#include "tests/core/files.h"
#include "tests/io/outputs_folder.h"
#include "tests/io/zip_maker.h"
#include "tests/message_of.h"

namespace leeway::reference_files_test {

using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::reference;
using NaturalTables = testing::OutputsFolder;

const json& expected() {
  static const json all = json::parse(read_bytes(reference("expected.json")));
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

TEST_P(ReferenceFile, EveryPrefixIsRefused) {
  const std::string whole = read_bytes(reference(GetParam()));
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

INSTANTIATE_TEST_SUITE_P(All, ReferenceFile, ::testing::ValuesIn(files()), case_name);

// The bytes we write are NumPy's own for the same array (1.24; later versions pad the header more).
TEST(ReferenceFiles, WrittenAsNumpyWrites) {
  for (const char* file :
       {"version1.npy", "float64.npy", "scalar.npy", "empty.npy", "vector.npy", "text.npy"})
    EXPECT_EQ(npy_bytes(read_npy(reference(file))), read_bytes(reference(file))) << file;
}

TEST(ReferenceFiles, SafetensorsMetadata) {
  const std::map<std::string, std::string> wanted{{"format", "pt"}, {"made by", "hand"}};
  EXPECT_EQ(read_safetensors(reference("types.safetensors")).metadata, wanted);
}

TEST(ReferenceFiles, ReadArraysGoesByContent) {
  const TemporaryFolder folder;
  for (const char* file : {"version1.npy", "types_stored.npz", "types.safetensors"}) {
    const auto path = write_bytes(folder / "anything.bin", read_bytes(reference(file)));
    EXPECT_EQ(read_arrays(path).size(), expected().at(file).size()) << file;
  }
}

template <class T>
Array elements(std::string_view descr, const std::vector<std::size_t>& shape, const std::vector<T>& values) {
  const auto kept = std::make_shared<const std::vector<T>>(values);
  return array_of_elements(descr, shape, std::as_bytes(std::span(*kept)), kept, "a");
}

TEST(ArrayOfElements, SharesWhatIsNative) {
  const auto kept = std::make_shared<const std::vector<float>>(6, 1.f);
  const Array array = array_of_elements("<f4", {2, 3}, std::as_bytes(std::span(*kept)), kept, "a");
  EXPECT_EQ(array.storage.get(), kept->data());
  EXPECT_EQ(kept.use_count(), 2);
}

TEST(ArrayOfElements, ConvertsWhatIsNot) {
  EXPECT_THAT(elements<std::uint16_t>(">u2", {2}, {0x0100, 0x0200}).view<std::uint16_t>(), ElementsAre(1, 2));
  const Array half = elements<std::uint16_t>("<f2", {1}, {0x3c00});
  EXPECT_EQ(half.view<float>()[0], 1.f);
  EXPECT_THAT(*elements<char32_t>("<U2", {2}, {U'a', U'b', U'c', U'\0'}).texts, ElementsAre("ab", "c"));
}

TEST(ArrayOfElements, RefusesWhatAFileMayNotHold) {
  EXPECT_REFUSED(elements<float>("<f4", {5}, {1, 2, 3, 4}), "a: expected 20 bytes of data for ... found 16");
}

TEST(OutputsOf, SharesTheLogitsAndReadsTheRest) {
  const Array logits = make_array<double>({2, 2}, {1, 2, 3, 4});
  const Outputs outputs = outputs_of({{"logits", logits}, {"y", make_array<float>({2, 1}, {1, 0})}}, "set");
  EXPECT_EQ(outputs.logits.storage, logits.storage);
  EXPECT_THAT(*outputs.labels, ElementsAre(1, 0));
  EXPECT_EQ(outputs.path, "set");
  EXPECT_EQ(outputs_of({{"", logits}}, "set").logits.storage, logits.storage);
  EXPECT_REFUSED(outputs_of({{"y", logits}}, "set"),
                 "set: expected an array named logits or probs, found y (--class-columns and --label-column "
                 "select others)");
}

TEST(ImagesOf, SharesThePixels) {
  const Array x = make_array<std::uint8_t>({2, 1, 1, 1}, {1, 2});
  const Images images = images_of({{"x", x}, {"y", make_array<std::int64_t>({2}, {5, 6})}}, "images");
  EXPECT_EQ(images.pixels.storage, x.storage);
  EXPECT_THAT(*images.labels, ElementsAre(5, 6));
  EXPECT_EQ(images_of({{"", x}}, "images").pixels.storage, x.storage);
  EXPECT_REFUSED(images_of({{"y", x}}, "images"), "images: expected an array named x, found y");
}

std::size_t right_rows(const Outputs& outputs) {
  std::size_t right = 0;
  const std::vector<double> logits = to_f64(outputs.logits, "logits");
  for (std::size_t i = 0; i < outputs.n(); ++i) {
    const auto row = logits.begin() + static_cast<std::ptrdiff_t>(i * outputs.k());
    right +=
        std::max_element(row, row + static_cast<std::ptrdiff_t>(outputs.k())) - row == (*outputs.labels)[i];
  }
  return right;
}

OutputsOptions options_of(const std::string& option) {
  OutputsOptions options;
  const std::string value = option.substr(option.find(' ') + 1);
  if (option.starts_with("--label-column")) options.columns.label = value;
  if (option.starts_with("--class-columns")) options.columns.classes = {value};
  if (option.starts_with("--class-names")) options.columns.class_names = parse_csv(value, "names").header;
  if (option.starts_with("--encoding")) options.columns.encoding = *encoding_of(value);
  return options;
}

TEST_F(NaturalTables, AreReadRightOrNameTheOption) {
  const std::filesystem::path folder = LEEWAY_REFERENCE "/natural";
  const CsvTable tables = read_csv(folder / "tables.csv");
  ASSERT_GE(tables.rows(), 20u);
  for (std::size_t i = 0; i < tables.rows(); ++i) {
    const auto fact = [&](const char* name) { return std::string(tables.columns[*tables.find(name)][i]); };
    SCOPED_TRACE(fact("file"));
    EXPECT_NE(fact("source"), "");
    const std::filesystem::path file = folder / fact("file");
    const std::string option = fact("option");
    std::string line;  // the refusal, or the warnings
    line += said([&] {
      for (const std::string& warning : read_outputs(file).warnings) line += warning;
    });
    if (!option.empty()) {
      EXPECT_THAT(line, HasSubstr(option.substr(0, option.find(' '))));
      EXPECT_THAT(line,
                  HasSubstr(option.substr(option.find(' ') + 1, option.find(',') - option.find(' ') - 1)));
    }
    if (!option.empty() && !option.starts_with("--")) continue;  // of the other program
    Outputs outputs;
    ASSERT_EQ(said([&] { outputs = read_outputs(file, options_of(option)); }), "no error");
    ASSERT_TRUE(outputs.labels);
    EXPECT_EQ(std::to_string(outputs.k()), fact("classes"));
    EXPECT_EQ(std::to_string(count_labels(*outputs.labels)), fact("labeled"));
    EXPECT_EQ(std::to_string(right_rows(outputs)), fact("right"));
  }
}

std::string packed(const std::string& name, std::size_t n, std::size_t k) {
  const Array zeros = make_array({n, k}, std::vector<std::int8_t>(n * k));
  return testing::make_zip({testing::deflated_entry(name, npy_bytes(zeros))});
}

// Labels of a table that is packed, or in UTF-16. Packed files of more values than memory should hold.
TEST_F(NaturalTables, PackedAndWide) {
  const std::string text = "label,p_0,p_1\n1,.25,.75\n0,.5,.5\n";
  EXPECT_REFUSED(group_columns(make_array({1, 1001}, std::vector<std::int8_t>(1001)), nullptr, 1, ""),
                 "at most 1000 columns...");
  write_bytes(path("a.csv.gz"), testing::gzip(text));
  EXPECT_THAT(*read_outputs(path("a.csv.gz")).labels, ElementsAre(1, 0));
  for (const auto& [name, bytes, said] :
       {std::tuple("a.tsv.gz", testing::gzip(std::string(34'000'000, '\t')), "at most 33928571 fields"),
        {"a.npz", packed("logits.npy", 2'600'000, 2), "at most 2500000 rows"},
        {"b.npz", packed("logits.npy", 26'000'000, 1), "201326592 bytes of values"},
        {"c.npz", packed("groups.npy", 10, 5'100'000), "at most 402653184 bytes"},
        {"d.npz", packed("logits.npy", 2, 100'001), "at most 100000 classes"}}) {
    write_bytes(path(name), bytes);
    EXPECT_THAT(file_error(name), HasSubstr(said));
  }
  std::string wide = "\xff\xfe";
  for (const char c : text) wide += {c, '\0'};
  const auto file = write_bytes(path("wide.csv"), wide);
  EXPECT_THAT(file_error("wide.csv"), HasSubstr("--encoding utf-16"));
  OutputsOptions options;
  options.columns.encoding = Encoding::utf16;
  EXPECT_THAT(*read_outputs(file, options).labels, ElementsAre(1, 0));
}

TEST_F(NaturalTables, ArraysOfOtherNames) {
  const Array scores = make_array<double>({2, 3}, {.7, .2, .1, .1, .1, .8});
  const Array labels = make_array<std::int64_t>({2}, {0, 2});
  for (const char* name : {"predictions", "y_proba", "probabilities", "scores", "predict_proba"})
    for (const char* label : {"label", "Labels", "target", "y_test", "ground_truth", "label_ids"}) {
      const Outputs outputs = read({{name, scores}, {label, labels}});
      EXPECT_TRUE(outputs.from_probs) << name;
      EXPECT_EQ(right_rows(outputs), 2u) << label;
      EXPECT_EQ(*outputs_of({{name, scores}, {label, labels}}, "a").labels, *outputs.labels);
    }
  EXPECT_THAT(error({{"mine", scores}, {"truths", labels}}), HasSubstr("and --label-column select others"));
  EXPECT_THAT(error({{"probs", scores}, {"lables", labels}}), HasSubstr("--label-column NAME"));
  EXPECT_THAT(said([&] {
                (void)outputs_of({{"probs", scores}, {"lables", labels}}, "a");
              }),
              HasSubstr("found 'lables'; did you mean labels?"));
  OutputsOptions options;
  options.columns.classes = {"mine"}, options.columns.label = "truths";
  EXPECT_EQ(right_rows(read({{"mine", scores}, {"truths", labels}}, options)), 2u);
  EXPECT_THAT(read({{"mine", scores}}, options).warnings, Contains(HasSubstr("no array 'truths'")));
  EXPECT_THAT(read({{"probs", scores}, {"gt", labels}, {"embedding", scores}}).warnings,
              Contains(HasSubstr("--label-column selects one (candidates: gt; none: no labels)")));
  const ArrayMap two{
      {"probs", scores}, {"labels", labels}, {"target", make_array<std::int64_t>({2}, {1, 1})}};
  for (const Outputs& outputs : {read(two), outputs_of(two, "a")})
    EXPECT_THAT(outputs.warnings, Contains(HasSubstr("ignored: target")));
  options = {};
  options.columns.classes = {"p_*"};
  const ArrayMap vectors{{"p_b", make_array<double>({2}, {.7, .2})},
                         {"p_a", make_array<double>({2}, {.3, .8})},
                         {"label", make_text_array({2}, {"b", "a"})}};
  EXPECT_EQ(right_rows(read(vectors, options)), 2u);
  options.columns.classes = {"nope"};
  EXPECT_REFUSED(read({{"probs", scores}}, options), "expected an array 'nope' ... found none...");
  options.columns.classes = {"p", "q"}, options.columns.label = "truths";
  const Array p = make_array<double>({2}, {.7, .2}), q = make_array<double>({2}, {.3, .8});
  EXPECT_EQ(
      right_rows(read({{"p", p}, {"q", q}, {"truths", make_array<std::int64_t>({2}, {0, 1})}}, options)), 2u);
}

}  // namespace leeway::reference_files_test

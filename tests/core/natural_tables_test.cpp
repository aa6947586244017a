// Tables and array files as other programs write them (tests/reference/natural_tables.py): leeway reads each
// correctly without an option, or its message names the option, of leeway or of the other program, to use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <tuple>

#include "leeway/core/csv.h"
#include "leeway/core/groups.h"
#include "leeway/core/npy.h"
#include "tests/core/outputs_folder.h"
#include "tests/core/zip_maker.h"

namespace leeway {
namespace {

using ::testing::HasSubstr;

using NaturalTables = testing::OutputsFolder;

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

// "--label-column NAME".
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
  EXPECT_THAT(message_of([] {
                (void)group_columns(make_array({1, 1001}, std::vector<std::int8_t>(1001)), nullptr, 1, "");
              }),
              HasSubstr("at most 1000 columns"));
  testing::write_bytes(path("a.csv.gz"), testing::gzip(text));
  EXPECT_THAT(*read_outputs(path("a.csv.gz")).labels, ::testing::ElementsAre(1, 0));
  for (const auto& [name, bytes, said] :
       {std::tuple("a.tsv.gz", testing::gzip(std::string(34'000'000, '\t')), "at most 33928571 fields"),
        {"a.npz", packed("logits.npy", 2'600'000, 2), "at most 2500000 rows"},
        {"b.npz", packed("logits.npy", 26'000'000, 1), "201326592 bytes of values"},
        {"c.npz", packed("groups.npy", 10, 5'100'000), "at most 402653184 bytes"},
        {"d.npz", packed("logits.npy", 2, 100'001), "at most 100000 classes"}}) {
    testing::write_bytes(path(name), bytes);
    EXPECT_THAT(file_error(name), HasSubstr(said));
  }
  std::string wide = "\xff\xfe";
  for (const char c : text) wide += {c, '\0'};
  const auto file = testing::write_bytes(path("wide.csv"), wide);
  EXPECT_THAT(file_error("wide.csv"), HasSubstr("--encoding utf-16"));
  OutputsOptions options;
  options.columns.encoding = Encoding::utf16;
  EXPECT_THAT(*read_outputs(file, options).labels, ::testing::ElementsAre(1, 0));
}

// The names that array files and dictionaries have.
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
  EXPECT_THAT(error({{"mine", scores}, {"truths", labels}}),
              HasSubstr("--class-columns and --label-column select others"));
  EXPECT_THAT(error({{"probs", scores}, {"lables", labels}}), HasSubstr("--label-column NAME"));
  EXPECT_THAT(said([&] {
                (void)outputs_of({{"probs", scores}, {"lables", labels}}, "a");
              }),
              HasSubstr("found 'lables'; did you mean labels?"));
  OutputsOptions options;
  options.columns.classes = {"mine"}, options.columns.label = "truths";
  EXPECT_EQ(right_rows(read({{"mine", scores}, {"truths", labels}}, options)), 2u);
  EXPECT_THAT(read({{"mine", scores}}, options).warnings,
              ::testing::Contains(HasSubstr("no array 'truths'")));
  EXPECT_THAT(read({{"probs", scores}, {"gt", labels}, {"embedding", scores}}).warnings,
              ::testing::Contains(HasSubstr("--label-column selects one (candidates: gt; none: no labels)")));
  const ArrayMap two{
      {"probs", scores}, {"labels", labels}, {"target", make_array<std::int64_t>({2}, {1, 1})}};
  for (const Outputs& outputs : {read(two), outputs_of(two, "a")})
    EXPECT_THAT(outputs.warnings, ::testing::Contains(HasSubstr("ignored: target")));
  options = {};
  options.columns.classes = {"p_*"};
  const ArrayMap vectors{{"p_b", make_array<double>({2}, {.7, .2})},
                         {"p_a", make_array<double>({2}, {.3, .8})},
                         {"label", make_text_array({2}, {"b", "a"})}};
  EXPECT_EQ(right_rows(read(vectors, options)), 2u);
  options.columns.classes = {"nope"};
  EXPECT_THAT(message_of([&] {
                (void)read({{"probs", scores}}, options);
              }),
              HasSubstr("expected an array 'nope' (--class-columns), found none"));
  options.columns.classes = {"p", "q"}, options.columns.label = "truths";
  const Array p = make_array<double>({2}, {.7, .2}), q = make_array<double>({2}, {.3, .8});
  EXPECT_EQ(
      right_rows(read({{"p", p}, {"q", q}, {"truths", make_array<std::int64_t>({2}, {0, 1})}}, options)), 2u);
}

}  // namespace
}  // namespace leeway

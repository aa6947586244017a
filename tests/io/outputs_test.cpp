#include "leeway/io/outputs.h"

#include <gmock/gmock.h>

#include <cfloat>
#include <cmath>

#include "leeway/io/npy.h"
#include "leeway/io/safetensors.h"
#include "tests/io/outputs_folder.h"
#include "tests/io/zip_maker.h"

namespace leeway::outputs_test {

using namespace leeway::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Array logits = make_array<float>({2, 3}, {1, 2, 3, 4, 5, 6});

class OutputsFile : public OutputsFolder {
 protected:
  void refuses(ArrayMap arrays, const char* part) const {
    arrays["logits"] = logits;
    EXPECT_THAT(error(arrays), HasSubstr(part));
  }
};

Array i64(std::vector<std::int64_t> values) {
  const std::size_t size = values.size();
  return make_array({size}, std::move(values));
}

TEST_F(OutputsFile, EverythingThereIs) {
  const auto outputs = read({{"logits", logits},
                             {"labels", i64({2, 0})},
                             {"features", make_array<double>({2, 1}, {7, 8})},
                             {"groups", make_array<std::int32_t>({2, 2}, {10, 0, 9, 0})},
                             {"group_names", make_text_array({2}, {"age", "place"})},
                             {"class_names", make_text_array({3}, {"a", "b", "c"})},
                             {"norms", make_array<float>({2, 1}, {0, .5})},
                             {"other", i64({1})}});
  EXPECT_EQ(outputs.n(), 2u);
  EXPECT_EQ(outputs.k(), 3u);
  EXPECT_EQ(outputs.path, path("a.npz").string());
  EXPECT_EQ(values_of<float>(outputs.logits), values_of<float>(logits));
  EXPECT_THAT(*outputs.labels, ElementsAre(2, 0));
  EXPECT_THAT(outputs.features->view<double>(), ElementsAre(7, 8));
  ASSERT_EQ(outputs.groups.size(), 2u);
  EXPECT_EQ(outputs.groups[0].name, "age");
  EXPECT_THAT(outputs.groups[0].levels, ElementsAre("9", "10"));
  EXPECT_THAT(outputs.groups[0].codes, ElementsAre(1, 0));
  EXPECT_THAT(outputs.groups[1].levels, ElementsAre("0"));
  EXPECT_THAT(outputs.class_names, ElementsAre("a", "b", "c"));
  EXPECT_THAT(*outputs.norms, ElementsAre(0.0, 0.5));
  EXPECT_TRUE(outputs.warnings.empty());
  EXPECT_FALSE(outputs.from_probs);
}

TEST_F(OutputsFile, LogitsAloneInEachFormat) {
  write_npy(path("a.npy"), logits);
  write_npz(path("a.npz"), {{"logits", logits}});
  write_safetensors(path("a.safetensors"), {{{"logits", logits}}, {}});
  write_bytes(path("a.csv"), "logit_0,logit_1,logit_2\n1,2,3\n4,5,6\n");
  for (const char* name : {"a.npy", "a.npz", "a.safetensors", "a.csv"}) {
    const Outputs outputs = read_outputs(path(name));
    EXPECT_EQ(outputs.logits.shape, logits.shape) << name;
    EXPECT_THAT(to_f64(outputs.logits, ""), ElementsAre(1, 2, 3, 4, 5, 6)) << name;
    EXPECT_FALSE(outputs.labels || outputs.features || outputs.norms) << name;
  }
}

TEST_F(OutputsFile, LogitsOfANativeFileAreMapped) {
  write_npy(path("a.npy"), logits);
  const Outputs outputs = read_outputs(path("a.npy"));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(outputs.logits.storage.get()) % 4096,
            128u);  // behind the header, on a page
}

TEST_F(OutputsFile, ElementTypes) {
  EXPECT_EQ(read({{"logits", make_array<std::int8_t>({1, 2}, {-1, 1})}}).logits.type, ElementType::f64);
  EXPECT_EQ(read({{"logits", make_array<double>({1, 2}, {-1, 1})}}).logits.type, ElementType::f64);
  const auto flags = make_array<std::uint8_t>({2, 2}, {0, 1, 1, 1});
  const Outputs outputs = read({{"logits", {ElementType::boolean, {2, 2}, flags.storage, {}}}});
  EXPECT_THAT(outputs.logits.view<double>(), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(error({{"logits", make_text_array({1, 2}, {"a", "b"})}}), HasSubstr("numbers, found text"));
}

TEST_F(OutputsFile, Aliases) {
  for (const char* alias : {"labels", "y", "y_true"})
    EXPECT_THAT(*read({{"logits", logits}, {alias, i64({2, 0})}}).labels, ElementsAre(2, 0)) << alias;
  refuses({{"y", i64({2, 0})}, {"y_true", i64({2, 0})}}, "found y and y_true");
  EXPECT_TRUE(read({{"logits", logits}, {"feats", make_array<float>({2, 1}, {7, 8})}}).features.has_value());
  EXPECT_TRUE(read({{"pred_probs", make_array<float>({1, 2}, {.5, .5})}}).from_probs);
  EXPECT_THAT(error({{"lojit", logits}, {"x\ny", logits}}), HasSubstr("found lojit, x\\x0ay"));
  write_safetensors(path("a.safetensors"), {{{"weight\n", logits}}, {}});
  EXPECT_THAT(file_error("a.safetensors"), HasSubstr("an array named logits or probs, found weight\\x0a"));
}

TEST_F(OutputsFile, LogitsWinOverProbs) {
  const auto outputs = read({{"logits", logits}, {"probs", make_array<float>({1, 2}, {7, 7})}});
  EXPECT_EQ(outputs.k(), 3u);
  EXPECT_FALSE(outputs.from_probs);
}

TEST_F(OutputsFile, ProbsBecomeLogarithms) {
  const auto outputs = read({{"probs", make_array<float>({2, 2}, {.25, .75, 0, 1})}});
  EXPECT_TRUE(outputs.from_probs);
  EXPECT_EQ(outputs.logits.type, ElementType::f64);
  EXPECT_THAT(outputs.logits.view<double>(), ElementsAre(std::log(.25), std::log(.75), std::log(DBL_MIN), 0));
  EXPECT_THAT(outputs.warnings,
              ElementsAre(outputs.path + ": probs: 1 probabilities are exactly 0 and count as 2.23e-308, "
                                         "which affects posterior agreement and log loss"));
}

TEST_F(OutputsFile, ZeroIsTheSameNumberInEveryType) {
  EXPECT_EQ(read({{"probs", make_array<double>({1, 2}, {0, 1})}}).logits.view<double>()[0],
            std::log(DBL_MIN));
  EXPECT_EQ(read({{"probs", make_array<std::int64_t>({1, 2}, {0, 1})}}).logits.view<double>()[0],
            std::log(DBL_MIN));
  const std::string header = "{'descr': '<f2', 'fortran_order': False, 'shape': (1, 2)}";
  const std::string half = npy_with(header, raw(std::vector<std::uint16_t>{0, 0x3c00}));
  write_bytes(path("a.npz"), make_zip({stored_entry("probs.npy", half)}));
  EXPECT_EQ(read_outputs(path("a.npz")).logits.view<double>()[0], std::log(DBL_MIN));
}

TEST_F(OutputsFile, RowsThatAreNoProbabilities) {
  const auto message = [&](std::vector<double> values) {
    return error({{"probs", make_array<double>({values.size() / 2, 2}, values)}});
  };
  EXPECT_THAT(message({.5, .5, .5, .502}), HasSubstr("found a sum of 1.002 at row 1"));
  EXPECT_THAT(message({-.1, 1.1}), HasSubstr("found 1.1 at row 0, class 1"));
  EXPECT_THAT(message({.5, .5, -1e-9, 1}), HasSubstr("found -1e-09 at row 1, class 0"));
  EXPECT_EQ(message({.5, NAN}), "a.npz: probs: expected probabilities in [0,1], found nan at row 0, class 1");
  EXPECT_EQ(message({.5, .5005}), "no error");
  EXPECT_EQ(message({0, 1.0000001}), "no error");
  std::vector<double> many(200'000, .5);
  many[150'001] = many[190'000] = .6;  // the first bad row is named, whatever thread finds it
  EXPECT_THAT(message(many), HasSubstr("at row 75000"));
}

TEST_F(OutputsFile, AVectorIsThePositiveClass) {
  const Array values = make_array<float>({2}, {.25, 1}), column = make_array<float>({2, 1}, {.25, 1});
  for (const Array& vector : {values, column}) {
    write_npy(path("v.npy"), vector);
    EXPECT_EQ(file_error("v.npy"),
              "v.npy: expected at least two classes (for the positive class of two: --binary logit or "
              "--binary prob), "
              "found shape " +
                  vector.shape_text());
    const Outputs logit = read_outputs(path("v.npy"), {.binary = Binary::logit});
    EXPECT_THAT(logit.logits.view<double>(), ElementsAre(0, .25, 0, 1));
    const Outputs prob = read_outputs(path("v.npy"), {.binary = Binary::prob});
    EXPECT_THAT(prob.logits.view<double>(), ElementsAre(std::log(.75), std::log(.25), std::log(DBL_MIN), 0));
    EXPECT_EQ(prob.warnings.size(), 1u);
    EXPECT_TRUE(prob.from_probs);
  }
  write_npy(path("v.npy"), make_array<float>({2}, {.25, 1.5}));
  EXPECT_THAT(file_error("v.npy", {.binary = Binary::prob}), HasSubstr("in [0,1], found 1.5 at row 1"));
  EXPECT_THAT(error({{"probs", values}}, {.binary = Binary::logit}), HasSubstr("found probabilities"));
}

TEST_F(OutputsFile, Shapes) {
  EXPECT_THAT(error({{"logits", make_array<float>({0, 3}, {})}}), HasSubstr("found shape (0, 3)"));
  EXPECT_THAT(error({{"logits", make_array<float>({0}, {})}}, {.binary = Binary::logit}),
              HasSubstr("found shape (0)"));
  EXPECT_THAT(error({{"logits", make_array<float>({3, 0}, {})}}), HasSubstr("found shape (3, 0)"));
  EXPECT_THAT(error({{"logits", make_array<float>({}, {1})}}), HasSubstr("per class, found shape ()"));
  EXPECT_THAT(error({{"logits", make_array<float>({1, 1, 2}, {1, 2})}}), HasSubstr("found shape (1, 1, 2)"));
}

TEST_F(OutputsFile, LogitsMustBeFinite) {
  for (const double bad : {static_cast<double>(NAN), HUGE_VAL, -HUGE_VAL}) {
    write_npy(path("a.npy"), make_array<double>({3, 2}, {1, 2, 3, 4, 5, bad}));
    EXPECT_EQ(file_error("a.npy"), "a.npy: expected finite logits, found " +
                                       std::string(std::isnan(bad) ? "nan"
                                                   : bad > 0       ? "inf"
                                                                   : "-inf") +
                                       " at row 2, class 1");
    EXPECT_EQ(file_error("a.npy", {.check_finite = false}), "no error");
  }
  refuses({{"features", make_array<float>({2, 2}, {1, 2, 3, NAN})}}, "found nan at row 1, column 1");
}

TEST_F(OutputsFile, Labels) {
  refuses({{"labels", i64({0, 3})}}, "found 3 at row 1");
  refuses({{"labels", i64({0, -100})}}, "found -100 at row 1 (-1 means no label)");  // of PyTorch
  refuses({{"y", i64({-1, 4})}}, "found 4 at row 1");
  refuses({{"y", i64({-2, 2})}}, "found -2 at row 0");
  refuses({{"y", make_array<double>({2}, {0, .5})}}, "found 0.5 at row 1");
  refuses({{"y", i64({0, 1, 2})}}, "found shape (3)");
  refuses({{"y", make_array<double>({2, 3}, {0, 0, 1, 1, 0, 0})}}, "found shape (2, 3)");
  EXPECT_THAT(*read({{"logits", logits}, {"y", make_array<double>({2, 1}, {0, 2})}}).labels,
              ElementsAre(0, 2));
  const Array words = make_text_array({2}, {"cat", "dog"});
  refuses({{"y", words}}, "found 'cat' at row 0");
  refuses({{"y", words}, {"class_names", make_text_array({3}, {"cat", "cow", "hen"})}},
          "found 'dog' at row 1");
  EXPECT_THAT(
      *read({{"logits", logits}, {"y", words}, {"class_names", make_text_array({3}, {"dog", "cow", "cat"})}})
           .labels,
      ElementsAre(2, 0));
  const ArrayMap named{
      {"logits", logits}, {"y", i64({0, 1})}, {"class_names", make_text_array({3}, {"dog", "cow", "cat"})}};
  OutputsOptions asked;
  asked.columns.class_names = {"cat", "cow", "dog"};
  const Outputs turned = read(named, asked);
  EXPECT_THAT(*turned.labels, ElementsAre(2, 1));
  EXPECT_EQ(to_f64(turned.logits, "")[0], to_f64(logits, "")[2]);
  asked.columns.class_names = {"hen", "cow", "dog"};
  EXPECT_THAT(error(named, asked), HasSubstr("found class 'dog' to be 'hen'"));
}

TEST_F(OutputsFile, Companions) {
  refuses({{"features", make_array<float>({3, 1}, {1, 2, 3})}}, "found shape (3, 1)");
  refuses({{"groups", i64({1, 2, 3})}}, "found shape (3)");
  refuses({{"groups", i64({1, 2})}, {"group_names", make_text_array({2}, {"a", "b"})}},
          "found shape (2) of text");
  refuses({{"class_names", make_text_array({2}, {"a", "b"})}}, "found shape (2)");
  refuses({{"class_names", i64({1, 2, 3})}}, "class_names: expected text, found int64");
  refuses({{"norms", make_array<float>({2}, {0, -1})}}, "found -1 at row 1");
  refuses({{"norms", make_array<float>({2}, {0, NAN})}}, "found nan at row 1");
}

TEST_F(OutputsFile, GroupLevelsDoNotDependOnTheOrderOfRows) {
  const auto levels = [&](std::vector<std::string> texts) {
    return read({{"logits", make_array<float>({3, 2}, {1, 2, 3, 4, 5, 6})},
                 {"groups", make_text_array({3}, std::move(texts))}})
        .groups.at(0);
  };
  EXPECT_THAT(levels({"10", "9", "9"}).levels, ElementsAre("9", "10"));
  EXPECT_THAT(levels({"10", "9", "9"}).codes, ElementsAre(1, 0, 0));
  EXPECT_THAT(levels({"10", "9", "x"}).levels, ElementsAre("10", "9", "x"));
  EXPECT_THAT(levels({"2020.0", "2019", ""}).levels, ElementsAre("2019", "2020", "nan"));  // as of pandas
  EXPECT_THAT(levels({"2020.0", "2019.5", "NaN"}).levels, ElementsAre("2019.5", "2020.0", "nan"));
  EXPECT_THAT(levels({"water", "land", "water"}).levels, ElementsAre("land", "water"));
  EXPECT_EQ(levels({"a", "b", "c"}).name, "group 0");
}

TEST_F(OutputsFile, CsvColumns) {
  const auto outputs = read_table(
      "id,p_1,p_max,p_0,y_true,attr_place,attr_age,feat_0,norm\na,.25,.75,.75,0,sea,7,1.5,0\nb,1,1,0,1,land,"
      "10,2.5,."
      "25\n");
  EXPECT_THAT(outputs.logits.view<double>(), ElementsAre(std::log(.75), std::log(.25), std::log(DBL_MIN), 0));
  EXPECT_TRUE(outputs.class_names.empty());
  EXPECT_THAT(*outputs.labels, ElementsAre(0, 1));
  ASSERT_EQ(outputs.groups.size(), 2u);
  EXPECT_EQ(outputs.groups[0].name, "place");
  EXPECT_THAT(outputs.groups[0].levels, ElementsAre("land", "sea"));
  EXPECT_THAT(outputs.groups[1].codes, ElementsAre(0, 1));
  EXPECT_EQ(outputs.features->shape_text(), "(2, 1)");
  EXPECT_THAT(*outputs.norms, ElementsAre(0, .25));
  EXPECT_EQ(outputs.warnings.size(), 1u);
}

TEST_F(OutputsFile, CsvRefused) {
  EXPECT_THAT(table_error("a,b\n1,2\n"), HasSubstr("others, --label-column the labels), found a, b"));
  EXPECT_THAT(table_error("logit_0,logit_2\n1,2\n"), HasSubstr("use --class-columns), found logit_2"));
  EXPECT_THAT(table_error("p_0,p_1,p_01\n1,2,3\n"), HasSubstr("found 'p_01' twice"));
  EXPECT_EQ(table_error("logit_0,logit_1\n"), "a.csv: logits: expected at least one row, found shape (0, 2)");
  EXPECT_THAT(table_error("logit_0,logit_1\n1,nan\n"), HasSubstr("found nan at row 0, class 1"));
  EXPECT_THAT(table_error("logit_0,logit_1\n1,two\n"), HasSubstr("found 'two' at row 0"));
  EXPECT_THAT(table_error("logit_0,logit_1,y,label\n1,2,0,0\n"), HasSubstr("found y and label"));
  EXPECT_THAT(*read_table("logit_0,logit_1,label\n1,2,\n1,2,0\n").labels, ElementsAre(no_label, 0));
  EXPECT_THAT(table_error("logit_0,logit_1,label\n1,2,cat\n"), HasSubstr("found 'cat' at row 0"));
  EXPECT_THAT(table_error("logit_1,label\n1,0\n"), HasSubstr("--binary"));
  EXPECT_EQ(table_error("logit_1,label\n1,0\n", {.binary = Binary::logit}), "no error");
}

TEST_F(OutputsFile, FilesOfOtherKindsAreCalledByName) {
  const auto found = [&](std::string_view name, const std::string& bytes) {
    write_bytes(path(name), bytes);
    return file_error(name);
  };
  const std::string wanted = ": expected an .npy, .npz, .safetensors or .csv file, found ";
  EXPECT_EQ(found("a.npy", "\n<!DOCTYPE html>"), "a.npy" + wanted + "an HTML or XML page");
  EXPECT_EQ(found("a.npy", ""), "a.npy" + wanted + "an empty file");
  EXPECT_EQ(found("a.pkl", "\x80\x04\x95xyz"), "a.pkl" + wanted + "a Python pickle");
  EXPECT_EQ(found("a.json", "{\"logits\": []}"), "a.json" + wanted + "JSON");
  EXPECT_EQ(found("a.h5", "\x89HDF\r\n"), "a.h5" + wanted + "an HDF5 file");
  EXPECT_EQ(found("a.png", "\x89PNG\r\n"), "a.png" + wanted + "an image");
  EXPECT_EQ(found("a.pdf", "%PDF-1.7"), "a.pdf" + wanted + "a PDF document");
  EXPECT_EQ(found("a.gz", "\x1f\x8b\x08"), "a.gz" + wanted + "a gzip file");
  EXPECT_EQ(found("a.idx", std::string("\0\0\x08\x01", 4)), "a.idx" + wanted + "an IDX file");
  EXPECT_THAT(found("a.txt", "logit_0,logit_1\n"), Says("(the file name of a table ends in .csv or .tsv)"));
  EXPECT_EQ(found("a.bin", "\x01\x02\x03\x04\x05"), "a.bin" + wanted + "unknown first bytes 01 02 03 04");
  EXPECT_EQ(found("a.csv", "<html>"), "a.csv" + wanted + "an HTML or XML page");
  EXPECT_EQ(found("a.csv", ""), "a.csv: expected a header line and rows, found an empty file");
  EXPECT_THAT(found("a.safetensors", "\xff\xff"), HasSubstr("a safetensors file, found a file of 2 bytes"));
}

TEST_F(OutputsFile, LabelsOfTheirOwn) {
  write_npy(path("y.npy"), i64({2, 0}));
  write_npz(path("y.npz"), {{"labels", i64({2, 0})}, {"logits", logits}});
  write_bytes(path("y.csv"), "id,label\na,2\nb,0\n");
  write_bytes(path("one.csv"), "class\n2\n0\n");
  write_bytes(path("y.idx"), std::string("\0\0\x08\x01\0\0\0\x02\x02\0", 10));
  write_bytes(path("y.gz"), gzip(std::string("\0\0\x08\x01\0\0\0\x02\x02\0", 10)));
  write_safetensors(path("y.safetensors"), {{{"y", i64({2, 0})}}, {}});
  for (const char* name : {"y.npy", "y.npz", "y.csv", "one.csv", "y.idx", "y.gz", "y.safetensors"})
    EXPECT_THAT(read_labels(path(name), 2, 3), ElementsAre(2, 0)) << name;
  const auto message = [&](std::string_view name, std::size_t n, std::size_t k) {
    return said([&] { (void)read_labels(path(name), n, k); });
  };
  EXPECT_EQ(message("y.npy", 3, 3), "y.npy: expected shape (3), one value per sample, found shape (2)");
  EXPECT_EQ(message("y.npy", 2, 2), "y.npy: expected labels in 0..1, found 2 at row 0");
  write_npz(path("x.npz"), {{"logits", logits}});
  EXPECT_THAT(message("x.npz", 2, 3), HasSubstr("an array named labels, y or y_true (--label-column"));
  write_bytes(path("x.csv"), "a,b\n1,2\n");
  EXPECT_THAT(message("x.csv", 1, 3), HasSubstr("(--label-column selects another), found a, b"));
  write_bytes(path("x.html"), "<html>");
  EXPECT_THAT(message("x.html", 1, 3), HasSubstr("found an HTML or XML page"));
}

}  // namespace leeway::outputs_test

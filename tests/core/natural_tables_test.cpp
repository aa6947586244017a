// Tables and array files as other programs write them, with the column names and value formats of their
// documentation: each is read right without an option, or its message names the option with which it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "leeway/core/rows.h"
#include "tests/core/outputs_folder.h"
#include "tests/core/zip_maker.h"

namespace leeway {
namespace {

using ::testing::HasSubstr;

struct NaturalTable {
  const char *program, *file, *text;
  const char* message = nullptr;  // of the refusal, or of the warning that there are no labels
  std::function<void(OutputsOptions&)> option = {};
  std::size_t k = 2, labelled = 3, right = 2;  // right: argmax is the label
};

void label_column(OutputsOptions& options, const char* name) { options.columns.label = name; }

const std::vector<NaturalTable>& natural_tables() {
  static const std::vector<NaturalTable> tables{
      {"scikit-learn, DataFrame(predict_proba, columns=classes_) and y",
       "a.csv",
       ",setosa,versicolor,virginica,target\n0,.8,.1,.1,setosa\n1,.1,.8,.1,virginica\n2,.1,.2,.7,virginica\n",
       {},
       {},
       3},
      {"scikit-learn, y_test, y_pred and decision_function", "a.csv",
       "y_test,y_pred,decision_function\n0,0,-1.5\n1,1,2.5\n1,0,-.5\n"},
      {"scikit-learn, y_test, y_pred, y_proba", "a.csv", "y_test,y_pred,y_proba\n0,0,.1\n1,1,.9\n1,0,.2\n"},
      {"PyTorch, ImageFolder's paths, targets and logits",
       "a.csv",
       "path,target,logit_0,logit_1,logit_2\na/1.png,0,2,1,0\nb/1.png,2,-1,3,0\nc/1.png,2,0,1,2\n",
       {},
       {},
       3},
      {"Keras, DataFrame(model.predict(x))",
       "a.csv",
       "0,1,2,y_true\n0.8,0.1,0.1,0\n0.1,0.8,0.1,2\n0.1,0.2,0.7,2\n",
       {},
       {},
       3},
      {"XGBoost, multi:softprob",
       "a.csv",
       "label,prob_0,prob_1,prob_2\n0,0.8,0.1,0.1\n2,0.1,0.8,0.1\n2,1e-1,2e-1,7e-1\n",
       {},
       {},
       3},
      {"LightGBM, pred_contrib off, binary objective", "a.tsv",
       "label\tpred_proba\n0\t0.1\n1\t0.9\n1\t0.2\n"},
      {"H2O, predict and p0, p1 beside the response", "a.csv",
       "predict,p0,p1,bad_loan\n0,.9,.1,0\n1,.1,.9,1\n0,.8,.2,1\n",
       "--label-column names it (candidates: bad_loan",
       [](OutputsOptions& o) { label_column(o, "bad_loan"); }},
      {"yardstick, two_class_example", "a.csv",
       "truth,Class1,Class2,predicted\nClass1,.9,.1,Class1\nClass2,.1,.9,Class2\nClass2,.8,.2,Class1\n"},
      {"yardstick, hpc_cv; caret's obs and pred",
       "a.csv",
       "obs,pred,VF,F,M,L,Resample\nVF,VF,.7,.1,.1,.1,Fold01\nF,VF,.5,.3,.1,.1,Fold01\nL,L,0.1,0.1,.1,.7,"
       "Fold02\n",
       {},
       {},
       4},
      {"tidymodels, augment()", "a.csv",
       ".pred_class,.pred_no,.pred_yes,truth\nno,.9,.1,no\nyes,.1,.9,yes\nno,.8,.2,yes\n"},
      {"ranger, predict()$predictions beside the response", "a.csv",
       "\"setosa\",\"virginica\",\"Species\"\n.9,.1,\"setosa\"\n.1,.9,\"virginica\"\n.8,.2,\"virginica\"\n",
       "--label-column names it (candidates: Species", [](OutputsOptions& o) { label_column(o, "Species"); }},
      {"Hugging Face, pipeline()", "a.csv", "label,score\nNEGATIVE,.98\nPOSITIVE,.97\nPOSITIVE,.61\n",
       "top_k=None", [](OutputsOptions& o) { o.binary = Binary::prob; }},
      {"Hugging Face, pipeline(top_k=None), a column a class", "a.csv",
       "text,target,score_NEGATIVE,score_POSITIVE\nbad,NEGATIVE,.98,.02\ngood,POSITIVE,.03,.97\nso-so,"
       "POSITIVE,.6,.4\n"},
      {"Weka, -p 0 with distribution in columns", "a.csv",
       "inst#,actual,predicted,error,prob_no,prob_yes\n1,no,no,,.9,.1\n2,yes,yes,,.1,.9\n3,yes,no,+,.8,.2\n"},
      {"a spreadsheet, European, with a byte-order mark", "a.csv",
       "\xef\xbb\xbf"
       "id;Label;prob_cat;prob_dog\r\n1;cat;0,75;0,25\r\n2;dog;0,25;0,75\r\n3;dog;0,75;0,25\r\n"},
      {"a spreadsheet, Windows-1252", "a.csv",
       "label,p_caf\xe9,p_th\xe9\ncaf\xe9,.9,.1\nth\xe9,.1,.9\nth\xe9,.8,.2\n", "--encoding windows-1252",
       [](OutputsOptions& o) { o.columns.encoding = Encoding::windows_1252; }},
      {"a scored list of customers", "a.csv", "customer_id,score,defaulted\n17,.1,0\n18,.9,1\n19,.2,1\n",
       "(candidates: defaulted", [](OutputsOptions& o) { label_column(o, "defaulted"); }},
      {"Evidently, class names of words and numbers",
       "a.csv",
       "target,prob_foo,prob_101,prob_102\nfoo,.8,.1,.1\n101,.1,.8,.1\n101,.1,.2,.7\n",
       {},
       {},
       3},
      {"pandas, labels that arrive late", "a.csv",
       "label,p_cat,p_dog\ncat,.9,.1\n,.1,.9\ndog,.1,.9\nNaN,.5,.5\ndog,.8,.2\n"},
      {"pandas, numbers that arrive late", "a.csv",
       "label,p_0,p_1\n0.0,.9,.1\n,.1,.9\n1.0,.1,.9\n1.0,.8,.2\n"},
      {"R, NA", "a.csv",
       "\"truth\",\"p_no\",\"p_yes\"\n\"no\",.9,.1\nNA,.1,.9\n\"yes\",.1,.9\n\"yes\",.8,.2\n"}};
  return tables;
}

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

TEST_F(NaturalTables, AreReadRightOrNameTheOption) {
  for (const NaturalTable& one : natural_tables()) {
    SCOPED_TRACE(one.program);
    const auto file = testing::write_bytes(path(one.file), one.text);
    OutputsOptions options;
    if (one.message != nullptr) {
      std::string line;  // the refusal, or the warnings
      line += said([&] {
        for (const std::string& warning : read_outputs(file).warnings) line += warning;
      });
      EXPECT_THAT(line, HasSubstr(one.message));
      one.option(options);
    }
    Outputs outputs;
    ASSERT_EQ(said([&] { outputs = read_outputs(file, options); }), "no error");
    ASSERT_TRUE(outputs.labels);
    EXPECT_EQ(outputs.k(), one.k);
    EXPECT_EQ(count_labels(*outputs.labels), one.labelled);
    EXPECT_EQ(right_rows(outputs),
              std::string_view(one.program) == "Hugging Face, pipeline()" ? 2 : one.right);
  }
}

// Labels of a table that is packed, or in UTF-16.
TEST_F(NaturalTables, PackedAndWide) {
  const std::string text = "label,p_0,p_1\n1,.25,.75\n0,.5,.5\n";
  testing::write_bytes(path("a.csv.gz"), testing::gzip(text));
  EXPECT_THAT(*read_outputs(path("a.csv.gz")).labels, ::testing::ElementsAre(1, 0));
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
              HasSubstr("--class-columns and --label-column name others"));
  EXPECT_THAT(error({{"probs", scores}, {"lables", labels}}), HasSubstr("--label-column with its name"));
  EXPECT_THAT(said([&] {
                (void)outputs_of({{"probs", scores}, {"lables", labels}}, "a");
              }),
              HasSubstr("found 'lables'; did you mean labels?"));
  OutputsOptions options;
  options.columns.classes = {"mine"}, options.columns.label = "truths";
  EXPECT_EQ(right_rows(read({{"mine", scores}, {"truths", labels}}, options)), 2u);
  EXPECT_THAT(read({{"mine", scores}}, options).warnings,
              ::testing::Contains(HasSubstr("no array 'truths'")));
  options.columns.classes = {"p", "q"};
  const Array p = make_array<double>({2}, {.7, .2}), q = make_array<double>({2}, {.3, .8});
  EXPECT_EQ(
      right_rows(read({{"p", p}, {"q", q}, {"truths", make_array<std::int64_t>({2}, {0, 1})}}, options)), 2u);
}

}  // namespace
}  // namespace leeway

// Tables as other programs write them: tests/reference/core/tables.
#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "leeway/core/rows.h"
#include "leeway/io/columns.h"
#include "leeway/io/csv.h"
#include "tests/io/outputs_folder.h"

namespace leeway::outputs_columns_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::filesystem::path table(std::string_view name) { return testing::reference("tables") / name; }

std::string bare_line(std::string line) {
  const std::string folder = testing::reference("tables").string() + "/";
  for (auto at = line.find(folder); at != std::string::npos; at = line.find(folder))
    line.erase(at, folder.size());
  return line;
}

std::string refusal(std::string_view name, const OutputsOptions& options = {}) {
  return bare_line(message_of([&] { (void)read_outputs(table(name), options); }));
}

double share(const Outputs& outputs, std::size_t row, std::size_t column) {
  return std::exp(outputs.logits.view<double>()[row * outputs.k() + column]);
}

TEST(OutputsTables, RoundedProbabilities) {
  const Outputs rounded = read_outputs(table("nannyml.csv"));
  EXPECT_DOUBLE_EQ(share(rounded, 0, 0), .33 / .99);
  EXPECT_DOUBLE_EQ(share(rounded, 1, 0), .67);
  EXPECT_THAT(rounded.warnings, ElementsAre(HasSubstr("rounded to 2 decimals, row sums from 0.99 to 1")));
}

TEST(OutputsTables, OneScoreIsThePositiveClass) {
  const Outputs outputs = read_outputs(table("score.csv"));
  EXPECT_TRUE(outputs.from_probs);
  EXPECT_DOUBLE_EQ(share(outputs, 0, 1), .9);
  EXPECT_THAT(*outputs.labels, ElementsAre(1, 0, 1));
  EXPECT_THAT(outputs.warnings, ElementsAre(HasSubstr("--binary logit changes this")));
  const Outputs logit = read_outputs(table("score.csv"), {.binary = Binary::logit});
  EXPECT_FALSE(logit.from_probs);
  EXPECT_EQ(logit.logits.view<double>()[1], .9);
}

TEST(OutputsTables, LabelsByNameWhateverTheOrder) {
  const Outputs outputs = read_outputs(table("named.csv"));
  EXPECT_THAT(outputs.class_names, ElementsAre("dog", "cat"));
  EXPECT_THAT(*outputs.labels, ElementsAre(1, 0));
  EXPECT_THAT(outputs.reading, HasSubstr("labels from Label"));
  OutputsOptions options;
  options.columns.class_names = {"cat", "dog"};
  const Outputs ordered = read_outputs(table("named.csv"), options);
  EXPECT_THAT(ordered.class_names, ElementsAre("cat", "dog"));
  EXPECT_THAT(*ordered.labels, ElementsAre(0, 1));
  EXPECT_DOUBLE_EQ(share(ordered, 0, 0), .75);
}

TEST(OutputsTables, TwoReadingsAreAskedAbout) {
  EXPECT_THAT(refusal("two_readings.csv"), HasSubstr("cat, dog, which are labels, and 'age', which is not"));
  OutputsOptions options;
  options.columns.classes = {"cat", "dog"};
  const Outputs outputs = read_outputs(table("two_readings.csv"), options);
  EXPECT_FALSE(outputs.from_probs);
  EXPECT_THAT(*outputs.labels, ElementsAre(0, 1));
  EXPECT_THAT(refusal("two_sets.csv"), HasSubstr("found prob_* and proba_*"));
  options.columns.classes = {"proba_*"};
  EXPECT_DOUBLE_EQ(share(read_outputs(table("two_sets.csv"), options), 0, 0), .5);
}

TEST(OutputsTables, AMisspeltLabelIsAskedAbout) {
  EXPECT_THAT(refusal("misspelt.csv"), HasSubstr("--label-column NAME (none: no labels), found 'lable'"));
  OutputsOptions options;
  options.columns.label = "lable";
  EXPECT_THAT(*read_outputs(table("misspelt.csv"), options).labels, ElementsAre(0));
  options.columns.label = "none";
  EXPECT_FALSE(read_outputs(table("misspelt.csv"), options).labels);
  options.columns.label = "LABLE";
  EXPECT_THAT(
      refusal("misspelt.csv", options),
      HasSubstr("column 'LABLE' (--label-column), found columns lable, p_0, p_1; did you mean lable?"));
}

using OutputsText = testing::OutputsFolder;

TEST_F(OutputsText, StandardNamesAreReadWithoutAWord) {
  EXPECT_EQ(read_table("id,label,p_0,p_1,attr_place,feat_0,norm\na,0,.5,.5,x,1,2\n").reading, "");
  EXPECT_EQ(read_table("label,logit_cat,logit_dog\ncat,1,2\n").reading, "");
}

TEST_F(OutputsText, AnEmptyColumnOfLabelsIsNone) {
  const Outputs outputs = read_table("label,p_0,p_1\n,.5,.5\n,.25,.75\n");
  EXPECT_FALSE(outputs.labels);
  EXPECT_THAT(outputs.reading, HasSubstr("no labels: 'label' is empty"));
}

TEST_F(OutputsText, ScoresThatCouldBeEither) {
  EXPECT_THAT(table_error("label,score\n0,1.5\n1,20\n"), HasSubstr("but none below 0, in column 'score'"));
  EXPECT_THAT(table_error("label,score\n0,1\n1,0\n"), HasSubstr("found only 0 and 1 in column 'score'"));
  EXPECT_THAT(table_error("score_a,score_b\n.5,.9\n.25,.75\n"), HasSubstr("other sums in score_a, score_b"));
  EXPECT_FALSE(read_table("score_a,score_b\n.5,.9\n.25,.75\n", {.as = Scores::logits}).from_probs);
  EXPECT_THAT(table_error("score_a,score_b\n25,75\n90,10\n"), HasSubstr("found rows that sum to 100"));
  EXPECT_EQ(table_error("label,score\n0,-1\n1,2\n"), "no error");
}

// A column that is never below 1/2 beside predictions is the confidence of these.
TEST_F(OutputsText, ConfidencesAreNotScoresOfThePositiveClass) {
  const auto said = [&](const std::string& head, const std::string& first, Binary binary = Binary::refuse) {
    std::string text = head + first;
    for (int i = 0; i < 19; ++i)
      text += first.starts_with("1,1") ? "1,0,.75\n" : head == "prob\n" ? ".75\n" : "0,.75\n";
    return message_of([&] { (void)read_table(text, {.binary = binary}); });
  };
  for (const char* head : {"label,score\n", "label,probability\n", "prediction,score\n"}) {
    EXPECT_THAT(said(head, "1,.5\n"), AllOf(HasSubstr("--binary prob"), HasSubstr("no score below 0.5")));
    EXPECT_EQ(said(head, "1,.49\n"), "no error");
    EXPECT_EQ(said(head, "1,.5\n", Binary::prob), "no error");
  }
  EXPECT_THAT(said("true,label,score\n", "1,1,.5\n"), HasSubstr("0.5 in label, score"));
  EXPECT_THAT(said("prob\n", ".5\n"), HasSubstr("no score below 0.5 in prob"));
  EXPECT_THAT(said("target,label,score\n", "1,1,.49\n"), HasSubstr("(select it with --label-column)"));
  EXPECT_THAT(table_error("pred,prob\ncat,.4\ndog,.9\neel,.7\n"), HasSubstr("one score, prob, of 3 classes"));
  for (const char* rows : {"label,prediction,prob\n1,1,.9\n0,0,.8\n", "pred,score\n0,.75\n"})
    EXPECT_THAT(table_error(rows), HasSubstr("found confidences of predicted classes: no score below"));
  EXPECT_EQ(table_error("label,prediction,prob\n1,1,.9\n0,1,.8\n"), "no error");
  EXPECT_THAT(table_error("label,prediction,confidence\n0,0,.9\n"), HasSubstr("found only confidences"));
  EXPECT_THAT(read_table("label,prob\n0,.9\n1,.8\n1,.7\n0,.6\n0,.5\n").warnings,
              ElementsAre(HasSubstr("although none of its values is small")));
}

TEST_F(OutputsText, ThePositiveClassOfTextLabels) {
  const Outputs named = read_table("label,prob_ham\nspam,.25\nham,.75\n");
  EXPECT_THAT(named.class_names, ElementsAre("spam", "ham"));
  EXPECT_THAT(*named.labels, ElementsAre(0, 1));
  EXPECT_THAT(*read_table("label,probability\nNo,.25\nYes,.75\n").labels, ElementsAre(0, 1));
  EXPECT_THAT(table_error("label,probability\nspam,.25\nham,.75\n"), HasSubstr("found labels ham and spam"));
  OutputsOptions options;
  options.columns.class_names = {"ham", "spam"};
  EXPECT_THAT(*read_table("label,probability\nspam,.25\nham,.75\n", options).labels, ElementsAre(1, 0));
}

TEST_F(OutputsText, LabelsThatNoColumnNames) {
  EXPECT_THAT(table_error("label,prob_1,prob_2\n0,.5,.5\n"), HasSubstr("(--class-names sets other names)"));
  const Outputs digits = read_table("label,p_3,p_7\n7,.5,.5\n3,.25,.75\n");
  EXPECT_THAT(digits.class_names, ElementsAre("3", "7"));
  EXPECT_THAT(*digits.labels, ElementsAre(1, 0));
  EXPECT_THAT(*read_table("label,p_0,p_1,p_2\n1,.5,.25,.25\n3,.5,.25,.25\n").labels, ElementsAre(0, 2));
  EXPECT_THAT(*read_table("label,p_0,p_1,p_2\n1,.5,.25,.25\n2,.5,.25,.25\n").labels, ElementsAre(1, 2));
  EXPECT_THAT(*read_table("label,p_0,p_1,p_2\n1,.5,.25,.25\n2,.5,.25,.25\n", {.first_label = 1}).labels,
              ElementsAre(0, 1));
}

TEST_F(OutputsText, TwoSetsThatMayCountOtherwise) {
  const Outputs first = read_table("label,p_0,p_1,p_2\n1,.5,.25,.25\n3,.5,.25,.25\n");
  const Outputs other = read_table("label,p_0,p_1,p_2\n1,.5,.25,.25\n2,.5,.25,.25\n");
  const Outputs zero = read_table("label,p_0,p_1,p_2\n1,.5,.25,.25\n0,.5,.25,.25\n");
  const auto labels = [](Outputs set, std::vector<LabelCoding> all) {
    number_labels(set, set.n(), all);
    return *set.labels;
  };
  EXPECT_THAT(labels(other, {first.coding, other.coding}), ElementsAre(0, 1));
  EXPECT_THAT(labels(other, {zero.coding, other.coding}), ElementsAre(1, 2));
  EXPECT_THAT(labels(first, {first.coding, other.coding}), ElementsAre(0, 2));
  EXPECT_REFUSED(labels(other, {first.coding, zero.coding}), "expected --first-label 0 or 1...");
}

// -1 is the negative class beside 1 alone, else it says that there is no label; all sets decide.
TEST_F(OutputsText, MinusOne) {
  const std::string head = "label,p_0,p_1\n";
  const Outputs signs = read_table(head + "-1,.5,.5\n1,.5,.5\n"),
                zero = read_table(head + "0,.5,.5\n-1,.5,.5\n"),
                minus = read_table(head + "-1,.5,.5\n-1,.5,.5\n");
  EXPECT_THAT(*signs.labels, ElementsAre(0, 1));
  EXPECT_THAT(*zero.labels, ElementsAre(0, no_label));
  EXPECT_THAT(zero.warnings, ElementsAre(HasSubstr("1 of 2 rows have no label")));
  EXPECT_FALSE(minus.labels);
  const auto numbered = [](Outputs set, std::vector<LabelCoding> all) {
    number_labels(set, set.n(), all);
    return set;
  };
  EXPECT_REFUSED(numbered(signs, {zero.coding}), "--first-label 0 or 1...");
  EXPECT_THAT(*numbered(signs, {signs.coding, minus.coding}).labels, ElementsAre(0, 1));
  EXPECT_THAT(*numbered(minus, {signs.coding}).labels, ElementsAre(0, 0));
  EXPECT_FALSE(numbered(minus, {zero.coding}).labels);
}

// No label is 0, none is 3: the rows that are right decide whether --first-label is required.
TEST_F(OutputsText, LabelsThatCountFromOne) {
  const auto said = [&](const std::string& rows) {
    Outputs set = read_table("label,p_0,p_1,p_2\n" + rows);
    const Rows logits(set.logits);
    return message_of([&] { number_labels(set, set.n(), std::span(&set.coding, 1), &logits); });
  };
  EXPECT_THAT(
      said("1,.5,.25,.25\n2,.25,.5,.25\n2,.25,.25,.5\n"),
      AllOf(HasSubstr("--first-label 1 or 0"), HasSubstr("66.7% of rows right if labels count from 1"),
            HasSubstr("33.3% if they count from 0")));
  EXPECT_EQ(said("1,.25,.5,.25\n2,.25,.25,.5\n"), "no error");
  EXPECT_EQ(said("1,.5,.25,.25\n0,.25,.5,.25\n"), "no error");
  Outputs beside = read_table("label,p_0,p_1,p_2\n1,.5,.25,.25\n2,.25,.5,.25\n");
  const Rows logits(beside.logits);
  const LabelCoding all[] = {beside.coding, LabelCoding::from_zero};
  number_labels(beside, 2, all, &logits);
  EXPECT_THAT(beside.warnings, ElementsAre(AllOf(HasSubstr("100% of rows right if labels count from 1"),
                                                 HasSubstr("--first-label 0"))));
}

TEST_F(OutputsText, OneScoreOfTheNegativeClass) {
  for (const std::string column : {"p_0", "prob_no", "y_proba_Negative"}) {
    OutputsOptions options;
    options.binary = Binary::prob;
    EXPECT_THAT(table_error("label," + column + "\n0,.75\n", options),
                HasSubstr("only column '" + column + "', of the negative class"));
    options.columns.classes = {column};
    EXPECT_EQ(table_error("label," + column + "\n0,.75\n", options), "no error");
  }
  EXPECT_THAT(read_table("label,prob_no\nno,.75\nyes,.25\n").class_names, ElementsAre("yes", "no"));
  OutputsOptions turned;
  turned.columns.class_names = {"yes", "no"};
  EXPECT_THAT(table_error("label,prob_yes\nno,.25\n", turned), HasSubstr("expected --class-names no,yes"));
  EXPECT_THAT(table_error("label,prob\n1,75\n"), HasSubstr("not percentages, found 75 at row 0, class 1"));
}

TEST_F(OutputsText, ClassesOfAWordAndANumber) {
  for (const char* columns : {"P_target1,P_target0", "Probability:Class=1,Probability:Class=0"}) {
    const Outputs outputs = read_table(std::string(columns) + ",target\n.75,.25,1\n");
    EXPECT_DOUBLE_EQ(share(outputs, 0, 1), .75);
    EXPECT_THAT(*outputs.labels, ElementsAre(1));
  }
}

TEST_F(OutputsText, ColumnsThatMayBeLabels) {
  EXPECT_THAT(read_table("churned,prob_yes\nyes,.75\nno,.25\n").warnings,
              ElementsAre(HasSubstr("candidates: churned")));
  EXPECT_THAT(
      read_table("y_0,y_1,y_2,p_0,p_1,p_2\n1,0,0,.5,.25,.25\n0,1,0,.5,.25,.25\n0,0,1,.5,.25,.25\n").warnings,
      ::testing::IsEmpty());  // one-hot
}

// 0 is the negative class wherever its column is. Other names in two orders leave numbers without a meaning.
TEST_F(OutputsText, LabelsThatAreNumbersAndNamedColumns) {
  for (const char* text : {"prob_pos,prob_neg,label\n.75,.25,1\n", "yes,no,label\n.75,.25,1\n"}) {
    const Outputs outputs = read_table(text);
    EXPECT_DOUBLE_EQ(share(outputs, 0, 1), .75);
    EXPECT_THAT(*outputs.labels, ElementsAre(1));
  }
  OutputsOptions listed;
  listed.columns.classes = {"yes", "no"};
  EXPECT_THAT(read_table("yes,no,label\n.75,.25,1\n", listed).class_names, ElementsAre("yes", "no"));
  const Outputs first = read_table("logit_cat,logit_dog,label\n1,2,1\n");
  const std::string turned = "logit_dog,logit_cat,label\n2,1,";
  Outputs numbers = read_table(turned + "1\n"), names = read_table(turned + "dog\n");
  EXPECT_REFUSED(align_classes(columns_of(first), numbers), "names, or class columns in the order of...");
  align_classes(columns_of(first), names);
  EXPECT_THAT(*names.labels, ElementsAre(1));
  listed.columns.classes = {"logit_cat", "logit_dog"};
  EXPECT_EQ(read_table(turned + "1\n", listed).class_names, first.class_names);
}

TEST_F(OutputsText, ALabelThatIsWrongIsNamedWithItsRow) {
  EXPECT_THAT(table_error("label,p_cat,p_dog\ndog,.5,.5\n,.5,.5\n7,.5,.5\n"),
              HasSubstr("found '7' at row 2"));
  EXPECT_THAT(table_error("label,p_0,p_1\n1,.5,.5\n,.5,.5\nx,.5,.5\n"), HasSubstr("found 'x' at row 2"));
}

TEST_F(OutputsText, ARepeatedColumnIsRefusedWhereItIsRead) {
  EXPECT_THAT(*read_table("age,label,age,p_0,p_1\n1,1,1,.5,.5\n").labels, ElementsAre(1));
  EXPECT_THAT(table_error("label,p_a,p_b,p_b\na,.5,.25,.25\n"), HasSubstr("found 'p_b' twice"));
}

TEST_F(OutputsText, APredictionMayNotBeTheLargestScore) {
  const std::string head = "predict,p0,p1,label\n";
  EXPECT_THAT(read_table(head + "0,.25,.75,1\n0,.5,.5,0\n1,.25,.75,1\n").warnings,
              ElementsAre(HasSubstr("'predict' is not the class of the largest score in 1 of 3 rows")));
  EXPECT_THAT(
      read_table("y_test,y_pred,y_proba\n1,0,.625\n0,0,.25\n").warnings,
      ::testing::Contains(HasSubstr("'y_pred' is not the class of the largest score in 1 of 2 rows")));
  EXPECT_THAT(read_table(head + "low,.25,.75,1\n").warnings, SizeIs(0));
}

TEST_F(OutputsText, IdsThatOccurTwice) {
  EXPECT_THAT(read_table("id,p_0,p_1\na,.5,.5\nb,.5,.5\na,.5,.5\n").warnings,
              ElementsAre(HasSubstr("1 of 3 rows have the same id as another row")));
}

TEST_F(OutputsText, FramesOfNumbers) {
  OutputsOptions frame;
  frame.columns.frame = true;
  EXPECT_THAT(outputs_of_table("b,a\n1,-2\n", "x", frame).class_names, ElementsAre("b", "a"));
  EXPECT_THAT(*outputs_of_table("prob_no,prob_yes,label\n.2,.8,1\n", "x", frame).labels, ElementsAre(1));
  EXPECT_REFUSED(outputs_of_table("b,a\n1,x\n", "x", frame), "found text in column 'a'...");
}

TEST_F(OutputsText, ClassesAndLabelsByName) {
  struct Case {
    const char* text;
    std::vector<std::string> classes;  // empty: numbered
    std::vector<std::int64_t> labels;
    double second;  // probability or logit of class 1 in row 0
    const char* reading;
  };
  for (const Case& one : std::vector<Case>{
           {"id,target,Class_1,Class_2,Class_3\n11,2,.25,.5,.25\n12,3,.25,.25,.5\n",
            {"1", "2", "3"},
            {1, 2},
            .5,
            "target"},
           {",cat,dog,fox\n0,.25,.5,.25\n", {"cat", "dog", "fox"}, {}, .5, "'' (row names)"},
           {"y,decision_function\n-1,-1.5\n1,.25\n", {}, {0, 1}, -1.5, "labels are -1 and 1"},
           {"LABEL_1,LABEL_0,target\n.75,.25,1\n.5,.5,0\n", {}, {1, 0}, .75, "target"},
           {"LABEL_1,LABEL_0,target\n.75,.25,LABEL_1\n", {"LABEL_0", "LABEL_1"}, {1}, .75, "target"},
           {"X1,X10,X2,y\n.25,.25,.5,10\n.25,.5,.25,1\n", {"1", "2", "10"}, {2, 0}, .5, "X1, X2, X10"},
           {"X4,X6\n.25,.75\n", {"4", "6"}, {}, .75, "X4, X6"},
           {"digit7,digit3,y,at\n.25,.75,0,x\n", {"digit7", "digit3"}, {0}, .75, "ignored: at (see --group-"},
           {"rownames,VF,F,obs\n1,.25,.75,F\n", {"VF", "F"}, {1}, .75, "'rownames' (row names)"}}) {
    SCOPED_TRACE(one.text);
    const Outputs outputs = read_table(one.text);
    EXPECT_EQ(outputs.class_names, one.classes);
    EXPECT_EQ(outputs.labels.value_or(std::vector<std::int64_t>{}), one.labels);
    EXPECT_DOUBLE_EQ(outputs.from_probs ? share(outputs, 0, 1) : outputs.logits.view<double>()[1],
                     one.second);
    EXPECT_THAT(outputs.reading, HasSubstr(one.reading));
  }
}

TEST_F(OutputsText, HeadersOfNumbers) {
  EXPECT_THAT(read_table("0,1,2\n.5,.25,.25\n").k(), 3u);
  EXPECT_THAT(table_error("0,1\n.5,.5\n"), HasSubstr("a header line"));  // a row of probabilities as well
}

TEST_F(OutputsText, Separators) {
  EXPECT_EQ(find_separator("a,b\n1,2\n", "x"), ',');
  EXPECT_EQ(find_separator("a;b\n1,5;2\n", "x"), ';');
  EXPECT_EQ(find_separator("a\tb\n1\t2\n", "x"), '\t');
  EXPECT_EQ(find_separator("\"a;x\",b\n1,2\n", "x"), ',');
  EXPECT_EQ(find_separator("name;note,x\nab,2\n", "x"), ',');
  EXPECT_EQ(find_separator("alone\n1\n", "x"), ',');
  EXPECT_EQ(message_of([] { (void)find_separator("a;b,c\n1;2,3\n", "x"); }),
            "x: expected one column separator (select it with --separator), found a comma and a semicolon, "
            "each equally often in the header and the rows");
  EXPECT_THAT(table_error("label;p_0;p_1\n0;0,5;0.5\n"), HasSubstr("one decimal mark"));
}

TEST_F(OutputsText, ColumnsThatOptionsName) {
  OutputsOptions options;
  options.columns.id = "key";
  options.columns.groups = {"place*"};
  const Outputs outputs = read_table("key,place,place_b,label,p_0,p_1\nx,1,2,0,.5,.5\n", options);
  EXPECT_THAT(*outputs.ids, ElementsAre("x"));
  EXPECT_THAT(outputs.groups, SizeIs(2));
  EXPECT_THAT(table_error("label,p_0,p_1\n0,.5,.5\n", options),
              StartsWith("a.csv: expected a column 'key' (--id-column)"));
}

TEST_F(OutputsText, ArraysOfOtherNamesAreListed) {
  write_npz(path("a.npz"), {{"logits", make_array<double>({1, 2}, {1, 2})},
                            {"embedding", make_array<double>({1, 2}, {1, 2})}});
  EXPECT_THAT(read_outputs(path("a.npz")).reading, HasSubstr("ignored: embedding"));
  write_npz(path("b.npz"), {{"weights", make_array<double>({1, 2}, {1, 2})}});
  EXPECT_THAT(file_error("b.npz"), HasSubstr("expected an array named logits or probs, found weights"));
}

TEST_F(OutputsText, ParquetSaysHowToConvert) {
  write_bytes(path("a.parquet"), "PAR1\x15\x04\x15");
  EXPECT_THAT(file_error("a.parquet"), HasSubstr("convert it in Python: pandas.read_parquet("));
}

}  // namespace leeway::outputs_columns_test

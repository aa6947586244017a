// What the numbers of an outputs file are, and which class and row each of them belongs to.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "leeway/io/columns.h"
#include "leeway/io/npy.h"
#include "leeway/io/shards.h"
#include "tests/core/files.h"
#include "tests/io/outputs_folder.h"
#include "tests/io/zip_maker.h"
#include "tests/message_of.h"

namespace leeway::outputs_scores_test {

using namespace leeway::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using OutputsScores = OutputsFolder;

const Array shares = make_array<double>({2, 3}, {.5, .25, .25, 0, .125, .875});

TEST_F(OutputsScores, ProbabilitiesUnderTheNameOfLogitsAreFoundOut) {
  const Outputs found = read({{"logits", shares}}), named = read({{"probs", shares}});
  EXPECT_TRUE(found.from_probs);
  EXPECT_EQ(to_f64(found.logits, ""), to_f64(named.logits, ""));
  ASSERT_EQ(found.warnings.size(), 2u);
  EXPECT_EQ(without_folder(found.warnings[0]),
            "a.npz: logits: read as probabilities, not logits: no entry is negative and all rows sum to 1; "
            "--as logits overrides");
  EXPECT_THAT(found.warnings[1], HasSubstr("1 probabilities are exactly 0"));
}

TEST_F(OutputsScores, ProbabilitiesOfABareArrayOrATableAreFoundOut) {
  write_npy(path("p.npy"), shares);
  EXPECT_TRUE(read_outputs(path("p.npy")).from_probs);
  EXPECT_TRUE(read_table("logit_0,logit_1\n.25,.75\n1,0\n").from_probs);
  EXPECT_FALSE(read_table("logit_0,logit_1\n.25,.75\n1,1\n").from_probs);
}

TEST_F(OutputsScores, ProbabilitiesOfHalfPrecisionAreFoundOut) {
  // .1, .2, .7 as float16: they sum to .99979
  const std::string header = "{'descr': '<f2', 'fortran_order': False, 'shape': (1, 3)}";
  const std::string half = npy_with(header, raw(std::vector<std::uint16_t>{0x2e66, 0x3266, 0x3999}));
  write_bytes(path("h.npz"), make_zip({stored_entry("logits.npy", half)}));
  EXPECT_TRUE(read_outputs(path("h.npz")).from_probs);
  std::vector<float> many(3000, 1.f / 3000);
  EXPECT_TRUE(read({{"logits", make_array<float>({1, 3000}, many)}}).from_probs);
}

TEST_F(OutputsScores, DecisionsOfTwoClassesAreProbabilities) {
  const Array decisions = make_array<float>({3, 2}, {1, 0, 0, 1, 1, 0});
  EXPECT_TRUE(read({{"logits", decisions}}).from_probs);
  EXPECT_FALSE(read({{"logits", decisions}}, {.as = Scores::logits}).from_probs);
}

TEST_F(OutputsScores, LogitsBetweenZeroAndOneStayLogits) {
  for (const std::vector<double>& values :
       {std::vector<double>{.5, .5, .5, .502}, {.5, .5, 1, 1}, {1.25, -.25, .5, .5}}) {
    write_npy(path("l.npy"), make_array<double>({2, 2}, values));
    const Outputs outputs = read_outputs(path("l.npy"), {.check_finite = false});
    EXPECT_FALSE(outputs.from_probs);
    EXPECT_THAT(outputs.warnings, IsEmpty());
  }
  std::vector<double> many(200'000, .5);  // one row of 100,000 in a later chunk
  many[150'001] = .6;
  EXPECT_FALSE(read({{"logits", make_array<double>({100'000, 2}, many)}}).from_probs);
}

// Softmax outputs of which one overflowed are no logits: what is wrong with the file is the row.
TEST_F(OutputsScores, ProbabilitiesWithARowThatIsNotFiniteAreRefusedByThatRow) {
  for (const double bad : {static_cast<double>(NAN), HUGE_VAL}) {
    std::vector<double> rows(2 * 3000, .5);
    rows[2 * 2000 + 1] = bad;
    EXPECT_EQ(
        error({{"logits", make_array<double>({3000, 2}, rows)}}),
        fmt::format("a.npz: logits: expected probabilities in [0,1], found {} at row 2000, class 1", bad));
  }
  EXPECT_EQ(
      error({{"logits", make_array<double>({2, 2}, {NAN, 1, NAN, NAN})}}),
      "a.npz: expected finite logits, found nan at row 0, class 0");  // of which kind is anybody's guess
}

TEST_F(OutputsScores, WhatTheOptionSaysOverrules) {
  EXPECT_FALSE(read({{"logits", shares}}, {.as = Scores::logits}).from_probs);
  EXPECT_THAT(read({{"logits", shares}}, {.as = Scores::logits}).warnings, IsEmpty());
  EXPECT_TRUE(read({{"logits", shares}}, {.as = Scores::probs}).from_probs);
  EXPECT_THAT(error({{"probs", shares}}, {.as = Scores::logits}), HasSubstr("found probabilities"));
  EXPECT_THAT(error({{"logits", make_array<double>({1, 2}, {1, 2})}}, {.as = Scores::probs}),
              HasSubstr("found 2 at row 0, class 1"));
}

TEST_F(OutputsScores, LabelsOfDuplicateNamesDoNotShiftLaterOnes) {
  const Array names = make_text_array({4}, {"crane", "dog", "crane", "eel"});
  const Array values = make_array<double>({2, 4}, {0, 3, 0, 0, 0, 0, 0, 3});
  EXPECT_THAT(
      *read({{"logits", values}, {"class_names", names}, {"y", make_text_array({2}, {"dog", "eel"})}}).labels,
      ElementsAre(1, 3));
  EXPECT_THAT(
      error({{"logits", values}, {"class_names", names}, {"y", make_text_array({2}, {"eel", "crane"})}}),
      HasSubstr("found 'crane' at row 1, the name of classes 0 and 2"));
}

TEST_F(OutputsScores, ANamedColumnBesideNumberedLogitsIsRefused) {
  EXPECT_THAT(table_error("logit_0,logit_1,logit_none\n1,2,3\n"), HasSubstr("'logit_none' and 2 numbers"));
  EXPECT_EQ(read_table("p_0,p_1,p_max\n.25,.75,.75\n").k(), 2u);  // they sum to 1 without it
  EXPECT_THAT(read_table("p_0,p_1,p_none\n.25,.5,.25\n").class_names, ElementsAre("0", "1", "none"));
}

TEST_F(OutputsScores, IdsAreTextOrWholeNumbers) {
  const Array values = make_array<double>({2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(*read({{"logits", values}, {"ids", make_text_array({2}, {"x", "y"})}}).ids,
              ElementsAre("x", "y"));
  EXPECT_THAT(*read({{"logits", values}, {"ids", make_array<std::int64_t>({2}, {7, -1})}}).ids,
              ElementsAre("7", "-1"));
  EXPECT_THAT(error({{"logits", values}, {"ids", make_array<double>({2}, {7, 1})}}),
              HasSubstr("strings or integers, found float64"));
  EXPECT_THAT(error({{"logits", values}, {"ids", make_text_array({1}, {"x"})}}),
              HasSubstr("expected shape (2)"));
  EXPECT_THAT(*read_table("id,logit_0,logit_1\n007,1,2\nb,3,4\n").ids, ElementsAre("007", "b"));
  write_npz(path("s1.npz"), {{"logits", values}, {"ids", make_text_array({2}, {"x", "y"})}});
  write_npz(path("s2.npz"), {{"logits", values}, {"ids", make_text_array({2}, {"u", "v"})}});
  EXPECT_THAT(*read_shards(path("s*.npz").string()).rest.ids, ElementsAre("x", "y", "u", "v"));
}

TEST(Columns, AreAlikeInClassesNamesAndKind) {
  const std::vector<std::string> names{"cat", "dog"}, turned{"dog", "cat"}, others{"cat", "eel"};
  const Columns first{"s.npz", 2, false, names};
  const auto says = [&](const Columns& other) { return message_of([&] { require_alike(first, other); }); };
  EXPECT_NO_THROW(require_alike(first, {"t.npz", 2, false, {}}));
  EXPECT_NO_THROW(require_alike(first, {"t.npz", 2, false, names}));
  EXPECT_EQ(says({"t.npz", 3, false, {}}), "t.npz: expected 2 classes, as in s.npz, found 3");
  EXPECT_THAT(says({"t.npz", 2, false, turned}), HasSubstr("class 0 to be 'cat', as in s.npz"));
  EXPECT_THAT(says({"t.npz", 2, false, others}), HasSubstr("found 'eel'"));
  EXPECT_EQ(says({"t.npz", 2, true, names}), "t.npz: expected logits, as in s.npz, found probabilities");
}

class Shards : public OutputsFolder {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return OutputsFolder::path(name).string(); }
  [[nodiscard]] std::vector<std::string> expanded(const std::string& text) const {
    std::vector<std::string> names;
    for (const auto& found : expand_paths(text)) names.push_back(found.filename().string());
    return names;
  }
  [[nodiscard]] std::string message(const ArrayMap& first, const ArrayMap& second) const {
    write_npz(path("a.npz"), first), write_npz(path("b.npz"), second);
    return said([&] { (void)read_shards(path("a.npz") + "," + path("b.npz")); });
  }
};

Array matrix(std::size_t n, std::size_t k, float first) {
  std::vector<float> values(n * k);
  for (float& value : values) value = first++;
  return make_array({n, k}, std::move(values));
}

Array i64(std::vector<std::int64_t> values) {
  const std::size_t n = values.size();
  return make_array({n}, std::move(values));
}

TEST_F(Shards, PatternsInNaturalOrderAndLists) {
  for (const char* name : {"s10.npy", "s2.npy", "s1.npy", "t.npy", "a,b.npy", "c*.npy"})
    write_npy(path(name), matrix(1, 2, 0));
  EXPECT_THAT(expanded(path("s*.npy")), ElementsAre("s1.npy", "s2.npy", "s10.npy"));
  EXPECT_THAT(expanded(path("s?.npy")), ElementsAre("s1.npy", "s2.npy"));
  EXPECT_THAT(expanded(path("t.npy") + "," + path("s*.npy")),
              ElementsAre("t.npy", "s1.npy", "s2.npy", "s10.npy"));
  EXPECT_THAT(expanded(path("a,b.npy")), ElementsAre("a,b.npy"));  // a file of that very name
  EXPECT_THAT(expanded(path("c*.npy")), ElementsAre("c*.npy"));
  EXPECT_THAT(expanded(path("missing.npy")), ElementsAre("missing.npy"));
  EXPECT_REFUSED(expand_paths(path("x*.npy")), "x*.npy: expected files that match, found none...");
  EXPECT_REFUSED(expand_paths(path("t.npy") + ",,b"), "expected files between ... found an empty name...");
}

TEST_F(Shards, EverythingIsJoinedRowAfterRow) {
  const auto part = [](float first, std::vector<std::int64_t> labels, std::vector<std::int64_t> groups) {
    const std::size_t n = labels.size();
    return ArrayMap{{"logits", matrix(n, 3, first)},
                    {"labels", i64(std::move(labels))},
                    {"groups", i64(std::move(groups))},
                    {"features", matrix(n, 2, -first)},
                    {"norms", make_array(std::vector<std::size_t>{n}, std::vector<double>(n, first))}};
  };
  write_npz(path("p1.npz"), part(0, {0, 2}, {10, 9}));
  write_npz(path("p2.npz"), part(50, {1}, {-1}));
  const OutputsShards shards = read_shards(path("p*.npz"));
  EXPECT_EQ(shards.n(), 3u);
  EXPECT_EQ(shards.k(), 3u);
  EXPECT_EQ(shards.logits.parts(), 2u);
  ASSERT_EQ(shards.files.size(), 2u);
  EXPECT_THAT(shards.files[1].shape, ElementsAre(1, 3));
  const Outputs all = joined(shards);
  EXPECT_THAT(all.logits.view<float>(), ElementsAre(0, 1, 2, 3, 4, 5, 50, 51, 52));
  EXPECT_THAT(*all.labels, ElementsAre(0, 2, 1));
  EXPECT_THAT(*all.norms, ElementsAre(0, 0, 50));
  EXPECT_THAT(all.features->view<float>(), ElementsAre(0, 1, 2, 3, -50, -49));
  ASSERT_EQ(all.groups.size(), 1u);
  EXPECT_THAT(all.groups[0].levels, ElementsAre("-1", "9", "10"));
  EXPECT_THAT(all.groups[0].codes, ElementsAre(2, 1, 0));
}

TEST_F(Shards, LabelsOfTheirOwn) {
  write_npy(path("y1.npy"), i64({0, 1}));
  write_npy(path("y2.npy"), i64({2}));
  EXPECT_THAT(read_labels(path("y*.npy"), 3, 3), ElementsAre(0, 1, 2));
  EXPECT_REFUSED(read_labels(path("y*.npy"), 4, 3), "expected shape (4), one value ... found shape (3)...");
}

TEST_F(Shards, WhatDiffersIsNamed) {
  const ArrayMap plain{{"logits", matrix(2, 3, 0)}};
  ArrayMap labelled = plain, wide{{"logits", matrix(2, 4, 0)}}, grouped = plain, featured = plain;
  labelled["labels"] = i64({0, 1});
  grouped["groups"] = i64({0, 1});
  featured["features"] = matrix(2, 5, 0);
  EXPECT_EQ(message(plain, wide), "b.npz: expected 3 classes, as in a.npz, found 4");
  EXPECT_EQ(message(plain, labelled), "no error");  // labels that arrive late
  EXPECT_EQ(message(plain, grouped), "b.npz: expected the same groups, as in a.npz, found others");
  EXPECT_EQ(message(featured, plain), "b.npz: expected features, as in a.npz, found none");
  ArrayMap wider = featured;
  wider["features"] = matrix(2, 6, 0);
  EXPECT_EQ(message(featured, wider), "b.npz: expected 5 features, as in a.npz, found 6");
  const ArrayMap probabilities{{"probs", make_array<float>({1, 3}, {.5f, .25f, .25f})}};
  EXPECT_EQ(message(plain, probabilities), "b.npz: expected logits, as in a.npz, found probabilities");
  ArrayMap named = plain;
  named["class_names"] = make_text_array({3}, {"x", "y", "z"});
  EXPECT_EQ(message(plain, named), "b.npz: expected the same class names, as in a.npz, found others");
}

}  // namespace leeway::outputs_scores_test

// Parts of an assessment, worked by hand: predictions, pairs, shares and their differences, confusion, cells.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "leeway/core/random.h"
#include "leeway/tasks/assess/detail/cells.h"
#include "leeway/tasks/assess/detail/comparison.h"
#include "leeway/tasks/assess/detail/pairing.h"
#include "leeway/tasks/assess/detail/predictions.h"
#include "tests/at_threads.h"
#include "tests/message_of.h"
#include "tests/tasks/assess/made_outputs.h"

namespace leeway::assess::parts_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Predict, TakesTheLowestOfTiedClasses) {
  // Rows: clear, tied, all equal. Confidence 1/(1 + e^-1 + e^-3), 1/(1 + 1 + e^-1), 1/3.
  const Predictions p = predict(make_array<float>({3, 3}, {0, 3, 2, 5, 4, 5, 7, 7, 7}), "a");
  EXPECT_THAT(p.classes, ElementsAre(1, 0, 0));
  EXPECT_NEAR(p.confidences[0], 1 / (1 + std::exp(-1.) + std::exp(-3.)), 1e-15);
  EXPECT_NEAR(p.confidences[1], 1 / (2 + std::exp(-1.)), 1e-15);
  EXPECT_NEAR(p.confidences[2], 1 / 3., 1e-15);
  EXPECT_NEAR(p.mean_confidence, (p.confidences[0] + p.confidences[1] + p.confidences[2]) / 3, 1e-15);
}

TEST(Predict, SurvivesHugeLogitsAndNamesTheFirstThatIsNotFinite) {
  const Predictions p = predict(make_array<double>({2, 2}, {1e308, -1e308, -1e308, -1e308}), "a");
  EXPECT_THAT(p.confidences, ElementsAre(1, .5));
  EXPECT_EQ(p.saturated_share, .5);
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_REFUSED(predict(make_array<float>({2, 3}, {0, 1, 2, 0, -inf, inf}), "shifted.npz"),
                 "shifted.npz: expected finite logits, found -inf at row 1, class 1");
}

TEST(Predict, CountsRepeatedRows) {
  // Rows 0 and 2 are equal, -0 equals 0: one of four repeats another.
  const Predictions p = predict(make_array<double>({4, 2}, {0, 1, 1, 0, -0., 1, 2, 0}), "a");
  EXPECT_EQ(p.repeated_share, .25);
  EXPECT_FALSE(p.few_patterns);
  EXPECT_TRUE(
      predict(outputs_of({0, 1, 0, 1, 0, 1, 0, 1}, 2).logits, "trees").few_patterns);  // 4 rows of each
  EXPECT_FALSE(p.constant);
  EXPECT_TRUE(predict(make_array<double>({3, 2}, {0, 1, 0, 1, 0, 1}), "a").constant);
  EXPECT_FALSE(predict(make_array<double>({1, 2}, {0, 1}), "a").constant);
  std::vector<double> logits;  // 200000 rows, each there twice: estimated
  for (int copy = 0; copy < 2; ++copy)
    for (int i = 0; i < 100000; ++i) logits.insert(logits.end(), {double(i), double(-i)});
  EXPECT_EQ(predict(make_array<double>({200000, 2}, std::move(logits)), "a").repeated_share, .5);
}

TEST(Predict, HasTheSameBitsForAnyThreads) {
  Random random(1, stream("test"));
  std::vector<float> logits(20000 * 5);
  for (float& value : logits) value = static_cast<float>(3 * random.normal());
  const Array array = make_array<float>({20000, 5}, std::move(logits));
  const auto work = [&] { return predict(array, "a"); };
  const Predictions one = at_threads(1, work), three = at_threads(3, work);
  EXPECT_EQ(one.mean_confidence, three.mean_confidence);
  EXPECT_EQ(one.confidences, three.confidences);
}

TEST(Predict, AConstantAddedToARowChangesNothing) {
  Random random(1, stream("rows"), 0);
  for (int i = 0; i < 100; ++i) {
    const double shift = static_cast<double>(random.below(2000)) - 1000;
    std::vector<double> plain(4), moved;
    for (double& value : plain) moved.push_back((value = static_cast<double>(random.below(40)) - 20) + shift);
    const Predictions a = predict(make_array<double>({1, 4}, std::move(plain)), "a");
    const Predictions b = predict(make_array<double>({1, 4}, std::move(moved)), "b");
    EXPECT_EQ(a.classes, b.classes);
    EXPECT_EQ(a.confidences, b.confidences);
    EXPECT_TRUE(a.confidences[0] >= .25 && a.confidences[0] <= 1);
  }
}

const Outputs three = outputs_of({0, 1, 0}, 2), four = outputs_of({0, 1, 0, 1}, 2);

Pairing pair(const Outputs& source, const Outputs& target, Paired wanted) {
  return pair(source, target, predict(source.logits, source.path).classes,
              predict(target.logits, target.path).classes, wanted);
}

// n classes of 10, drawn.
std::vector<int> drawn(std::size_t n, std::uint64_t seed) {
  std::vector<int> classes(n);
  for (std::size_t i = 0; i < n; ++i)
    classes[i] = static_cast<int>(Random(seed, stream("pairing test"), i).below(10));
  return classes;
}

TEST(Pair, AutomaticNeedsEqualLengthsLabelsAndAgreement) {
  const Outputs one = outputs_of(drawn(1000, 1), 10), other = outputs_of(drawn(1000, 2), 10);
  const Pairing lengths = pair(three, four, Paired::automatic);
  EXPECT_FALSE(lengths.paired);
  EXPECT_EQ(lengths.reason, "source and target are different samples: 3 rows and 4");
  const Outputs a = labelled(three, {0, 1, 0}), b = labelled(three, {0, 1, 1});
  EXPECT_EQ(pair(a, b, Paired::automatic).reason,
            "source and target are different samples: 1 of 3 labels differ");
  EXPECT_FALSE(pair(a, a, Paired::automatic).paired);  // one order in three
  const Pairing unrelated = pair(one, other, Paired::automatic);
  EXPECT_FALSE(unrelated.paired);
  EXPECT_TRUE(unrelated.doubted);
  EXPECT_THAT(unrelated.reason, ::testing::StartsWith("nothing shows that row i of the target"));
  const Pairing same = pair(one, one, Paired::automatic);
  EXPECT_TRUE(same.paired);
  EXPECT_FALSE(same.asserted);
  // Equal labels or ids assert pairs.
  const std::vector<int> classes = drawn(60, 1);
  const Outputs source = labelled(outputs_of(std::vector<int>(60, 1), 10), {classes.begin(), classes.end()});
  EXPECT_TRUE(pair(source, source, Paired::automatic).asserted);
  Outputs named = three;
  named.ids = {"a", "c", "b"};
  EXPECT_TRUE(pair(named, named, Paired::automatic).asserted);
}

TEST(Pair, YesAndNoAreBelievedButForTheLength) {
  const Pairing yes = pair(labelled(three, {0, 1, 0}), labelled(three, {1, 1, 1}), Paired::yes);
  EXPECT_TRUE(yes.paired && yes.asserted);
  EXPECT_EQ(yes.evidence.differing_labels, 2u);
  EXPECT_REFUSED(
      pair(called(three, "s.npz"), called(four, "t.npz"), Paired::yes),
      "t.npz: expected 3 rows, one for each row of s.npz, because the sets were declared paired, found 4");
  const Outputs one = outputs_of(drawn(1000, 1), 10);
  const Pairing no = pair(one, one, Paired::no);
  EXPECT_FALSE(no.paired || no.doubted);
  EXPECT_THAT(no.reason, HasSubstr("declared to be different samples"));
}

TEST(Pair, LabelsAndGroupsHoldForTheOtherSideOnlyWhereThePairsAreAsserted) {
  Outputs source = labelled(three, {0, 1, 0});
  source.groups = {{"place", {"a", "b"}, {0, 1, 0}}};
  const Pairing chance = pair(source, three, Paired::automatic), said = pair(source, three, Paired::yes);
  EXPECT_THAT(labels_of(three, source, chance), IsEmpty());
  EXPECT_EQ(labels_of(three, source, said).size(), 3u);
  EXPECT_THAT(groups_of(three, source, chance), IsEmpty());
  EXPECT_EQ(groups_of(three, source, said).size(), 1u);
  EXPECT_EQ(labels_of(source, three, chance).size(), 3u);
  EXPECT_TRUE(same_logits(three.logits, outputs_of({0, 1, 0}, 2).logits));
  EXPECT_FALSE(same_logits(three.logits, outputs_of({0, 1, 1}, 2).logits));
  EXPECT_FALSE(same_logits(three.logits, four.logits));
}

TEST(PairedDifference, OfAHandCount) {
  // b = 10, c = 30, n = 100: p = 11/102, q = 31/102, centre 20/102 = .1960784,
  // half 1.959964 sqrt((42/102 - .0384468) / 102) = .1185734.
  const Measured d = paired_difference(10, 30, 100, .95);
  EXPECT_DOUBLE_EQ(*d.value, .2);
  EXPECT_NEAR(*d.low, .0775050, 1e-6);
  EXPECT_NEAR(*d.high, .3146519, 1e-6);
  EXPECT_TRUE(clearly_higher(d));
  EXPECT_FALSE(clearly_lower(d));
  EXPECT_FALSE(clear(paired_difference(0, 0, 1000, .95)));
  EXPECT_FALSE(clear(paired_difference(0, 2, 1000, .95)));
  EXPECT_EQ(paired_difference(0, 1, 1, .95).high, 1);
  const Measured s = share(0, 10, .95);  // Clopper and Pearson
  EXPECT_EQ(s.low, 0);
  EXPECT_NEAR(*s.high, 1 - std::pow(.025, .1), 1e-12);
}

TEST(UnpairedDifference, OfNewcombesExample) {
  // Newcombe 1998, table II, method 10: 56/70 - 48/80 = .2, from .0524 to .3339.
  const Measured d = unpaired_difference(48, 80, 56, 70, .95);
  EXPECT_NEAR(*d.value, .2, 1e-12);
  EXPECT_NEAR(*d.low, .0524, 5e-5);
  EXPECT_NEAR(*d.high, .3339, 5e-5);
}

TEST(PairedDifference, SwappingTheTwoTurnsTheSign) {
  for (std::size_t b = 0; b < 50; b += 7)
    for (std::size_t c = 0; c < 50; c += 3) {
      const std::size_t n = b + c + 1 + (b * c) % 49;
      const Measured d = paired_difference(b, c, n, .95), turned = paired_difference(c, b, n, .95);
      EXPECT_EQ(*d.value, -*turned.value);
      EXPECT_EQ(*d.low, -*turned.high);
    }
}

TEST(Discordance, CountsWhereOnlyOneIsRight) {
  const std::vector<std::uint8_t> a{1, 1, 0, 0, 1}, b{1, 0, 1, 0, 0};
  EXPECT_EQ(discordance(a, b).only_first, 2u);
  EXPECT_EQ(discordance(a, b).only_second, 1u);
}

TEST(Confusion, CountsAndTheMostFrequentFlips) {
  const std::vector<std::int32_t> before{0, 0, 0, 1, 2, 1}, after{0, 1, 1, 1, 0, 2};
  EXPECT_THAT(confusion_counts(before, after, 3),
              ElementsAre(ElementsAre(1, 2, 0), ElementsAre(0, 1, 1), ElementsAre(1, 0, 0)));
  const auto flips = top_flips(before, after);
  ASSERT_EQ(flips.size(), 3u);
  EXPECT_EQ(flips[0].from, 0u);
  EXPECT_EQ(flips[0].to, 1u);
  EXPECT_EQ(flips[0].count, 2u);
  EXPECT_EQ(flips[1].from, 1u);  // equal counts by class
  std::vector<std::int32_t> from, to;
  for (std::int32_t j = 0; j < 60; ++j)
    for (std::int32_t copy = 0; copy <= j; ++copy) from.push_back(j), to.push_back(j + 1);
  const auto most = top_flips(from, to);
  ASSERT_EQ(most.size(), max_top_flips);
  EXPECT_EQ(most.front().count, 60u);
  EXPECT_EQ(most.back().count, 11u);
}

TEST(ChooseFlips, SpreadsOverChangesOfClass) {
  // Rows 0..4 change 0 -> 1, row 5 changes 1 -> 0 with little confidence, row 6 stays.
  const std::vector<std::int32_t> from{0, 0, 0, 0, 0, 1, 1}, to{1, 1, 1, 1, 1, 0, 1};
  const std::vector<double> before{.9, .8, .99, .6, .8, .55, 1}, after{.9, .8, .9, .6, .8, .55, 1};
  TargetRows pair;
  pair.clean_classes = from, pair.shifted_classes = to;
  pair.clean_confidences = before, pair.shifted_confidences = after;
  EXPECT_THAT(choose_flips(pair, 3), ElementsAre(2, 5, 0));
  EXPECT_THAT(choose_flips(pair, 1), ElementsAre(2));
  EXPECT_THAT(choose_flips(pair, 100), ElementsAre(2, 5, 0, 1, 4, 3));  // 1 and 4 are equal: by row
  EXPECT_THAT(choose_flips(pair, 0), IsEmpty());
}

TEST(ConfidenceHistogram, PutsOneIntoTheLastBin) {
  const auto counts = confidence_histogram(std::vector<double>{.1, .5, .5499, .55, .9999, 1});
  EXPECT_THAT(counts, ElementsAre(0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 2));
  EXPECT_THAT(class_shares(std::vector<std::int32_t>{0, 2, 2, 2}, 4), ElementsAre(.25, 0, .75, 0));
}

// Eight rows, two classes, an attribute; the third class has no rows.
//   row        0 1 2 3 4 5 6 7
//   label      0 0 0 0 1 1 1 1
//   clean      0 0 0 1 1 1 1 1
//   shifted    0 0 1 1 0 1 1 0
//   place      a a b b a a b b
const std::vector<std::int64_t> labels{0, 0, 0, 0, 1, 1, 1, 1};
const std::vector<std::int32_t> clean{0, 0, 0, 1, 1, 1, 1, 1}, shifted{0, 0, 1, 1, 0, 1, 1, 0};
const std::vector<GroupColumn> places{{"place", {"a", "b"}, {0, 0, 1, 1, 0, 0, 1, 1}}};
const CellOptions paired{true, .95, {"cat", "dog", "eel"}};

TEST(ClassCells, ByLabelWorstFirst) {
  const auto cells = class_cells({clean, labels, nullptr}, {shifted, labels, nullptr}, paired);
  ASSERT_EQ(cells.size(), 3u);
  EXPECT_EQ(cells[0].name, "cat");  // 2 of 4 right, as dog: ties by class
  EXPECT_EQ(cells[0].accuracy.value, .5);
  EXPECT_EQ(cells[0].source_accuracy.value, .75);
  EXPECT_EQ(cells[0].afr_pred.value, .75);
  EXPECT_EQ(cells[1].name, "dog");
  EXPECT_EQ(cells[1].accuracy.value, .5);
  EXPECT_EQ(cells[1].source_accuracy.value, 1);
  EXPECT_EQ(cells[1].afr_pred.value, .5);
  EXPECT_EQ(cells[2].name, "eel");
  EXPECT_EQ(cells[2].n, 0u);
  EXPECT_FALSE(cells[2].accuracy.value);
}

TEST(ClassCells, WithoutLabelsByCleanPredictionAndWithoutPairsUnknown) {
  auto cells = class_cells({clean, {}, nullptr}, {shifted, {}, nullptr}, paired);
  EXPECT_EQ(cells[0].name, "dog");  // taken for dog: rows 3..7, of which 3, 5 and 6 stay
  EXPECT_EQ(cells[0].n, 5u);
  EXPECT_EQ(cells[0].afr_pred.value, .6);
  EXPECT_FALSE(cells[0].accuracy.value);
  EXPECT_EQ(cells[1].afr_pred.value, 2. / 3);  // cat: 2 of 3
  CellOptions unpaired = paired;
  unpaired.paired = false;
  EXPECT_THAT(class_cells({clean, labels, nullptr}, {shifted, {}, nullptr}, unpaired), IsEmpty());
  cells = class_cells({clean, {}, nullptr}, {shifted, labels, nullptr}, unpaired);
  EXPECT_EQ(cells[0].accuracy.value, .5);
  EXPECT_FALSE(cells[0].afr_pred.value || cells[0].source_accuracy.value);
}

TEST(GroupCells, HoldTheAttributeAndItsCrossingWithTheClass) {
  // place a: rows 0 1 4 5, 3 right; b: rows 2 3 6 7, 1 right.
  // cat/a 2 of 2, cat/b 0 of 2, dog/a 1 of 2, dog/b 1 of 2.
  auto cells = group_cells({clean, labels, &places}, {shifted, labels, &places}, paired);
  std::vector<std::string> names;
  for (const tasks::AssessCell& cell : cells) names.push_back(cell.group + "=" + cell.name);
  EXPECT_THAT(names, ElementsAre("class / place=cat / b", "place=b", "class / place=dog / a",
                                 "class / place=dog / b", "place=a", "class / place=cat / a"));
  EXPECT_EQ(cells[0].accuracy.value, 0.);
  EXPECT_EQ(cells[0].source_accuracy.value, .5);
  EXPECT_EQ(cells[1].accuracy.value, .25);
  EXPECT_EQ(cells[4].accuracy.value, .75);
  cells = group_cells({clean, {}, &places}, {shifted, {}, &places}, paired);  // agreement alone
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(cells[0].name, "b");  // rows 2 3 6 7: 2 stay; a: 3 stay
  EXPECT_EQ(cells[0].afr_pred.value, .5);
  EXPECT_EQ(cells[1].afr_pred.value, .75);
}

TEST(GroupCells, MatchLevelsOfTheSourceByName) {
  // The source knows the levels b and c: its b counts, its c does not.
  const std::vector<GroupColumn> other{{"place", {"b", "c"}, {0, 0, 0, 0, 1, 1, 1, 1}}};
  const auto cells =
      group_cells({clean, labels, &other}, {shifted, labels, &places}, {false, .95, {"cat", "dog"}});
  for (const tasks::AssessCell& cell : cells) {
    if (cell.group != "place") continue;
    EXPECT_EQ(cell.source_n, cell.name == "b" ? 4u : 0u);
    EXPECT_EQ(cell.source_accuracy.value, cell.name == "b" ? std::optional(.75) : std::nullopt);
  }
}

}  // namespace leeway::assess::parts_test

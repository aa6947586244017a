#include "leeway/agreement/pair_evidence.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "leeway/core/random.h"

namespace leeway::agreement::pair_evidence_test {

using ::testing::HasSubstr;
using Labels = std::vector<std::int64_t>;
using Classes = std::vector<std::int32_t>;

struct Set {
  Labels labels;
  Classes classes;
  std::vector<std::string> ids;
};

// Labels of k classes, sorted or in no order, and predictions that are right with probability .8.
Set made(std::size_t n, std::size_t k, bool sorted, std::uint64_t seed) {
  Set set;
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!sorted) shuffle(order, seed, stream("order"));
  for (const std::size_t place : order) set.labels.push_back(static_cast<std::int64_t>(place * k / n));
  for (std::size_t i = 0; i < n; ++i) {
    Random random(seed, stream("predictions"), i);
    const bool right = random.uniform() < .8;
    set.classes.push_back(right ? static_cast<std::int32_t>(set.labels[i])
                                : static_cast<std::int32_t>(random.below(k)));
  }
  return set;
}

// The same rows after a shift that changes one prediction in ten.
Set shifted(Set set, std::size_t k, std::uint64_t seed) {
  for (std::size_t i = 0; i < set.classes.size(); ++i) {
    Random random(seed, stream("shift"), i);
    if (random.uniform() < .1) set.classes[i] = static_cast<std::int32_t>(random.below(k));
  }
  return set;
}

PairEvidence evidence(const Set& a, const Set& b, std::size_t k, bool first_labels = true,
                      bool second_labels = true) {
  RowsSaid one{a.labels, a.ids, a.classes, k}, two{b.labels, b.ids, b.classes, k};
  if (!first_labels) one.labels = {};
  if (!second_labels) two.labels = {};
  return pair_evidence(one, two);
}

// Every sequence with the same transitions between runs and the same lengths of each label's runs, counted.
std::size_t sequences_alike(const Labels& labels) {
  using MakeUp = std::pair<std::map<std::pair<std::int64_t, std::int64_t>, int>,
                           std::multiset<std::pair<std::int64_t, int>>>;
  const auto make_up = [](const Labels& sequence) {
    MakeUp found;
    int length = 1;
    for (std::size_t i = 1; i <= sequence.size(); ++i) {
      if (i < sequence.size() && sequence[i] == sequence[i - 1]) {
        ++length;
        continue;
      }
      found.second.insert({sequence[i - 1], length});
      if (i < sequence.size()) ++found.first[{sequence[i - 1], sequence[i]}];
      length = 1;
    }
    return found;
  };
  const MakeUp wanted = make_up(labels);
  Labels order = labels;
  std::ranges::sort(order);
  std::size_t count = 0;
  do count += make_up(order) == wanted;
  while (std::ranges::next_permutation(order).found);
  return count;
}

TEST(LogChanceOfLabels, IsNeverLessThanThatOfASequenceAmongThoseOfItsMakeUp) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Labels labels(8);
    for (std::size_t i = 0; i < labels.size(); ++i)
      labels[i] = static_cast<std::int64_t>(Random(seed, stream("labels"), i).below(3));
    EXPECT_GE(log_chance_of_labels(labels), -std::log(static_cast<double>(sequences_alike(labels))) - 1e-9);
    EXPECT_LE(log_chance_of_labels(labels), 0);
  }
}

// a b a c a b a: of a the followers b, c, b but the last one, b, may change places: 2 orders; the runs have length 1.
TEST(LogChanceOfLabels, ByHand) {
  EXPECT_NEAR(log_chance_of_labels(Labels{0, 1, 0, 2, 0, 1, 0}), -std::log(3),
              1e-12);  // the end's own are all free
  EXPECT_NEAR(log_chance_of_labels(Labels{0, 1, 0, 2, 0, 1, 0, 3}), -std::log(3), 1e-12);
  // Runs of label 1 between the ends: lengths 2 and 1.
  EXPECT_NEAR(log_chance_of_labels(Labels{0, 1, 1, 0, 1, 0}), -std::log(2), 1e-12);
}

TEST(LogChanceOfLabels, SaysNothingOfOrdersThatSortingOrTurnsMake) {
  EXPECT_EQ(log_chance_of_labels(Labels(1000, 3)), 0);
  EXPECT_EQ(log_chance_of_labels(made(1000, 10, true, 1).labels), 0);
  Labels turns(1000);
  for (std::size_t i = 0; i < turns.size(); ++i) turns[i] = static_cast<std::int64_t>(i % 10);
  EXPECT_NEAR(log_chance_of_labels(turns), 0, 1e-9);
  Labels twice = made(500, 10, true, 1).labels;  // sorted within each half
  twice.insert(twice.end(), twice.begin(), twice.end());
  EXPECT_NEAR(log_chance_of_labels(twice), 0, 1e-9);
  EXPECT_LT(log_chance_of_labels(made(1000, 10, false, 1).labels), -1500);
  EXPECT_LT(log_chance_of_labels(made(100, 2, false, 1).labels), std::log(1e-6));
  EXPECT_EQ(log_chance_of_labels(Labels{}), 0);
}

TEST(PairEvidence, EqualLabelsInNoOrderAreEvidenceAndOthersAreNone) {
  const Set source = made(1000, 10, false, 1), other = made(1000, 10, false, 2);
  EXPECT_EQ(evidence(source, shifted(source, 10, 1), 10).by, EvidenceBy::labels);
  const PairEvidence different = evidence(source, other, 10);
  EXPECT_FALSE(different.pairs());
  EXPECT_TRUE(different.different);
  EXPECT_GT(different.differing_labels, 800u);
}

TEST(PairEvidence, SetsSortedByClassAreNoPairsForTheirLabels) {
  for (const std::size_t k : {2u, 10u, 100u})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Set source = made(2000, k, true, seed), other = made(2000, k, true, 100 + seed);
      ASSERT_EQ(source.labels, other.labels);
      EXPECT_FALSE(evidence(source, other, k).pairs()) << k;
      EXPECT_FALSE(evidence(source, other, k, true, false).pairs()) << k;
      EXPECT_FALSE(evidence(source, other, k, false, false).pairs()) << k;
      EXPECT_FALSE(evidence(source, other, k).different);
    }
}

TEST(PairEvidence, SortedPairsAreFoundByTheRowsThatAreWrongAlike) {
  const Set source = made(4000, 10, true, 1);
  for (const bool first : {false, true})
    for (const bool second : {false, true}) {
      const PairEvidence found = evidence(source, shifted(source, 10, 1), 10, first, second);
      EXPECT_EQ(found.by, EvidenceBy::agreement) << found.reason;
      EXPECT_LT(found.chance, most_chance);
    }
}

TEST(PairEvidence, AgreementInNoOrderNeedsNoLabels) {
  for (const std::size_t k : {2u, 10u, 100u}) {
    const Set source = made(2000, k, false, 1);
    EXPECT_EQ(evidence(source, shifted(source, k, 1), k, false, false).by, EvidenceBy::agreement) << k;
    EXPECT_EQ(evidence(source, shifted(source, k, 1), k, true, false).by, EvidenceBy::agreement) << k;
  }
}

// Unrelated sets of every make-up: the sign test must keep its level, and does so for p as for any other.
TEST(PairEvidence, UnrelatedSetsReachALowChanceAsSeldomAsItSays) {
  std::size_t below = 0, all = 0;
  for (const bool sorted : {false, true})
    for (const bool labelled : {false, true})
      for (std::uint64_t seed = 0; seed < 250; ++seed, ++all) {
        const Set source = made(300, 3, sorted, seed), other = made(300, 3, sorted, 1000 + seed);
        below += evidence(source, other, 3, labelled, false).chance <= .05;
      }
  EXPECT_LE(below, all * 7 / 100);
}

TEST(PairEvidence, AConstantClassifierShowsNothing) {
  Set source = made(500, 4, true, 1);
  std::ranges::fill(source.classes, 2);
  const PairEvidence found = evidence(source, source, 4);
  EXPECT_FALSE(found.pairs());
  EXPECT_EQ(found.chance, 1);
  EXPECT_FALSE(found.decidable);
}

TEST(PairEvidence, IdsDecideWhereTheyNameRows) {
  Set source = made(50, 2, true, 1);
  for (std::size_t i = 0; i < 50; ++i) source.ids.push_back("image-" + std::to_string(i * i));
  EXPECT_EQ(evidence(source, source, 2).by, EvidenceBy::ids);
  Set turned = source;
  std::ranges::reverse(turned.ids);
  const PairEvidence found = evidence(source, turned, 2);
  EXPECT_TRUE(found.different);
  EXPECT_THAT(found.reason, HasSubstr("50 of 50 ids differ: the same rows in another order"));
  Set renamed = source;
  for (std::string& id : renamed.ids) id = "blurred-" + id;
  EXPECT_FALSE(evidence(source, renamed, 2).different);
}

TEST(PairEvidence, IdsThatCountRowsOrRepeatShowNothing) {
  Set source = made(50, 2, true, 1);
  for (std::size_t i = 0; i < 50; ++i) source.ids.push_back(std::to_string(100 + i));
  EXPECT_FALSE(evidence(source, source, 2).pairs());
  for (std::string& id : source.ids) id = "patient";
  EXPECT_FALSE(evidence(source, source, 2).pairs());
}

TEST(FirstPredictions, AreThoseOfTheJoinedRowsAndTakeTheLowestOfEquals) {
  const Array a = make_array<float>({2, 3}, {1, 2, 2, 0, -1, 0}), b = make_array<float>({1, 3}, {0, 0, 4});
  EXPECT_EQ(first_predictions(Rows(std::vector<Array>{a, b})), (Classes{1, 0, 2}));
  EXPECT_EQ(first_predictions(Rows(make_array<double>({20'000, 2}, std::vector<double>(40'000)))).size(),
            16'384u);
}

}  // namespace leeway::agreement::pair_evidence_test

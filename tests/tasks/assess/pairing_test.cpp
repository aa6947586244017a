#include "leeway/tasks/assess/detail/pairing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leeway/core/error.h"
#include "leeway/core/random.h"
#include "leeway/tasks/assess/detail/predictions.h"
#include "tests/tasks/assess/made_outputs.h"

namespace leeway::assess {
namespace {

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

Outputs classifier(std::uint64_t seed) { return outputs_of(drawn(1000, seed), 10); }

TEST(Pair, AutomaticNeedsEqualLengths) {
  const Pairing pairing = pair(three, four, Paired::automatic);
  EXPECT_FALSE(pairing.paired);
  EXPECT_EQ(pairing.reason, "source and target are different samples: 3 rows and 4");
}

TEST(Pair, UnrelatedSetsOfEqualLengthAreNoPairs) {
  const Pairing pairing = pair(classifier(1), classifier(2), Paired::automatic);
  EXPECT_FALSE(pairing.paired);
  EXPECT_TRUE(pairing.doubted);
  EXPECT_THAT(pairing.reason,
              ::testing::StartsWith("nothing shows that row i of the target is row i of the source: "
                                    "predictions agree in place no more than chance"));
}

TEST(Pair, AutomaticTakesAgreementBeyondChanceButAssertsNothing) {
  const Pairing pairing = pair(classifier(1), classifier(1), Paired::automatic);
  EXPECT_TRUE(pairing.paired);
  EXPECT_FALSE(pairing.asserted);
}

TEST(Pair, AutomaticAssertsPairsOfEqualLabelsOrIds) {
  const std::vector<int> classes = drawn(60, 1);
  const std::vector<std::int64_t> labels(classes.begin(), classes.end());
  const Outputs source = labelled(outputs_of(std::vector<int>(60, 1), 10), labels);
  EXPECT_TRUE(pair(source, source, Paired::automatic).asserted);
  Outputs named = three;
  named.ids = {"a", "c", "b"};
  EXPECT_TRUE(pair(named, named, Paired::automatic).asserted);
}

TEST(Pair, AutomaticNeedsEqualLabelsWhereBothHaveThem) {
  const Outputs a = labelled(three, {0, 1, 0}), b = labelled(three, {0, 1, 1});
  EXPECT_EQ(pair(a, b, Paired::automatic).reason,
            "source and target are different samples: 1 of 3 labels differ");
  EXPECT_FALSE(pair(a, a, Paired::automatic).paired);  // one order in three
}

TEST(Pair, YesIsBelievedButForTheLength) {
  const Pairing pairing = pair(labelled(three, {0, 1, 0}), labelled(three, {1, 1, 1}), Paired::yes);
  EXPECT_TRUE(pairing.paired);
  EXPECT_EQ(pairing.evidence.differing_labels, 2u);
  EXPECT_TRUE(pairing.asserted);
  try {
    (void)pair(called(three, "s.npz"), called(four, "t.npz"), Paired::yes);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "t.npz: expected 3 rows, one for each of s.npz with which it is said to be paired, found 4");
  }
}

TEST(Pair, NoIsBelieved) {
  EXPECT_FALSE(pair(three, three, Paired::no).paired);
  EXPECT_FALSE(pair(classifier(1), classifier(1), Paired::no).paired);
  EXPECT_FALSE(pair(three, three, Paired::no).doubted);
  EXPECT_EQ(pair(three, three, Paired::no).reason, "source and target were said to be different samples");
}

TEST(Pair, LabelsAndGroupsHoldForTheOtherSideOnlyWhereThePairsAreAsserted) {
  Outputs source = labelled(three, {0, 1, 0});
  source.groups = {{"place", {"a", "b"}, {0, 1, 0}}};
  const Pairing chance = pair(source, three, Paired::automatic), said = pair(source, three, Paired::yes);
  EXPECT_TRUE(labels_of(three, source, chance).empty());
  EXPECT_EQ(labels_of(three, source, said).size(), 3u);
  EXPECT_TRUE(groups_of(three, source, chance).empty());
  EXPECT_EQ(groups_of(three, source, said).size(), 1u);
  EXPECT_EQ(labels_of(source, three, chance).size(), 3u);
}

TEST(SameLogits, ComparesBits) {
  EXPECT_TRUE(same_logits(three.logits, outputs_of({0, 1, 0}, 2).logits));
  EXPECT_FALSE(same_logits(three.logits, outputs_of({0, 1, 1}, 2).logits));
  EXPECT_FALSE(same_logits(three.logits, four.logits));
}

}  // namespace
}  // namespace leeway::assess

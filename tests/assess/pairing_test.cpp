#include "leeway/assess/pairing.h"

#include <gtest/gtest.h>

#include "leeway/core/error.h"
#include "tests/assess/made_outputs.h"

namespace leeway::assess {
namespace {

const Outputs three = outputs_of({0, 1, 0}, 2), four = outputs_of({0, 1, 0, 1}, 2);

TEST(Pair, AutomaticNeedsEqualLengths) {
  EXPECT_TRUE(pair(three, three, Paired::automatic).paired);
  const Pairing pairing = pair(three, four, Paired::automatic);
  EXPECT_FALSE(pairing.paired);
  EXPECT_EQ(pairing.reason, "source and target are different samples: 3 rows and 4");
}

TEST(Pair, AutomaticNeedsEqualLabelsWhereBothHaveThem) {
  const Outputs a = labelled(three, {0, 1, 0}), b = labelled(three, {0, 1, 1});
  EXPECT_EQ(pair(a, b, Paired::automatic).reason,
            "source and target are different samples: 1 of 3 labels differ");
  EXPECT_TRUE(pair(a, a, Paired::automatic).asserted);
  EXPECT_TRUE(pair(a, three, Paired::automatic).paired);
  EXPECT_FALSE(pair(a, three, Paired::automatic).asserted);
}

TEST(Pair, YesIsBelievedButForTheLength) {
  const Pairing pairing = pair(labelled(three, {0, 1, 0}), labelled(three, {1, 1, 1}), Paired::yes);
  EXPECT_TRUE(pairing.paired);
  EXPECT_EQ(pairing.differing_labels, 2u);
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

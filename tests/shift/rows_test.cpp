// Shifts that select rows, by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/shift/pictures.h"

namespace leeway::shift {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::map<std::int64_t, std::size_t> counts(const Shifted& shifted) {
  std::map<std::int64_t, std::size_t> all;
  for (const auto label : *shifted.images.labels) ++all[label];
  return all;
}

// 300 rows, 100 a class. At rho = .04 the shares are 1, .2, .04.
TEST(Imbalance, SharesFallAlongTheOrder) {
  const Images images = random_images(300, 1, 1, 1);
  EXPECT_THAT(counts(apply("imbalance", images, .04)), ElementsAre(Pair(0, 100u), Pair(1, 20u), Pair(2, 4u)));
  EXPECT_THAT(counts(apply("imbalance", images, .04, 0, {1, 2, 0})),
              ElementsAre(Pair(0, 4u), Pair(1, 100u), Pair(2, 20u)));
  EXPECT_THAT(counts(apply("imbalance", images, 1e-6)), ElementsAre(Pair(0, 100u), Pair(1, 1u), Pair(2, 1u)));
}

TEST(Imbalance, ChoiceDependsOnTheSeedAndNests) {
  const Images images = random_images(300, 1, 1, 1);
  const auto wide = apply("imbalance", images, .5, 3).rows, narrow = apply("imbalance", images, .1, 3).rows;
  EXPECT_LT(narrow.size(), wide.size());
  EXPECT_TRUE(std::includes(wide.begin(), wide.end(), narrow.begin(), narrow.end()));
  EXPECT_NE(wide, apply("imbalance", images, .5, 4).rows);
}

TEST(Imbalance, OfOneClassKeepsAll) {
  const Images images = make_images({4, 1, 1, 1}, {0, 0, 0, 0}, {5, 5, 5, 5});
  EXPECT_EQ(apply("imbalance", images, .1).rows.size(), 4u);
}

TEST(LabelSubset, KeepsTheClassesNamed) {
  const Images images = make_images({5, 1, 1, 1}, {.1f, .2f, .3f, .4f, .5f}, {7, 0, 3, 7, 0});
  const Shifted kept = apply("label-subset", images, 0, 0, {3, 7});
  EXPECT_THAT(kept.rows, ElementsAre(0u, 2u, 3u));
  EXPECT_THAT(*kept.images.labels, ElementsAre(7, 3, 7));
  EXPECT_THAT(floats(kept.images), ElementsAre(.1f, .3f, .4f));
}

TEST(RowShifts, Errors) {
  const Images images = make_images({3, 1, 1, 1}, {0, 0, 0}, {0, 1, 2});
  Images unlabelled = images;
  unlabelled.labels.reset();
  const auto error = [](std::string_view name, const Images& set, std::vector<std::int64_t> classes) {
    return message_of([&] { (void)apply(name, set, member(name).strength().value, 0, classes); });
  };
  EXPECT_EQ(error("label-subset", images, {}),
            "shift label-subset: expected the classes to keep, found none");
  EXPECT_EQ(error("label-subset", images, {0, 5}),
            "set.npz: shift label-subset: expected classes that occur, found 5, which is in no row");
  EXPECT_EQ(error("label-subset", images, {1, 1}),
            "shift label-subset: expected every class once, found 1 twice");
  EXPECT_EQ(error("label-subset", unlabelled, {1}),
            "set.npz: shift label-subset: expected labels (`y`), found none");
  EXPECT_EQ(error("imbalance", unlabelled, {}),
            "set.npz: shift imbalance: expected labels (`y`), found none");
  EXPECT_EQ(error("imbalance", images, {2, 0}),
            "set.npz: shift imbalance: expected an order of all classes, found none for class 1");
  EXPECT_THAT(error("imbalance", images, {0, 1, 2, 5}), testing::HasSubstr("found 5, which is in no row"));
  EXPECT_THAT(error("imbalance", images, {0, 1, 1, 2}), testing::HasSubstr("found 1 twice"));
}

}  // namespace
}  // namespace leeway::shift

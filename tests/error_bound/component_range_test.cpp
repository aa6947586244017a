// Dis2 over a range of principal components, and what is chosen of it.
#include "leeway/error_bound/component_range.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "leeway/core/random.h"
#include "tests/error_bound/samples.h"
#include "tests/message_of.h"

namespace leeway::error_bound {
namespace {

// Two classes along column 0 alone, which has the least variance of d; the target lies
// elsewhere along column 1.
Sample featured(const char* name, std::size_t n, std::size_t d, bool target, std::uint64_t number) {
  Random random(3, stream("component range"), number);
  std::vector<double> logits, features;
  for (std::size_t i = 0; i < n; ++i) {
    const double u = random.normal();
    logits.insert(logits.end(), {0, 3 * u});
    features.push_back(u);
    for (std::size_t j = 1; j < d; ++j)
      features.push_back((2 + double(j)) * (random.normal() + (target && j == 1 ? 3 : 0)));
  }
  Sample sample = sample_of(2, std::move(logits), std::vector<std::int64_t>(n, 0), name);
  sample.features = make_array<double>({n, d}, std::move(features));
  return sample;
}

TEST(ComponentRange, FractionsOfThePaperWithoutFewerThanFour) {
  using List = std::vector<std::size_t>;
  EXPECT_EQ(fractions_of(3), List{});
  EXPECT_EQ(fractions_of(4), List{1});
  EXPECT_EQ(fractions_of(15), List{1});
  EXPECT_EQ(fractions_of(16), (List{1, 4}));
  EXPECT_EQ(fractions_of(511), (List{1, 4, 16, 32, 64}));
  EXPECT_EQ(fractions_of(2048), (List{1, 4, 16, 32, 64, 128}));
}

// Bounds .9, .6, .4, .4, .2 of which some are kept.
TEST(ComponentRange, TheLeastBoundOfThoseKeptIsChosen) {
  const auto chosen = [](std::vector<bool> kept) {
    const double values[] = {.9, .6, .4, .4, .2};
    std::vector<ComponentBound> bounds(5);
    for (std::size_t i = 0; i < 5; ++i) bounds[i].dis2.bound = values[i], bounds[i].kept = kept[i];
    return least_kept(bounds);
  };
  EXPECT_EQ(chosen({true, true, true, true, true}), 4u);
  EXPECT_EQ(chosen({true, true, true, true, false}), 2u);  // tied with the next
  EXPECT_EQ(chosen({false, true, false, true, false}), 3u);
  EXPECT_EQ(chosen({false, true, false, false, false}), 1u);
  EXPECT_EQ(chosen({true, false, false, false, false}), 0u);
  EXPECT_EQ(chosen({false, false, false, false, false}), 0u);  // all components
}

class Range : public testing::Test {
 protected:
  Sample source_ = featured("s", 800, 64, false, 1), target_ = featured("t", 600, 64, true, 2);
  Dis2Options options_ = [] {
    Dis2Options options;
    options.restarts = 3;  // each of the two classes alone among them
    return options;
  }();
};

TEST_F(Range, EachIsDis2AtItsShareOfDelta) {
  const ComponentRange range = dis2_over_components(source_, target_, options_);
  ASSERT_EQ(range.bounds.size(), 3u);  // 64, 16, 4
  Dis2Options one = options_;
  one.delta = .01 / 3;
  for (const ComponentBound& bound : range.bounds) {
    one.representation = {Representation::Kind::pca, bound.components, 0};
    const Dis2 alone = dis2_bound(source_, target_, one);
    EXPECT_EQ(bound.dis2.bound, alone.bound);
    EXPECT_EQ(bound.dis2.restarts, alone.restarts);
    EXPECT_EQ(bound.dis2.concentration, hoeffding_term(400, 300, .01 / 3));
  }
}

TEST_F(Range, KeepsWhatReachesTheScore) {
  const ComponentRange all = dis2_over_components(source_, target_, options_, 0);
  const double threshold = all.bounds[1].validity_score;
  const ComponentRange range = dis2_over_components(source_, target_, options_, threshold);
  for (std::size_t i = 0; i < range.bounds.size(); ++i) {
    EXPECT_TRUE(all.bounds[i].kept);
    EXPECT_EQ(range.bounds[i].kept, all.bounds[i].validity_score >= threshold);
  }
  EXPECT_EQ(all.chosen, least_kept(all.bounds));
  EXPECT_EQ(range.chosen, least_kept(range.bounds));
  options_.search = Search::reference;  // the score is this recipe's in any case
  const ComponentRange recipe = dis2_over_components(source_, target_, options_);
  EXPECT_EQ(*recipe.best().dis2.validity_score, recipe.best().validity_score);
}

// The four leading components do not hold what the classifier looks at: no critic can agree with it on the source, so
// the discrepancy falls, and the score with it.
TEST_F(Range, TooFewComponentsLowerDiscrepancyAndScore) {
  source_ = featured("s", 1600, 64, false, 1), target_ = featured("t", 1200, 64, true, 2);
  const ComponentRange range = dis2_over_components(source_, target_, options_);
  const ComponentBound &all = range.bounds.front(), &few = range.bounds.back();
  EXPECT_LT(few.dis2.discrepancy, all.dis2.discrepancy - .1);
  EXPECT_LT(few.validity_score, all.validity_score - .1);
}

TEST_F(Range, BadInputIsOneLine) {
  const auto message = [&](double least) {
    return message_of([&] { (void)dis2_over_components(source_, target_, options_, least); });
  };
  EXPECT_EQ(message(1.5), "validity: expected a score from 0 to 1, found 1.5");
  EXPECT_EQ(message(std::nan("")), "validity: expected a score from 0 to 1, found nan");
  target_.features.reset();
  EXPECT_EQ(message(.5), "t: expected features, which the critics were asked to use, found none");
  source_ = featured("s", 20, 3, false, 1);
  EXPECT_EQ(message(.5), "s: expected at least 4 features for a range, found 3");
  source_.features.reset();
  EXPECT_EQ(message(.5), "s: expected features, which the critics were asked to use, found none");
}

}  // namespace
}  // namespace leeway::error_bound

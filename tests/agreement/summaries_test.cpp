#include "leeway/agreement/summaries.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "leeway/agreement/agreement.h"
#include "tests/agreement/cases.h"
#include "tests/at_threads.h"
#include "tests/message_of.h"

namespace leeway::agreement::summaries_test {

constexpr double infinity = std::numeric_limits<double>::infinity();

const double three_quarters = .75 * std::log2(4. / 3) + .25 * 2;  // entropy of (3/4, 1/4)

// p of the higher logit is 3/4 at beta = log 3.
TEST(Entropy, SortedRowsAreAlignedPlainOnesCancel) {
  const Pair pair = {2, 2, {1, 0, 0, 1}, {0, 0, 0, 2}};
  const double betas[] = {std::log(3)};
  const Entropies found = entropies(clean_array(pair), shifted_array(pair), {}, betas);
  EXPECT_EQ(found.samples, 2);
  EXPECT_FALSE(found.right_only);
  ASSERT_EQ(found.at.size(), 1);
  EXPECT_NEAR(found.at[0].clean, three_quarters, 1e-14);
  EXPECT_NEAR(found.at[0].clean_plain, 1, 1e-14);
  // Rows (1/2, 1/2) and (1/10, 9/10): sorted (.7, .3), plain (.3, .7).
  const double h = -.7 * std::log2(.7) - .3 * std::log2(.3);
  EXPECT_NEAR(found.at[0].shifted, h, 1e-14);
  EXPECT_NEAR(found.at[0].shifted_plain, h, 1e-14);
}

// At infinity tied tops share a row: (1,0,0), (0,1/2,1/2), sorted and averaged (3/4, 1/4, 0).
TEST(Entropy, AtInfinityTheTopsShare) {
  const Pair pair = {2, 3, {5, 1, 1, 0, 2, 2}, {1, 0, 0, 0, 1, 0}};
  const double betas[] = {0, infinity};
  const Entropies found = entropies(clean_array(pair), shifted_array(pair), {}, betas);
  EXPECT_NEAR(found.at[0].clean, std::log2(3), 1e-14);
  EXPECT_NEAR(found.at[1].clean, three_quarters, 1e-14);
  EXPECT_NEAR(found.at[1].clean_plain, 1.5, 1e-14);  // (1/2, 1/4, 1/4)
  EXPECT_EQ(found.at[1].shifted, 0);
  EXPECT_NEAR(found.at[1].shifted_plain, 1, 1e-14);
}

TEST(Entropy, OnlyTheSamplesThatAreRightBeforeTheShift) {
  const Pair pair = {3, 2, {1, 0, 1, 0, 0, 9}, {0, 1, 3, 3, 7, 7}};
  const std::vector<std::int64_t> labels = {0, 1, 0}, wrong = {1, 1, 0};
  const double betas[] = {std::log(3)};
  const Entropies found = entropies(clean_array(pair), shifted_array(pair), labels, betas);
  EXPECT_EQ(found.samples, 1);
  EXPECT_TRUE(found.right_only);
  EXPECT_NEAR(found.at[0].clean, three_quarters, 1e-14);
  EXPECT_NEAR(found.at[0].shifted, three_quarters, 1e-14);  // wrong after the shift: counted all the same
  const Entropies none = entropies(clean_array(pair), shifted_array(pair), wrong, betas);
  EXPECT_EQ(none.samples, 0);
  EXPECT_TRUE(std::isnan(none.at[0].clean) && std::isnan(none.at[0].shifted_plain));
}

TEST(Summaries, ThreadsAndStorageChangeNothing) {
  const Pair pair = in_single(gaussian(9001, 5, 1, 4)), wide = [&] {
    Pair copy = pair;
    copy.single = false;
    return copy;
  }();
  std::vector<std::int64_t> labels(pair.n, 1);
  const double betas[] = {1, 2.5};
  const auto summaries = [&](const Pair& used) {
    std::vector<double> values;
    for (const auto& at : entropies(clean_array(used), shifted_array(used), labels, betas).at)
      values.insert(values.end(), {at.clean, at.shifted, at.clean_plain, at.shifted_plain});
    const Confidences sure = confidences(clean_array(used), shifted_array(used), labels, betas);
    for (const auto* part : {&*sure.clean_right, &sure.moved})
      for (const auto& at : part->at) values.insert(values.end(), {at.mean, at.standard_error});
    return values;
  };
  const auto one = at_threads(1, [&] { return summaries(pair); });
  EXPECT_EQ(one, at_threads(3, [&] { return summaries(pair); }));
  EXPECT_EQ(one, at_threads(3, [&] { return summaries(wide); }));
}

TEST(Summaries, BadArguments) {
  const Pair pair = gaussian(4, 3, 1, 1), wider = gaussian(4, 2, 1, 1);
  const double one[] = {1}, negative[] = {-1};
  const std::vector<std::int64_t> labels = {0, 1};
  const Array clean = clean_array(pair), shifted = shifted_array(pair);
  EXPECT_REFUSED(entropies(clean, shifted_array(wider), {}, one), "entropies: shifted: ... found (4, 2)");
  EXPECT_REFUSED(entropies(clean, shifted, labels, one), "entropies: labels: expected 4 labels, found 2");
  EXPECT_REFUSED(confidences(clean, shifted, {}, negative), "confidences: beta: expected at ... found -1");
  Pair broken = pair;
  broken.shifted[4] = std::nan("");
  EXPECT_REFUSED(confidences(clean, shifted_array(broken), {}, one),
                 "shifted: expected finite logits below 1e+140, found nan at row 1, column 1");
}

// Clean confidences of the class on top at beta = log 3: 3/4, 3/4, 9/10; shifted, where it moved: 9/10, 3/4.
TEST(Confidence, ByHand) {
  const Pair pair = {4, 2, {1, 0, 0, 1, 2, 0, 1, 0}, {0, 2, 0, 1, 2, 0, 0, 1}};
  const std::vector<std::int64_t> labels = {0, 1, 0, 1};  // the last one is wrong before the shift, and moves
  const double betas[] = {std::log(3)};
  const Confidences found = confidences(clean_array(pair), shifted_array(pair), labels, betas);
  ASSERT_TRUE(found.clean_right);
  EXPECT_EQ(found.clean_right->n, 3);
  EXPECT_NEAR(found.clean_right->at[0].mean, .8, 1e-15);
  EXPECT_NEAR(found.clean_right->at[0].standard_error, .05, 1e-15);  // s^2 = (.0025 + .0025 + .01) / 2
  EXPECT_EQ(found.moved.n, 2);
  EXPECT_NEAR(found.moved.at[0].mean, .825, 1e-15);
  EXPECT_NEAR(found.moved.at[0].standard_error, .075, 1e-15);
  EXPECT_FALSE(confidences(clean_array(pair), shifted_array(pair), {}, betas).clean_right);
}

TEST(Confidence, OfNoneAndOfOne) {
  const Pair still = {1, 2, {1, 0}, {2, 0}}, moved = {1, 3, {1, 0, 0}, {0, 2, 2}};
  const double betas[] = {infinity};
  const ConfidenceSummary none = confidences(clean_array(still), shifted_array(still), {}, betas).moved;
  EXPECT_EQ(none.n, 0);
  EXPECT_TRUE(std::isnan(none.at[0].mean));
  const ConfidenceSummary one = confidences(clean_array(moved), shifted_array(moved), {}, betas).moved;
  EXPECT_EQ(one.n, 1);
  EXPECT_EQ(one.at[0].mean, .5);  // two tied tops
  EXPECT_TRUE(std::isnan(one.at[0].standard_error));
}

// Two pairs at beta = log 3: (3/4, 1/4) twice agrees by 10/16, against (1/4, 3/4) by 6/16.
TEST(FixedBeta, ByHand) {
  const Pair pair = {2, 2, {1, 0, 1, 0}, {1, 0, 0, 1}};
  const std::vector<std::int64_t> labels = {0, 0};
  const Agreement at = agreement_at(clean_array(pair), shifted_array(pair), std::log(3), labels);
  const double high = std::log(10. / 16), low = std::log(6. / 16), mean = (high + low) / 2;
  EXPECT_FALSE(at.fitted);
  EXPECT_FALSE(at.converged);
  EXPECT_TRUE(std::isnan(at.gap));
  EXPECT_EQ(at.beta, std::log(3));
  EXPECT_EQ(at.evaluations, 1);
  EXPECT_NEAR(at.value, mean, 1e-15);
  EXPECT_NEAR(at.log_pa_sum, 2 * mean, 1e-15);
  EXPECT_NEAR(at.pa, std::log(2) + mean, 1e-15);  // negative: this beta is worse than 0
  EXPECT_LT(at.pa, 0);
  EXPECT_NEAR(at.pa_normalized, at.pa / std::log(2), 1e-15);
  EXPECT_LT(at.pa_interval.low, at.pa);
  EXPECT_GT(at.pa_interval.high, at.pa);
  EXPECT_EQ(at.afr_pred, .5);
  EXPECT_EQ(at.afr_true, .5);
  EXPECT_EQ(at.attack_success, .5);
  ASSERT_EQ(at.curve.size(), 1);
  EXPECT_EQ(at.curve[0].beta, std::log(3));
}

// At the best beta it says what the search says, but that each end of the search's interval has a best beta of its own.
TEST(FixedBeta, AtTheMaximumEqualsTheMaximum) {
  const Pair pair = gaussian(3000, 6, 1, 5);
  const Agreement best = posterior_agreement(clean_array(pair), shifted_array(pair));
  const Agreement at = agreement_at(clean_array(pair), shifted_array(pair), best.beta);
  EXPECT_NEAR(at.pa, best.pa, 1e-12);
  EXPECT_NEAR(at.pa_interval.low, best.pa_interval.low, .001);
  EXPECT_NEAR(at.pa_interval.high, best.pa_interval.high, .001);
  EXPECT_EQ(at.afr_pred, best.afr_pred);
  EXPECT_EQ(at.afr_pred_interval.low, best.afr_pred_interval.low);
  EXPECT_FALSE(at.afr_true);
  for (const double factor : {.5, 2.})
    EXPECT_LT(agreement_at(clean_array(pair), shifted_array(pair), factor * best.beta).pa, best.pa);
}

TEST(FixedBeta, AtInfinityOneMovedPairIsEnough) {
  const Pair agrees = {2, 2, {1, 0, 0, 3}, {2, 0, 0, 1}}, moved = {2, 2, {1, 0, 1, 0}, {1, 0, 0, 1}};
  EXPECT_EQ(agreement_at(clean_array(agrees), shifted_array(agrees), infinity).pa, std::log(2));
  const Agreement lost = agreement_at(clean_array(moved), shifted_array(moved), infinity);
  EXPECT_EQ(lost.pa, -infinity);
  EXPECT_EQ(lost.pa_interval.low, -infinity);
  EXPECT_EQ(lost.pa_interval.high, std::log(2));
}

TEST(FixedBeta, BadArguments) {
  const Pair pair = gaussian(4, 3, 1, 1);
  EXPECT_REFUSED(agreement_at(clean_array(pair), shifted_array(pair), -1),
                 "agreement_at: beta: expected at least 0, found -1");
  Pair broken = pair;
  broken.shifted[4] = infinity;
  Options options;
  options.shifted_name = "s.npy";
  EXPECT_REFUSED(agreement_at(clean_array(pair), shifted_array(broken), 1, {}, options), "s.npy...");
}

// Rows that stay right, change and stay wrong. At beta = log 3, p is 3/4 for a difference of 1, .9 for 2.
TEST(Responses, GroupRowsByWhatBecomesOfThem) {
  const Pair pair = {3, 2, {1, 0, 1, 0, 0, 1}, {1, 0, 0, 2, 0, 1}};
  const std::vector<std::int64_t> labels = {0, 0, 0};
  const Responses found = responses(clean_array(pair), shifted_array(pair), labels, std::log(3), .95, 1);
  EXPECT_NEAR(*found.right->confidence, .75, 1e-14);
  EXPECT_NEAR(*found.wrong->confidence, .75, 1e-14);
  EXPECT_NEAR(*found.moved.confidence, .9, 1e-14);
  EXPECT_EQ(found.moved.by_rank.size(), 1);
  EXPECT_NEAR(found.moved.by_rank[0], .9, 1e-14);
  const Responses none = responses(clean_array(pair), shifted_array(pair), {}, infinity, .95, 9);
  EXPECT_FALSE(none.right || none.wrong);
  EXPECT_EQ(none.moved.n, 1);
  EXPECT_EQ(none.moved.by_rank, (std::vector<double>{1, 0}));
}

// Outputs 3 for the predicted class and 0 for the other two; every pair of a clean and a shifted prediction
// once where they are independent. At beta 1 the posteriors are e^3, 1, 1 over e^3 + 2;
// docs/concepts/agreement.md lists the values.
TEST(Responses, OfPerfectConstantAndRandomClassifiers) {
  struct {
    std::size_t (*clean)(std::size_t), (*shifted)(std::size_t);
    double pa, sure;  // sure: largest posterior at the best beta
    std::size_t right, wrong, moved;
  } const classifiers[] = {
      {[](std::size_t i) { return i / 3; }, [](std::size_t i) { return i / 3; }, std::log(3), 1, 9, 0, 0},
      {[](std::size_t) { return std::size_t{0}; }, [](std::size_t) { return std::size_t{0}; }, std::log(3), 1,
       3, 6, 0},
      {[](std::size_t i) { return i / 3; }, [](std::size_t i) { return i % 3; }, 0, 1. / 3, 3, 0, 6}};
  for (const auto& one : classifiers) {
    Pair pair = {9, 3, std::vector<double>(27), std::vector<double>(27)};
    std::vector<std::int64_t> labels;
    for (std::size_t i = 0; i < 9; ++i) {
      pair.clean[3 * i + one.clean(i)] = pair.shifted[3 * i + one.shifted(i)] = 3;
      labels.push_back(static_cast<std::int64_t>(i / 3));
    }
    const Agreement found = posterior_agreement(clean_array(pair), shifted_array(pair), labels);
    EXPECT_NEAR(found.pa, one.pa, 1e-12);
    const double top = std::exp(3) / (std::exp(3) + 2);
    for (const auto& [beta, largest] : {std::pair(1., top), std::pair(found.beta, one.sure)}) {
      const Responses groups = responses(clean_array(pair), shifted_array(pair), labels, beta);
      for (const auto& [group, n] : {std::pair(*groups.right, one.right), std::pair(*groups.wrong, one.wrong),
                                     std::pair(groups.moved, one.moved)}) {
        EXPECT_EQ(group.n, n);
        if (n == 0) continue;
        EXPECT_NEAR(group.by_rank[0], largest, 1e-3);
        EXPECT_NEAR(group.by_rank[1], (1 - largest) / 2, 1e-3);
      }
    }
  }
}

// Logits times 8 divide beta and its interval by 8; rows given twice narrow it by sqrt(2) in log beta.
TEST(BetaInterval, FollowsTheScaleAndTheNumberOfRows) {
  const Pair pair = gaussian(300, 3, 1, 5);
  Pair scaled = pair, doubled = pair;
  for (auto* values : {&scaled.clean, &scaled.shifted})
    for (double& value : *values) value *= 8;
  doubled.n *= 2;
  for (auto* values : {&doubled.clean, &doubled.shifted}) {
    const std::vector<double> once = *values;
    values->insert(values->end(), once.begin(), once.end());
  }
  const double beta = posterior_agreement(clean_array(pair), shifted_array(pair)).beta;
  const Interval own = beta_interval(clean_array(pair), shifted_array(pair), beta).value();
  EXPECT_NEAR(own.low * own.high, beta * beta, 1e-12 * beta * beta);
  const Interval small = beta_interval(clean_array(scaled), shifted_array(scaled), beta / 8).value();
  EXPECT_NEAR(small.low, own.low / 8, 1e-6 * own.low);
  const Interval narrow = beta_interval(clean_array(doubled), shifted_array(doubled), beta).value();
  EXPECT_NEAR(std::log(narrow.high / beta) * std::sqrt(2), std::log(own.high / beta), 1e-9);
  EXPECT_FALSE(beta_interval(clean_array(pair), clean_array(pair), beta));  // no row changes
  EXPECT_FALSE(beta_interval(clean_array(pair), shifted_array(pair), infinity));
}

}  // namespace leeway::agreement::summaries_test

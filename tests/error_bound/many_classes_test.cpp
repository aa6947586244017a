// The search for critics where classes are many: as good as random neighbours of the classifier, and a bound that holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "leeway/core/random.h"
#include "leeway/error_bound/detail/critic_rows.h"
#include "leeway/error_bound/detail/imitation.h"
#include "leeway/error_bound/dis2.h"

namespace leeway::error_bound {
namespace {

// Normal logits, the true class 2.2 + log(k)/2 - lower above them, times 1.3.
Sample gaussian(std::size_t n, std::size_t k, double lower, std::uint64_t number) {
  Random random(8, stream("many classes"), number);
  std::vector<float> logits(n * k);
  std::vector<std::int64_t> labels(n);
  const double lead = 2.2 + std::log(static_cast<double>(k)) / 2 - lower;
  for (std::size_t i = 0; i < n; ++i) {
    labels[i] = static_cast<std::int64_t>(random.below(k));
    for (std::size_t c = 0; c < k; ++c)
      logits[i * k + c] = static_cast<float>(
          1.3 * (random.normal() + (static_cast<std::int64_t>(c) == labels[i] ? lead : 0)));
  }
  return {"made", make_array<float>({n, k}, std::move(logits)), std::move(labels), std::nullopt};
}

// Logits turned by a reflection, and four columns that say nothing: a linear head gives the logits back.
void add_features(Sample& sample, std::uint64_t number) {
  const std::size_t n = sample.n(), k = sample.k();
  Random random(8, stream("more columns"), number);
  std::vector<float> features(n * (k + 4));
  for (std::size_t i = 0; i < n; ++i) {
    float* row = features.data() + i * (k + 4);
    double mean = 0;
    for (std::size_t c = 0; c < k; ++c) mean += sample.logits.at(i, c) / static_cast<double>(k);
    for (std::size_t c = 0; c < k; ++c) row[c] = static_cast<float>(sample.logits.at(i, c) - 2 * mean);
    for (std::size_t c = k; c < k + 4; ++c) row[c] = static_cast<float>(random.normal());
  }
  sample.features = make_array<float>({n, k + 4}, std::move(features));
}

double error_of(const Sample& sample) {
  const std::vector<std::int32_t> y = predicted_classes(sample.logits, sample.n());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < y.size(); ++i) wrong += y[i] != sample.labels[i];
  return static_cast<double>(wrong) / static_cast<double>(y.size());
}

// Of random neighbours (imitation.h), c from .3 to 1.2, on the rows that the bound is measured on.
double best_neighbour(const Sample& source, const Sample& target, const Dis2Options& options) {
  const CriticData data = critic_data(source, target, options, Scaling::standard);
  const std::vector<float> theta = imitation(data, source, target, options.representation.kind);
  double best = -1;
  for (std::uint64_t number = 0; number < 20; ++number) {
    Random random(9, stream("neighbour"), number);
    const std::vector<float> critic = neighbour(data.training, theta, .3 + .9 * random.uniform(), random);
    best = std::max(best, discrepancy(agreement(*data.holdout.kept, critic), data.holdout));
  }
  return best;
}

TEST(ManyClassesTier2, TheSearchFindsNoLessThanRandomNeighboursOfTheClassifier) {
  Dis2Options options;
  options.restarts = 2;
  for (const auto& [k, n] : {std::pair(30u, 2000u), {100u, 2000u}}) {
    const Sample source = gaussian(n, k, 0, k + n), target = gaussian(n, k, .8, k + n + 1);
    const Dis2 found = dis2_bound(source, target, options);
    EXPECT_GE(found.discrepancy, best_neighbour(source, target, options)) << k << ' ' << n;
    // Nothing but the largest logit tells the sets apart, and its mean lies .8 deviations lower: 2 Phi(.4) - 1 = .311.
    EXPECT_GT(found.discrepancy, .22) << k;
    EXPECT_LT(found.discrepancy, .37) << k;
    EXPECT_GT(found.agreement_source, .4) << k;
    EXPECT_EQ(critic_warning(found), "");
  }
}

// Fewer components than classes: no linear critic is the classifier, and the one learnt to agree with it most is no good start.
TEST(ManyClassesTier2, SoItDoesOnFewComponents) {
  Sample source = gaussian(2000, 100, 0, 3), target = gaussian(2000, 100, .8, 4);
  add_features(source, 3), add_features(target, 4);
  Dis2Options options;
  options.restarts = 2;
  options.representation = {Representation::Kind::pca, 26};
  const Dis2 found = dis2_bound(source, target, options);
  EXPECT_GE(found.discrepancy, best_neighbour(source, target, options));
  EXPECT_GT(found.agreement_source, least_source_agreement);
}

TEST(ManyClassesTier2, TheBoundHolds) {
  Dis2Options options;
  options.restarts = 1;
  for (const std::size_t k : {100u, 300u})
    for (std::uint64_t number = 0; number < 3; ++number) {
      options.seed = number;
      const Sample source = gaussian(1200, k, 0, 2 * number), target = gaussian(1200, k, .8, 2 * number + 1);
      const Dis2 found = dis2_bound(source, target, options);
      EXPECT_GE(found.estimate, error_of(target)) << k;  // even without the term for chance
    }
}

// The papers' recipe ends, with 100 classes, at critics that agree with the classifier nowhere, and smoothly so.
TEST(ManyClassesTier2, CriticsThatHardlyAgreeAreNotPraised) {
  Dis2Options options;
  options.search = Search::reference, options.restarts = 1;
  const Sample source = gaussian(400, 100, 0, 1), target = gaussian(400, 100, .8, 2);
  const Dis2 found = dis2_bound(source, target, options);
  ASSERT_LT(found.agreement_source, least_source_agreement);
  EXPECT_LE(*found.validity_score, found.agreement_source / least_source_agreement);
  EXPECT_NE(critic_warning(found), "");
}

TEST(CriticWarning, BelowAQuarter) {
  Dis2 found;
  found.agreement_source = .25;
  EXPECT_EQ(critic_warning(found), "");
  found.agreement_source = .0621;
  EXPECT_EQ(critic_warning(found),
            "The critic behind the bound agrees with the classifier on 6.2% of the held-out source rows, on "
            "less than "
            "25%: larger discrepancies may have been missed, and the bound may be too low.");
}

}  // namespace
}  // namespace leeway::error_bound

// Resamples that share one table of a_i(beta), against a certified search of each.
#include "leeway/agreement/detail/replicates.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "leeway/agreement/agreement.h"
#include "tests/agreement/cases.h"
#include "tests/stopping.h"

namespace leeway::agreement {
namespace {

constexpr std::size_t replicates = 16;
constexpr std::uint64_t seed = 7;

// The search on all rows, from the library, says where the nodes begin.
std::vector<double> maxima_of(const Pair& pair, Progress* progress = nullptr) {
  const Agreement found = posterior_agreement(clean_array(pair), shifted_array(pair));
  Maximum maximum;
  maximum.beta = found.beta, maximum.value = found.value;
  for (const CurvePoint& point : found.curve) maximum.points.push_back({point.beta, {}});
  const Pairs pairs(clean_array(pair), shifted_array(pair), {}, {"clean", "shifted"});
  return replicate_maxima(pairs, maximum, {replicates, seed, "bootstrap", progress});
}

class Replicates : public testing::TestWithParam<Case> {};

TEST_P(Replicates, HaveTheCertifiedMaximumOfTheirRows) {
  const Pair pair = GetParam().make();
  const std::vector<double> found = maxima_of(pair);
  ASSERT_EQ(found.size(), replicates);
  for (std::size_t b = 0; b < replicates; ++b) {
    const Pair drawn = resample(pair, seed, b);
    const Agreement certified = posterior_agreement(clean_array(drawn), shifted_array(drawn));
    EXPECT_NEAR(found[b], certified.value, 2e-6) << "resample " << b << ", beta " << certified.beta;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Replicates, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

TEST(ReplicateMaxima, AreToldOfAndStopped) {
  const Pair pair = gaussian(60, 3, .5, 5);
  Stopping whole(Stopping::never), stopped(3);
  (void)maxima_of(pair, &whole);
  EXPECT_EQ(whole.tasks, std::set<std::string>{"bootstrap"});
  EXPECT_GT(whole.done, 8);
  EXPECT_LT(whole.done, whole.total);
  EXPECT_THROW((void)maxima_of(pair, &stopped), Interrupted);
}

}  // namespace
}  // namespace leeway::agreement

// Resamples that share one table of a_i(beta), against a certified search of each.
#include "leeway/agreement/detail/replicates.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "leeway/agreement/agreement.h"
#include "leeway/core/random.h"
#include "tests/agreement/cases.h"

namespace leeway::agreement {
namespace {

constexpr std::size_t replicates = 16;
constexpr std::uint64_t seed = 7;

// The pair's rows as bootstrap() draws them.
Pair resample(const Pair& pair, std::size_t replicate) {
  Random random(seed, stream("bootstrap"), replicate);
  Pair drawn{pair.n, pair.k, {}, {}, pair.single};
  for (std::size_t i = 0; i < pair.n; ++i) {
    const auto first = static_cast<std::ptrdiff_t>(random.below(pair.n) * pair.k);
    const auto end = first + static_cast<std::ptrdiff_t>(pair.k);
    drawn.clean.insert(drawn.clean.end(), pair.clean.begin() + first, pair.clean.begin() + end);
    drawn.shifted.insert(drawn.shifted.end(), pair.shifted.begin() + first, pair.shifted.begin() + end);
  }
  return drawn;
}

class Recorder : public Progress {
 public:
  void update(std::string_view task, std::size_t done, std::size_t total, std::string_view) override {
    EXPECT_EQ(task, "bootstrap");
    EXPECT_LT(done, total);
    ++calls;
  }
  [[nodiscard]] bool stop_requested() const override { return calls == stop_after; }
  int calls = 0, stop_after = -1;
};

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
    const Pair drawn = resample(pair, b);
    const Agreement certified = posterior_agreement(clean_array(drawn), shifted_array(drawn));
    EXPECT_NEAR(found[b], certified.value, 2e-6) << "resample " << b << ", beta " << certified.beta;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Replicates, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

TEST(ReplicateMaxima, AreToldOfAndStopped) {
  const Pair pair = gaussian(60, 3, .5, 5);
  Recorder whole, stopped;
  (void)maxima_of(pair, &whole);
  EXPECT_GT(whole.calls, 8);
  stopped.stop_after = 3;
  EXPECT_THROW((void)maxima_of(pair, &stopped), Interrupted);
}

}  // namespace
}  // namespace leeway::agreement

// Rows whose gradient is exactly 0 count as surviving any noise, which the result says.
#include <gtest/gtest.h>

#include "leeway/average_case/average_case.h"

namespace leeway::average_case {
namespace {

// A model that looks at nothing but the sign of the first coordinate: flat wherever its gradient is asked for.
TEST(ZeroGradients, AreCountedForEveryMethodThatNeedsGradients) {
  AverageCaseOptions options;
  options.sigmas = {.3, 1};
  options.draws = 200, options.copies = 3;
  Classifier signs{1, 2, {}, {}};
  signs.logits = [](std::span<const float> x) {
    std::vector<float> logits;
    for (const float value : x) logits.insert(logits.end(), {0, value > 0 ? 1.f : -1.f});
    return logits;
  };
  signs.gradients = [&](std::span<const float> x, std::span<const std::int32_t>) {
    return ClassGradients{signs.logits(x), std::vector<float>(2 * x.size(), 0)};
  };
  const AverageCase found = average_case(
      signs, Noise(1), [](std::size_t, std::span<float> out) { out[0] = .1f; }, 0, 300, options);
  for (const Column& column : found.columns) {
    EXPECT_EQ(column.zero_gradients, column.estimator->gradients ? 300U : 0U) << column.estimator->name;
    if (column.estimator->name == "taylor") {
      EXPECT_EQ(column.p.front(), 1);
    }
    if (column.estimator->name == "mc") {
      EXPECT_LT(column.p.front(), .8);
    }
  }
}

}  // namespace
}  // namespace leeway::average_case

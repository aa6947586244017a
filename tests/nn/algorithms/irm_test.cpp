#include <gtest/gtest.h>

#include "tests/nn/by_hand.h"

namespace leeway::nn {
namespace {

TEST(Irm, AdamBeginsAnewWhereThePenaltyGetsItsWeight) {
  const auto member =
      made("irm", second_logit, {{"anneal-steps", 2}, {"lambda", 7}, {"single-environment", 1}});
  const Batch batch = batch_of(torch::tensor({{2.f}, {-1.f}, {.5f}}), {1, 0, 0});
  for (std::size_t step = 1; step <= 3; ++step) {
    const Step done = member->update({batch, {batch}, {}, 1, step, 10});
    EXPECT_NEAR(done.loss, done.parts.at("risk") + (step <= 2 ? 1 : 7) * done.parts.at("penalty"), 1e-5);
    EXPECT_EQ(member->state().at("steps").item<std::int64_t>(),
              step <= 2 ? static_cast<std::int64_t>(step) : 1);
  }
}

}  // namespace
}  // namespace leeway::nn

// Outputs in several files, gains and held-out rows that are made while they are read: the same bits as all in memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "leeway/error_bound/detail/critic_rows.h"
#include "leeway/error_bound/detail/transport.h"
#include "leeway/error_bound/dis2.h"
#include "leeway/error_bound/estimator.h"
#include "tests/error_bound/samples.h"
#include "tests/message_of.h"

namespace leeway::error_bound {
namespace {

// The same sample in parts that end after the rows given, float32.
Sample in_parts(const Sample& sample, std::vector<std::size_t> ends) {
  const std::vector<double> all = logits_of(sample);
  const std::size_t k = sample.k();
  ends.push_back(sample.n());
  std::vector<Array> parts;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    parts.push_back(make_array<float>({end - begin, k}, {all.data() + begin * k, all.data() + end * k}));
    begin = end;
  }
  return {sample.name, Rows(std::move(parts)), sample.labels, sample.features};
}

TEST(Streaming, PartsAreAsGoodAsOneFile) {
  const Sample source = drawn(3000, 5, 1.5, 1), target = drawn(2500, 5, .5, 2);
  const Sample whole_source = in_parts(source, {}), whole_target = in_parts(target, {});
  const Sample some_source = in_parts(source, {1, 1000, 1300}),
               some_target = in_parts(target, {0, 700, 2499});
  const Estimates whole = estimate_error(whole_source, whole_target, {.bootstrap = 10}),
                  some = estimate_error(some_source, some_target, {.bootstrap = 10});
  EXPECT_EQ(whole.inverse_temperature, some.inverse_temperature);
  ASSERT_EQ(whole.estimates.size(), some.estimates.size());
  for (std::size_t i = 0; i < whole.estimates.size(); ++i) {
    EXPECT_EQ(whole.estimates[i].error, some.estimates[i].error) << i;
    EXPECT_EQ(whole.estimates[i].interval->low, some.estimates[i].interval->low) << i;
  }
  Dis2Options options;
  options.restarts = 3;
  const Dis2 bound = dis2_bound(whole_source, whole_target, options),
             of_parts = dis2_bound(some_source, some_target, options);
  EXPECT_EQ(bound.bound, of_parts.bound);
  EXPECT_EQ(bound.restarts, of_parts.restarts);
}

TEST(Streaming, ABadValueIsNamedByItsPart) {
  const Sample source = drawn(100, 3, 1, 1);
  std::vector<double> logits = logits_of(source);
  logits[3 * 71 + 2] = std::numeric_limits<double>::quiet_NaN();
  const Sample bad = in_parts(sample_of(3, logits, {}, "t-*.npy"), {60});
  EXPECT_THAT(message_of([&] { check(source, bad); }),
              testing::HasSubstr("nan at row 71 (row 11 of part 2), class 2"));
}

TEST(Streaming, HeldOutRowsMadeAnewAgreeWithTheSame) {
  const Sample source = drawn(4001, 6, 1, 1), target = drawn(2503, 6, 1, 2);
  const CriticData kept = critic_data(source, target, {}, Scaling::standard),
                   made = critic_data(source, target, {}, Scaling::standard, 0);
  ASSERT_TRUE(kept.holdout.kept && !made.holdout.kept);
  EXPECT_EQ(kept.holdout.y, made.holdout.y);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Random random(seed, stream("streaming test"));
    std::vector<float> theta(kept.training.parameters());
    for (std::size_t c = 0; c < 6; ++c)
      for (std::size_t j = 0; j <= 6; ++j)
        theta[kept.training.at(j, c)] = static_cast<float>(random.normal());
    EXPECT_EQ(agreeing_rows(kept.holdout, theta), agreeing_rows(made.holdout, theta));
  }
}

TEST(Streaming, GainsMadeWhileReadGiveTheSameTransport) {
  for (const auto& [n, k] : {std::pair<std::size_t, std::size_t>{7, 3}, {20000, 10}, {9000, 100}}) {
    const Sample sample = drawn(n, k, 1, n);
    const Softmax p(sample.logits, 1.7);
    std::vector<double> all, masses(k, 1);
    (void)p.rows(0, n, all);
    masses[1] = 2.5;
    const Transport held = optimal_transport(all, k, masses),
                    made = optimal_transport({n, k,
                                              [&](std::size_t begin, std::size_t end,
                                                  std::vector<double>&to) { return p.rows(begin, end, to); }},
                                             masses);
    EXPECT_EQ(held.cost, made.cost);
    EXPECT_EQ(held.potentials, made.potentials);
  }
}

}  // namespace
}  // namespace leeway::error_bound

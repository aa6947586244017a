// Rates of label noise by exact binomial tests, and which labels it gives.
#include <gmock/gmock.h>

#include <numeric>

#include "leeway/core/statistics.h"
#include "tests/shift/pictures.h"

namespace leeway::shift::label_noise_test {

constexpr std::size_t n = 30'000;

// Labels 0, 1, 2, 3 in turn.
Images labeled() {
  std::vector<std::int64_t> labels(n);
  for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<std::int64_t>(i % 4);
  return make_images({n, 1, 1, 1}, std::vector<float>(n), labels);
}

// Changes by label and by new label.
std::vector<std::vector<std::size_t>> changes(const Images& before, const Shifted& after) {
  std::vector<std::vector<std::size_t>> counts(4, std::vector<std::size_t>(4));
  for (std::size_t i = 0; i < n; ++i)
    ++counts[static_cast<std::size_t>((*before.labels)[i])]
            [static_cast<std::size_t>((*after.images.labels)[i])];
  return counts;
}

// A binomial test that does not reject p at level 1e-6.
void expect_share(std::size_t successes, std::size_t of, double p) {
  const Interval interval = clopper_pearson(successes, of, 1 - 1e-6);
  EXPECT_TRUE(interval.low <= p && p <= interval.high) << successes << " of " << of << ", expected " << p;
}

TEST(LabelNoise, MeetsItsRatesInExpectation) {
  const Images images = labeled();
  for (const double rate : {0., .05, .1, .2, 1.})
    for (const std::uint64_t seed : {1, 2, 3}) {
      const auto symmetric = changes(images, apply("label-noise", images, rate, seed)),
                 pair = changes(images, apply("label-noise-pair", images, rate, seed));
      for (std::size_t label = 0; label < 4; ++label)
        for (std::size_t to = 0; to < 4; ++to) {
          expect_share(symmetric[label][to], n / 4, label == to ? 1 - rate : rate / 3);
          expect_share(pair[label][to], n / 4, label == to ? 1 - rate : to == (label + 1) % 4 ? rate : 0);
        }
    }
}

TEST(LabelNoise, RatesByRow) {
  const Images images = labeled();
  Options options;
  for (std::size_t i = 0; i < n; ++i) options.rates.push_back(i < n / 3 ? .05 : .3);
  const Shifted noisy = member("label-noise").apply(images, options, nullptr);
  std::size_t first = 0, second = 0;
  for (std::size_t i = 0; i < n; ++i)
    (i < n / 3 ? first : second) += (*images.labels)[i] != (*noisy.images.labels)[i];
  expect_share(first, n / 3, .05);
  expect_share(second, n - n / 3, .3);
  options.rates.pop_back();
  EXPECT_REFUSED((void)member("label-noise").apply(images, options, nullptr),
                 "set.npz: label noise: expected 30000 rates, found 29999");
  options.rates.push_back(2);
  EXPECT_REFUSED((void)member("label-noise").apply(images, options, nullptr),
                 "set.npz: label noise: expected rates from 0 to 1, found 2 at row 29999");
}

TEST(LabelNoise, StaysAmongTheClassesInTheirOrder) {
  const Images images = labeled();
  const auto pair = changes(images, apply("label-noise-pair", images, 1, 0, {3, 0, 2}));
  EXPECT_EQ(pair[3][0] + pair[0][2] + pair[2][3] + pair[1][1], n);
  EXPECT_REFUSED((void)apply("label-noise", images, .1, 0, {3}),
                 "set.npz: label noise: expected at least two classes, found 1");
}

TEST(LabelNoise, SmallerRatesChangeASubset) {
  const Images images = labeled();
  const auto few = apply("label-noise", images, .05).images.labels.value(),
             many = apply("label-noise", images, .2).images.labels.value();
  for (std::size_t i = 0; i < n; ++i) EXPECT_TRUE(few[i] == (*images.labels)[i] || few[i] == many[i]) << i;
}

}  // namespace leeway::shift::label_noise_test

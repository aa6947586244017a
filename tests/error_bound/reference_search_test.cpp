// The papers' recipe against a plain AdamW in float64, and the validity score by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "leeway/core/random.h"
#include "leeway/error_bound/detail/critic_rows.h"
#include "leeway/error_bound/detail/lifted_class.h"
#include "tests/error_bound/samples.h"

namespace leeway::error_bound {
namespace {

constexpr std::size_t n_source = 1300, n_target = 500,
                      k = 3;  // six batches an epoch; the target starts again

// A critic as a plain table: theta[c][j], the bias last.
using Critic = std::vector<std::vector<double>>;

CriticRows training_rows() {
  Dis2Options options;
  options.holdout = 0;
  return critic_data(drawn(n_source, k, 2, 1), drawn(n_target, k, .5, 2), options, Scaling::none).training;
}

// Derivatives of a row's loss by its scores.
std::vector<double> slopes(const std::vector<double>& f, std::size_t y, bool target, Loss loss) {
  std::vector<double> g(f.size());
  double total = 0;
  for (const double value : f) total += std::exp(value);
  const double sign = target ? -1 : 1;  // chuang: the cross-entropy turned round
  for (std::size_t c = 0; c < f.size(); ++c) g[c] = sign * (std::exp(f[c]) / total - (c == y ? 1 : 0));
  if (!target || loss == Loss::chuang) return g;
  double others = 0, mean = 0;
  for (std::size_t c = 0; c < f.size(); ++c)
    if (c != y) others += std::exp(f[c]), mean += f[c] / (k - 1.);
  const double m = f[y] - (loss == Loss::d_bat ? std::log(others) : mean);
  const double rise = 1 / (1 + std::exp(-m)) / std::log(2.);
  for (std::size_t c = 0; c < f.size(); ++c)
    g[c] = c == y ? rise : -rise * (loss == Loss::d_bat ? std::exp(f[c]) / others : 1 / (k - 1.));
  return g;
}

class PlainAdamW {
 public:
  PlainAdamW(const CriticRows& rows, Loss loss, std::uint64_t seed)
      : rows_(rows), d_(rows.d), loss_(loss), theta_(k, std::vector<double>(rows.d + 1)) {
    Random random(seed, stream("critic start"), 0);
    for (auto& scores : theta_)
      for (double& value : scores) value = (2 * random.uniform() - 1) / std::sqrt(double(d_));
    first_ = second_ = Critic(k, std::vector<double>(d_ + 1, 0.));
  }

  void epoch(std::uint64_t seed, std::size_t number) {
    const auto order = [&](std::size_t n, const char* purpose) {
      std::vector<std::size_t> rows(n);
      std::iota(rows.begin(), rows.end(), 0);
      Random random(seed, stream(purpose), number);
      for (std::size_t i = n; i > 1; --i) std::swap(rows[i - 1], rows[random.below(i)]);
      return rows;
    };
    const auto source = order(n_source, "critic source batches"),
               target = order(n_target, "critic target batches");
    for (std::size_t begin = 0; begin < n_source; begin += 256) {
      const std::size_t end = std::min(begin + 256, n_source);
      Critic gradient(k, std::vector<double>(d_ + 1, 0.));
      for (std::size_t i = begin; i < end; ++i) {
        add(source[i], false, .5 / double(end - begin), gradient);
        add(n_source + target[i % n_target], true, .5 / double(end - begin), gradient);
      }
      step(gradient);
    }
  }

  [[nodiscard]] const Critic& theta() const { return theta_; }

 private:
  void add(std::size_t row, bool target, double weight, Critic& gradient) const {
    std::vector<double> f(k, 0);
    for (std::size_t c = 0; c < k; ++c)
      for (std::size_t j = 0; j <= d_; ++j) f[c] += theta_[c][j] * double(rows_.at_row(row, j));
    const std::vector<double> g = slopes(f, static_cast<std::size_t>(rows_.y[row]), target, loss_);
    for (std::size_t c = 0; c < k; ++c)
      for (std::size_t j = 0; j <= d_; ++j) gradient[c][j] += weight * g[c] * double(rows_.at_row(row, j));
  }

  // Loshchilov and Hutter (2019), algorithm 2, as torch's AdamW: the decay comes first.
  void step(const Critic& gradient) {
    ++steps_;
    for (std::size_t c = 0; c < k; ++c)
      for (std::size_t j = 0; j <= d_; ++j) {
        const double g = gradient[c][j];
        theta_[c][j] *= 1 - 3e-3 * 5e-4;
        first_[c][j] = .9 * first_[c][j] + .1 * g;
        second_[c][j] = .999 * second_[c][j] + .001 * g * g;
        const double m = first_[c][j] / (1 - std::pow(.9, steps_)),
                     v = second_[c][j] / (1 - std::pow(.999, steps_));
        theta_[c][j] -= 3e-3 * m / (std::sqrt(v) + 1e-8);
      }
  }

  const CriticRows& rows_;
  std::size_t d_;
  Loss loss_;
  int steps_ = 0;
  Critic theta_, first_, second_;
};

class ReferenceSearch : public testing::TestWithParam<Loss> {};

TEST_P(ReferenceSearch, IsAdamWOverBatches) {
  const CriticRows rows = training_rows();
  PlainAdamW plain(rows, GetParam(), 7);
  std::size_t epoch = 0;
  train_reference(rows, GetParam(), 7, 0, [&](std::span<const float> theta) {
    plain.epoch(7, epoch++);
    for (std::size_t c = 0; c < k; ++c)
      for (std::size_t j = 0; j <= rows.d; ++j)
        ASSERT_NEAR(theta[rows.at(j, c)], plain.theta()[c][j], 2e-5) << epoch << ' ' << c << j;
  });
  EXPECT_EQ(epoch, 50u);
}

INSTANTIATE_TEST_SUITE_P(Losses, ReferenceSearch,
                         testing::Values(Loss::disagreement_logistic, Loss::d_bat, Loss::chuang));

TEST(ValidityScore, ByHand) {
  EXPECT_EQ(validity_score(std::vector{.75}), 1);             // at once
  EXPECT_EQ(validity_score(std::vector{.25, .5, .75}), 1);    // only ever up
  EXPECT_EQ(validity_score(std::vector{.75, .25, .5}), 1);    // what follows the maximum does not count
  EXPECT_EQ(validity_score(std::vector{.5, .25, .75}), .6);   // .75 / (.5 + .25 + .5)
  EXPECT_EQ(validity_score(std::vector{.5, .25, .5}), 1);     // the first of two maxima
  EXPECT_EQ(validity_score(std::vector{0., 1., 0., 1.}), 1);  // a_1 = 0
  EXPECT_EQ(validity_score(std::vector{0., 0.}), 0);
  EXPECT_EQ(validity_score({}), 0);
}

// What dis2_bound reports for the recipe: the largest D met, and the least score, over restarts and epochs.
TEST(ReferenceSearch, ReportsTheBestEpochAndTheLeastScore) {
  const Sample source = drawn(200, 4, 2, 3), target = drawn(150, 4, .5, 4);
  Dis2Options options;
  options.search = Search::reference, options.restarts = 3, options.seed = 9;
  const Dis2 found = dis2_bound(source, target, options);
  const CriticData data = critic_data(source, target, options, Scaling::none);
  double least = 2;
  for (std::size_t restart = 0; restart < 3; ++restart) {
    double best = -1;
    std::vector<double> agreements;
    train_reference(data.training, options.loss, 9, restart, [&](std::span<const float> theta) {
      const Agreement agreed = agreement(*data.holdout.kept, theta);
      best = std::max(best, discrepancy(agreed, data.holdout));
      agreements.push_back(double(agreed.source) / double(data.holdout.n_source));
    });
    EXPECT_EQ(found.restarts[restart], best);
    EXPECT_LT(restart, found.restarts.size());
    least = std::min(least, validity_score(agreements));
  }
  EXPECT_EQ(*found.validity_score, least);
  EXPECT_LT(least, 1);
}

}  // namespace
}  // namespace leeway::error_bound

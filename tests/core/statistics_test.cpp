#include "leeway/core/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "leeway/core/random.h"
#include "tests/at_threads.h"
#include "tests/message_of.h"

namespace leeway {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Reference {
  std::string what;
  std::size_t a, b;
  double level, low, high;
};

// statistics.csv, which make_statistics.py wrote.
std::vector<Reference> references() {
  std::ifstream file(LEEWAY_REFERENCE "/statistics.csv");
  std::vector<Reference> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream fields(line);
    Reference row;
    std::string level, low, high;
    fields >> row.what >> row.a >> row.b >> level >> low >> high;
    row.level = std::strtod(level.c_str(), nullptr);
    row.low = std::strtod(low.c_str(), nullptr);
    row.high = std::strtod(high.c_str(), nullptr);
    rows.push_back(row);
  }
  return rows;
}

void expect_close(double value, double reference) {
  EXPECT_NEAR(value, reference, 1e-10 * std::abs(reference));
}

TEST(Statistics, AgreesWithOtherPrograms) {
  const auto rows = references();
  ASSERT_EQ(rows.size(), 112u);
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what + " " + std::to_string(row.a) + " " + std::to_string(row.b) + " " +
                 std::to_string(row.level));
    if (row.what == "normal_quantile") {
      expect_close(normal_quantile(row.level), row.low);
    } else if (row.what == "mcnemar") {
      expect_close(mcnemar_p(row.a, row.b), row.low);
    } else {
      ASSERT_THAT(row.what, testing::AnyOf("clopper_pearson", "wilson"));
      const auto compute = row.what == "wilson" ? wilson : clopper_pearson;
      const Interval interval = compute(row.a, row.b, row.level);
      expect_close(interval.low, row.low);
      expect_close(interval.high, row.high);
    }
  }
}

RC_GTEST_PROP(Intervals, HoldTheProportionMirrorAndNest, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 5000);
  const auto k = *rc::gen::inRange<std::size_t>(0, n + 1);
  const double p = static_cast<double>(k) / static_cast<double>(n);
  for (const auto compute : {clopper_pearson, wilson}) {
    const Interval wide = compute(k, n, .99), narrow = compute(k, n, .8), mirror = compute(n - k, n, .99);
    RC_ASSERT(0 <= wide.low && wide.low <= narrow.low && narrow.low <= p);
    RC_ASSERT(p <= narrow.high && narrow.high <= wide.high && wide.high <= 1);
    RC_ASSERT(std::abs(wide.low - (1 - mirror.high)) < 1e-12);
  }
}

// 1, 2, 3, 4: mean 5/2, s^2 = 5/3, so the error is sqrt(5/12).
TEST(Mean, ByHand) {
  const std::vector<double> values{1, 2, 3, 4};
  const Mean mean = mean_and_error(values);
  EXPECT_DOUBLE_EQ(mean.mean, 2.5);
  EXPECT_DOUBLE_EQ(mean.standard_error, std::sqrt(5. / 12));
  EXPECT_EQ(mean.n, 4u);
}

TEST(StudentInterval, ByHand) {
  const std::vector<double> values{1, 2, 3}, one{1};
  const double t = .95 * std::sqrt(2 / (4 * .975 * .025));
  const Interval interval = student_interval(values);
  EXPECT_NEAR(interval.high - 2, t / std::sqrt(3.),
              1e-12);  // s = 1
  EXPECT_NEAR(2 - interval.low, t / std::sqrt(3.), 1e-12);
  EXPECT_EQ(student_interval(one).high, std::numeric_limits<double>::infinity());
}

TEST(Mean, OfOneAndOfNone) {
  const std::vector<double> one{3};
  EXPECT_EQ(mean_and_error(one).mean, 3);
  EXPECT_TRUE(std::isnan(mean_and_error(one).standard_error));
  EXPECT_EQ(mean_and_error(one).n, 1u);
  EXPECT_TRUE(std::isnan(mean_and_error({}).mean));
  EXPECT_TRUE(std::isnan(mean_and_error({}).standard_error));
}

// A variance by squares minus squared mean would lose all digits here.
TEST(Mean, FarFromZero) {
  const std::vector<double> values{1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4};
  EXPECT_DOUBLE_EQ(mean_and_error(values).standard_error, std::sqrt(5. / 12));
}

TEST(Mean, HasTheSameBitsForAnyThreads) {
  std::vector<double> values(100'000);
  Random random(3, 0);
  for (double& value : values) value = random.normal();
  const auto work = [&] { return mean_and_error(values); };
  const Mean one = at_threads(1, work), seven = at_threads(7, work);
  EXPECT_EQ(one.mean, seven.mean);
  EXPECT_EQ(one.standard_error, seven.standard_error);
}

double mean_row(std::span<const std::size_t> rows) {
  double sum = 0;
  for (const std::size_t row : rows) sum += static_cast<double>(row);
  return sum / static_cast<double>(rows.size());
}

// Three replicates sorted a <= b <= c at level .25: of four ranks .375 lie on either side, rank 1.5, half way from a to b.
TEST(Bootstrap, IsThePercentileOfItsReplicates) {
  std::vector<double> means;
  for (std::uint64_t b = 0; b < 3; ++b) {
    Random random(11, stream("bootstrap"), b);
    std::vector<std::size_t> rows(50);
    for (auto& row : rows) row = random.below(50);
    means.push_back(mean_row(rows));
  }
  std::sort(means.begin(), means.end());
  const Interval interval = bootstrap(50, mean_row, {.replicates = 3, .level = .25, .seed = 11});
  EXPECT_DOUBLE_EQ(interval.low, (means[0] + means[1]) / 2);
  EXPECT_DOUBLE_EQ(interval.high, (means[1] + means[2]) / 2);
}

// Of 199 draws of a uniform variable the r-th has mean r / 200, and so has what lies below it.
TEST(Bootstrap, EndsLeaveOutTheirShare) {
  std::vector<double> means;
  for (int r = 1; r < 200; ++r) means.push_back(r / 200.);
  const Interval interval = replicate_interval(means, .95);
  EXPECT_NEAR(interval.low, .025, 1e-15);
  EXPECT_NEAR(interval.high, .975, 1e-15);
  const Interval of_few = replicate_interval(std::vector<double>{1, 2, 3}, .95);  // too few to leave any out
  EXPECT_EQ(of_few.low, 1);
  EXPECT_EQ(of_few.high, 3);
  EXPECT_EQ(replicate_interval(std::vector<double>{7}).high, 7);
}

TEST(Bootstrap, HasTheSameBitsForAnyThreads) {
  const auto work = [&] { return bootstrap(200, mean_row); };
  const Interval one = at_threads(1, work), seven = at_threads(7, work);
  EXPECT_EQ(one.low, seven.low);
  EXPECT_EQ(one.high, seven.high);
  EXPECT_NE(one.low, bootstrap(200, mean_row, {.seed = 1}).low);
}

TEST(Bootstrap, LeavesOutWhatIsUndefined) {
  const auto undefined_without_row_0 = [](std::span<const std::size_t> rows) {
    return std::find(rows.begin(), rows.end(), 0u) == rows.end() ? nan : 2.;
  };
  EXPECT_EQ(bootstrap(3, undefined_without_row_0).low, 2);
  EXPECT_EQ(bootstrap(3, undefined_without_row_0).high, 2);
  EXPECT_TRUE(std::isnan(bootstrap(3, [](auto) { return nan; }).low));
}

TEST(Bootstrap, KeepsInfinities) {
  const auto infinite = [](auto) { return -std::numeric_limits<double>::infinity(); };
  EXPECT_EQ(bootstrap(3, infinite).high, -std::numeric_limits<double>::infinity());
}

// Tables of the sign test: ranks 6 and 15 of 20 hold the median with 95.9%, 2 and 9 of 10 with 97.9%; 5 values say nothing at 95%.
TEST(QuantileInterval, IsOfOrderStatistics) {
  const auto ranks = [](std::size_t n, double p, double level = .95) {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<double>(i + 1);
    const Interval interval = quantile_interval(values, p, level);
    return std::pair{interval.low, interval.high};
  };
  EXPECT_EQ(ranks(20, .5), std::pair(6., 15.));
  EXPECT_EQ(ranks(10, .5), std::pair(2., 9.));
  EXPECT_EQ(ranks(6, .5), std::pair(1., 6.));
  EXPECT_EQ(ranks(5, .5), std::pair(-HUGE_VAL, HUGE_VAL));
  EXPECT_EQ(ranks(10000, .5), std::pair(4902., 5099.));
  EXPECT_EQ(ranks(10, .99).second, HUGE_VAL);
  const std::vector<double> some{0, 0, 1, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
  EXPECT_EQ(quantile_interval(some, .5).high, HUGE_VAL);
}

TEST(Statistics, Errors) {
  EXPECT_EQ(message_of([] { (void)clopper_pearson(4, 3); }),
            "clopper_pearson: successes: expected at most n = 3, found 4");
  EXPECT_EQ(message_of([] { (void)wilson(1, 3, 1); }),
            "wilson: level: expected a number between 0 and 1, both excluded, found 1");
  EXPECT_EQ(message_of([] { (void)normal_quantile(nan); }),
            "normal_quantile: p: expected a number between 0 and 1, both excluded, found nan");
  EXPECT_EQ(message_of([] { (void)bootstrap(0, mean_row); }),
            "bootstrap: n: expected at least one row, found 0");
  EXPECT_EQ(message_of([] { (void)bootstrap(3, mean_row, {.replicates = 0}); }),
            "bootstrap: replicates: expected at least 1, found 0");
}

}  // namespace
}  // namespace leeway

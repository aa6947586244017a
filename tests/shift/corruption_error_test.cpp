#include "leeway/shift/corruption_error.h"

#include <gmock/gmock.h>

#include "leeway/core/statistics.h"
#include "tests/message_of.h"

namespace leeway::shift::corruption_error_test {

using ::testing::DoubleNear;
using ::testing::HasSubstr;

constexpr std::nullopt_t none = std::nullopt;
constexpr std::size_t images = 50'000;  // of ImageNet's validation set, so that every error is a whole count

std::vector<std::uint8_t> wrong(std::size_t n, double share) {
  std::vector<std::uint8_t> rows(n, 0);
  std::fill_n(rows.begin(), std::llround(share * static_cast<double>(n)), std::uint8_t{1});
  return rows;
}

CorruptionMistakes mistakes_of(const std::string& name, std::size_t n, const std::vector<double>& errors) {
  CorruptionMistakes one{name, true, {1, 2, 3, 4, 5}, std::vector<std::uint8_t>(n)};
  for (const double error : errors) {
    const auto rows = wrong(n, error);
    for (std::size_t i = 0; i < n; ++i) one.wrong[i] = static_cast<std::uint8_t>(one.wrong[i] + rows[i]);
  }
  return one;
}

std::vector<CorruptionMistakes> everywhere(std::size_t n, double error) {
  std::vector<CorruptionMistakes> all;
  for (const auto& [corruption, errors] : alexnet_errors().corruptions)
    all.push_back(mistakes_of(corruption, n, std::vector<double>(5, error)));
  return all;
}

TEST(CorruptionError, MeansOfThePublishedTable) {
  const double means[] = {.564592, .853204, .819880, .646056, .819324, .826572, .886428, .826268,
                          .922640, .606500, .785948, .717840, .894468, .866816, .798360};
  const double* mean = means;  // by name
  double all = 0;
  for (const auto& [corruption, errors] : alexnet_errors().corruptions) {
    double sum = 0;
    for (const auto& error : errors) sum += *error;
    EXPECT_NEAR(sum / 5, *mean++, 1e-12) << corruption;
    all += sum / 75;
  }
  EXPECT_NEAR(all, .788993, 5e-7);
}

TEST(CorruptionError, AlexNetIsOneItself) {
  std::vector<CorruptionMistakes> all;
  for (const auto& [corruption, known] : alexnet_errors().corruptions) {
    std::vector<double> errors;
    for (const auto& error : known) errors.push_back(*error);
    all.push_back(mistakes_of(corruption, images, errors));
  }
  const CorruptionErrors found = corruption_errors(all, wrong(images, .43478), &alexnet_errors());
  EXPECT_EQ(found.counted, 15u);
  EXPECT_NEAR(*found.mce.value, 100, 1e-9);
  EXPECT_NEAR(*found.relative_mce.value, 100, 1e-9);
  EXPECT_NEAR(*found.mean_error.value, .788993, 5e-7);
  for (const CorruptionError& one : found.corruptions) {
    EXPECT_NEAR(*one.ce.value, 100, 1e-10);
    EXPECT_NEAR(*one.relative_ce.value, 100, 1e-7);
    EXPECT_NEAR(*one.error.value, *one.reference_error, 1e-12);
    EXPECT_LT(*one.ce.low, 100);
    EXPECT_GT(*one.ce.high, 100);
  }
}

TEST(CorruptionError, OneErrorEverywhere) {
  const CorruptionErrors found = corruption_errors(everywhere(20, .3), wrong(20, .25), &alexnet_errors());
  EXPECT_NEAR(*found.mce.value, 38.8035, 5e-5);
  EXPECT_NEAR(*found.relative_mce.value, 16.2796, 5e-5);
  EXPECT_NEAR(*found.mean_error.value, .3, 1e-12);
}

// All corruptions err on the same images: the interval of one proportion, not of 75 times as many.
TEST(CorruptionError, TheImageIsWhatIsDrawn) {
  const CorruptionErrors found = corruption_errors(everywhere(1000, .3), {}, nullptr);
  const Interval one = clopper_pearson(300, 1000);
  EXPECT_THAT(*found.mean_error.low, DoubleNear(one.low, 2e-3));
  EXPECT_THAT(*found.mean_error.high, DoubleNear(one.high, 2e-3));
  EXPECT_FALSE(found.mce.value.has_value());
  EXPECT_FALSE(found.relative_mce.value.has_value());
}

// By hand: two images, one corruption of the benchmark at severities 2 and 4, one extra.
TEST(CorruptionError, ExtraCorruptionsAreNotCounted) {
  const ReferenceErrors half{
      "half", .25, {{"fog", {none, .5, none, .5, none}}, {"saturate", {.5, none, none, none, none}}}};
  const std::vector<CorruptionMistakes> two{{"fog", true, {2, 4}, {2, 1}}, {"saturate", false, {1}, {1, 1}}};
  const CorruptionErrors found = corruption_errors(two, {1, 0}, &half);
  EXPECT_EQ(found.counted, 1u);
  EXPECT_DOUBLE_EQ(*found.mean_error.value, .75);
  EXPECT_DOUBLE_EQ(*found.mce.value, 150);           // 100 (2 + 1) / 2 / 1
  EXPECT_DOUBLE_EQ(*found.relative_mce.value, 100);  // 100 (0 + 1) / 2 / .5
  EXPECT_DOUBLE_EQ(*found.corruptions[1].ce.value, 200);
}

TEST(CorruptionError, WithoutTheReferencesNumbersThereIsNoRatio) {
  const ReferenceErrors some{"some", {}, {{"fog", {.1, .1, .1, .1, .1}}}};
  const std::vector<CorruptionMistakes> two{mistakes_of("fog", 10, {.1, .1, .1, .1, .1}),
                                            mistakes_of("snow", 10, {.1, .1, .1, .1, .1})};
  const CorruptionErrors found = corruption_errors(two, wrong(10, .1), &some);
  EXPECT_TRUE(found.corruptions[0].ce.value.has_value());
  EXPECT_FALSE(found.corruptions[0].relative_ce.value.has_value());  // its clean error is not known
  EXPECT_FALSE(found.corruptions[1].ce.value.has_value());
  EXPECT_FALSE(found.mce.value.has_value());
  EXPECT_TRUE(found.mean_error.value.has_value());
  // no worse than on clean images: nothing to divide by
  const ReferenceErrors even{"even", .1, some.corruptions};
  EXPECT_FALSE(corruption_errors(two, wrong(10, .1), &even).corruptions[0].relative_ce.value.has_value());
}

TEST(CorruptionError, RefusesByName) {
  const auto message = [](const std::vector<CorruptionMistakes>& all,
                          const std::vector<std::uint8_t>& clean) {
    return message_of([&] { (void)corruption_errors(all, clean, nullptr); });
  };
  EXPECT_THAT(message({}, {}), HasSubstr("at least one corruption"));
  EXPECT_THAT(message({{"fog", true, {1}, {}}}, {}), HasSubstr("at least one image"));
  EXPECT_THAT(message({{"fog", true, {1}, {0}}, {"fog", true, {1}, {0}}}, {}), HasSubstr("'fog' twice"));
  EXPECT_THAT(message({{"fog", true, {6}, {0}}}, {}), HasSubstr("severities from 1 to 5 of fog"));
  EXPECT_THAT(message({{"fog", true, {1}, {2}}}, {}), HasSubstr("most 1 wrong severities of fog, found 2"));
  EXPECT_THAT(message({{"fog", true, {1}, {0}}}, {0, 1}), HasSubstr("1 clean images, found 2"));
}

}  // namespace leeway::shift::corruption_error_test

#include "leeway/core/random.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "leeway/core/error.h"
#include "tests/message_of.h"

namespace leeway::random_test {

using ::testing::ElementsAre;

// The vectors that Random123 publishes for philox4x32, 10 rounds.
TEST(Philox, KnownAnswers) {
  EXPECT_THAT(philox4x32_10({0, 0, 0, 0}, {0, 0}),
              ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  EXPECT_THAT(philox4x32_10({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
              ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  EXPECT_THAT(philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              ElementsAre(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

TEST(Random, IsPhiloxOfBlockStreamSampleAndSeed) {
  constexpr std::uint64_t seed = 0x0123456789abcdef, sample = 0xfedcba9876543210;
  constexpr std::uint32_t purpose = 0x9e3779b9;
  Random random(seed, purpose, sample);
  const auto low = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  const auto high = [](std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); };
  for (std::uint32_t block = 0; block < 3; ++block)
    for (const std::uint32_t word :
         philox4x32_10({block, purpose, low(sample), high(sample)}, {low(seed), high(seed)}))
      EXPECT_EQ(random.bits(), word);
}

// 0x6627e8d5e169c58d without its last 12 bits, half a step up, over 2^52.
TEST(Random, UniformFromTwoWords) {
  Random random(0, 0, 0);
  EXPECT_EQ(random.uniform(), std::ldexp(static_cast<double>(0x6627e8d5e169cULL) + .5, -52));
}

TEST(Random, NormalIsBoxMuller) {
  Random uniforms(5, 6, 7), normals(5, 6, 7);
  const double radius = std::sqrt(-2 * std::log(uniforms.uniform())),
               angle = 2 * std::acos(-1.) * uniforms.uniform();
  EXPECT_DOUBLE_EQ(normals.normal(), radius * std::cos(angle));
  EXPECT_DOUBLE_EQ(normals.normal(), radius * std::sin(angle));
}

// A plain remainder of 32 bits by 3 * 2^30 would give the lowest third twice as often as each of the others.
TEST(Random, BelowHasNoRemainderBias) {
  for (const std::uint64_t m : {std::uint64_t{3} << 30, std::uint64_t{3} << 62}) {
    constexpr int n = 30'000;
    Random random(20, stream("below"));
    std::vector<int> thirds(3);
    for (int i = 0; i < n; ++i) ++thirds.at(random.below(m) / (m / 3));
    for (const int count : thirds) EXPECT_NEAR(count, n / 3, 5 * std::sqrt(n * 2. / 9));
  }
}

TEST(Random, BelowOneAndBelowZero) {
  Random random(1, 1);
  EXPECT_EQ(random.below(1), 0u);
  EXPECT_REFUSED(random.below(0), "Random::below: m: expected a number above 0, found 0");
}

// FNV-1a of the empty word, of "a" and of "foobar", as its authors publish them.
TEST(Stream, IsFnv1a) {
  EXPECT_EQ(stream(""), 0x811c9dc5u);
  EXPECT_EQ(stream("a"), 0xe40c292cu);
  EXPECT_EQ(stream("foobar"), 0xbf9cf968u);
}

TEST(Shuffle, DependsOnSeedAndStreamAlone) {
  std::vector<std::size_t> start(100);
  std::iota(start.begin(), start.end(), std::size_t{0});
  const auto shuffled = [&](std::uint64_t seed, std::uint32_t purpose) {
    auto values = start;
    shuffle(values, seed, purpose);
    return values;
  };
  EXPECT_THAT(shuffled(1, 2), ::testing::UnorderedElementsAreArray(start));
  EXPECT_EQ(shuffled(1, 2), shuffled(1, 2));
  EXPECT_NE(shuffled(1, 2), shuffled(2, 2));
  EXPECT_NE(shuffled(1, 2), shuffled(1, 3));
  EXPECT_NE(shuffled(1, 2), start);
}

// A permutation is the shuffle of 0..n-1 by the same draws, whatever the type of its numbers.
TEST(Shuffle, Permutation) {
  std::vector<std::size_t> values(100);
  std::iota(values.begin(), values.end(), std::size_t{0});
  shuffle(values, 1, 2);
  Random first(1, 2), second(1, 2);
  EXPECT_EQ(permutation(100, first), values);
  const auto signs = permutation<std::int64_t>(100, second);
  EXPECT_TRUE(std::equal(signs.begin(), signs.end(), values.begin()));
  EXPECT_EQ(first.bits(), second.bits());
  EXPECT_TRUE(permutation(0, first).empty());
}

}  // namespace leeway::random_test

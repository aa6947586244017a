// One set in several parts: the same bits as in one, wherever it is cut, in every layout of the kernel.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "leeway/agreement/agreement.h"
#include "tests/agreement/cases.h"
#include "tests/message_of.h"

namespace leeway::agreement {
namespace {

// Row i is a function of i alone, so that parts can be made one by one.
template <class T>
Array some_rows(std::size_t begin, std::size_t end, std::size_t k, double noise) {
  std::vector<T> values;
  values.reserve((end - begin) * k);
  for (std::size_t i = begin; i < end; ++i)
    for (std::size_t j = 0; j < k; ++j) {
      const std::size_t t = i * k + j;
      const auto fraction = [&](std::size_t factor, std::size_t modulus) {
        return static_cast<double>(t * factor % modulus) / static_cast<double>(modulus);
      };
      values.push_back(static_cast<T>(6 * fraction(7919, 10'007) + 2 * noise * fraction(104'729, 65'537)));
    }
  return make_array({end - begin, k}, std::move(values));
}

template <class T>
Rows cut(std::size_t n, std::size_t k, std::size_t parts, double noise) {
  std::vector<Array> arrays;
  for (std::size_t p = 0; p < parts; ++p)
    arrays.push_back(some_rows<T>(p * n / parts, (p + 1) * n / parts, k, noise));
  return Rows(std::move(arrays));
}

void expect_same_bits(const Agreement& a, const Agreement& b) { EXPECT_EQ(numbers_of(a), numbers_of(b)); }

template <class T>
void check(std::size_t n, std::size_t k, std::initializer_list<std::size_t> counts, double noise = 1) {
  SCOPED_TRACE(testing::Message() << n << " rows, " << k << " classes");
  const Rows clean = cut<T>(n, k, 1, 0), shifted = cut<T>(n, k, 1, noise);
  const Agreement whole = posterior_agreement(clean, shifted);
  EXPECT_TRUE(whole.converged);
  for (const std::size_t parts : counts) {
    SCOPED_TRACE(parts);
    expect_same_bits(whole, posterior_agreement(cut<T>(n, k, parts, 0), cut<T>(n, k, parts, noise)));
    // Cut at different places in the two sets.
    expect_same_bits(whole, posterior_agreement(cut<T>(n, k, parts, 0), cut<T>(n, k, parts + 1, noise)));
  }
  const auto rows = agreement_per_row(clean, shifted, 1.5);
  EXPECT_EQ(rows, agreement_per_row(cut<T>(n, k, 3, 0), cut<T>(n, k, 4, noise), 1.5));
}

TEST(Shards, SameBits) {
  check<float>(5003, 10, {2, 5, 13});
  check<double>(5003, 10, {5});
  check<float>(40, 3, {2, 5, 13, 40});
  check<float>(1200, 300, {5});  // rows in place
  check<double>(1200, 300, {5});
  check<float>(60'000, 20, {5});  // float32 tiles
}

TEST(ShardsTier2, SameBitsWhereNothingIsKept) {
  const std::size_t n = 132'001, k = 128;
  Options options;
  options.gap = 1e-2;
  const auto whole = posterior_agreement(cut<double>(n, k, 1, 0), cut<double>(n, k, 1, 1), {}, options);
  expect_same_bits(whole, posterior_agreement(cut<double>(n, k, 5, 0), cut<double>(n, k, 3, 1), {}, options));
}

TEST(Shards, SameBitsAtInfinity) { check<float>(3000, 5, {2, 5}, 0); }

TEST(Shards, TheLastOfManyIsNamed) {
  Rows clean = cut<float>(100, 3, 4, 0);
  std::vector<float> bad(75, 1);
  bad[10] = NAN;
  const Rows shifted(
      std::vector<Array>{some_rows<float>(0, 75, 3, 1), make_array<float>({25, 3}, std::move(bad))});
  EXPECT_EQ(message_of([&] { (void)posterior_agreement(clean, shifted); }),
            "shifted: expected finite logits below 1e140, found nan at row 78 (row 3 of part 2), class 1");
}

}  // namespace
}  // namespace leeway::agreement

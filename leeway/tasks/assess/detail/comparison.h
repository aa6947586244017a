// Proportions, and differences between two proportions.
//
// A share k/n has the Clopper-Pearson interval. The difference of two shares has,
// - on the same samples, the adjusted Wald interval of Bonett and Price (J. Educ. Behav. Stat. 37, 2012),
// recommended by Fagerland, Lydersen and Laake (Stat. Med. 33, 2014): with b, c the samples right in only one
// of the two, p = (b+1)/(n+2), q = (c+1)/(n+2): (c-b)/n from q - p -+ z sqrt((p + q - (q-p)^2)/(n+2)), cut to
// [-1,1];
// - on different samples, square-and-add of two Wilson intervals (Newcombe, Stat. Med. 17, 1998, method 10).
// A difference is clear if its interval excludes 0; sentences claim no other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "leeway/core/numbers.h"

namespace leeway::assess {

[[nodiscard]] Measured share(std::size_t count, std::size_t n, double level);  // n > 0
// The share of rows whose two classes are equal.
[[nodiscard]] Measured share_of_equal(std::span<const std::int32_t> a, std::span<const std::int32_t> b,
                                      double level);

// Of a difference, which is second minus first, in [-1,1].
[[nodiscard]] bool clearly_lower(const Measured& difference);
[[nodiscard]] bool clearly_higher(const Measured& difference);
[[nodiscard]] bool clear(const Measured& difference);

// `only_first` and `only_second` count the samples of n that succeed in only one of the two.
[[nodiscard]] Measured paired_difference(std::size_t only_first, std::size_t only_second, std::size_t n,
                                         double level);
// Of `first` of first_n and `second` of second_n samples.
[[nodiscard]] Measured unpaired_difference(std::size_t first, std::size_t first_n, std::size_t second,
                                           std::size_t second_n, double level);

// From 0/1 outcomes on the same samples.
struct Discordance {
  std::size_t only_first = 0, only_second = 0;
};
[[nodiscard]] Discordance discordance(std::span<const std::uint8_t> first,
                                      std::span<const std::uint8_t> second);

}  // namespace leeway::assess
